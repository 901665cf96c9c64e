import * as z from 'zod';

/** Who works in a worktree now. A pid means something only on its host, and only with its start time. */
export const WorktreeLease = z.object({ host: z.string(), pid: z.int(), processStartedAtMs: z.number(), nonce: z.string() });
export type WorktreeLease = z.infer<typeof WorktreeLease>;

/**
 * Written before a merge or an apply touches anything; with it a half-done one is finished or taken back.
 * `fromTree`/`toTree` are the person's whole work tree before and after, `fromIndex`/`toIndex` the staged state.
 */
export const MergeJournal = z.object({
  kind: z.enum(['merge', 'apply']),
  /** Checkout of the target branch; absent when it is checked out nowhere. */
  checkout: z.object({ root: z.string(), gitDir: z.string(), fromTree: z.string(), toTree: z.string(), fromIndex: z.string(), toIndex: z.string() }).optional(),
  ref: z.string(),
  fromCommit: z.string(),
  toCommit: z.string(),
  /** The worktree's branch goes from its head to this commit, which holds its uncommitted work too. */
  headCommit: z.string(),
  incomingCommit: z.string(),
  backupRef: z.string().optional(),
  startedAtMs: z.number(),
});
export type MergeJournal = z.infer<typeof MergeJournal>;

export const WorktreeJournal = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('create') }),
  z.object({ kind: z.literal('discard'), trashRef: z.string(), tree: z.string() }),
  z.object({ kind: z.literal('restore'), trashRef: z.string() }),
  z.object({ kind: z.literal('take'), merge: MergeJournal }),
]);
export type WorktreeJournal = z.infer<typeof WorktreeJournal>;

export const WorktreeState = z.enum(['active', 'ready', 'merging', 'conflicted', 'merged', 'discarded']);
export type WorktreeState = z.infer<typeof WorktreeState>;

/** One worktree we made. `name` is its folder name under `.claude/worktrees`; paths in `setupPaths` are relative to `path`, with `/`. */
export const Worktree = z.looseObject({
  name: z.string(),
  path: z.string(),
  branch: z.string(),
  baseSha: z.string(),
  /** It began with the person's uncommitted work: `baseSha` is a commit of ours that holds it, made on this commit of theirs. */
  carriedFrom: z.string().optional(),
  ownerAgentId: z.string(),
  sessionId: z.string(),
  state: WorktreeState,
  /** Links and copies made at set-up: no part of the agent's work. */
  setupPaths: z.array(z.string()).default([]),
  createdAtMs: z.number(),
  /** Made by a person for themselves: never removed without being asked. */
  isPersonal: z.boolean().default(false),
  lease: WorktreeLease.optional(),
  /** Its changes were put into the person's files without a commit. */
  appliedAtMs: z.number().optional(),
  conflicts: z.array(z.object({ path: z.string(), reason: z.enum(['branch', 'uncommitted', 'staged', 'in-the-way']) })).optional(),
  journal: WorktreeJournal.optional(),
});
export type Worktree = z.infer<typeof Worktree>;

export const WorktreeFile = z.looseObject({ version: z.literal(1), commonDir: z.string(), worktrees: z.array(Worktree) });
export type WorktreeFile = z.infer<typeof WorktreeFile>;

/** The branch a worktree is made with; what it is on later is in its record. */
export function branchOf(name: string): string {
  return `worktree-${name}`;
}
