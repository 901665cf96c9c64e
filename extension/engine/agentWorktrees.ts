import { dirname, join } from 'node:path';
import type { AgentWorktree, AgentWorktrees, WantedWorktree, WorktreeEnd } from '../agents/worktreePort';
import { errorText } from '../base/errorText';
import { err, ok, type Result } from '../base/result';
import { createWorktree, type CreatedWorktree, type CreateRequest } from '../worktree/createWorktreeRunner';
import { finishWorktree, listRecorded } from '../worktree/finishWorktreeRunner';
import { summarise } from '../worktree/worktreeChangesRunner';
import type { WorktreeContext } from '../worktree/worktreeContext';
import type { WorktreeProblem } from '../worktree/worktreeProblem';
import type { Worktree } from '../worktree/worktreeRecord';
import type { WorktreePorts } from './worktreePorts';

/** How long a worktree is waited for while the window that had it is still closing. */
const handOverMs = 5_000;
const handOverStepMs = 100;

/** What it uses of the desk. */
interface Desk {
  readonly ports: WorktreePorts;
  readonly isClosed: boolean;
  readonly context: () => Promise<WorktreeContext>;
  readonly find: (name: string) => Promise<Result<Worktree, WorktreeProblem>>;
  readonly touched: (name: string) => void;
  readonly inOrder: (work: () => Promise<void>) => Promise<void>;
}

/** Worktrees as agents get and leave them. Nothing here rejects. */
export function createAgentWorktrees(desk: Desk): AgentWorktrees {
  return {
    open: (wanted) => opened(desk, wanted, () => create(desk, wanted, { slug: slugOf(wanted.name), isNew: true })),
    reopen: (wanted) => opened(desk, wanted, () => reopen(desk, wanted)),
    settle: ({ sessionId, working }) => void desk.inOrder(() => settle(desk, sessionId, working)),
  };
}

/** A folder name from an agent's own words. */
export function slugOf(words: string): string {
  const slug = words.normalize('NFKD').toLowerCase().replace(/[^a-z0-9]+/g, '-').slice(0, 40).replace(/^-+|-+$/g, '');
  return slug === '' ? 'agent' : slug;
}

async function create(desk: Desk, { sessionId, agentId, from, includesUncommitted }: WantedWorktree, how: Pick<CreateRequest, 'slug' | 'isNew'>): Promise<Result<CreatedWorktree, WorktreeProblem>> {
  const { baseRef, carryUncommitted, ...settings } = desk.ports.settings();
  return createWorktree(await desk.context(), { repoRoot: from ?? desk.ports.cwd, ...how, baseRef, carryUncommitted: includesUncommitted ?? carryUncommitted ?? false, owner: { agentId, sessionId }, settings });
}

/** Its own one as it is; a new one of the same name where that was merged, discarded or unchanged and so went away. */
async function reopen(desk: Desk, wanted: WantedWorktree): Promise<Result<CreatedWorktree, WorktreeProblem>> {
  const { clock } = desk.ports;
  const found = await desk.find(wanted.name);
  if (!found.ok && found.problem.code !== 'no-such-worktree') return found;
  if (found.ok && found.value.ownerAgentId !== wanted.agentId) return err({ code: 'in-use', message: `The worktree ${wanted.name} belongs to another agent now.` });
  for (const untilMs = clock.nowMs() + handOverMs; ; await clock.sleep(handOverStepMs)) {
    const made = await create(desk, wanted, { slug: wanted.name });
    if (made.ok || made.problem.code !== 'in-use' || desk.isClosed || clock.nowMs() >= untilMs) return made;
  }
}

async function opened(desk: Desk, wanted: WantedWorktree, open: () => Promise<Result<CreatedWorktree, WorktreeProblem>>): Promise<Result<AgentWorktree, string>> {
  try {
    const made = await open();
    if (!made.ok) return err(made.problem.message);
    const { worktree, notices } = made.value;
    if (notices.length > 0) desk.ports.raise({ agentId: wanted.agentId, level: 'warning', code: 'worktreeSetup', title: `The worktree ${worktree.name} could not be set up whole.`, detail: notices.join('\n') }, wanted.sessionId);
    desk.touched(worktree.name);
    return ok({ path: worktree.path, name: worktree.name, ...mainRootOf(worktree.path), branch: worktree.branch, note: placeNote(worktree, desk.ports.cwd), finish: () => finish(desk, worktree.name) });
  } catch (thrown) {
    return err(errorText(thrown));
  }
}

/** Ours lie in `.claude/worktrees` of the main checkout, unless one was moved by hand. */
function mainRootOf(path: string): { readonly mainRoot?: string } {
  const folder = dirname(path);
  return folder.endsWith(join('.claude', 'worktrees')) ? { mainRoot: dirname(dirname(folder)) } : {};
}

function placeNote({ path, branch, baseSha, carriedFrom }: Worktree, mainCheckout: string): string {
  const base =
    carriedFrom === undefined
      ? `It was made from the commit ${baseSha.slice(0, 12)}: what the person has not committed in ${mainCheckout} is not in it.`
      : `It was made from the commit ${carriedFrom.slice(0, 12)} and what the person had not committed in ${mainCheckout} then, which is the commit ${baseSha.slice(0, 12)} here.`;
  return `You work in a git worktree of your own, ${path}, on the branch ${branch}. ${base} Change files only here; nothing of yours reaches the person's files until they take it in. You may commit, but you need not: uncommitted and new files are part of your work, too.`;
}

async function finish(desk: Desk, name: string): Promise<WorktreeEnd> {
  try {
    const context = await desk.context();
    const ended = await finishWorktree(context, { repoRoot: desk.ports.cwd, name });
    desk.touched(name);
    if (!ended.ok) return { note: `Its worktree ${name} could not be closed: ${ended.problem.message}` };
    if (ended.value.removed) return { removed: true, note: 'It changed no file, so its worktree is gone.' };
    const summary = await summarise(context, ended.value.worktree);
    const size = summary.ok ? ` (${summary.value.files.length} ${summary.value.files.length === 1 ? 'file' : 'files'}, +${summary.value.added} −${summary.value.removed})` : '';
    return { note: `Its changes${size} are in the worktree ${name} on the branch ${ended.value.worktree.branch} and not in the person's files. They wait there for the person, who reviews them and merges or discards them; don't copy or merge them yourself unless you were asked to.` };
  } catch (thrown) {
    return { note: `Its worktree ${name} could not be closed: ${errorText(thrown)}` };
  }
}

/** Worktrees whose agents a reload cut off wait for review like those of agents that have ended. */
async function settle(desk: Desk, sessionId: string, working: readonly string[]): Promise<void> {
  const context = await desk.context();
  const { clock, cwd } = desk.ports;
  const records = await listRecorded(context, cwd);
  if (!records.ok) return;
  const left = records.value.filter((one) => one.sessionId === sessionId && one.state === 'active' && one.lease?.nonce !== context.self.nonce && !working.includes(one.ownerAgentId));
  for (const { name } of left) {
    for (const untilMs = clock.nowMs() + handOverMs; ; await clock.sleep(handOverStepMs)) {
      const ended = await finishWorktree(context, { repoRoot: cwd, name });
      if (ended.ok || ended.problem.code !== 'in-use' || desk.isClosed || clock.nowMs() >= untilMs) break;
    }
    desk.touched(name);
  }
}
