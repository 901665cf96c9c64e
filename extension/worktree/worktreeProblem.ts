export type ConflictReason = 'branch' | 'uncommitted' | 'staged' | 'in-the-way';

export interface MergeConflict {
  /** Relative to the repository, with `/`. */
  readonly path: string;
  readonly reason: ConflictReason;
}

export type WorktreeProblemCode =
  | 'not-a-repository'
  | 'bare-repository'
  | 'no-commits'
  | 'git-too-old'
  | 'bad-name'
  | 'name-taken'
  | 'in-use'
  | 'linked-folder'
  | 'locked'
  | 'detached-head'
  | 'merge-in-progress'
  | 'no-such-branch'
  | 'no-such-worktree'
  | 'no-such-trash'
  | 'no-such-snapshot'
  | 'folder-missing'
  | 'conflict'
  | 'changed-meanwhile'
  | 'has-work'
  | 'too-large'
  | 'git-failed'
  | 'stopped';

/** `message` says what, where and what to do; branch on `code`. */
export interface WorktreeProblem {
  readonly code: WorktreeProblemCode;
  readonly message: string;
  readonly path?: string;
  readonly conflicts?: readonly MergeConflict[];
}

const reasonText: Readonly<Record<ConflictReason, string>> = {
  branch: 'both sides changed it',
  uncommitted: 'overlaps with your uncommitted change',
  staged: 'overlaps with what you staged',
  'in-the-way': 'a file of yours that git does not track is in the way',
};

export function conflictProblem(conflicts: readonly MergeConflict[]): WorktreeProblem {
  const shown = conflicts.slice(0, 10).map((c) => `${c.path} (${reasonText[c.reason]})`);
  const more = conflicts.length > shown.length ? ` and ${conflicts.length - shown.length} more` : '';
  return { code: 'conflict', message: `Nothing was changed: ${shown.join(', ')}${more} would conflict. Ask the agent to take in your changes, or settle these files first.`, conflicts };
}
