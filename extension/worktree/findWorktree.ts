import { err, ok, type Result } from '../base/result';
import { didYouMean } from '../base/nearest';
import type { WorktreeProblem } from './worktreeProblem';
import type { Worktree } from './worktreeRecord';

export function findWorktree(worktrees: readonly Worktree[], name: string): Result<Worktree, WorktreeProblem> {
  const found = worktrees.find((worktree) => worktree.name === name);
  if (found) return ok(found);
  const near = didYouMean(name, worktrees.map((worktree) => worktree.name));
  return err({ code: 'no-such-worktree', message: `There is no worktree ${name}.${near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ' "troupe worktree list" shows those there are.'}` });
}
