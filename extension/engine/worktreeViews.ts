import type { WorktreeView } from '../protocol/worktree';
import type { WorktreeSummary } from '../worktree/worktreeChangesRunner';
import type { WorktreeProblem } from '../worktree/worktreeProblem';
import type { Worktree } from '../worktree/worktreeRecord';

const maxFiles = 200;

type Looked = Pick<WorktreeView, 'files' | 'moreFiles' | 'added' | 'removed' | 'commits' | 'skipped' | 'problem'>;

/** What the record alone says. */
function recordPart(record: Worktree): Omit<WorktreeView, keyof Looked> {
  const { name, path, branch, baseSha, state, ownerAgentId, sessionId, createdAtMs } = record;
  return { name, path, branch, baseSha, state, ownerAgentId, sessionId, createdAtMs, isApplied: record.appliedAtMs !== undefined, conflicts: record.conflicts ?? [] };
}

/** One worktree as the Review tab shows it. */
export function worktreeView(record: Worktree, summary: WorktreeSummary): WorktreeView {
  return {
    ...recordPart(record),
    files: summary.files.slice(0, maxFiles),
    moreFiles: Math.max(0, summary.files.length - maxFiles),
    added: summary.added,
    removed: summary.removed,
    commits: summary.commits,
    skipped: [...summary.skipped],
  };
}

export function brokenWorktreeView(record: Worktree, problem: WorktreeProblem): WorktreeView {
  return { ...recordPart(record), files: [], moreFiles: 0, added: 0, removed: 0, commits: 0, skipped: [], problem: problem.message };
}

/** The record has moved on, the files have not. */
export function restated(record: Worktree, known: WorktreeView): WorktreeView {
  return { ...known, ...recordPart(record) };
}
