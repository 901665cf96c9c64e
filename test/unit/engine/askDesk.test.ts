import { expect } from 'vitest';
import { AskDesk } from '../../../extension/engine/askDesk';
import type { DurableBody, DurableEvent } from '../../../extension/protocol/events';
import { emptyView, reduceView } from '../../../extension/protocol/reduceView';
import type { View } from '../../../extension/protocol/view';
import { verifies } from '../../support/verifies';

/** A desk over a log; `from` is a log written before a reload. */
function desk(from: readonly DurableEvent[] = []) {
  const events = [...from];
  const resumed: (readonly string[])[] = [];
  let synced = 0;
  const view = (): View => events.reduce<View>(reduceView, emptyView('s'));
  const asks = new AskDesk({
    append: (body: DurableBody) => events.push({ ...body, seq: events.length + 1, atMs: 1 }),
    sync: () => synced++,
    pending: () => view().pendingAsks,
    onLeftoverAnswered: (agentPath) => resumed.push(agentPath),
  });
  return { asks, events, resumed, view, synced: () => synced, types: () => events.map((event) => event.type) };
}
const question = (callId = 'c1') => ({ callId, agentPath: ['main'], questions: [], askedAtMs: 1 });
const plan = { callId: 'c2', agentPath: ['main', 'agent-1'], plan: '1.', path: '/p.md', askedAtMs: 1 };
const never = new AbortController().signal;
const answer = { behavior: 'answer', answers: { Which: 'A' } } as const;
const idOf = (world: ReturnType<typeof desk>): string => world.view().pendingAsks[0]?.request.requestId ?? '';

verifies('engine:asks:first-wins', async () => {
  const world = desk();
  const asked = world.asks.question(question(), never);
  const id = idOf(world);
  expect([world.asks.reply(id, answer), world.asks.reply(id, { behavior: 'decline' }), world.asks.reply('unknown', answer)]).toEqual([true, false, false]);
  expect(await asked).toEqual(answer);
  expect(world.events.slice(1)).toMatchObject([{ type: 'question/answered', requestId: id, reply: answer }]);
  expect([world.view().pendingAsks, world.synced(), world.resumed, world.asks.reply(id, answer)]).toEqual([[], 1, [], false]);
});

verifies('engine:asks:first-wins', async () => {
  const world = desk();
  const both = [world.asks.plan(plan, never), world.asks.question(question(), never)] as const;
  const [planId = '', questionId = ''] = world.view().pendingAsks.map((ask) => ask.request.requestId);
  world.asks.reply(questionId, { behavior: 'decline' });
  world.asks.reply(planId, { behavior: 'sendBack', feedback: 'smaller' });
  expect(await Promise.all(both)).toEqual([{ behavior: 'sendBack', feedback: 'smaller' }, { behavior: 'decline' }]);
}, { case: 'several at once, in any order' });

verifies('engine:asks:stopped', async () => {
  const world = desk();
  const stop = new AbortController();
  const asked = world.asks.plan(plan, stop.signal);
  stop.abort();
  expect(await asked).toEqual({ behavior: 'cancelled' });
  expect(world.events.at(-1)).toMatchObject({ type: 'plan/resolved', reply: { behavior: 'cancelled' } });
  expect(world.view().pendingAsks).toEqual([]);
  expect(await world.asks.question(question(), stop.signal)).toEqual({ behavior: 'cancelled' });
  expect(world.types()).toEqual(['plan/proposed', 'plan/resolved', 'question/answered']);
});

/** What a reload leaves: an ask on record, and a desk that knows of no call behind it. */
function reloaded() {
  const before = desk();
  void before.asks.question(question(), never);
  const world = desk(before.events);
  return { world, id: idOf(world) };
}

verifies('engine:asks:leftovers', async () => {
  const { world, id } = reloaded();
  expect(world.asks.leftovers().map((ask) => ask.request.requestId)).toEqual([id]);
  const again = world.asks.question(question(), never);
  expect([world.asks.leftovers(), world.types()]).toEqual([[], ['question/asked']]);
  expect(world.asks.reply(id, answer)).toBe(true);
  expect(await again).toEqual(answer);
  expect(world.resumed).toEqual([]);
}, { case: 'its call takes it up again' });

verifies('engine:asks:leftovers', async () => {
  const { world, id } = reloaded();
  expect([world.asks.reply(id, answer), world.asks.reply(id, { behavior: 'decline' })]).toEqual([true, false]);
  expect(world.resumed).toEqual([['main']]);
  expect(await world.asks.question(question('another call'), AbortSignal.abort())).toEqual({ behavior: 'cancelled' });
  expect(await world.asks.question(question(), never)).toEqual(answer);
  expect(world.events.at(-1)).toMatchObject({ requestId: id, reply: answer });
}, { case: 'answered early, its agent goes on and finds the answer' });

verifies('engine:asks:leftovers', () => {
  const permission: DurableEvent = {
    type: 'permission/requested', seq: 1, atMs: 1,
    request: { requestId: 'a1', callId: 'c1', agentPath: ['main'], subject: { tool: 'Bash', kind: 'command', title: 'run', input: {}, cwd: '/', readOnly: false }, suggestions: [], explanation: { decision: 'ask', reason: '' }, askedAtMs: 1 },
  };
  const world = desk([permission]);
  expect([world.asks.reply('a1', answer), world.resumed]).toEqual([false, []]);
}, { case: 'a permission is not answered as a question' });
