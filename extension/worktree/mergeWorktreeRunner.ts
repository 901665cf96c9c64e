import { err, ok, type Result } from '../base/result';
import { moveIndex, ownCommit, stagedTree } from './applyTreeRunner';
import { keepCarried } from './carriedWorkRunner';
import { findWorktree } from './findWorktree';
import { attempt, git, gitMaybe } from './gitCall';
import { isHeldByOther } from './leaseLoader';
import { removeClean } from './removeWorktreeRunner';
import { exists, loadRepoPlace, type RepoPlace } from './repoPlaceLoader';
import { settleTake } from './settleTakeRunner';
import { planTake, type TakePlan, type TakeRequest } from './takePlanRunner';
import { backupPrefix, ownIdentity, pendingPrefix, type WorktreeContext } from './worktreeContext';
import { timeStamp } from './worktreeName';
import type { WorktreeProblem } from './worktreeProblem';
import type { MergeJournal, Worktree } from './worktreeRecord';
import { readWorktrees, type WorktreeRecords, withWorktrees } from './worktreeStore';

export interface NamedWorktree {
  readonly repoRoot: string;
  readonly name: string;
}

export interface MergePreview {
  /** Undefined: a checkout on no branch. */
  readonly branch: string | undefined;
  readonly files: readonly string[];
  readonly isDirty: boolean;
  readonly isFastForward: boolean;
}

/** What a merge or an apply would change. @returns problem `conflict` with every file; nothing is touched either way */
export function previewMerge(context: WorktreeContext, at: NamedWorktree, request: TakeRequest): Promise<Result<MergePreview, WorktreeProblem>> {
  return attempt(async () => {
    const place = await loadRepoPlace(context, at.repoRoot);
    if (!place.ok) return place;
    const found = findWorktree(await readWorktrees(context.stateDir, place.value.commonDir), at.name);
    if (!found.ok) return found;
    const plan = await planTake(context, found.value, request);
    if (!plan.ok) return plan;
    const { branch, files, isDirty, isFastForward } = plan.value;
    return ok({ branch, files, isDirty, isFastForward });
  });
}

export interface MergeOutcome {
  /** The target's commit now; unchanged by an apply. */
  readonly commit: string;
  readonly files: readonly string[];
  /** Holds the person's files as they were before, when they had uncommitted work. */
  readonly backupRef: string | undefined;
  /** The worktree is gone; it held nothing more of its own. */
  readonly removed: boolean;
}

/** Takes a worktree's commits, uncommitted and untracked files into the target, wholly or not at all. */
export function takeWorktree(context: WorktreeContext, at: NamedWorktree, request: TakeRequest): Promise<Result<MergeOutcome, WorktreeProblem>> {
  return attempt(async () => {
    const place = await loadRepoPlace(context, at.repoRoot);
    if (!place.ok) return place;
    return withWorktrees(context.stateDir, place.value.commonDir, async (records) => {
      const found = findWorktree(records.all(), at.name);
      if (!found.ok) return found;
      if (await isHeldByOther(found.value.lease, context.self)) return err({ code: 'in-use', message: `Another window works in the worktree ${at.name}. Wait for its agent to end.` });
      const plan = await planTake(context, found.value, request);
      if (plan.ok) return take(context, { records, place: place.value, worktree: found.value }, plan.value);
      const { conflicts } = plan.problem;
      if (conflicts) await records.put({ ...found.value, state: found.value.state === 'active' ? 'active' : 'conflicted', conflicts: [...conflicts] });
      return plan;
    });
  });
}

interface Holding {
  readonly records: WorktreeRecords;
  readonly place: RepoPlace;
  readonly worktree: Worktree;
}

async function take(context: WorktreeContext, holding: Holding, plan: TakePlan): Promise<Result<MergeOutcome, WorktreeProblem>> {
  const { worktree, records, place } = holding;
  const startedAtMs = context.nowMs();
  const stamp = `${worktree.name}-${timeStamp(startedAtMs)}`;
  const backupRef = await pin(context, place.mainRoot, plan, stamp);
  const journal: MergeJournal = { ...plan.journal, startedAtMs, ...(backupRef === undefined ? {} : { backupRef }) };
  await records.put({ ...worktree, state: 'merging', journal: { kind: 'take', merge: journal } });
  const settled = await settleTake(context, journal, place.mainRoot);
  if (!settled.ok) {
    await dropPending(context, place.mainRoot, worktree.name);
    await records.put(worktree);
    return settled;
  }
  const removed = await finishTake(context, { ...holding, worktree: { ...worktree, state: worktree.state === 'active' ? 'active' : 'ready' } }, journal);
  return ok({ commit: journal.toCommit, files: plan.files, backupRef, removed });
}

