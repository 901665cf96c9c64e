import type { Disposable } from '../base/disposable';

/** The real clock. @see ports.ts `Clock` */
export const systemClock = {
  nowMs: (): number => Date.now(),
  sleep: (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const timer = setTimeout(finish, ms);
      function finish(): void {
        clearTimeout(timer);
        signal?.removeEventListener('abort', finish);
        resolve();
      }
      signal?.addEventListener('abort', finish, { once: true });
    }),
  every: (ms: number, run: () => void): Disposable => {
    const timer = setInterval(run, ms);
    timer.unref();
    return { dispose: () => clearInterval(timer) };
  },
};
