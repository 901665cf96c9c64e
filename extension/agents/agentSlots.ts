interface Waiting {
  readonly go: () => void;
}

/**
 * How many agents work at the same time; more wait their turn, first come first served. An agent that only waits for
 * its own agents lends its place, so that nested agents never wait for each other.
 */
export class AgentSlots {
  private taken = 0;
  private waiting: readonly Waiting[] = [];

  constructor(readonly limit: number) {}

  /** @param onQueued called when there is no place yet. @returns false when `signal` aborted first */
  take(signal: AbortSignal, onQueued: () => void): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    if (this.taken < this.limit) {
      this.taken++;
      return Promise.resolve(true);
    }
    onQueued();
    return new Promise((resolve) => {
      const leave = (): void => {
        this.waiting = this.waiting.filter((w) => w !== place);
        resolve(false);
      };
      const place: Waiting = {
        go: () => {
          signal.removeEventListener('abort', leave);
          resolve(true);
        },
      };
      this.waiting = [...this.waiting, place];
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  release(): void {
    this.taken--;
    const [next, ...rest] = this.waiting;
    if (!next || this.taken >= this.limit) return;
    this.waiting = rest;
    this.taken++;
    next.go();
  }

  /** For an agent that lent its place and goes on: it never waits, since its own agent gives a place back at that moment. */
  takeBack(): void {
    this.taken++;
  }
}
