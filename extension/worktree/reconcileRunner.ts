import { promises as fs } from 'node:fs';
import { ok, type Result } from '../base/result';
import { finishOne } from './finishWorktreeRunner';
import { attempt, git, GitFailure, gitMaybe } from './gitCall';
import { isHeldByOther } from './leaseLoader';
import { recoverTake } from './mergeWorktreeRunner';
import type { ListedWorktree } from './parseGit';
import { removeBranch } from './removeWorktreeRunner';
import { exists, listWorktrees, loadRepoPlace, type RepoPlace, waitForIndex } from './repoPlaceLoader';
import { isAncestor } from './takePlanRunner';
import { removeDiscarded } from './trashRunner';
import { loadWork } from './worktreeChangesRunner';
import type { WorktreeContext } from './worktreeContext';
import type { WorktreeProblem } from './worktreeProblem';
import type { Worktree } from './worktreeRecord';
import { applySetup, detectSetup, planSetup, type WorktreeSettings } from './worktreeSetupRunner';
import { type WorktreeRecords, withWorktrees } from './worktreeStore';

export interface ReconcileReport {
  readonly worktrees: readonly Worktree[];
  /** What was found and done, for the person. */
  readonly notices: readonly string[];
}

export interface ReconcileRequest {
  readonly repoRoot: string;
  readonly settings: WorktreeSettings;
  /** Its agent goes on when it is answered: it is not ended. */
  readonly isAwaited?: (worktree: Worktree) => boolean;
}

interface Holding {
  readonly records: WorktreeRecords;
  readonly place: RepoPlace;
  readonly settings: WorktreeSettings;
  readonly isAwaited: (worktree: Worktree) => boolean;
  readonly notices: string[];
}

/**
 * At start: compares our record with what git has. Ends what a crash cut short, follows what a person did by hand and
 * touches only worktrees of ours that no living process holds; others are left alone.
 */
export function reconcileWorktrees(context: WorktreeContext, request: ReconcileRequest): Promise<Result<ReconcileReport, WorktreeProblem>> {
  return attempt(async () => {
    const placed = await loadRepoPlace(context, request.repoRoot);
    if (!placed.ok) return placed;
    const place = placed.value;
    return withWorktrees(context.stateDir, place.commonDir, async (records) => {
      const holding: Holding = { records, place, settings: request.settings, isAwaited: request.isAwaited ?? (() => false), notices: [] };
      for (const worktree of records.all()) await reconcileOne(context, holding, worktree);
      return ok({ worktrees: records.all(), notices: holding.notices });
    });
  });
}

/** One that can't be brought in order is told and does not stop the others. */
async function reconcileOne(context: WorktreeContext, holding: Holding, worktree: Worktree): Promise<void> {
  if (await isHeldByOther(worktree.lease, context.self)) return;
  if (worktree.lease?.nonce === context.self.nonce && worktree.state === 'active' && !worktree.journal) return;
  try {
    const open = await settleJournal(context, holding, worktree);
    if (open) await followByHand(context, holding, open);
  } catch (thrown) {
    if (!(thrown instanceof GitFailure)) throw thrown;
    holding.notices.push(`${worktree.name}: ${thrown.problem.message}`);
  }
}

/** @returns the worktree to look at further, or undefined when it is settled */
async function settleJournal(context: WorktreeContext, holding: Holding, worktree: Worktree): Promise<Worktree | undefined> {
  const { records, place, notices } = holding;
  const { journal } = worktree;
  if (!journal) return worktree;
  if (journal.kind === 'take') notices.push(await recoverTake(context, { records, place, worktree }, journal.merge));
  if (journal.kind === 'discard') {
    const removed = await removeDiscarded(context, { records, place, worktree }, journal.tree);
    notices.push(removed.ok ? `${worktree.name}: the discard that was interrupted has been finished; it is in Trash.` : removed.problem.message);
  }
  if (journal.kind === 'create') await settleCreate(context, holding, worktree);
  if (journal.kind === 'restore') await settleRestore(context, holding, worktree, journal.trashRef);
  return records.find(worktree.name);
}

async function dropUnmade(context: WorktreeContext, { records, place }: Holding, worktree: Worktree): Promise<void> {
  await context.git.run(['worktree', 'prune'], { cwd: place.mainRoot });
  await removeBranch(context, place.mainRoot, worktree.branch);
  await records.remove(worktree.name);
}

/** Made but not set up: set up now. Not made: nothing stays of it. */
async function settleCreate(context: WorktreeContext, holding: Holding, worktree: Worktree): Promise<void> {
  const { journal: _ended, lease: _dead, ...rest } = worktree;
  const listed = (await listWorktrees(context, holding.place.mainRoot)).find((entry) => entry.path === worktree.path);
  if (!listed || !(await exists(worktree.path))) return dropUnmade(context, holding, worktree);
  const own = await loadRepoPlace(context, worktree.path);
  if (own.ok) await waitForIndex(own.value.gitDir); // the git of the crashed process may still be at it
  const isCheckedOut = (await git(context.git, ['ls-files', '-z', '-c'], { cwd: worktree.path, maxBytes: 1 })).bytes.length > 0;
  if (!isCheckedOut) {
    await git(context.git, ['read-tree', 'HEAD'], { cwd: worktree.path });
    await context.git.run(['checkout-index', '-q', '-a', '-u'], { cwd: worktree.path });
  }
  const plan = await planSetup(context, holding.place, holding.settings);
  await applySetup(plan, worktree.path);
  await holding.records.put({ ...rest, setupPaths: [...(await detectSetup(plan, worktree.path))] });
}

