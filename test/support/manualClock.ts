import type { Clock } from '../../extension/ports';

export interface ManualClock extends Clock {
  /** Moves time on; sleepers wake in the order they are due, each before time goes further. */
  readonly advance: (ms: number) => Promise<void>;
  /** Milliseconds until each sleeper is due, soonest first. */
  readonly sleeping: () => readonly number[];
  /** Resolves as soon as somebody sleeps for a time that `test` accepts (any, without one). */
  readonly untilSleeping: (test?: (remainingMs: number) => boolean) => Promise<void>;
}

interface Sleeper {
  readonly dueMs: number;
  readonly wake: () => void;
}

/** Lets everything that can run without time passing run, real I/O of this turn included. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Time that passes only when a test says so. */
export function createManualClock(startMs = 1_700_000_000_000): ManualClock {
  let nowMs = startMs;
  const sleepers = new Set<Sleeper>();
  const waiters = new Set<() => void>();
  const add = (dueMs: number, run: () => void): Sleeper => {
    const sleeper: Sleeper = { dueMs, wake: run };
    sleepers.add(sleeper);
    for (const check of [...waiters]) check();
    return sleeper;
  };
  const sleeping = (): readonly number[] => [...sleepers].map((sleeper) => sleeper.dueMs - nowMs).sort((a, b) => a - b);
  return {
    nowMs: () => nowMs,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const finish = (): void => {
          sleepers.delete(sleeper);
          signal?.removeEventListener('abort', finish);
          resolve();
        };
        const sleeper = add(nowMs + ms, finish);
        signal?.addEventListener('abort', finish, { once: true });
      }),
    every: (ms, run) => {
      let sleeper: Sleeper;
      const plan = (): void => {
        sleeper = add(nowMs + ms, () => {
          sleepers.delete(sleeper);
          plan();
          run();
        });
      };
      plan();
      return { dispose: () => sleepers.delete(sleeper) };
    },
    advance: async (ms) => {
      const endMs = nowMs + ms;
      await settle();
      for (;;) {
        const next = [...sleepers].filter((sleeper) => sleeper.dueMs <= endMs).sort((a, b) => a.dueMs - b.dueMs)[0];
        if (!next) break;
        nowMs = Math.max(nowMs, next.dueMs);
        next.wake();
        await settle();
      }
      nowMs = endMs;
      await settle();
    },
    sleeping,
    untilSleeping: (test = () => true) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!sleeping().some(test)) return;
          waiters.delete(check);
          resolve();
        };
        waiters.add(check);
        check();
      }),
  };
}
