import type { GitRunner } from '../platform/gitRunner';
import type { WorktreeLease } from './worktreeRecord';

/** What every function of this folder gets. One per engine. */
export interface WorktreeContext {
  readonly git: GitRunner;
  /** `<config root>/troupe`. */
  readonly stateDir: string;
  readonly nowMs: () => number;
  readonly random: () => number;
  readonly self: WorktreeLease;
}

/** Commits that only our own refs hold have a fixed author, so that equal content gives equal ids. */
export const ownIdentity: Readonly<Record<string, string>> = {
  GIT_AUTHOR_NAME: 'Troupe',
  GIT_AUTHOR_EMAIL: 'troupe@localhost',
  GIT_COMMITTER_NAME: 'Troupe',
  GIT_COMMITTER_EMAIL: 'troupe@localhost',
};

export const trashPrefix = 'refs/troupe/trash/';
export const backupPrefix = 'refs/troupe/backup/';
export const pendingPrefix = 'refs/troupe/pending/';
export const snapshotPrefix = 'refs/troupe/snapshots/';