async function settleRestore(context: WorktreeContext, holding: Holding, worktree: Worktree, trashRef: string): Promise<void> {
  const { records, place, settings, notices } = holding;
  if (!(await exists(worktree.path))) return dropUnmade(context, holding, worktree);
  const setupPaths = await detectSetup(await planSetup(context, place, settings), worktree.path);
  const known = { ...worktree, setupPaths: [...setupPaths] };
  const work = await loadWork(context, known);
  const trashed = await gitMaybe(context.git, ['rev-parse', '--verify', '-q', `${trashRef}^{tree}`], { cwd: place.mainRoot });
  if (work.ok && work.value.tree === work.value.headTree && trashed !== undefined && trashed !== work.value.tree) {
    await removeDiscarded(context, { records, place, worktree: known }, work.value.tree);
    notices.push(`${worktree.name}: restoring it was interrupted; it is still in Trash.`);
    return;
  }
  const { journal: _ended, ...rest } = known;
  if (work.ok && trashed === work.value.tree) await context.git.run(['reset', '--quiet'], { cwd: worktree.path });
  await records.put(rest);
}

/** What a person did at the command line: folders deleted or moved, branches renamed or reset. */
async function followByHand(context: WorktreeContext, holding: Holding, worktree: Worktree): Promise<void> {
  const { place, records, notices } = holding;
  const listed = await listWorktrees(context, place.mainRoot);
  const here = listed.find((entry) => entry.path === worktree.path);
  const moved = here ? undefined : listed.find((entry, i) => i > 0 && entry.branch === worktree.branch);
  const isThere = await exists(worktree.path);
  if (moved) {
    await records.put({ ...worktree, path: moved.path });
    notices.push(`${worktree.name} was moved to ${moved.path}.`);
    return followByHand(context, holding, { ...worktree, path: moved.path });
  }
  if (!isThere) return recreate(context, holding, worktree, here);
  if ((await headOf(context, worktree)) === undefined) {
    await context.git.run(['worktree', 'repair', '--', worktree.path], { cwd: place.mainRoot });
    if ((await headOf(context, worktree)) === undefined) {
      notices.push(`${worktree.name}: ${worktree.path} is no worktree any more and git could not repair it. It was left as it is.`);
      return records.remove(worktree.name);
    }
  }
  const followed = await followBranch(context, holding, worktree, here);
  const isOver = followed.state === 'active' || followed.lease !== undefined;
  if (isOver && !holding.isAwaited(followed)) await finishOne(context, { records, place, worktree: followed });
}

/** @returns undefined where the folder is no checkout of its own with a commit: without its `.git` it belongs to the main one */
async function headOf(context: WorktreeContext, worktree: Worktree): Promise<string | undefined> {
  const place = await loadRepoPlace(context, worktree.path);
  return place.ok && place.value.root !== place.value.mainRoot && place.value.root === (await fs.realpath(worktree.path)) ? place.value.head : undefined;
}

async function followBranch(context: WorktreeContext, { records, notices }: Holding, worktree: Worktree, here: ListedWorktree | undefined): Promise<Worktree> {
  const head = await headOf(context, worktree);
  let followed = worktree;
  if (here?.branch !== undefined && here.branch !== worktree.branch) {
    followed = { ...followed, branch: here.branch };
    notices.push(`${worktree.name} is on the branch ${here.branch} now.`);
  }
  if (head !== undefined && head !== worktree.baseSha && !(await isAncestor(context, worktree.path, worktree.baseSha, head))) {
    const base = await gitMaybe(context.git, ['merge-base', worktree.baseSha, head], { cwd: worktree.path });
    if (base !== undefined) followed = { ...followed, baseSha: base };
    notices.push(`The branch of ${worktree.name} was moved by hand; its changes are counted from ${(base ?? worktree.baseSha).slice(0, 8)} now.`);
  }
  if (followed !== worktree) await records.put(followed);
  return followed;
}

/** The folder was deleted by hand. Commits of its branch that are nowhere else are checked out again; else nothing is left to keep. */
async function recreate(context: WorktreeContext, { place, records, notices, settings }: Holding, worktree: Worktree, here: ListedWorktree | undefined): Promise<void> {
  const cwd = place.mainRoot;
  if (here) {
    await context.git.run(['worktree', 'unlock', '--', worktree.path], { cwd });
    await context.git.run(['worktree', 'remove', '--', worktree.path], { cwd });
  }
  const tip = await gitMaybe(context.git, ['rev-parse', '--verify', '-q', `refs/heads/${worktree.branch}`], { cwd });
  await removeBranch(context, cwd, worktree.branch);
  const left = await gitMaybe(context.git, ['rev-parse', '--verify', '-q', `refs/heads/${worktree.branch}`], { cwd });
  if (tip === undefined || left === undefined) {
    await records.remove(worktree.name);
    notices.push(`The folder of ${worktree.name} was deleted by hand and its branch held nothing of its own; it is off the list.`);
    return;
  }
  await git(context.git, ['worktree', 'add', '--quiet', '--', worktree.path, worktree.branch], { cwd });
  const setup = await applySetup(await planSetup(context, place, settings), worktree.path);
  const { lease: _gone, ...rest } = worktree;
  await records.put({ ...rest, state: 'ready', setupPaths: [...setup.paths] });
  notices.push(`The folder of ${worktree.name} was deleted by hand; the commits of its branch were checked out again. What was not committed is gone.`);
}

