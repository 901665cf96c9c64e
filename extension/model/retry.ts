import type { Clock, ModelEvent, ModelProblem } from '../ports';
import type { AssistantBlock, Usage } from '../protocol/content';
import type { Failure } from './failure';
import type { RateGate } from './rateGate';

/** How one attempt ended. `failed` carries what had arrived, cut to what may be sent back. */
export type AttemptOutcome =
  | { readonly kind: 'ended'; readonly event: Extract<ModelEvent, { type: 'end' }> }
  | { readonly kind: 'aborted'; readonly event: Extract<ModelEvent, { type: 'end' }> }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly partial: PartialReply };
export interface PartialReply {
  readonly content: readonly AssistantBlock[];
  readonly usage: Usage;
  readonly costUsd: number | null;
}

export interface RetryPorts {
  readonly clock: Clock;
  readonly random: () => number;
  readonly gate: RateGate;
}

export interface RetryOptions {
  /** Counted from 1. */
  readonly attempt: (attempt: number) => AsyncGenerator<ModelEvent, AttemptOutcome>;
  /** What an abort before or between attempts ends with. */
  readonly aborted: () => Extract<ModelEvent, { type: 'end' }>;
  /** A failure that another form of the request may not have: true when the next attempt will send that form. */
  readonly rebuild: (failure: Failure) => boolean;
  readonly describe: (failure: Failure, triedForMs: number) => ModelProblem;
  readonly signal: AbortSignal;
  /** Whether the server ever answered; a name or port that never did is given up sooner. */
  readonly everReached: () => boolean;
}

/** All waiting for one request together, counted from its first failure. */
export const retryForMs = 5 * 60_000;
/** For a host that refuses connections and never answered: most likely a wrong address, which should be said soon. */
export const unreachableForMs = 15_000;
const firstDelayMs = 500;
const longestDelayMs = 20_000;

/** Exponential backoff with full jitter: anything between 0 and the ceiling, so that agents do not come back in step. */
export function backoffMs(attempt: number, random: () => number): number {
  return Math.round(random() * Math.min(longestDelayMs, firstDelayMs * 2 ** attempt));
}

/** Runs attempts until one ends, the failure is final, or the time is over. Yields `retry` before each new attempt. */
export async function* withRetries(options: RetryOptions, ports: RetryPorts): AsyncGenerator<ModelEvent, void> {
  const { clock, gate } = ports;
  let firstFailureMs: number | undefined;
  for (let attempt = 1; ; attempt += 1) {
    await gate.pass(options.signal);
    if (options.signal.aborted) return yield options.aborted();
    const outcome = yield* options.attempt(attempt);
    if (outcome.kind !== 'failed') return yield outcome.event;
    const { failure } = outcome;
    firstFailureMs ??= clock.nowMs();
    const elapsedMs = clock.nowMs() - firstFailureMs;
    const delayMs = options.rebuild(failure) ? 0 : nextDelayMs({ failure, attempt, elapsedMs, everReached: options.everReached() }, ports);
    if (delayMs === undefined) return yield { type: 'failed', problem: options.describe(failure, elapsedMs), ...outcome.partial };
    yield { type: 'retry', attempt: attempt + 1, delayMs, reason: reasonWords(failure) };
    await clock.sleep(delayMs, options.signal);
  }
}

/** Undefined: give up. Closes the gate for everybody when the provider limits the rate. */
function nextDelayMs(state: { readonly failure: Failure; readonly attempt: number; readonly elapsedMs: number; readonly everReached: boolean }, ports: RetryPorts): number | undefined {
  const { failure, attempt, elapsedMs } = state;
  const ownMs = backoffMs(attempt, ports.random);
  const askedMs = failure.retryAfterMs ?? 0;
  if (failure.code === 'rateLimit') ports.gate.pauseUntil(ports.clock.nowMs() + (failure.retryAfterMs ?? ownMs));
  if (!failure.retry) return undefined;
  const delayMs = Math.max(askedMs === 0 ? ownMs : askedMs + Math.min(ownMs, 1_000), ports.gate.remainingMs());
  const unreachable = !state.everReached && (failure.systemCode === 'ECONNREFUSED' || failure.systemCode === 'ENOTFOUND');
  return elapsedMs + delayMs > (unreachable ? unreachableForMs : retryForMs) ? undefined : delayMs;
}

function reasonWords(failure: Failure): string {
  switch (failure.code) {
    case 'rateLimit':
      return 'rate limit reached (429)';
    case 'overloaded':
      return 'the model is overloaded';
    case 'idle':
      return 'the model went silent';
    case 'network':
      return failure.systemCode ? `connection failed (${failure.systemCode})` : 'the connection dropped';
    case 'server':
      return `the server failed${failure.status === undefined ? '' : ` (${failure.status})`}`;
    default:
      return failure.detail;
  }
}
