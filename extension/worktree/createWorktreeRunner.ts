import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import { err, ok, type Result } from '../base/result';
import { freshCommit } from './baseCommitLoader';
import { captureCarried, type CarriedWork, keepCarried } from './carriedWorkRunner';
import { attempt, git, GitFailure, gitMaybe, gitText } from './gitCall';
import { isHeldByOther, lockReason } from './leaseLoader';
import { exists, listWorktrees, loadRepoPlace, type RepoPlace } from './repoPlaceLoader';
import type { WorktreeContext } from './worktreeContext';
import { autoName, worktreeName } from './worktreeName';
import type { WorktreeProblem } from './worktreeProblem';
import { branchOf, type Worktree } from './worktreeRecord';
import { applySetup, excludeWorktrees, planSetup, type WorktreeSettings } from './worktreeSetupRunner';
import { readWorktrees, type WorktreeRecords, withWorktrees } from './worktreeStore';

export interface CreateRequest {
  /** Any folder of the repository; `head` is the commit of the checkout it lies in. */
  readonly repoRoot: string;
  /** Left out: a name like `bright-running-fox` is made up. */
  readonly slug?: string;
  readonly baseRef: 'head' | 'fresh';
  /** Begin with what is uncommitted in that checkout, too; only with `head`. */
  readonly carryUncommitted?: boolean;
  readonly owner: { readonly agentId: string; readonly sessionId: string };
  readonly settings: WorktreeSettings;
  /** Never one that is there: a name that is taken gets a number. */
  readonly isNew?: boolean;
  /** Made by a person for themselves (`--worktree`): a sweep leaves it alone. */
  readonly isPersonal?: boolean;
  readonly signal?: AbortSignal;
}

export interface CreatedWorktree {
  readonly worktree: Worktree;
  /** The name was there already and was opened again. */
  readonly reopened: boolean;
  /** For the person: what could not be set up, a hook that failed. */
  readonly notices: readonly string[];
}

/** Makes a worktree of its own for an agent below `.claude/worktrees`, locked while the agent works. */
export function createWorktree(context: WorktreeContext, request: CreateRequest): Promise<Result<CreatedWorktree, WorktreeProblem>> {
  return attempt(async () => {
    const given = request.slug === undefined ? undefined : worktreeName(request.slug);
    if (given && !given.ok) return given;
    const placed = await loadRepoPlace(context, request.repoRoot, request.signal);
    if (!placed.ok) return placed;
    const place = placed.value;
    const linked = await linkedFolder(place.mainRoot);
    if (linked) return err(linked);
    const base = request.baseRef === 'head' ? place.head : await freshCommit(context, place, request.signal);
    if (base === undefined) return err({ code: 'no-commits', path: place.root, message: `The repository ${place.root} has no commit yet, so there is nothing a worktree could start from. Commit once, then try again.` });
    const carried = request.carryUncommitted && request.baseRef === 'head' ? await captureCarried(context, place, { head: base, leaveOut: await setUpIn(context, place) }) : undefined;
    return withWorktrees(context.stateDir, place.commonDir, async (records) => {
      const name = !given ? await freeName(context, place, records) : request.isNew ? await freeNameLike(context, place, records, given.value) : given.value;
      return openOrAdd(context, { request, place, base, name, records, carried });
    });
  });
}

interface Making {
  readonly request: CreateRequest;
  readonly place: RepoPlace;
  readonly base: string;
  readonly name: string;
  readonly records: WorktreeRecords;
  readonly carried: CarriedWork | undefined;
}

/** A worktree of ours that another one starts from: its set-up is none of its work. */
async function setUpIn(context: WorktreeContext, place: RepoPlace): Promise<readonly string[]> {
  return (await readWorktrees(context.stateDir, place.commonDir)).find(({ path }) => path === place.root)?.setupPaths ?? [];
}

/** A link there would put an agent's files somewhere else. */
async function linkedFolder(mainRoot: string): Promise<WorktreeProblem | undefined> {
  for (const folder of ['.claude', '.claude/worktrees']) {
    const path = join(mainRoot, folder);
    const stat = await fs.lstat(path).catch(() => undefined);
    if (stat?.isSymbolicLink()) return { code: 'linked-folder', path, message: `${path} is a link, so worktrees would be made outside the repository. Replace it by a folder.` };
    if (stat && !stat.isDirectory()) return { code: 'linked-folder', path, message: `${path} is a file; worktrees need a folder there. Move it away.` };
  }
  return undefined;
}

