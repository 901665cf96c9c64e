import type { Result } from '../base/result';

/** A worktree that was made for one agent. */
export interface AgentWorktree {
  /** Absolute real path of its root. */
  readonly path: string;
  readonly name: string;
  /** Top of the checkout it was made beside, where that is not the session's own folder. */
  readonly mainRoot?: string;
  readonly branch?: string;
  /** What the agent must know about the place: its base commit, what is absent. */
  readonly note?: string;
  /** The agent is done: an unchanged worktree goes away, another waits for review. Never rejects. @returns what to tell the one who started it */
  readonly finish: () => Promise<WorktreeEnd>;
}

export interface WorktreeEnd {
  readonly note?: string;
  /** Nothing had changed in it, so it is gone. */
  readonly removed?: boolean;
}

/** `name` is the agent's words for a new one, the worktree's own name for one that is there. */
export interface WantedWorktree {
  readonly sessionId: string;
  readonly agentId: string;
  readonly name: string;
  /** A folder of the checkout it starts from; the session's own when absent. */
  readonly from?: string;
  /** Begin with what is uncommitted in that checkout, too; the setting decides when absent. */
  readonly includesUncommitted?: boolean;
}

/** Problems say why there is none, for the model. */
export interface AgentWorktrees {
  readonly open: (wanted: WantedWorktree) => Promise<Result<AgentWorktree, string>>;
  /** One that its agent had before a reload. */
  readonly reopen: (wanted: WantedWorktree) => Promise<Result<AgentWorktree, string>>;
  /** A session was taken up again: the worktrees of those of its agents that do not go on are finished, in the background. */
  readonly settle?: (session: { readonly sessionId: string; readonly working: readonly string[] }) => void;
}
