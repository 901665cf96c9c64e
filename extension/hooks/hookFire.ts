import type { Usage } from '../protocol/content';
import type { PermissionSubject } from '../protocol/permission';
import type { Hook } from './hook';
import type { HookEventName } from './hookEvents';

/** Where an event happens, as every hook is told (spec 05.4). */
export interface HookPlace {
  readonly sessionId: string;
  readonly agentId: string;
  /** Absent for the session's own agent. */
  readonly agentType?: string;
  readonly promptId?: string;
  readonly transcriptPath: string;
  readonly cwd: string;
  readonly mode?: string;
  readonly effort?: string;
  readonly callId?: string;
}

/** One event that happens. */
export interface HookFire {
  readonly event: HookEventName;
  /** The fields of this event alone. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly place: HookPlace;
  readonly signal: AbortSignal;
  /** The call an `if` is judged by; only asked for when a hook has one. */
  readonly subject?: () => Promise<PermissionSubject>;
  /** For all hooks of the event together, in ms; in place of each one's own limit. */
  readonly totalMs?: number;
}

/** What stdin or a POST body holds. */
export function hookInput({ event, input, place }: HookFire): Readonly<Record<string, unknown>> {
  const { sessionId, agentType, agentId, promptId, transcriptPath, cwd, mode, effort } = place;
  return {
    session_id: sessionId,
    ...(promptId === undefined ? {} : { prompt_id: promptId }),
    transcript_path: transcriptPath,
    cwd,
    ...(mode === undefined ? {} : { permission_mode: mode }),
    ...(effort === undefined ? {} : { effort: { level: effort } }),
    hook_event_name: event,
    ...(agentType === undefined ? {} : { agent_id: agentId, agent_type: agentType }),
    ...input,
  };
}

export type HookRunOutcome = 'ok' | 'blocked' | 'failed' | 'timedOut' | 'stopped' | 'background';

/** One hook that was run, as it goes on record. */
export interface HookRan {
  readonly hook: Hook;
  readonly place: HookPlace;
  readonly outcome: HookRunOutcome;
  readonly exitCode?: number | undefined;
  readonly durationMs: number;
  /** What it said, cut. */
  readonly output: string;
  readonly spent?: ModelSpend | undefined;
}

/** What a model that answered for a hook has cost. */
export interface ModelSpend {
  readonly model: string;
  readonly usage: Usage;
  readonly costUsd: number | null;
}