async function freeName(context: WorktreeContext, place: RepoPlace, records: WorktreeRecords): Promise<string> {
  for (let attempts = 0; ; attempts += 1) {
    const name = attempts < 20 ? autoName(context.random) : `${autoName(context.random)}-${attempts}`;
    if (!records.find(name) && !(await exists(folderOf(place, name))) && !(await branchExists(context, place, branchOf(name)))) return name;
  }
}

/** The name itself, or with the first number that makes it free. */
export async function freeNameLike(context: WorktreeContext, place: RepoPlace, records: WorktreeRecords, name: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : `${name}-${number}`;
    const isTaken = records.find(candidate) !== undefined || (await fs.lstat(folderOf(place, candidate)).catch(() => undefined)) !== undefined || (await branchExists(context, place, branchOf(candidate)));
    if (!isTaken) return candidate;
  }
}

export function folderOf(place: RepoPlace, name: string): string {
  return join(place.mainRoot, '.claude', 'worktrees', name);
}

/** A look at the two places a branch is kept costs less than a process; git has the last word when it makes the branch. */
export async function branchExists(context: WorktreeContext, place: RepoPlace, branch: string): Promise<boolean> {
  if (await exists(join(place.commonDir, 'reftable'))) return (await gitMaybe(context.git, ['rev-parse', '--verify', '-q', `refs/heads/${branch}`], { cwd: place.root })) !== undefined;
  if (await exists(join(place.commonDir, 'refs', 'heads', branch))) return true;
  const packed = await fs.readFile(join(place.commonDir, 'packed-refs'), 'utf8').catch(() => '');
  return packed.includes(` refs/heads/${branch}\n`);
}

async function openOrAdd(context: WorktreeContext, making: Making): Promise<Result<CreatedWorktree, WorktreeProblem>> {
  const { place, name, records, request } = making;
  const path = folderOf(place, name);
  const stat = await fs.lstat(path).catch(() => undefined);
  if (stat?.isSymbolicLink()) return err({ code: 'linked-folder', path, message: `${path} is a link. Remove it or take another name.` });
  if (stat) return reopen(context, making, path);
  if (await branchExists(context, place, branchOf(name))) return err({ code: 'name-taken', message: `The branch ${branchOf(name)} exists already, and has no worktree of ours. Take another name, or delete that branch if nothing on it is needed.` });
  const worktree: Worktree = {
    name,
    path,
    branch: branchOf(name),
    baseSha: making.carried?.base ?? making.base,
    ...(making.carried && making.carried.base !== making.base ? { carriedFrom: making.carried.from } : {}),
    ownerAgentId: request.owner.agentId,
    sessionId: request.owner.sessionId,
    state: 'active',
    setupPaths: [],
    createdAtMs: context.nowMs(),
    isPersonal: request.isPersonal ?? false,
    lease: context.self,
    journal: { kind: 'create' },
  };
  await records.put(worktree);
  if (worktree.carriedFrom !== undefined) await keepCarried(context, place, { name, base: worktree.baseSha });
  const added = await addWorktree(context, making, worktree);
  if (added.ok) return added;
  if (!/already exists/.test(added.problem.message)) await undoAdd(context, place, worktree);
  await records.remove(name);
  return added;
}

async function addWorktree(context: WorktreeContext, { place, request, records, carried }: Making, worktree: Worktree): Promise<Result<CreatedWorktree, WorktreeProblem>> {
  const sparse = request.settings.sparsePaths ?? [];
  const options = { cwd: place.root, ...(request.signal ? { signal: request.signal } : {}) };
  const args = ['worktree', 'add', '--quiet', '--lock', '--reason', lockReason(context.self), '--no-track', ...(sparse.length > 0 ? ['--no-checkout'] : []), '-b', worktree.branch, '--', worktree.path, worktree.baseSha];
  const [added, plan] = await Promise.all([addOnce(context, args, options, worktree.path), planSetup(context, place, request.settings), excludeWorktrees(place.commonDir)]);
  if (!added.ok) return added;
  if (sparse.length > 0) {
    await git(context.git, ['sparse-checkout', 'set', '--cone', '--stdin'], { cwd: worktree.path, stdin: `${sparse.join('\n')}\n` });
    await git(context.git, ['checkout', '--quiet'], { cwd: worktree.path });
  }
  if (request.signal?.aborted) return err({ code: 'stopped', message: 'It was stopped.' });
  const setup = await applySetup(plan, worktree.path);
  const { journal: _done, ...rest } = worktree;
  const made: Worktree = { ...rest, setupPaths: [...setup.paths] };
  await records.put(made);
  return ok({ worktree: made, reopened: false, notices: [...added.value, ...setup.notices, ...(carried?.left ?? []).map((path) => `${path} is too large or can't be read, so it was not carried over.`)] });
}

