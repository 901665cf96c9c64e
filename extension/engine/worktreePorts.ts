import type { GitRunner } from '../platform/gitRunner';
import type { Clock, Log } from '../ports';
import type { Notice } from '../protocol/events';
import type { WorktreeChoice } from './settingsAccess';

/** What an engine's worktrees need of it. */
export interface WorktreePorts {
  readonly cwd: string;
  readonly configRoot: string;
  readonly git: GitRunner;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: () => WorktreeChoice;
  /** The session waits for its person: its agents go on when they are answered. */
  readonly hasOpenAsks: (sessionId: string) => boolean;
  /** Without a session it concerns the window. */
  readonly raise: (notice: Omit<Notice, 'noticeId'>, sessionId?: string) => void;
  /** Somebody may look at the worktrees: they are followed as agents work. */
  readonly isShown: boolean;
  readonly changed: () => void;
}
