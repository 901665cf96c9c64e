import type { Disposable } from '../base/disposable';
import type { Envelope, Transport } from '../protocol/envelope';

/** The part of a VS Code webview that carries messages. */
export interface MessagePipe {
  readonly postMessage: (message: unknown) => PromiseLike<boolean>;
  readonly onDidReceiveMessage: (listener: (message: unknown) => void) => Disposable;
}

/**
 * Envelopes over a webview's postMessage, for one time the view is on screen. What the page sends before anyone
 * listens is kept, because the page is usually up before the engine is.
 */
export class PostMessageTransport implements Transport {
  private readonly listeners = new Set<(message: unknown) => void>();
  private early: unknown[] = [];
  private closed = false;
  private readonly receiving: Disposable;

  constructor(
    private readonly pipe: MessagePipe,
    private readonly options: { readonly accepts: (envelope: Envelope) => boolean; readonly onReceive: (message: unknown) => void },
  ) {
    this.receiving = pipe.onDidReceiveMessage((message) => this.receive(message));
  }

  readonly send = (envelope: Envelope): void => {
    if (!this.closed && this.options.accepts(envelope)) void this.pipe.postMessage(envelope);
  };

  readonly onMessage = (listener: (message: unknown) => void): Disposable => {
    this.listeners.add(listener);
    const early = this.early;
    this.early = [];
    for (const message of early) listener(message);
    return { dispose: () => this.listeners.delete(listener) };
  };

  dispose(): void {
    this.closed = true;
    this.receiving.dispose();
    this.listeners.clear();
    this.early = [];
  }

  private receive(message: unknown): void {
    if (this.closed) return;
    this.options.onReceive(message);
    if (this.listeners.size === 0) this.early.push(message);
    for (const listener of [...this.listeners]) listener(message);
  }
}
