/** A value people can watch. `set` with the same value tells nobody. */
export class Observable<T> {
  private readonly listeners = new Set<() => void>();

  constructor(private value: T) {}

  readonly get = (): T => this.value;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  set(value: T): void {
    if (Object.is(value, this.value)) return;
    this.value = value;
    this.notify();
  }

  protected replace(value: T): void {
    this.value = value;
  }

  protected notify(): void {
    for (const listener of [...this.listeners]) listener();
  }
}
