import { newId } from '../base/ids';
import type { PermissionDecision, PermissionExplanation, PermissionRequest } from '../protocol/permission';

/** How asks reach a person. Answers come back through the root broker's `reply`. */
export interface AskUser {
  /** Show it. Called once per ask, in the order they came; never for one restored from the log. */
  readonly requested: (request: PermissionRequest) => void;
  /** It is over, whoever ended it. Called once per ask. */
  readonly resolved: (resolution: { readonly requestId: string; readonly decision: PermissionDecision | { readonly behavior: 'cancelled' }; readonly by: 'person' | 'rule' | 'hook' | 'abort' }) => void;
}

export type Settled =
  | { readonly decision: PermissionDecision; readonly by: 'person' | 'hook' | 'rule'; readonly explanation?: PermissionExplanation }
  | { readonly by: 'abort' };

interface Waiting {
  readonly request: PermissionRequest;
  /** Absent as long as the call of a restored ask has not come back. */
  resolve?: (settled: Settled) => void;
  /** The answer of a restored ask whose call has not come back yet. */
  early?: Settled;
}

/** Every open ask of a session, whichever agent it came from: first in, first out, each answered once. */
export class AskQueue {
  private readonly waiting = new Map<string, Waiting>();

  constructor(private readonly askUser: AskUser | undefined) {}

  newRequestId(): string {
    return newId('ask');
  }

  pending(): readonly PermissionRequest[] {
    return [...this.waiting.values()].filter((w) => w.early === undefined).map((w) => w.request);
  }

  request(requestId: string): PermissionRequest | undefined {
    const entry = this.waiting.get(requestId);
    return entry?.early === undefined ? entry?.request : undefined;
  }

  restore(request: PermissionRequest): void {
    if (!this.waiting.has(request.requestId)) this.waiting.set(request.requestId, { request });
  }

  /** Resolves with the first answer, or with `abort`. */
  ask(request: PermissionRequest, signal: AbortSignal): Promise<Settled> {
    const restored = this.waiting.get(request.requestId);
    if (restored?.early) {
      this.waiting.delete(request.requestId);
      return Promise.resolve(restored.early);
    }
    return new Promise((resolve) => {
      const onAbort = (): void => {
        this.settle(request.requestId, { by: 'abort' });
      };
      const entry: Waiting = { request: restored?.request ?? request };
      entry.resolve = (settled) => {
        signal.removeEventListener('abort', onAbort);
        resolve(settled);
      };
      this.waiting.set(request.requestId, entry);
      signal.addEventListener('abort', onAbort, { once: true });
      if (!restored) this.askUser?.requested(request);
    });
  }

  /** @returns false when it is answered already or was never asked */
  settle(requestId: string, settled: Settled): boolean {
    const entry = this.waiting.get(requestId);
    if (!entry || entry.early) return false;
    if (entry.resolve) this.waiting.delete(requestId);
    else entry.early = settled;
    this.askUser?.resolved(settled.by === 'abort' ? { requestId, decision: { behavior: 'cancelled' }, by: 'abort' } : { requestId, decision: settled.decision, by: settled.by });
    entry.resolve?.(settled);
    return true;
  }
}
