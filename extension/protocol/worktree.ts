import * as z from 'zod';

/** A file an agent changed since its worktree was made; lines are 0 for binary files. */
export const WorktreeFileView = z.strictObject({
  path: z.string(),
  /** Where it was, for a rename. */
  oldPath: z.string().optional(),
  kind: z.enum(['added', 'modified', 'deleted', 'renamed', 'typeChanged']),
  added: z.int(),
  removed: z.int(),
  isBinary: z.boolean(),
  isUncommitted: z.boolean(),
});
export type WorktreeFileView = z.infer<typeof WorktreeFileView>;

/** Why a merge would not go through at this file. */
export const MergeConflictView = z.strictObject({ path: z.string(), reason: z.enum(['branch', 'uncommitted', 'staged', 'in-the-way']) });
export type MergeConflictView = z.infer<typeof MergeConflictView>;

/** One worktree of the repository, as the Review tab shows it. */
export const WorktreeView = z.strictObject({
  name: z.string(),
  /** Absolute. */
  path: z.string(),
  branch: z.string(),
  baseSha: z.string(),
  state: z.enum(['active', 'ready', 'merging', 'conflicted', 'merged', 'discarded']),
  ownerAgentId: z.string(),
  sessionId: z.string(),
  /** At most 200; `moreFiles` counts the rest. */
  files: z.array(WorktreeFileView),
  moreFiles: z.int(),
  added: z.int(),
  removed: z.int(),
  /** Commits since the base. */
  commits: z.int(),
  createdAtMs: z.number(),
  /** Its changes were put into the person's files without a commit. */
  isApplied: z.boolean(),
  conflicts: z.array(MergeConflictView),
  /** Files that could not be read or are too large to be stored. */
  skipped: z.array(z.string()),
  /** What is wrong with it, in a sentence. */
  problem: z.string().optional(),
});
export type WorktreeView = z.infer<typeof WorktreeView>;

/** A discarded worktree that can come back. `id` is the last part of its trash ref. */
export const TrashView = z.strictObject({ id: z.string(), name: z.string(), branch: z.string(), discardedAtMs: z.number(), files: z.int() });
export type TrashView = z.infer<typeof TrashView>;

/** `off` says why there are none here (no repository, no commit yet). */
export const WorktreesView = z.strictObject({ off: z.string().optional(), worktrees: z.array(WorktreeView), trash: z.array(TrashView) });
export type WorktreesView = z.infer<typeof WorktreesView>;

/** `apply` changes the person's files without a commit. `into`: another branch than the one checked out. */
export const TakeParams = z.strictObject({ name: z.string().min(1), kind: z.enum(['merge', 'apply']), into: z.string().optional(), message: z.string().optional() });
export type TakeParams = z.infer<typeof TakeParams>;

/** What a merge would do; with `problem` it would not go through, and nothing was touched. */
export const MergePreviewView = z.strictObject({
  branch: z.string().nullable(),
  files: z.array(z.string()),
  isDirty: z.boolean(),
  isFastForward: z.boolean(),
  conflicts: z.array(MergeConflictView),
  problem: z.string().optional(),
});
export type MergePreviewView = z.infer<typeof MergePreviewView>;

export const UndoSkip = z.strictObject({ path: z.string(), reason: z.enum(['edited-since', 'in-the-way', 'not-stored']) });

/** What undoing a turn did. `backup` names the snapshot of the state before, to go back to with `turn/redo`. */
export const UndoReport = z.strictObject({ restored: z.array(z.string()), skipped: z.array(UndoSkip), backup: z.string().optional(), commitsStay: z.boolean(), problem: z.string().optional() });
export type UndoReport = z.infer<typeof UndoReport>;
