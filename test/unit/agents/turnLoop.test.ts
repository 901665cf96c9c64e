import { expect } from 'vitest';
import { verifies } from '../../support/verifies';
import { broken, reply } from '../../support/scriptedModel';
import { createWorld, expectAccepted, strictModel, wordsOf } from './runnerWorld';

const echo = (id: string, say: string) => ({ id, name: 'Echo', input: { say } });

verifies('agents:turn:tool-loop', async () => {
  const world = createWorld({ script: [reply({ text: 'First.', calls: [echo('c1', 'one'), echo('c2', 'two')] }), reply({ calls: [echo('c3', 'three')] }), reply({ text: 'Done.' })] });
  const end = await world.send('go');
  expect(end).toMatchObject({ stop: 'done', replies: 3, usage: { inputTokens: 30, outputTokens: 6 }, costUsd: 0.03 });
  expect(world.types()).toEqual([
    'turn/started', 'message/received', 'message/started', 'message/completed', 'tool/started', 'tool/completed', 'tool/started', 'tool/completed',
    'message/started', 'message/completed', 'tool/started', 'tool/completed', 'message/started', 'message/completed', 'turn/completed',
  ]);
  expect(world.model.requests.map(wordsOf)).toEqual([
    ['Today is Monday.', 'go'],
    ['Today is Monday.', 'go', 'First.', 'tool_use', 'tool_use', 'result: one', 'result: two'],
    ['Today is Monday.', 'go', 'First.', 'tool_use', 'tool_use', 'result: one', 'result: two', 'tool_use', 'result: three'],
  ]);
  for (const request of world.model.requests) expectAccepted(request);
});

verifies('agents:turn:tool-loop', async () => {
  const cut = { type: 'tool_use' as const, id: 'c1', name: 'Echo', input: {}, brokenInput: '{"say":"x' };
  const world = createWorld({ script: [reply({ content: [cut], stop: 'max_tokens' }), reply({ calls: [{ id: 'c2', name: 'Ecko', input: {} }] }), reply({ text: 'ok' })] });
  expect((await world.send('go'))?.stop).toBe('done');
  expect(wordsOf(world.request()).filter((words) => words.startsWith('result'))).toEqual([expect.stringContaining('cut off'), expect.stringContaining('Did you mean Echo?')]);
  expect(world.types()).not.toContain('tool/started');
  for (const request of world.model.requests) expectAccepted(request);
}, { case: 'calls that were cut off or name no tool are answered, not run' });

verifies('agents:turn:never-throws', async () => {
  const world = createWorld({ script: [broken('Half a'), reply({ text: 'Whole.' })] });
  expect(await world.send('go')).toMatchObject({ stop: 'error', problem: { code: 'network', message: 'The server closed the connection.', retryable: true }, replies: 0, costUsd: null });
  expect(world.log.events.at(-1)).toMatchObject({ type: 'turn/completed', stop: 'error', problem: { code: 'network' } });
  expect(world.log.view.conversations['main']?.at(-2)).toMatchObject({ kind: 'assistant', text: 'Half a', partial: true });
  world.runner.resume();
  expect((await world.runner.settled())?.stop).toBe('done');
  expectAccepted(world.model.requests[1]!);
}, { case: 'the model' });

verifies('agents:turn:never-throws', async () => {
  const bugs: [string, Parameters<typeof createWorld>[0]][] = [
    ['runCalls', { script: [reply({ calls: [echo('c1', 'x')] })], ports: { runCalls: async () => { throw new Error('bug'); } } }],
    ['request', { ports: { request: () => { throw new Error('bug'); } } }],
    ['stream', {}],
  ];
  for (const [place, options] of bugs) {
    const world = createWorld(options);
    expect(await world.send('go'), place).toMatchObject({ stop: 'error', problem: { code: 'internal' } });
    expect(world.log.events.at(-1)?.type).toBe('turn/completed');
    expect(world.runner.isWorking).toBe(false);
    expectAccepted({ ...createWorld().request(), messages: world.history.messages() });
  }
  const world = createWorld({ ports: { context: async () => { throw new Error('the disk is gone'); } } });
  expect(await world.send('go')).toMatchObject({ stop: 'error', problem: { code: 'notSent' } });
  expect([world.runner.isWorking, world.problems]).toEqual([false, ['go: It could not be read: the disk is gone']]);
}, { case: 'a bug below ends the turn instead of hanging it' });

