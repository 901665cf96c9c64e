import { Emitter } from '../base/disposable';
import type { DurableBody, DurableEvent, EphemeralEvent, UiEvent } from '../protocol/events';
import { reduceView } from '../protocol/reduceView';
import type { View } from '../protocol/view';

/** Where durable events go. A failed write is the store's to keep and retry; the log goes on. */
export interface EventSink {
  readonly append: (event: DurableEvent) => void;
  /** To the disk's surface: at turn end, on each reply of a person. */
  readonly sync: () => void;
}

type Distribute<T> = T extends unknown ? Omit<T, 'afterSeq'> : never;
export type LiveEvent = Distribute<EphemeralEvent>;

/** The one door for change of a session: number and write if durable, fold, notify. */
export class EventLog {
  private current: View;
  private readonly recorded: DurableEvent[];
  private readonly listeners: Emitter<UiEvent>;

  constructor(
    private readonly sink: EventSink,
    private readonly nowMs: () => number,
    start: { readonly view: View; readonly events: readonly DurableEvent[]; readonly onListenerError: (thrown: unknown) => void },
  ) {
    this.current = start.events.reduce(reduceView, start.view);
    this.recorded = [...start.events];
    this.listeners = new Emitter(start.onListenerError);
  }

  get view(): View {
    return this.current;
  }

  /** All durable events so far, oldest first. */
  get events(): readonly DurableEvent[] {
    return this.recorded;
  }

  append(body: DurableBody): DurableEvent {
    const event: DurableEvent = { ...body, seq: this.current.seq + 1, atMs: this.nowMs() };
    this.sink.append(event);
    this.recorded.push(event);
    this.current = reduceView(this.current, event);
    this.listeners.fire(event);
    return event;
  }

  /** Shown, never written. */
  live(body: LiveEvent): void {
    const event: EphemeralEvent = { ...body, afterSeq: this.current.seq };
    this.current = reduceView(this.current, event);
    this.listeners.fire(event);
  }

  sync(): void {
    this.sink.sync();
  }

  on(listener: (event: UiEvent) => void): { dispose(): void } {
    return this.listeners.on(listener);
  }
}