/** Everything the steps need stays reachable until they are done; what the person has uncommitted stays so beyond that. */
async function pin(context: WorktreeContext, cwd: string, plan: TakePlan, stamp: string): Promise<string | undefined> {
  const { checkout, fromCommit, toCommit, incomingCommit } = plan.journal;
  const name = stamp.replace(/-\d{8}-\d{6}-\d{3}$/, '');
  const setRef = (ref: string, commit: string): Promise<unknown> => git(context.git, ['update-ref', ref, commit], { cwd });
  if (!checkout) {
    await setRef(`${pendingPrefix}${name}`, toCommit);
    return undefined;
  }
  const commitOf = (tree: string, parents: readonly string[], message: string): Promise<string> => ownCommit(context, cwd, { tree, parents, message, env: ownIdentity });
  const staged = checkout.fromIndex === checkout.fromTree ? [] : [await commitOf(checkout.fromIndex, [fromCommit], 'What was staged')];
  const before = await commitOf(checkout.fromTree, [fromCommit, ...staged], `Your files before ${plan.journal.kind} of ${name}`);
  const after = await commitOf(checkout.toTree, [toCommit, before, incomingCommit, await commitOf(checkout.toIndex, [before], 'Staged after')], 'Under way');
  await setRef(`${pendingPrefix}${name}`, after);
  if (!plan.isDirty) return undefined;
  await setRef(`${backupPrefix}${stamp}`, before);
  return `${backupPrefix}${stamp}`;
}

async function dropPending(context: WorktreeContext, cwd: string, name: string): Promise<void> {
  await context.git.run(['update-ref', '-d', `${pendingPrefix}${name}`], { cwd });
}

/** After the target has it all: the worktree's branch too, then the worktree goes if nothing more is in it. @returns whether it went */
async function finishTake(context: WorktreeContext, { records, place, worktree }: Holding, journal: MergeJournal): Promise<boolean> {
  const { journal: _ended, conflicts: _settled, ...rest } = worktree;
  if (journal.kind === 'apply') {
    await records.put({ ...rest, appliedAtMs: context.nowMs() });
    await dropPending(context, place.mainRoot, worktree.name);
    return false;
  }
  await advanceWorktree(context, worktree, journal);
  const merged: Worktree = { ...rest, state: worktree.state === 'active' ? 'active' : 'merged', baseSha: journal.incomingCommit };
  if (merged.carriedFrom !== undefined) await keepCarried(context, place, { name: merged.name, base: merged.baseSha });
  await records.put(merged);
  await dropPending(context, place.mainRoot, worktree.name);
  if (merged.state !== 'merged') return false;
  return (await removeClean(context, records, place, merged)).ok;
}

/** Its uncommitted work was merged as a commit: its own branch gets that commit, its files stay as they are. */
async function advanceWorktree(context: WorktreeContext, worktree: Worktree, journal: MergeJournal): Promise<void> {
  const { headCommit, incomingCommit } = journal;
  const cwd = worktree.path;
  if (headCommit === incomingCommit || !(await exists(cwd))) return;
  const place = await loadRepoPlace(context, cwd);
  if (!place.ok || place.value.root === place.value.mainRoot) return;
  const staged = await stagedTree(context, cwd);
  const trees = (await gitMaybe(context.git, ['rev-parse', `${headCommit}^{tree}`, `${incomingCommit}^{tree}`], { cwd }))?.split('\n') ?? [];
  if (staged !== undefined && !trees.includes(staged)) {
    const commit = await ownCommit(context, cwd, { tree: staged, parents: [headCommit], message: `What was staged in ${worktree.name}`, env: ownIdentity });
    await git(context.git, ['update-ref', `${backupPrefix}${worktree.name}-${timeStamp(context.nowMs())}-staged`, commit], { cwd });
  }
  const moved = await context.git.run(['update-ref', '-m', 'troupe: commit what was merged', 'HEAD', incomingCommit, headCommit], { cwd });
  if (moved.exitCode === 0 && staged !== undefined) await moveIndex(context, { root: cwd, gitDir: place.value.gitDir }, staged, trees[1] ?? staged);
}

/** Ends a merge that a crash left open. @returns a notice for the person */
export async function recoverTake(context: WorktreeContext, holding: Holding, journal: MergeJournal): Promise<string> {
  const { worktree, records, place } = holding;
  const settled = await settleTake(context, journal, place.mainRoot);
  const ready: Worktree = { ...worktree, state: 'ready' };
  if (!settled.ok) {
    const { journal: _ended, ...rest } = ready;
    await records.put(rest);
    await dropPending(context, place.mainRoot, worktree.name);
    return `${worktree.name}: ${settled.problem.message}`;
  }
  await finishTake(context, { ...holding, worktree: ready }, journal);
  return `${worktree.name}: the ${journal.kind} that was interrupted has been finished.`;
}