verifies('agents:turn:max-tokens', async () => {
  const cut = (text: string) => reply({ text, stop: 'max_tokens' });
  const world = createWorld({ script: [cut('a'), cut('b'), reply({ text: 'c' })] });
  expect(await world.send('go')).toMatchObject({ stop: 'done', replies: 3 });
  expect(wordsOf(world.model.requests[2]!).filter((words) => words.includes('cut off'))).toHaveLength(2);
  world.model.add(cut('1'), cut('2'), cut('3'), cut('4'), reply({ text: 'never asked for' }));
  expect(await world.send('again')).toMatchObject({ stop: 'error', replies: 4, problem: { code: 'maxTokens' } });
  for (const request of world.model.requests) expectAccepted(request);
});

verifies('agents:turn:pause', async () => {
  const paused = { type: 'opaque' as const, block: { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: {} } };
  const world = createWorld({ script: [reply({ content: [paused], stop: 'pause_turn' }), reply({ text: 'Found.' })] });
  expect(await world.send('search')).toMatchObject({ stop: 'done', replies: 2 });
  expect(world.model.requests[1]?.messages.at(-1)).toEqual({ role: 'assistant', content: [paused] });
});

verifies('agents:turn:refusal', async () => {
  const world = createWorld({ script: [reply({ text: 'I will', calls: [echo('c1', 'x')], stop: 'refusal' }), reply({ text: 'Sure.' })] });
  expect(await world.send('go')).toMatchObject({ stop: 'refusal', problem: { code: 'refusal', message: expect.stringContaining('refusal'), retryable: false } });
  await world.send('something else');
  expect(world.types()).not.toContain('tool/started');
  expectAccepted(world.model.requests[1]!);
});

verifies('agents:turn:max-replies', async () => {
  const script = [reply({ calls: [echo('c1', 'x')] }), reply({ calls: [echo('c2', 'y')] }), reply({ text: 'late' })];
  const world = createWorld({ script, ports: { maxReplies: 2 } });
  expect(await world.send('go')).toMatchObject({ stop: 'maxTurns', replies: 2 });
  expect(wordsOf(world.request()).at(-1)).toBe('result: y');
  expect(await createWorld({ script: [reply({ text: 'one' })], ports: { maxReplies: 1 } }).send('go')).toMatchObject({ stop: 'done', replies: 1 });
});

verifies('agents:turn:no-model', async () => {
  const world = createWorld({ ports: { client: () => undefined } });
  expect(await world.send('go')).toMatchObject({ stop: 'error', problem: { code: 'notSetUp', message: expect.stringContaining('API key'), retryable: true } });
  expect(wordsOf(world.request())).toEqual(['Today is Monday.', 'go']);
});

verifies('agents:turn:retry', async () => {
  const world = createWorld({
    script: [[{ type: 'start', model: 'm' }, { type: 'text', block: 0, text: 'void' }, { type: 'retry', attempt: 1, delayMs: 500, reason: 'overloaded' }, ...reply({ text: 'Good.' })]],
  });
  const waiting: unknown[] = [];
  world.log.on((event) => { if (event.type === 'model/waiting') waiting.push([event.attempt, event.reason, event.untilMs]); });
  await world.send('go');
  expect(waiting).toEqual([[1, 'overloaded', 1_700_000_000_500]]);
  expect(world.log.view.conversations['main']?.flatMap((entry) => (entry.kind === 'assistant' ? [entry.text] : []))).toEqual(['Good.']);
});