/** A failing post-checkout hook fails `worktree add` too, though the worktree is whole: that is a notice. */
async function addOnce(context: WorktreeContext, args: readonly string[], options: { readonly cwd: string; readonly signal?: AbortSignal }, path: string): Promise<Result<readonly string[], WorktreeProblem>> {
  try {
    await git(context.git, args, options);
    return ok([]);
  } catch (thrown) {
    if (!(thrown instanceof GitFailure)) throw thrown;
    const isWhole = thrown.problem.code === 'git-failed' && !/fatal:|error:/.test(thrown.problem.message) && (await gitMaybe(context.git, ['rev-parse', '--verify', '-q', 'HEAD'], { cwd: path })) !== undefined;
    return isWhole ? ok([`The repository's post-checkout hook failed in ${path}: ${thrown.problem.message}`]) : err(thrown.problem);
  }
}

/** After a failed or stopped add: nothing of ours stays, and only what the add itself made goes. */
async function undoAdd(context: WorktreeContext, place: RepoPlace, worktree: Worktree): Promise<void> {
  const cwd = place.root;
  const listed = (await listWorktrees(context, cwd)).some((entry) => entry.path === worktree.path);
  if (listed) {
    await context.git.run(['worktree', 'unlock', '--', worktree.path], { cwd });
    await context.git.run(['worktree', 'remove', '--', worktree.path], { cwd });
  }
  await context.git.run(['update-ref', '-d', `refs/heads/${worktree.branch}`, worktree.baseSha], { cwd });
}

async function reopen(context: WorktreeContext, making: Making, path: string): Promise<Result<CreatedWorktree, WorktreeProblem>> {
  const { place, name, records, request } = making;
  const listed = (await listWorktrees(context, place.root)).find((entry) => entry.path === path);
  if (!listed) return err({ code: 'name-taken', path, message: `${path} exists and is no worktree. Take another name, or move that folder away.` });
  const known = records.find(name);
  if (known && (await isHeldByOther(known.lease, context.self))) return err({ code: 'in-use', path, message: `Another window works in the worktree ${name}. Take another name, or end that work first.` });
  if (known?.state === 'active' && known.lease?.nonce === context.self.nonce && known.ownerAgentId !== request.owner.agentId) return err({ code: 'in-use', path, message: `The agent ${known.ownerAgentId} works in the worktree ${name}. Take another name.` });
  if (!known && listed.lockReason !== undefined) return err({ code: 'in-use', path, message: `The worktree ${path} is locked (${listed.lockReason || 'no reason given'}). Unlock it or take another name.` });
  if (listed.lockReason === undefined) await git(context.git, ['worktree', 'lock', '--reason', lockReason(context.self), '--', path], { cwd: place.root });
  const baseSha = await refreshBase(context, making, { path, branch: listed.branch, known });
  const setup = await applySetup(await planSetup(context, place, request.settings), path);
  const { conflicts: _old, ...rest } = known ?? { name, path, createdAtMs: context.nowMs() };
  const worktree: Worktree = {
    ...rest,
    name,
    path,
    branch: listed.branch ?? branchOf(name),
    createdAtMs: known?.createdAtMs ?? context.nowMs(),
    baseSha,
    ownerAgentId: request.owner.agentId,
    sessionId: request.owner.sessionId,
    state: 'active',
    isPersonal: request.isPersonal ?? known?.isPersonal ?? true,
    setupPaths: [...new Set([...(known?.setupPaths ?? []), ...setup.paths])],
    lease: context.self,
  };
  await records.put(worktree);
  return ok({ worktree, reopened: true, notices: setup.notices });
}

/** With a fresh base a worktree without work of its own moves on to it; git refuses the move where a file would be lost. */
async function refreshBase(context: WorktreeContext, { request, base, place }: Making, at: { readonly path: string; readonly branch: string | undefined; readonly known: Worktree | undefined }): Promise<string> {
  const head = await gitText(context.git, ['rev-parse', 'HEAD'], { cwd: at.path });
  const old = at.known?.baseSha ?? (await gitMaybe(context.git, ['merge-base', head, place.head ?? base], { cwd: at.path })) ?? head;
  if (request.baseRef !== 'fresh' || head === base || head !== old || at.branch !== branchOf(at.known?.name ?? '')) return old;
  const moved = await context.git.run(['reset', '--keep', '--quiet', base], { cwd: at.path });
  return moved.exitCode === 0 ? base : old;
}
