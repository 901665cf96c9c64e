import { expect } from 'vitest';
import { ViewConnection } from '../../../extension/engine/viewConnection';
import type { Envelope } from '../../../extension/protocol/envelope';
import type { UiEvent } from '../../../extension/protocol/events';
import { createManualClock } from '../../support/manualClock';
import { verifies } from '../../support/verifies';

type Events = Extract<Envelope, { kind: 'events' }>;

function connect(agentId = 'main') {
  const clock = createManualClock();
  const sent: Events[] = [];
  const view = new ViewConnection({ send: (envelope) => { if (envelope.kind === 'events') sent.push(structuredClone(envelope)); }, onMessage: () => ({ dispose: () => undefined }) }, clock);
  view.subscribe({ sessionId: 's', agentId }, 4);
  return { clock, sent, view, take: (...events: UiEvent[]) => { for (const event of events) view.take('s', event); } };
}

const titled = (seq: number): UiEvent => ({ type: 'session/renamed', title: `t${seq}`, seq, atMs: 1 });
const delta = (offset: number, text: string, more: object = {}): UiEvent => ({ type: 'message/delta', agentId: 'main', messageId: 'm', block: 0, kind: 'text', offset, text, afterSeq: 4, ...more });
const output = (offset: number, text: string, callId = 'c'): UiEvent => ({ type: 'tool/updated', agentId: 'main', callId, offset, text, afterSeq: 4 });
const progress = (outputTokens: number, agentId = 'main'): UiEvent => ({ type: 'agent/progress', agentId, outputTokens, afterSeq: 4 });
const question = (seq: number): UiEvent => ({ type: 'question/asked', request: { requestId: 'q', callId: 'c', agentPath: ['main'], questions: [], askedAtMs: 1 }, seq, atMs: 1 });
const short = (envelope: Events | undefined): unknown[] => (envelope?.events ?? []).map((event) => ('seq' in event ? event.seq : event.type === 'message/delta' || event.type === 'tool/updated' ? event.text : event.type === 'agent/progress' ? event.outputTokens : event.type));

verifies('engine:view:frames', async () => {
  const { clock, sent, take } = connect();
  take(titled(5), titled(6));
  await clock.advance(32);
  expect(sent).toEqual([]);
  await clock.advance(1);
  expect(sent).toMatchObject([{ sessionId: 's', fromSeq: 4, events: [{ seq: 5 }, { seq: 6 }] }]);
  await clock.advance(1_000);
  expect([sent.length, clock.sleeping()]).toEqual([1, []]);
  take(titled(7));
  await clock.advance(33);
  expect(sent[1]).toMatchObject({ fromSeq: 6, events: [{ seq: 7 }] });
});

verifies('engine:view:merged', async () => {
  const { clock, sent, take } = connect();
  take(delta(0, 'He'), progress(1), delta(2, 'l'), progress(2), output(0, 'x'), delta(3, 'lo'), output(1, 'y'), output(0, 'z', 'other'), delta(0, '{', { block: 1, kind: 'input', tool: 'Bash' }));
  await clock.advance(33);
  expect(short(sent[0])).toEqual(['Hello', 2, 'xy', 'z', '{']);
  expect(sent[0]?.events[0]).toMatchObject({ offset: 0, text: 'Hello' });
});

verifies('engine:view:merged', async () => {
  const { clock, sent, take } = connect();
  take(delta(0, 'a'), titled(5), delta(1, 'b'), delta(5, 'gap'), delta(0, 'n', { messageId: 'next' }));
  await clock.advance(33);
  expect(short(sent[0])).toEqual(['a', 5, 'b', 'gap', 'n']);
}, { case: 'never over a durable event, a gap or another message' });

verifies('engine:view:asks-flush', async () => {
  const { clock, sent, take } = connect();
  take(delta(0, 'a'), titled(5), question(6));
  expect(sent.map(short)).toEqual([['a', 5, 6]]);
  await clock.advance(100);
  expect(sent).toHaveLength(1);
});

verifies('engine:view:gap-free', async () => {
  const { clock, sent, take, view } = connect();
  let seq = 4;
  for (let round = 0; round < 20; round++) {
    for (let i = 0; i < round % 4; i++) take(titled(++seq), delta(i, 'x'));
    if (round % 5 === 0) take(question(++seq));
    await clock.advance(round % 3 === 0 ? 33 : 10);
  }
  view.flush();
  let last = 4;
  for (const envelope of sent) {
    expect(envelope.fromSeq).toBe(last);
    for (const event of envelope.events) if ('seq' in event) expect(event.seq).toBe(++last);
  }
  expect(last).toBe(seq);
});

verifies('engine:view:own-agent', async () => {
  const { clock, sent, take, view } = connect('agent-1');
  take(delta(0, 'not shown'), delta(0, 'shown', { agentId: 'agent-1' }), output(0, 'not shown'), progress(3), titled(5));
  view.take('another session', titled(9));
  await clock.advance(33);
  expect(sent.map(short)).toEqual([['shown', 3, 5]]);
  take(titled(6));
  view.subscribe({ sessionId: 'other', agentId: 'main' }, 40);
  take(titled(7));
  view.take('other', titled(41));
  await clock.advance(33);
  expect(sent.slice(1)).toMatchObject([{ sessionId: 's', fromSeq: 5, events: [{ seq: 6 }] }, { sessionId: 'other', fromSeq: 40, events: [{ seq: 41 }] }]);
  view.subscribe(undefined, 0);
  view.take('other', titled(42));
  view.dispose();
  await clock.advance(100);
  expect([sent.length, clock.sleeping()]).toEqual([3, []]);
});