verifies('agents:turn:deltas', async () => {
  const world = createWorld({ script: [reply({ text: 'Hello there', calls: [echo('c1', 'x')] }), reply({ text: 'ok' })] });
  const pieces: unknown[] = [];
  world.log.on((event) => { if (event.type === 'message/delta') pieces.push([event.block, event.kind, event.offset, event.text, event.tool]); });
  await world.send('go');
  expect(pieces.slice(0, 3)).toEqual([[0, 'text', 0, 'Hello ', undefined], [0, 'text', 6, 'there', undefined], [1, 'input', 0, '{"say":"x"}', 'Echo']]);
});

/** A turn with text, calls, a second step and an end; every place in it where a person could press Stop. */
async function stopAt(point: number): Promise<{ readonly world: ReturnType<typeof createWorld>; readonly where: string | undefined }> {
  let passed = 0;
  let where: string | undefined;
  const world = createWorld({
    script: [reply({ text: 'Looking.', calls: [echo('c1', 'one'), echo('c2', 'two')] }), reply({ text: '', content: [{ type: 'thinking', thinking: 'hm', signature: 's' }, { type: 'text', text: 'And.' }, { type: 'tool_use', ...echo('c3', 'three') }], stop: 'tool_use' }), reply({ text: 'Done.' })],
    onPoint: (name) => {
      if (passed++ !== point) return;
      where = name;
      world.runner.interrupt();
    },
  });
  await world.send('go');
  return { world, where };
}

verifies('agents:turn:abort-anywhere', async () => {
  const places: string[] = [];
  for (let point = 0; ; point++) {
    const { world, where } = await stopAt(point);
    if (where === undefined) break;
    const at = `stopped at ${point}, ${where}`;
    places.push(where);
    expect(world.runner.isWorking, at).toBe(false);
    expect(world.ends.at(-1)?.stop, at).toMatch(/^(interrupted|done)$/);
    expect(world.log.events.at(-1), at).toMatchObject({ type: 'turn/completed' });
    expect(world.log.view.streaming, at).toEqual({});
    expect(world.log.view.conversations['main']?.filter((entry) => entry.kind === 'tool' && ['validating', 'running'].includes(entry.call.status)), at).toEqual([]);
    expect(world.history.openCalls(), at).toEqual({ notStarted: [], started: [] });
    world.model.add(reply({ text: 'Well.' }), reply({ text: 'Well.' }));
    for (const goOn of [() => world.send('and now'), () => { world.runner.resume(); return world.runner.settled(); }]) {
      const asked = world.model.requests.length;
      await goOn();
      for (const request of world.model.requests.slice(asked)) expectAccepted({ ...request, messages: withoutThinking(request.messages) });
      expect(world.model.requests.length, at).toBeGreaterThan(asked);
    }
    expect(wordsOf(world.request()).filter((words) => words.trim() === ''), at).toEqual([]);
  }
  expect(new Set(places)).toEqual(new Set(['context', 'compose', 'between steps', 'before start', 'before text', 'before input', 'before end', 'after the stream', 'before the calls', 'in the call', 'after the calls']));
  expect(places.length).toBeGreaterThan(25);
});

/** The test's thinking is signed by nobody. */
function withoutThinking(messages: ReturnType<ReturnType<typeof createWorld>['request']>['messages']): typeof messages {
  return messages.map((message) => (message.role === 'assistant' ? { ...message, content: message.content.filter((block) => block.type !== 'thinking') } : message));
}

verifies('agents:turn:goes-on', async () => {
  for (const stopped of [broken('Half a sentence and '), broken('')]) {
    const world = createWorld({ script: [stopped, reply({ text: 'the rest.' })] });
    await world.send('go');
    world.runner.resume();
    await world.runner.settled();
    expect(world.model.requests[1]).toMatchObject({ model: strictModel });
    expect(world.model.requests[1]?.messages.at(-1)?.role).toBe('user');
    expectAccepted(world.model.requests[1]!);
  }
});
