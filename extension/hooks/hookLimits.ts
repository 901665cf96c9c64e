import { type HookEventName, hookEvents } from './hookEvents';
import type { HookHandler } from './hookSchema';

/** Hooks of one event that work at the same time; the rest wait their turn, their time limit not yet running. */
export const maxAtOnce = 32;
/** What a hook says that is longer goes to a file, and a preview of it to the model. */
export const maxTextChars = 10_000;
/** Kept of each stream of a hook; the rest is counted and dropped. */
export const keptOutputBytes = 1024 * 1024;
/** After this long the tool line names the hook it waits for. */
export const namedAfterMs = 1_000;
/** How often in a row a Stop hook may keep an agent from ending. */
export const maxStopBlocks = 8;
export const sessionEndMs = 1_500;
export const sessionEndMaxMs = 60_000;
/** Replies an agent hook may take. */
export const agentHookReplies = 50;

/** In seconds, for a handler that names no limit (spec 05.3). */
export function defaultTimeoutSeconds(event: HookEventName, type: HookHandler['type']): number {
  if (type === 'prompt') return 30;
  if (type === 'agent') return 60;
  return hookEvents[event].timeoutSeconds ?? 600;
}
