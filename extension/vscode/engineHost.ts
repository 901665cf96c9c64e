import type { Disposable } from '../base/disposable';
import type { Engine } from '../engine';
import type { Caller } from '../protocol/methods';

/** Who a palette command is to the engine: a caller that shows nothing, so there is nothing to send it. */
export const commandCaller: Caller = { viewId: 'commands', subscribe: () => undefined };

/**
 * The one engine of this window, made when something first needs it, so that a window where nobody uses Troupe
 * pays nothing. A failed start is forgotten: the next caller tries again.
 */
export class EngineHost {
  private starting: Promise<Engine> | undefined;
  private engine: Engine | undefined;
  private closed = false;
  private readonly waiting = new Set<(engine: Engine) => void>();

  constructor(private readonly create: () => Promise<Engine>) {}

  get(): Promise<Engine> {
    if (this.closed) return Promise.reject(new Error('Troupe is shutting down in this window.'));
    this.starting ??= this.start();
    return this.starting;
  }

  /** The engine if it runs; never starts it. */
  peek(): Engine | undefined {
    return this.engine;
  }

  /** Called at once when the engine runs already. */
  onStart(listener: (engine: Engine) => void): Disposable {
    if (this.engine) listener(this.engine);
    else this.waiting.add(listener);
    return { dispose: () => this.waiting.delete(listener) };
  }

  /** Resolves when what the engine had running has ended; a start that is under way is waited for first. */
  async dispose(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    const [started] = await Promise.allSettled([this.starting]);
    if (started.status === 'fulfilled') await started.value?.dispose();
    this.engine = undefined;
  }

  private async start(): Promise<Engine> {
    try {
      this.engine = await this.create();
      for (const listener of this.waiting) listener(this.engine);
      this.waiting.clear();
      return this.engine;
    } catch (thrown) {
      this.starting = undefined;
      throw thrown;
    }
  }
}
