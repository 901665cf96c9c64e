/** Who opens, disposes. Calling `dispose` twice is harmless. */
export interface Disposable {
  dispose(): void;
}

/** A set of listeners; a listener that throws does not keep the others from hearing. */
export class Emitter<T> {
  private readonly listeners = new Set<(value: T) => void>();

  constructor(private readonly onListenerError: (thrown: unknown) => void) {}

  get hasListeners(): boolean {
    return this.listeners.size > 0;
  }

  on(listener: (value: T) => void): Disposable {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  }

  fire(value: T): void {
    for (const listener of [...this.listeners]) {
      try {
        listener(value);
      } catch (thrown) {
        this.onListenerError(thrown);
      }
    }
  }
}
