import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect } from 'vitest';
import type { ModelMessage } from '../../../extension/protocol/content';
import { type AnthropicServer, type AnthropicServerOptions, expectPrefix, startAnthropicServer } from '../../support/anthropicServer';
import { createManualClock } from '../../support/manualClock';
import { callTool, cutInput, dropAfter, failAfter, hold, redacted, reply, say, type ScriptEntry, status, stopWith, think } from '../../support/script';
import { verifies } from '../../support/verifies';
import { ask, assistant, clientOf, collect, endOf, failureOf, never, result, run, user, withProcessEnv } from './modelFixture';

const servers: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(script: readonly ScriptEntry[], options: AnthropicServerOptions = {}): Promise<AnthropicServer> {
  const server = await startAnthropicServer({ script, ...options });
  servers.push(server);
  return server;
}

/** A server that sends exactly these SSE events, for what the strict one would not say. */
async function serveRaw(events: readonly Record<string, unknown>[], seen: { headers?: Record<string, unknown>; bodies: unknown[] } = { bodies: [] }): Promise<string> {
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      seen.headers = request.headers;
      seen.bodies.push(JSON.parse(text));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(events.map((event) => `event: ${event['type']}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push({ close: () => new Promise((resolve) => server.close(() => resolve())) });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

verifies('model:stream:events', async () => {
  const server = await serve([reply(think('Let me see.'), say('Hello there.'))]);
  const events = await run(clientOf(server.url), ask('Hi'));
  const text = (type: 'text' | 'thinking'): string => events.flatMap((event) => (event.type === type ? [event.text] : [])).join('');
  expect(events[0]).toEqual({ type: 'start', model: 'claude-sonnet-5-5' });
  expect([text('thinking'), text('text')]).toEqual(['Let me see.', 'Hello there.']);
  const end = endOf(events);
  expect(events.filter((event) => event.type === 'end')).toHaveLength(1);
  expect(end.content.map((block) => block.type)).toEqual(['thinking', 'text']);
  expect({ stop: end.stopReason, model: end.model }).toEqual({ stop: 'end_turn', model: 'claude-sonnet-5-5' });
  expect(end.usage.outputTokens).toBeGreaterThan(0);
  expect(end.costUsd).toBeGreaterThan(0);
});

verifies('model:stream:parallel-tools', async () => {
  const server = await serve([reply(say('Both.'), callTool('Read', { path: 'a' }, { id: 'toolu_a' }), callTool('Bash', { command: 'ls "x"', deep: { list: [1, null] } }, { id: 'toolu_b' })), say('Done.')]);
  const client = clientOf(server.url);
  const first = endOf(await run(client, ask('Go')));
  expect(first.stopReason).toBe('tool_use');
  expect(first.content.slice(1)).toEqual([
    { type: 'tool_use', id: 'toolu_a', name: 'Read', input: { path: 'a' } },
    { type: 'tool_use', id: 'toolu_b', name: 'Bash', input: { command: 'ls "x"', deep: { list: [1, null] } } },
  ]);
  const results: ModelMessage = { role: 'user', content: [{ type: 'text', text: 'By the way.' }, { type: 'tool_result', tool_use_id: 'toolu_a', content: 'A' }, { type: 'tool_result', tool_use_id: 'toolu_b', content: 'B', is_error: true }] };
  expect(endOf(await run(client, ask([user('Go'), assistant(first.content), results]))).stopReason).toBe('end_turn');
});

verifies('model:stream:thinking-round-trip', async () => {
  const server = await serve([reply(think('First.'), redacted('c2VjcmV0'), think('Second.'), callTool('Read', { path: 'a' }, { id: 'toolu_a' })), reply(think('Third.'), say('Done.')), say('Bye.')]);
  const client = clientOf(server.url);
  const history: ModelMessage[] = [user('Go')];
  const first = endOf(await run(client, ask(history)));
  expect(first.content.map((block) => block.type)).toEqual(['thinking', 'redacted_thinking', 'thinking', 'tool_use']);
  history.push(assistant(first.content), result('toolu_a', 'text of a'));
  history.push(assistant(endOf(await run(client, ask(history))).content), user('Thanks'));
  // The server refuses thinking that is changed, missing, or not after the bytes it was made for.
  expect(endOf(await run(client, ask(history))).content).toEqual([{ type: 'text', text: 'Bye.' }]);
});

verifies('model:stream:opaque-blocks', async () => {
  const seen = { bodies: [] as unknown[] };
  const url = await serveRaw(
    [
      { type: 'message_start', message: { model: 'm', usage: { input_tokens: 1, output_tokens: 0 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} } },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"query":' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '"x"}' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'novelty', payload: { z: 1, a: 2 } } },
      { type: 'content_block_stop', index: 1 },
      { type: 'something_new', index: 1 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } },
      { type: 'message_stop' },
    ],
    seen,
  );
  const client = clientOf(url);
  const first = endOf(await run(client, ask('Go')));
  await run(client, ask([user('Go'), assistant(first.content), user('On')]));
  expect((seen.bodies[1] as { messages: { content: unknown }[] }).messages[1]?.content).toEqual([
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
    { type: 'novelty', payload: { z: 1, a: 2 } },
  ]);
});

verifies('model:stream:broken-input', async () => {
  const server = await serve([reply(say('Cut.'), cutInput('Bash', { command: 'rm -rf build' }, 12)), say('Sorry.'), say('Yes.')]);
  const client = clientOf(server.url);
  const first = endOf(await run(client, ask('Go')));
  expect(first.stopReason).toBe('max_tokens');
  expect(first.content[1]).toMatchObject({ type: 'tool_use', name: 'Bash', input: {}, brokenInput: '{"command":"' });
  const call = first.content[1]?.type === 'tool_use' ? first.content[1].id : '';
  const history = [user('Go'), assistant(first.content), result(call, 'cut off')];
  const second = endOf(await run(client, ask(history)));
  await run(client, ask([...history, assistant(second.content), user('Again')]));
  expect(expectPrefix(server.messageRequests().slice(1))).toBeUndefined();
});

verifies(
  'model:stream:broken-input',
  async () => {
    const tool = (index: number, json: string): Record<string, unknown>[] => [
      { type: 'content_block_start', index, content_block: { type: 'tool_use', id: `t${index}`, name: 'Read', input: {} } },
      { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: json } },
      { type: 'content_block_stop', index },
    ];
    const url = await serveRaw([{ type: 'message_start', message: { model: 'm' } }, ...tool(0, '{"a": nope}'), ...tool(1, '[1]'), ...tool(2, '{"a":1}'), { type: 'message_delta', delta: { stop_reason: 'tool_use' } }, { type: 'message_stop' }]);
    expect(endOf(await run(clientOf(url), ask('Go'))).content).toEqual([
      { type: 'tool_use', id: 't0', name: 'Read', input: {}, brokenInput: '{"a": nope}' },
      { type: 'tool_use', id: 't1', name: 'Read', input: {}, brokenInput: '[1]' },
      { type: 'tool_use', id: 't2', name: 'Read', input: { a: 1 } },
    ]);
  },
  { case: 'not JSON, not an object' },
);

verifies('model:stream:stop-reasons', async () => {
  const reasons = ['refusal', 'pause_turn', 'max_tokens', 'stop_sequence', 'model_context_window_exceeded'] as const;
  const server = await serve(reasons.map((reason) => reply(say('So far'), stopWith(reason))));
  const client = clientOf(server.url);
  const seen = [];
  for (const _ of reasons) seen.push(endOf(await run(client, ask('Go'))).stopReason);
  expect(seen).toEqual(['refusal', 'pause_turn', 'max_tokens', 'stop_sequence', 'max_tokens']);
});

verifies('model:stream:compatible-servers', async () => {
  const url = await serveRaw([
    { type: 'message_start', message: { id: 'x', model: 'qwen3', usage: null } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 'call_1', name: 'Read', input: { path: 'a' } } },
    { type: 'content_block_stop', index: 1 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
  ]);
  const end = endOf(await run(clientOf(url), ask('Go', { model: 'qwen3' })));
  expect(end).toEqual({
    type: 'end',
    content: [
      { type: 'text', text: 'Hi' },
      { type: 'tool_use', id: 'call_1', name: 'Read', input: { path: 'a' } },
    ],
    stopReason: 'tool_use',
    model: 'qwen3',
    usage: {},
    costUsd: null,
  });
});

verifies('model:stream:abort', async () => {
  const script = reply(think('One two three.'), say('Some text here.'), callTool('Read', { path: 'file' }, { id: 'toolu_a' }), callTool('Bash', { command: 'ls' }, { id: 'toolu_b' }));
  const whole = await serve([script]);
  const total = (await run(clientOf(whole.url), ask('Go'))).length;
  for (let at = 1; at < total; at += 1) {
    const server = await serve([script, say('Go on.')]);
    const client = clientOf(server.url);
    const stop = new AbortController();
    let seen = 0;
    const events = await collect(client.stream(ask('Go'), stop.signal), () => {
      seen += 1;
      if (seen === at) stop.abort();
    });
    const end = endOf(events);
    expect(end.stopReason).toBe('aborted');
    const results = end.content.flatMap((block) => (block.type === 'tool_use' ? [result(block.id, 'interrupted')] : []));
    expect(endOf(await run(client, ask([user('Go'), assistant(end.content), ...results, user('Continue')]))).stopReason).toBe('end_turn');
  }
});

verifies(
  'model:stream:abort',
  async () => {
    const server = await serve([reply(say('first part', { chunk: 4 }), hold('rest'), say('never'))]);
    const stop = new AbortController();
    const pending = collect(clientOf(server.url).stream(ask('Go'), stop.signal), (event) => {
      if (event.type === 'text' && event.text.endsWith('rt')) stop.abort();
    });
    expect(endOf(await pending)).toMatchObject({ stopReason: 'aborted', content: [{ type: 'text', text: 'first part' }] });
    await server.waitFor(([request]) => request?.replied?.outcome === 'left');
  },
  { case: 'while the server is silent' },
);

verifies(
  'model:stream:abort',
  async () => {
    const server = await serve([]);
    expect(await collect(clientOf(server.url).stream(ask('Go'), AbortSignal.abort()))).toEqual([{ type: 'end', content: [], stopReason: 'aborted', model: 'claude-sonnet-5-5', usage: {}, costUsd: null }]);
    expect(server.requests).toEqual([]);
  },
  { case: 'before the request' },
);

verifies('model:stream:never-throws', async () => {
  const url = await serveRaw([{ type: 'message_start', message: 'nonsense' }]);
  const client = clientOf(url, { random: () => 1, fetch: undefined });
  const stop = new AbortController();
  const events = await collect(client.stream(ask('Go'), stop.signal), (event) => {
    if (event.type === 'retry') stop.abort();
  });
  expect(events.map((event) => event.type)).toEqual(['retry', 'end']);
});

verifies(
  'model:stream:never-throws',
  async () => {
    const clock = createManualClock();
    const page = async (): Promise<Response> => new Response('<html></html>', { headers: { 'content-type': 'text/html' } });
    const pending = collect(clientOf('http://portal.example', { clock, fetch: page, random: () => 1 }).stream(ask('Go'), never()));
    let done = false;
    void pending.then(() => {
      done = true;
    });
    while (!done) await clock.advance(1_000);
    const { problem } = failureOf(await pending);
    expect(problem.code).toBe('network');
    expect(problem.message).toMatch(/^The connection to portal\.example failed: it answered without a single event; check that the address .* \(Tried for \d min\.\)$/);
  },
  { case: 'a web page instead of a stream' },
);

verifies('model:request:stable-prefix', async () => {
  const turns = 5;
  const server = await serve(Array.from({ length: turns }, (_, n) => reply(think(`Step ${n}.`), callTool('Read', { b: n, a: { '2': 1, x: [n] } }, { id: `toolu_${n}` }), callTool('Bash', { command: `echo ${n}` }, { id: `toolu_x${n}` }))));
  const client = clientOf(server.url);
  const history: ModelMessage[] = [user('Go')];
  for (let n = 0; n < turns; n += 1) {
    // Written to disk and read again, as a session that is resumed does.
    const { content } = endOf(await run(client, ask(JSON.parse(JSON.stringify(history)))));
    history.push(assistant(content), { role: 'user', content: [{ type: 'tool_result', tool_use_id: `toolu_${n}`, content: `result ${n}` }, { type: 'tool_result', tool_use_id: `toolu_x${n}`, content: [{ type: 'text', text: 'more' }] }] }, user(`Reminder ${n}`));
  }
  expect(expectPrefix(server.messageRequests())).toBeUndefined();
});

verifies('model:request:cache-hits', async () => {
  const server = await serve(Array.from({ length: 4 }, (_, n) => reply(...Array.from({ length: 12 }, (_, k) => callTool('Read', { path: `${n}/${k}` }, { id: `toolu_${n}_${k}` })))));
  const client = clientOf(server.url);
  const history: ModelMessage[] = [{ role: 'user', content: [{ type: 'text', text: 'Shared memory.' }, { type: 'text', text: 'Go' }] }];
  let wholeBefore = 0;
  for (let n = 0; n < 4; n += 1) {
    const { content, usage } = endOf(await run(client, ask(history)));
    expect(usage.cacheReadTokens ?? 0).toBe(wholeBefore);
    wholeBefore = (usage.cacheReadTokens ?? 0) + (usage.cacheWriteTokens ?? 0);
    history.push(assistant(content), { role: 'user', content: Array.from({ length: 12 }, (_, k) => ({ type: 'tool_result' as const, tool_use_id: `toolu_${n}_${k}`, content: `text ${n} ${k}` })) });
  }
});

verifies('model:request:other-models-thinking', async () => {
  const server = await serve([reply(think('Mine.'), say('Hello.')), say('Without.')], { tolerant: true });
  const client = clientOf(server.url);
  const first = endOf(await run(client, ask('Go')));
  const events = await run(client, ask([user('Go, but edited'), assistant(first.content), user('On')]));
  expect(events.map((event) => event.type).filter((type) => type !== 'text')).toEqual(['retry', 'start', 'end']);
  expect(endOf(events).content).toEqual([{ type: 'text', text: 'Without.' }]);
});

verifies('model:auth:explicit', async () => {
  const seen: { headers?: Record<string, unknown>; bodies: unknown[] } = { bodies: [] };
  const url = await serveRaw([{ type: 'message_delta', delta: { stop_reason: 'end_turn' } }, { type: 'message_stop' }], seen);
  await withProcessEnv({ ANTHROPIC_API_KEY: 'from-env', ANTHROPIC_AUTH_TOKEN: 'token-from-env', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' }, async () => {
    const auth = async (key: Parameters<typeof clientOf>[1]): Promise<unknown> => {
      await run(clientOf(url, key), ask('Go'));
      return [seen.headers?.['x-api-key'], seen.headers?.['authorization']];
    };
    expect(await auth({ key: null })).toEqual([undefined, undefined]);
    expect(await auth({ key: { kind: 'apiKey', value: 'k' } })).toEqual(['k', 'Bearer k']);
    expect(await auth({ key: { kind: 'authToken', value: 't' } })).toEqual([undefined, 'Bearer t']);
  });
});

verifies('model:auth:custom-headers', async () => {
  const seen: { headers?: Record<string, unknown>; bodies: unknown[] } = { bodies: [] };
  const url = await serveRaw([{ type: 'message_delta', delta: { stop_reason: 'end_turn' } }, { type: 'message_stop' }], seen);
  await withProcessEnv({ ANTHROPIC_CUSTOM_HEADERS: 'X-Team: secret' }, async () => {
    await run(clientOf(url, { env: { ANTHROPIC_BASE_URL: 'https://elsewhere.example' } }), ask('Go'));
    expect(seen.headers?.['x-team']).toBeUndefined();
    await run(clientOf(url, { env: { ANTHROPIC_BASE_URL: `${url}/` } }), ask('Go'));
    expect(seen.headers?.['x-team']).toBe('secret');
  });
});

verifies('model:retry:transient', async () => {
  const server = await serve([status(500), status(529), status(503), dropAfter(0), reply(say('Half an answer'), dropAfter(3)), reply(say('Half'), failAfter(3)), status(429), say('Whole.')]);
  const events = await run(clientOf(server.url), ask('Go'));
  expect(events.filter((event) => event.type === 'retry').map((event) => (event.type === 'retry' ? event.attempt : 0))).toEqual([2, 3, 4, 5, 6, 7, 8]);
  expect(endOf(events).content).toEqual([{ type: 'text', text: 'Whole.' }]);
});

verifies('model:retry:final', async () => {
  for (const [code, problem] of [[400, 'invalidRequest'], [401, 'auth'], [403, 'permission'], [404, 'notFound']] as const) {
    const server = await serve([status(code)], { tolerant: true });
    const events = await run(clientOf(server.url), ask('Go'));
    expect(events).toHaveLength(1);
    expect(failureOf(events).problem).toMatchObject({ code: problem, status: code, retryable: false });
  }
});

verifies('model:problem:context-overflow', async () => {
  const server = await serve([status(400, { message: 'prompt is too long: 210000 tokens > 200000 maximum' }), status(413), status(400, { message: "This model's maximum context length is 8192 tokens" }), failAfter(1, 'invalid_request_error', 'input length and `max_tokens` exceed context limit: 9 + 9 > 10')], { tolerant: true });
  const client = clientOf(server.url);
  for (let n = 0; n < 4; n += 1) expect(failureOf(await run(client, ask('Go'))).problem).toMatchObject({ code: 'contextOverflow', retryable: true });
});

verifies('model:problem:words', async () => {
  const server = await serve([status(404, { message: 'model: claude-sonnet-5-5' })], { tolerant: true });
  const host = new URL(server.url).host;
  const problem = async (setup: Parameters<typeof clientOf>[1] = {}, url = server.url): Promise<string> => failureOf(await collect(clientOf(url, setup).stream(ask('Go'), never()))).problem.message;
  expect(await problem({ key: { kind: 'apiKey', value: 'wrong-key' } })).toBe(`The key was refused by ${host} (401). Check that it is complete and still valid, and set up the model again or correct ANTHROPIC_API_KEY. The server says: invalid x-api-key`);
  expect(await problem({ key: null })).toContain(`${host} asks for a key (401) and none is set.`);
  expect(await problem()).toContain(`${host} does not know the model "claude-sonnet-5-5" (404). Pick another one`);
});
