import type { MergeConflictView, WorktreeFileView, WorktreeView } from '../../extension/protocol/worktree';

type Tone = 'run' | 'warn' | 'err' | 'ok' | 'off';

interface StateWords {
  readonly icon: string;
  readonly tone: Tone;
  readonly word: string;
}

export const stateWords: Readonly<Record<WorktreeView['state'], StateWords>> = {
  active: { icon: 'sync', tone: 'run', word: 'In use' },
  ready: { icon: 'pass', tone: 'ok', word: 'Ready to review' },
  merging: { icon: 'loading', tone: 'run', word: 'Being merged' },
  conflicted: { icon: 'warning', tone: 'warn', word: 'Conflicts' },
  merged: { icon: 'git-merge', tone: 'ok', word: 'Merged' },
  discarded: { icon: 'trash', tone: 'off', word: 'Discarded' },
};

/** Letters as VS Code's own source control shows them, with the word for those who don't see them. */
export const kindWords: Readonly<Record<WorktreeFileView['kind'], { readonly letter: string; readonly word: string }>> = {
  added: { letter: 'A', word: 'added' },
  modified: { letter: 'M', word: 'modified' },
  deleted: { letter: 'D', word: 'deleted' },
  renamed: { letter: 'R', word: 'renamed' },
  typeChanged: { letter: 'T', word: 'type changed' },
};

export const conflictWords: Readonly<Record<MergeConflictView['reason'], string>> = {
  branch: 'both sides changed it',
  uncommitted: 'you have a change in it that is not committed',
  staged: 'you have staged a change in it',
  'in-the-way': 'a file of yours that git does not track stands there',
};

/** Whether the person has to settle it: an agent does not see what lies uncommitted in their files. */
export function isOwnConflict(conflict: MergeConflictView): boolean {
  return conflict.reason !== 'branch';
}

export function fileCount(worktree: WorktreeView): number {
  return worktree.files.length + worktree.moreFiles;
}

/** Names a worktree's ticks; one of the same name made later has none of them. */
export function tickKey(worktree: WorktreeView): string {
  return `${worktree.name}@${worktree.createdAtMs}`;
}

/** A tick holds for what was looked at: when the file changes again, it is gone. */
export function fileKey(file: WorktreeFileView): string {
  return `${file.kind} +${file.added} -${file.removed} ${file.path}`;
}

/** What the owner is told when its work can't be taken in. */
export function resolveRequest(worktree: WorktreeView, into: string, conflicts: readonly MergeConflictView[]): string {
  const files = conflicts.map((conflict) => `- ${conflict.path}: ${isOwnConflict(conflict) ? 'I have my own change there' : `changed on ${into} too`}`).join('\n');
  return [
    `Your work in the worktree ${worktree.name} does not go into ${into} yet. Nothing was merged. These files are in conflict:`,
    files,
    `Please bring ${into} into your branch ${worktree.branch}, settle these files so that both changes keep their purpose, run the checks, and commit.`,
  ].join('\n\n');
}
