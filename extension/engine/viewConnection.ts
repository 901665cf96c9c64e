import type { Disposable } from '../base/disposable';
import type { Envelope, Transport } from '../protocol/envelope';
import type { UiEvent } from '../protocol/events';
import type { Clock } from '../ports';

/** One envelope per frame of this length carries all that happened in it. */
const frameMs = 33;

type Delta = Extract<UiEvent, { type: 'message/delta' | 'tool/updated' }>;

/**
 * What one view is sent: all durable events of the session it shows, deltas only of the agent it shows. Deltas are
 * merged per text; an ask first flushes what is waiting, so that it never shows late.
 */
export class ViewConnection {
  private target: { readonly sessionId: string; readonly agentId: string } | undefined;
  private batch: UiEvent[] = [];
  private lastSeq = 0;
  private timer: Disposable | undefined;

  constructor(
    private readonly transport: Transport,
    private readonly clock: Clock,
  ) {}

  subscribe(target: { readonly sessionId: string; readonly agentId: string } | undefined, seq: number): void {
    this.flush();
    this.target = target;
    this.lastSeq = seq;
  }

  send(envelope: Envelope): void {
    this.transport.send(envelope);
  }

  take(sessionId: string, event: UiEvent): void {
    if (this.target?.sessionId !== sessionId) return;
    if ((event.type === 'message/delta' || event.type === 'tool/updated') && event.agentId !== this.target.agentId) return;
    this.add(event);
    if (event.type === 'permission/requested' || event.type === 'question/asked' || event.type === 'plan/proposed') this.flush();
    else this.timer ??= this.clock.every(frameMs, () => this.flush());
  }

  flush(): void {
    this.timer?.dispose();
    this.timer = undefined;
    const events = this.batch;
    this.batch = [];
    if (events.length === 0 || !this.target) return;
    this.transport.send({ kind: 'events', sessionId: this.target.sessionId, fromSeq: this.lastSeq, events });
    for (const event of events) if ('seq' in event) this.lastSeq = event.seq;
  }

  dispose(): void {
    this.timer?.dispose();
    this.target = undefined;
    this.batch = [];
  }

  private add(event: UiEvent): void {
    const last = this.batch.at(-1);
    if (isDelta(event) && last !== undefined) {
      const index = this.batch.findLastIndex((e) => isDelta(e) && sameText(e, event));
      const before = this.batch[index];
      // Only what follows directly may be merged: a durable event in between changes what the text belongs to.
      if (before && isDelta(before) && this.batch.slice(index).every((e) => !('seq' in e)) && before.offset + before.text.length === event.offset) {
        this.batch[index] = { ...before, text: before.text + event.text };
        return;
      }
    }
    if (event.type === 'agent/progress') {
      const index = this.batch.findLastIndex((e) => e.type === 'agent/progress' && e.agentId === event.agentId);
      if (index !== -1) this.batch.splice(index, 1);
    }
    this.batch.push(event);
  }
}

function isDelta(event: UiEvent): event is Delta {
  return event.type === 'message/delta' || event.type === 'tool/updated';
}

function sameText(a: Delta, b: Delta): boolean {
  if (a.type === 'message/delta' && b.type === 'message/delta') return a.messageId === b.messageId && a.block === b.block;
  return a.type === 'tool/updated' && b.type === 'tool/updated' && a.callId === b.callId;
}
