import type { Result } from '../base/result';

/** A worktree that was made for one agent. */
export interface AgentWorktree {
  /** Absolute real path of its root. */
  readonly path: string;
  readonly name: string;
  readonly branch?: string;
  /** What the agent must know about the place: its base commit, what is absent. */
  readonly note?: string;
  /** The agent is done: an unchanged worktree goes away, another waits for review. Never rejects. @returns what to tell the one who started it */
  readonly finish: () => Promise<{ readonly note?: string }>;
}

/** Makes a worktree for an agent. @returns problem: why there is none, for the model */
export type OpenWorktree = (wanted: { readonly agentId: string; readonly name: string }) => Promise<Result<AgentWorktree, string>>;
