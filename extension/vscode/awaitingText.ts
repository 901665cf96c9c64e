export interface AwaitingCounts {
  readonly awaiting: number;
  readonly working: number;
}

/** "2 awaiting you · 3 running"; nothing when there is nothing to say. */
export function statusText(counts: AwaitingCounts): string | undefined {
  const parts = [counts.awaiting > 0 ? `${counts.awaiting} awaiting you` : '', counts.working > 0 ? `${counts.working} running` : ''];
  return parts.filter(Boolean).join(' · ') || undefined;
}

/** One sentence for all that waits, however many. */
export function awaitingText(awaiting: number): string {
  return awaiting === 1 ? '1 request is waiting for you' : `${awaiting} requests are waiting for you`;
}

/**
 * Decides when to raise the one notification: something waits, no Troupe view is looking, none is on screen, and the
 * person has not been told of that many already.
 */
export class AwaitingReminder {
  private told = 0;
  private isOpen = false;

  /** @returns how many to tell of; undefined when the person needs no telling */
  next(state: { readonly awaiting: number; readonly isLooking: boolean }): number | undefined {
    if (state.isLooking) this.told = state.awaiting;
    this.told = Math.min(this.told, state.awaiting);
    if (this.isOpen || state.awaiting <= this.told) return undefined;
    this.told = state.awaiting;
    this.isOpen = true;
    return state.awaiting;
  }

  /** The person closed the notification, or answered it. */
  closed(): void {
    this.isOpen = false;
  }
}
