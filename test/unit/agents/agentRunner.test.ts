import { expect } from 'vitest';
import { verifies } from '../../support/verifies';
import { reply } from '../../support/scriptedModel';
import { createWorld, expectAccepted, wordsOf } from './runnerWorld';

const echo = (id: string) => ({ id, name: 'Echo', input: { say: id } });
const draft = (text: string) => ({ text, attachments: [] });

/** A world that does `then` the first time it passes `point`. */
function at(point: string, script: Parameters<typeof createWorld>[0], then: (world: ReturnType<typeof createWorld>) => void) {
  let done = false;
  const world = createWorld({
    ...script,
    onPoint: (name) => {
      if (done || name !== point) return;
      done = true;
      then(world);
    },
  });
  return world;
}
const received = (world: ReturnType<typeof createWorld>) => world.log.events.flatMap((event) => (event.type === 'message/received' && event.origin === 'person' ? [[event.content[0]?.type === 'text' ? event.content[0].text : '', event.steering ?? false, event.turnId]] : []));

verifies('agents:queue:sent-after', async () => {
  const ids: (string | undefined)[] = [];
  const world = at('in the call', { script: [reply({ calls: [echo('c1')] }), reply({ text: 'one' }), reply({ text: 'two' }), reply({ text: 'three' })] }, ({ runner }) => {
    ids.push(runner.submit(draft('second'), false), runner.submit(draft('third'), false));
    expect(world.log.view.queue.map((queued) => queued.text)).toEqual(['second', 'third']);
  });
  expect(world.runner.submit(draft('first'), false)).toBeUndefined();
  const last = await world.runner.settled();
  expect(ids.every((id) => id !== undefined)).toBe(true);
  expect(received(world).map(([text, steering]) => [text, steering])).toEqual([['first', false], ['second', false], ['third', false]]);
  expect(new Set(received(world).map(([, , turn]) => turn)).size).toBe(3);
  expect([world.ends.length, last?.stop, world.log.view.queue]).toEqual([3, 'done', []]);
});

verifies('agents:queue:sent-after', async () => {
  const world = at('before end', { script: [reply({ text: 'one' }), reply({ text: 'two' })] }, ({ runner }) => {
    runner.submit(draft('/nope'), false);
    runner.submit(draft('fine'), false);
  });
  await world.send('first');
  expect(world.problems).toEqual(['/nope: There is no skill /nope.']);
  expect(received(world).map(([text]) => text)).toEqual(['first', 'fine']);
}, { case: 'one that can’t be sent is told with its text and holds nothing up' });

verifies('agents:queue:steers', async () => {
  const world = at('in the call', { script: [reply({ calls: [echo('c1')] }), reply({ text: 'seen' })] }, ({ runner }) => {
    runner.submit(draft('waits'), false);
    runner.submit(draft('use yarn'), true);
  });
  await world.send('go');
  expect(wordsOf(world.model.requests[1]!)).toEqual(['Today is Monday.', 'go', 'tool_use', 'result: c1', 'waits', 'use yarn']);
  expect(received(world).map(([text, steering]) => [text, steering])).toEqual([['go', false], ['waits', true], ['use yarn', true]]);
  expect(world.ends).toHaveLength(1);
  expectAccepted(world.model.requests[1]!);
}, { case: 'a steering message takes along what waits before it' });

verifies('agents:queue:steers', async () => {
  const late = at('before end', { script: [reply({ text: 'done?' }), reply({ text: 'now done' })] }, ({ runner }) => {
    runner.submit(draft('one more thing'), false);
    runner.steerQueued();
  });
  await late.send('go');
  expect([late.ends.length, wordsOf(late.request())]).toEqual([1, ['Today is Monday.', 'go', 'done?', 'one more thing', 'now done']]);
  const bad = at('in the call', { script: [reply({ calls: [echo('c1')] }), reply({ text: 'ok' })] }, ({ runner }) => void runner.submit(draft('/nope'), true));
  await bad.send('go');
  expect([bad.problems, bad.log.view.queue]).toEqual([['/nope: There is no skill /nope.'], []]);
}, { case: 'at the last reply the turn goes on; a bad one is told' });

verifies('agents:queue:stop-keeps', async () => {
  const world = at('in the call', { script: [reply({ calls: [echo('c1')] }), reply({ text: 'two' }), reply({ text: 'three' })] }, ({ runner }) => {
    runner.submit(draft('kept'), false);
    runner.interrupt();
  });
  expect((await world.send('first'))?.stop).toBe('interrupted');
  expect(world.log.view.queue.map((queued) => queued.text)).toEqual(['kept']);
  await world.send('second');
  expect(received(world).map(([text]) => text)).toEqual(['first', 'second', 'kept']);
});

verifies('agents:queue:stop-keeps', async () => {
  const world = at('in the call', { script: [reply({ calls: [echo('c1')] }), reply({ text: 'two' })] }, ({ runner }) => {
    runner.submit(draft('kept'), false);
    runner.interrupt();
  });
  await world.send('first');
  world.runner.steerQueued();
  await world.runner.settled();
  expect(received(world).map(([text]) => text)).toEqual(['first', 'kept']);
}, { case: 'and "send now" sends it when nothing runs' });

verifies('agents:queue:taken-back', async () => {
  const world = at('in the call', { script: [reply({ calls: [echo('c1')] }), reply({ text: 'ok' })] }, ({ runner }) => {
    const id = runner.submit(draft('no, wait'), true) ?? '';
    expect(runner.unqueue(id)?.text).toBe('no, wait');
    expect([runner.unqueue(id), runner.unqueue('other')]).toEqual([undefined, undefined]);
  });
  await world.send('go');
  expect(received(world).map(([text]) => text)).toEqual(['go']);
});

verifies('agents:queue:taken-back', async () => {
  let composed = 0;
  let id = '';
  const world = createWorld({
    script: [reply({ calls: [echo('c1')] }), reply({ text: 'ok' })],
    onPoint: (name) => {
      if (name === 'in the call') id = world.runner.submit(draft('already going'), true) ?? '';
      if (name === 'compose' && ++composed === 2) expect(world.runner.unqueue(id)).toBeUndefined();
    },
  });
  await world.send('go');
  expect([composed, received(world).map(([text]) => text)]).toEqual([2, ['go', 'already going']]);
}, { case: 'not once it is being sent' });

verifies('agents:resume:open-calls', async () => {
  const world = createWorld({ script: [reply({ text: 'ok' })] });
  const t = { agentId: 'main', turnId: 't0' } as const;
  world.log.append({ type: 'message/received', ...t, messageId: 'u', role: 'user', origin: 'person', content: [{ type: 'text', text: 'before the reload' }] });
  world.log.append({ type: 'message/completed', ...t, messageId: 'm', role: 'assistant', content: [{ type: 'tool_use', ...echo('c1') }, { type: 'tool_use', ...echo('c2') }], model: 'm', stopReason: 'tool_use', usage: {}, costUsd: 0 });
  world.log.append({ type: 'tool/started', ...t, callId: 'c1', name: 'Echo', title: '', input: {}, kind: 'other' });
  world.runner.resume();
  world.runner.resume();
  expect((await world.runner.settled())?.stop).toBe('done');
  expect(wordsOf(world.model.requests[0]!).slice(1)).toEqual(['tool_use', 'tool_use', expect.stringContaining('was not run again'), 'result: c2', 'Today is Monday.']);
  expect(world.ends).toHaveLength(1);
  expectAccepted(world.model.requests[0]!);
});
