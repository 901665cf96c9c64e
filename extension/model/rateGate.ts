import type { Clock } from '../ports';

/**
 * One per provider, shared by all agents: after a 429 none of them sends until the provider's pause is over, and then
 * not all in the same instant.
 */
export interface RateGate {
  /** Closes the gate until then; an earlier end than the present one changes nothing. */
  readonly pauseUntil: (atMs: number) => void;
  /** 0 when the gate is open. */
  readonly remainingMs: () => number;
  /** Resolves when the gate is open, or as soon as `signal` aborts. */
  readonly pass: (signal: AbortSignal) => Promise<void>;
}

/** Waiters start within this time after the pause. */
const spreadMs = 400;

export function createRateGate(ports: { readonly clock: Clock; readonly random: () => number }): RateGate {
  let openAtMs = 0;
  const remainingMs = (): number => Math.max(0, openAtMs - ports.clock.nowMs());
  return {
    pauseUntil: (atMs) => {
      openAtMs = Math.max(openAtMs, atMs);
    },
    remainingMs,
    pass: async (signal) => {
      while (remainingMs() > 0 && !signal.aborted) await ports.clock.sleep(remainingMs() + ports.random() * spreadMs, signal);
    },
  };
}
