import type { Incoming } from '../agents/turnLoop';
import type { HookEventName } from '../hooks/hookEvents';
import type { HookOutcome } from '../hooks/hookOutcome';
import type { PermissionSubject } from '../protocol/permission';
import type { RawHooks } from '../settings/hookLayers';

/** Where and for whom an event happens. What is left out is asked of the agent. */
export interface HookMoment {
  readonly agentId: string;
  readonly signal: AbortSignal;
  readonly callId?: string;
  /** The call, for hooks with an `if`; only asked for when there is one. */
  readonly subject?: () => Promise<PermissionSubject>;
}

export type FireHooks = (event: HookEventName, input: Readonly<Record<string, unknown>>, moment: HookMoment) => Promise<HookOutcome>;

/**
 * The one way to hooks for everything in a session: `fire(event, its own input fields, the moment)`. While no hook
 * exists it costs two look-ups, and nothing of hooks/ is loaded.
 */
export interface Hooks {
  readonly isOpen: boolean;
  readonly fire: FireHooks;
  readonly has: (event: HookEventName) => Promise<boolean>;
  /** Hooks of a skill's or an agent's own file, from now on. */
  readonly add: (hooks: RawHooks) => void;
  /** What hooks of the session's start have for the conversation; empty once it was taken. */
  readonly takeStart: () => Promise<readonly Incoming[]>;
  /** The file hooks read an agent's conversation in; undefined while there are no hooks. */
  readonly transcriptOf: (agentId: string) => Promise<string | undefined>;
}
