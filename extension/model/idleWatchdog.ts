import type { Disposable } from '../base/disposable';
import type { Clock } from '../ports';

export interface IdleWatchdog extends Disposable {
  /** Something arrived, a ping included: a server that pings is alive. */
  readonly touch: () => void;
}

/** Calls `onIdle` once when nothing was touched for `idleMs`. */
export function startIdleWatchdog(options: { readonly clock: Clock; readonly idleMs: number; readonly onIdle: () => void }): IdleWatchdog {
  const { clock, idleMs, onIdle } = options;
  const stop = new AbortController();
  let lastMs = clock.nowMs();
  const watch = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const leftMs = lastMs + idleMs - clock.nowMs();
      if (leftMs <= 0) {
        stop.abort();
        onIdle();
        return;
      }
      await clock.sleep(leftMs, stop.signal);
    }
  };
  void watch();
  return {
    touch: () => {
      lastMs = clock.nowMs();
    },
    dispose: () => stop.abort(),
  };
}
