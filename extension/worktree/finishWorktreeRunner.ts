import { err, ok, type Result } from '../base/result';
import { findWorktree } from './findWorktree';
import { attempt } from './gitCall';
import { isHeldByOther } from './leaseLoader';
import type { NamedWorktree } from './mergeWorktreeRunner';
import { removeClean } from './removeWorktreeRunner';
import { loadRepoPlace, type RepoPlace } from './repoPlaceLoader';
import { isUnchanged, loadWork } from './worktreeChangesRunner';
import type { WorktreeContext } from './worktreeContext';
import type { WorktreeProblem } from './worktreeProblem';
import type { Worktree } from './worktreeRecord';
import { readWorktrees, type WorktreeRecords, withWorktrees } from './worktreeStore';

/** The worktrees of a repository, oldest first, as recorded. */
export function listRecorded(context: WorktreeContext, repoRoot: string): Promise<Result<readonly Worktree[], WorktreeProblem>> {
  return attempt(async () => {
    const place = await loadRepoPlace(context, repoRoot);
    if (!place.ok) return place;
    return ok([...(await readWorktrees(context.stateDir, place.value.commonDir))].sort((a, b) => a.createdAtMs - b.createdAtMs));
  });
}

export type FinishOutcome = { readonly removed: true } | { readonly removed: false; readonly worktree: Worktree };

/** An agent has ended: its worktree goes by itself when nothing changed in it, else it waits for review. */
export function finishWorktree(context: WorktreeContext, at: NamedWorktree): Promise<Result<FinishOutcome, WorktreeProblem>> {
  return attempt(async () => {
    const place = await loadRepoPlace(context, at.repoRoot);
    if (!place.ok) return place;
    return withWorktrees(context.stateDir, place.value.commonDir, async (records) => {
      const found = findWorktree(records.all(), at.name);
      return found.ok ? finishOne(context, { records, place: place.value, worktree: found.value }) : found;
    });
  });
}

export async function finishOne(context: WorktreeContext, { records, place, worktree }: { readonly records: WorktreeRecords; readonly place: RepoPlace; readonly worktree: Worktree }): Promise<Result<FinishOutcome, WorktreeProblem>> {
  if (await isHeldByOther(worktree.lease, context.self)) return err({ code: 'in-use', message: `Another window works in the worktree ${worktree.name}.` });
  const work = await loadWork(context, worktree);
  if (!work.ok) return work;
  if (isUnchanged(worktree, work.value) && (await removeClean(context, records, place, worktree)).ok) return ok({ removed: true });
  await context.git.run(['worktree', 'unlock', '--', worktree.path], { cwd: place.mainRoot });
  const { lease: _released, ...rest } = worktree;
  const ready: Worktree = { ...rest, state: worktree.state === 'active' ? 'ready' : worktree.state };
  await records.put(ready);
  return ok({ removed: false, worktree: ready });
}

/** This process ends: what its agents had stays as it is for whoever comes next, held by nobody. */
export function releaseWorktrees(context: WorktreeContext, repoRoot: string): Promise<Result<undefined, WorktreeProblem>> {
  return attempt(async () => {
    const place = await loadRepoPlace(context, repoRoot);
    if (!place.ok) return place;
    const isOurs = (worktree: Worktree): boolean => worktree.lease?.nonce === context.self.nonce;
    if (!(await readWorktrees(context.stateDir, place.value.commonDir)).some(isOurs)) return ok(undefined);
    return withWorktrees(context.stateDir, place.value.commonDir, async (records) => {
      for (const { lease: _released, ...rest } of records.all().filter(isOurs)) await records.put(rest);
      return ok(undefined);
    });
  });
}

export interface CleanOutcome {
  readonly removed: readonly string[];
  readonly kept: readonly { readonly name: string; readonly reason: string }[];
}

/** Removes every worktree that holds nothing of its own and nobody works in; says why the others stay. */
export function cleanWorktrees(context: WorktreeContext, request: { readonly repoRoot: string; readonly name?: string }): Promise<Result<CleanOutcome, WorktreeProblem>> {
  return attempt(async () => {
    const place = await loadRepoPlace(context, request.repoRoot);
    if (!place.ok) return place;
    return withWorktrees(context.stateDir, place.value.commonDir, async (records) => {
      const chosen = request.name === undefined ? undefined : findWorktree(records.all(), request.name);
      if (chosen && !chosen.ok) return chosen;
      const removed: string[] = [];
      const kept: { name: string; reason: string }[] = [];
      for (const worktree of chosen ? [chosen.value] : records.all()) {
        const reason = await cleanOne(context, { records, place: place.value, worktree, isChosen: chosen !== undefined });
        if (reason === undefined) removed.push(worktree.name);
        else kept.push({ name: worktree.name, reason });
      }
      return ok({ removed, kept });
    });
  });
}

async function cleanOne(context: WorktreeContext, { records, place, worktree, isChosen }: { readonly records: WorktreeRecords; readonly place: RepoPlace; readonly worktree: Worktree; readonly isChosen: boolean }): Promise<string | undefined> {
  if (worktree.state === 'active' && worktree.lease?.nonce === context.self.nonce) return 'an agent works in it';
  if (worktree.isPersonal && !isChosen) return 'it was made by hand; name it to remove it';
  const removed = await removeClean(context, records, place, worktree);
  return removed.ok ? undefined : removed.problem.message;
}
