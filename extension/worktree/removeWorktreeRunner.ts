import { err, ok, type Result } from '../base/result';
import { gitMaybe, git } from './gitCall';
import { isHeldByOther } from './leaseLoader';
import type { RepoPlace } from './repoPlaceLoader';
import { loadWork, type WorktreeWork } from './worktreeChangesRunner';
import type { WorktreeContext } from './worktreeContext';
import type { WorktreeProblem } from './worktreeProblem';
import { branchOf, type Worktree } from './worktreeRecord';
import { removeSetup } from './worktreeSetupRunner';
import type { WorktreeRecords } from './worktreeStore';

/**
 * Removes a worktree that holds nothing of its own: clean, reachable from another ref, held by nobody else. Plain
 * `worktree remove` and `branch -d`; what git refuses stays and is told.
 * @returns problem `has-work` or `in-use`: why it stays
 */
export async function removeClean(context: WorktreeContext, records: WorktreeRecords, place: RepoPlace, worktree: Worktree): Promise<Result<undefined, WorktreeProblem>> {
  if (await isHeldByOther(worktree.lease, context.self)) return err({ code: 'in-use', message: `Another window works in the worktree ${worktree.name}.` });
  const work = await loadWork(context, worktree);
  if (!work.ok) return work;
  const reason = await whyItStays(context, place, worktree, work.value);
  if (reason) return err({ code: 'has-work', path: worktree.path, message: `The worktree ${worktree.name} stays: ${reason}. Merge it, or discard it to Trash.` });
  await removeSetup(worktree.path, worktree.setupPaths);
  await context.git.run(['worktree', 'unlock', '--', worktree.path], { cwd: place.mainRoot });
  const removed = await context.git.run(['worktree', 'remove', '--', worktree.path], { cwd: place.mainRoot });
  if (removed.exitCode !== 0) return err({ code: 'git-failed', path: worktree.path, message: `git did not remove the worktree ${worktree.name}: ${removed.stderr.trim()}` });
  if (isKeptByUs(worktree, work.value)) await context.git.run(['update-ref', '-d', `refs/heads/${worktree.branch}`, work.value.head], { cwd: place.mainRoot });
  else await removeBranch(context, place.mainRoot, worktree.branch);
  if (worktree.branch !== branchOf(worktree.name)) await removeBranch(context, place.mainRoot, branchOf(worktree.name));
  await records.remove(worktree.name);
  return ok(undefined);
}

async function whyItStays(context: WorktreeContext, place: RepoPlace, worktree: Worktree, work: WorktreeWork): Promise<string | undefined> {
  if (work.skipped.length > 0) return `it has files that can't be read (${work.skipped.slice(0, 5).join(', ')})`;
  if (work.tree !== work.headTree) return 'it has changes that are in no commit';
  if (isKeptByUs(worktree, work)) return undefined;
  if (!(await isReachableElsewhere(context, place.mainRoot, work.head, worktree.branch))) return 'it has commits that are on no other branch';
  return undefined;
}

/** It began with the person's uncommitted work and holds nothing beyond that, or beyond what was taken in: our own refs keep the commit. */
function isKeptByUs(worktree: Worktree, work: WorktreeWork): boolean {
  return worktree.carriedFrom !== undefined && work.head === worktree.baseSha;
}

/** True when another branch, remote branch, tag or a checkout without a branch has the commit. */
export async function isReachableElsewhere(context: WorktreeContext, cwd: string, commit: string, branch: string): Promise<boolean> {
  const refs = (await git(context.git, ['for-each-ref', `--contains=${commit}`, '--count=3', '--format=%(refname)', 'refs/heads', 'refs/remotes', 'refs/tags'], { cwd })).stdout;
  if (refs.split('\n').some((ref) => ref !== '' && ref !== `refs/heads/${branch}`)) return true;
  const head = await context.git.run(['merge-base', '--is-ancestor', commit, 'HEAD'], { cwd });
  return head.exitCode === 0;
}

/** `branch -d`; where git compares with another branch than the one that has the commits, the ref alone goes, if it still is what was looked at. */
export async function removeBranch(context: WorktreeContext, cwd: string, branch: string): Promise<void> {
  const tip = await gitMaybe(context.git, ['rev-parse', '--verify', '-q', `refs/heads/${branch}`], { cwd });
  if (tip === undefined || !(await isReachableElsewhere(context, cwd, tip, branch))) return;
  const deleted = await context.git.run(['branch', '-d', '--quiet', '--', branch], { cwd });
  if (deleted.exitCode !== 0 && /not fully merged/.test(deleted.stderr)) await context.git.run(['update-ref', '-d', `refs/heads/${branch}`, tip], { cwd });
}
