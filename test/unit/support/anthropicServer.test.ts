import Anthropic, { type APIError } from '@anthropic-ai/sdk';
import { afterEach, expect } from 'vitest';
import { type AnthropicServer, type AnthropicServerOptions, expectPrefix, startAnthropicServer } from '../../support/anthropicServer';
import { always, callTool, cutInput, delay, dropAfter, failAfter, hang, hold, redacted, reply, say, stallAfter, status, stopWith, think, when, whenEach } from '../../support/script';
import { verifies } from '../../support/verifies';

type Params = Anthropic.MessageStreamParams;
type Message = Anthropic.Message;
const open: AnthropicServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function start(options: AnthropicServerOptions = {}): Promise<{ server: AnthropicServer; client: Anthropic; ask: (changes?: Partial<Params>) => Promise<Message> }> {
  const server = await startAnthropicServer(options);
  open.push(server);
  const client = new Anthropic({ baseURL: server.url, apiKey: 'test-key', maxRetries: 0 });
  const base: Params = { model: 'claude-sonnet-5-5', max_tokens: 1000, messages: [{ role: 'user', content: 'go' }] };
  return { server, client, ask: (changes = {}) => client.messages.stream({ ...base, ...changes }).finalMessage() };
}
const tools: Anthropic.Tool[] = [{ name: 'Bash', input_schema: { type: 'object', properties: { command: { type: 'string' } } } }];
const shown = { type: 'adaptive', display: 'summarized' } as const;
const texts = (message: Message): string => message.content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('');
const results = (message: Message): Anthropic.ToolResultBlockParam[] => message.content.flatMap((block) => (block.type === 'tool_use' ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: 'done' }] : []));

async function sse(server: AnthropicServer, changes: Record<string, unknown> = {}): Promise<{ event: string; data: Record<string, Record<string, unknown> | undefined> & { type?: unknown } }[]> {
  const response = await fetch(`${server.url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': 'test-key', 'anthropic-version': '2026-10-21' },
    body: JSON.stringify({ model: 'claude-sonnet-5-5', max_tokens: 1000, stream: true, messages: [{ role: 'user', content: 'go' }], ...changes }),
  });
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  return (await response.text()).trim().split('\n\n').map((part) => {
    const [event, data] = part.split('\n');
    return { event: event!.replace('event: ', ''), data: JSON.parse(data!.replace('data: ', '')) };
  });
}

verifies('model:server:stream', async () => {
  const { server } = await start({ script: [reply(think('hm'), say('Hi'), callTool('Bash', { command: 'ls' }))] });
  const events = await sse(server, { thinking: shown });
  expect(events.map(({ event, data }) => data['delta']?.['type'] ?? event)).toEqual([
    'message_start', 'content_block_start', 'ping', 'thinking_delta', 'signature_delta', 'content_block_stop',
    'content_block_start', 'text_delta', 'content_block_stop',
    'content_block_start', 'input_json_delta', 'input_json_delta', 'content_block_stop', 'message_delta', 'message_stop',
  ]);
  expect(events.every(({ event, data }) => data['type'] === event)).toBe(true);
  expect(events.at(-2)?.data).toMatchObject({ delta: { stop_reason: 'tool_use' }, usage: { output_tokens: expect.any(Number) } });
  expect(events[0]?.data['message']).toMatchObject({ id: 'msg_000001', content: [], stop_reason: null, usage: { input_tokens: expect.any(Number) } });
}, { case: 'events' });

verifies('model:server:stream', async () => {
  const { server, client, ask } = await start({ script: [reply(think('hm'), say('Hello 👋 there, this is a text of some length'), callTool('Bash', { command: 'ls -la "a b"' }), callTool('Bash', {}))] });
  const message = await ask({ tools, thinking: shown });
  expect(message.content).toMatchObject([
    { type: 'thinking', thinking: 'hm', signature: expect.any(String) },
    { type: 'text', text: 'Hello 👋 there, this is a text of some length' },
    { type: 'tool_use', id: 'toolu_000001', name: 'Bash', input: { command: 'ls -la "a b"' } },
    { type: 'tool_use', id: 'toolu_000002', input: {} },
  ]);
  expect(message.stop_reason).toBe('tool_use');
  server.script(say('whole'));
  expect(await client.messages.create({ model: 'claude-sonnet-5-5', max_tokens: 10, messages: [{ role: 'user', content: 'go' }] })).toMatchObject({ content: [{ text: 'whole' }], stop_reason: 'end_turn' });
  expect(server.requests[0]).toMatchObject({ method: 'POST', path: '/v1/messages', body: { stream: true }, replied: { status: 200, outcome: 'complete', stopReason: 'tool_use' } });
  expect(server.requests[0]?.headers['anthropic-version']).toBe('2026-10-21');
}, { case: 'through the SDK, streamed and whole' });

verifies('model:server:stream', async () => {
  const { ask } = await start({ script: [reply(say('half'), stopWith('max_tokens')), reply(say('no'), stopWith('refusal')), reply(say('more'), stopWith('pause_turn')), say('rest'), cutInput('Write', { file_path: '/tmp/x', content: 'long' }, 12)] });
  expect((await ask()).stop_reason).toBe('max_tokens');
  expect(await ask()).toMatchObject({ stop_reason: 'refusal', stop_details: { type: 'refusal' } });
  const paused = await ask();
  expect(paused.stop_reason).toBe('pause_turn');
  expect(texts(await ask({ messages: [{ role: 'user', content: 'go' }, { role: 'assistant', content: paused.content as never }] }))).toBe('rest');
  const cut = await ask();
  expect(cut.stop_reason).toBe('max_tokens');
  expect(cut.content[0]).toMatchObject({ type: 'tool_use', name: 'Write' });
}, { case: 'stop reasons; a paused turn may be continued' });

verifies('model:server:thinking', async () => {
  const script = [reply(think('first'), callTool('Bash', {})), reply(think('second'), say('done'))];
  const { server, ask } = await start({ script: [...script, ...script, say('x'), say('x')], tolerant: true });
  const first: Anthropic.MessageParam = { role: 'user', content: 'go' };
  const one = await ask({ tools, thinking: shown });
  const next = (content: unknown, change: Partial<Params> = {}): Promise<Message> => ask({ tools, thinking: shown, messages: [first, { role: 'assistant', content: content as never }, { role: 'user', content: results(one) }], ...change });
  const edited = one.content.map((block) => (block.type === 'thinking' ? { ...block, thinking: 'edited' } : block));
  const invented = one.content.map((block) => (block.type === 'thinking' ? { ...block, signature: 'c2ln' } : block));
  await expect(next(edited)).rejects.toThrow(/latest assistant message cannot be modified/);
  await expect(next(invented)).rejects.toThrow(/Invalid `signature` in `thinking` block/);
  await expect(next(one.content.filter((block) => block.type !== 'thinking'))).rejects.toThrow(/cannot be modified/);
  await expect(next(one.content, { system: 'another' })).rejects.toThrow(/bound to a different conversation/);
  await expect(next(one.content, { tools: [...tools, { ...tools[0]!, name: 'Read' }] })).rejects.toThrow(/bound to a different conversation/);
  expect(server.unexpected).toHaveLength(5);
  expect(texts(await next(one.content))).toBe('[thinking]done');
}, { case: 'in the tool loop' });

verifies('model:server:thinking', async () => {
  const old = await start({ script: [think('a'), reply(think('b'), say('b')), say('c'), always(redacted('hidden'), callTool('Bash', {}))], preservedThinking: false });
  const one = await old.ask({ thinking: shown });
  const two = await old.ask({ thinking: shown, system: 'changed', messages: [{ role: 'user', content: 'go' }, { role: 'assistant', content: one.content as never }, { role: 'user', content: 'on' }] });
  expect(texts(two)).toBe('[thinking]b');
  expect(texts(await old.ask({ thinking: { type: 'between_tools' } }))).toBe('c');
  const four = await old.ask({ tools });
  expect(four.content[0]?.type).toBe('redacted_thinking');
  await old.ask({ tools, messages: [{ role: 'user', content: 'go' }, { role: 'assistant', content: four.content as never }, { role: 'user', content: results(four) }] });
}, { case: 'older accounts, other models and redacted blocks' });

verifies('model:server:thinking', async () => {
  const { server, ask } = await start({ script: [always(think('hm'), say('x'))] });
  expect((await ask()).content[0]).toMatchObject({ type: 'thinking', thinking: '', signature: expect.any(String) });
  expect((await ask({ thinking: shown })).content[0]).toMatchObject({ thinking: 'hm' });
  expect((await ask({ model: 'claude-opus-4-8' })).content).toMatchObject([{ type: 'text' }]);
  expect((await sse(server)).some(({ data }) => data['delta']?.['type'] === 'thinking_delta')).toBe(false);
}, { case: 'shown, omitted and off as the model and the request have it' });

verifies('model:server:cache', async () => {
  let now = 0;
  const { ask } = await start({ script: [always(say('ok'))], nowMs: () => now });
  const marked = { cache_control: { type: 'ephemeral' } } as const;
  const system = [{ type: 'text' as const, text: 'x'.repeat(4000), ...marked }];
  const turn = (...parts: string[]): Promise<Message> =>
    ask({ system, messages: parts.map((text, i) => ({ role: i % 2 ? ('assistant' as const) : ('user' as const), content: [{ type: 'text' as const, text, ...(i === parts.length - 1 ? marked : {}) }] })) });
  const usage = async (run: Promise<Message>): Promise<(number | null)[]> => {
    const { cache_creation_input_tokens, cache_read_input_tokens, input_tokens } = (await run).usage;
    return [cache_creation_input_tokens, cache_read_input_tokens, input_tokens];
  };
  const [written, , rest] = await usage(turn('one'));
  expect(written).toBeGreaterThan(1000);
  expect(rest).toBe(0);
  const [more, read] = await usage(turn('one', 'two', 'three'));
  expect(read).toBe(written);
  expect(more).toBeGreaterThan(0);
  const [, forked] = await usage(turn('other'));
  expect(forked).toBeGreaterThan(1000);
  expect(forked).toBeLessThan(written!);
  now += 300_001;
  expect((await usage(turn('one')))[1]).toBe(0);
  expect(await usage(ask())).toEqual([0, 0, expect.any(Number)]);
});

verifies('model:server:prefix', () => {
  const request = (change: object): { body: unknown } => ({ body: { model: 'm', system: 's', tools: [{ name: 'A' }], messages: [{ role: 'user', content: 'go' }], ...change } });
  const grown = { messages: [{ role: 'user', content: [{ type: 'text', text: 'go', cache_control: { type: 'ephemeral' } }] }, { role: 'assistant', content: 'ok' }] };
  expect(expectPrefix([request({}), request(grown)])).toBeUndefined();
  expect(expectPrefix([request(grown), request({})])).toMatch(/request 2 against 1: messages.1.content.0 \(assistant\) is gone/);
  expect(expectPrefix([request({}), request({ ...grown, system: 't' })])).toMatch(/system changed at character 1/);
  expect(expectPrefix([request({}), request({ tools: [] })])).toMatch(/tools changed/);
  expect(expectPrefix([request({}), request({}), request({ messages: [{ role: 'user', content: 'no' }] })])).toMatch(/request 3 against 2: messages.0.content.0 \(user\) changed/);
});

verifies('model:server:script', async () => {
  const { server, ask } = await start({
    script: [when({ first: 'brief of tester' }, [say('t1'), say('t2')]), whenEach({ first: 'each' }, [say('e1'), say('e2')]), when((request) => request.systemText === 'side', (_request, n) => say(`f${n}`)), say('m1'), say('m2')],
  });
  const from = (content: string): Promise<string> => ask({ messages: [{ role: 'user', content }] }).then(texts);
  expect(await from('main')).toBe('m1');
  expect(await from('the brief of tester')).toBe('t1');
  expect(server.unused()).toBe(2);
  expect([await from('each a'), await from('each b'), await from('each a')]).toEqual(['e1', 'e1', 'e2']);
  expect(await from('the brief of tester')).toBe('t2');
  expect(await from('main')).toBe('m2');
  expect([await ask({ system: 'side' }), await ask({ system: 'side' })].map(texts)).toEqual(['f0', 'f1']);
  server.script((request) => (request.lastText === 'go' ? say(request.model) : undefined));
  expect(texts(await ask())).toBe('claude-sonnet-5-5');
}, { case: 'order, matcher, function' });

verifies('model:server:script', async () => {
  const server = await startAnthropicServer({ script: [say('only')] });
  const client = new Anthropic({ baseURL: server.url, apiKey: 'test-key' });
  const ask = (): Promise<Message> => client.messages.create({ model: 'test-model', max_tokens: 10, messages: [{ role: 'user', content: 'go' }] });
  await ask();
  await expect(ask()).rejects.toThrow(/script ran out: the main script gave 1 reply and has none/);
  await expect(server.close()).rejects.toThrow(/script ran out/);
}, { case: 'running out is a 400 that names it, and close() throws' });

verifies('model:server:faults', async () => {
  const { ask } = await start({ script: [status(429, { retryAfter: 3 }), status(529), status(500), status(403, { message: 'no credit' })] });
  const failed = async (): Promise<APIError> => (await ask().catch((error: unknown) => error)) as APIError;
  const first = await failed();
  expect(first).toMatchObject({ status: 429, type: 'rate_limit_error' });
  expect(first.headers?.get('retry-after')).toBe('3');
  expect(await failed()).toMatchObject({ status: 529, type: 'overloaded_error' });
  expect(await failed()).toMatchObject({ status: 500, type: 'api_error' });
  expect(await failed()).toMatchObject({ status: 403, type: 'permission_error', apiMessage: 'no credit' });
}, { case: 'status' });

verifies('model:server:faults', async () => {
  const { server, client, ask } = await start({ script: [reply(say('x'.repeat(200)), dropAfter(5)), reply(say('x'.repeat(200)), failAfter(4)), reply(say('abc', { chunk: 1 }), stallAfter(4)), hang()] });
  await expect(ask()).rejects.toThrow();
  expect(server.requests[0]?.replied).toMatchObject({ events: 5, outcome: 'dropped' });
  await expect(ask()).rejects.toThrow(/Overloaded/);
  const leave = async (seen: number): Promise<void> => {
    const stream = client.messages.stream({ model: 'test-model', max_tokens: 10, messages: [{ role: 'user', content: 'go' }] });
    stream.on('text', () => stream.abort());
    if (seen === 0) server.waitFor((requests) => requests.length === 4).then(() => stream.abort());
    await expect(stream.finalMessage()).rejects.toThrow(/abort/i);
  };
  await leave(1);
  await server.waitFor((requests) => requests[2]?.replied?.outcome === 'left');
  await leave(0);
  await server.waitFor((requests) => requests[3]?.replied?.outcome === 'left');
}, { case: 'drop, error event, stall, hang' });

verifies('model:server:faults', async () => {
  const { server } = await start({ script: [reply(say('x'.repeat(2000)), dropAfter(7))] });
  const response = await fetch(`${server.url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': 'test-key', 'anthropic-version': '2026-10-21' },
    body: JSON.stringify({ model: 'test-model', max_tokens: 1000, stream: true, messages: [{ role: 'user', content: 'go' }] }),
  });
  let seen = '';
  const read = async (): Promise<void> => {
    const reader = response.body!.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) seen += Buffer.from(part.value).toString('utf8');
  };
  await expect(read()).rejects.toThrow();
  expect(seen.match(/^event: /gm)).toHaveLength(7);
}, { case: 'the client sees exactly the events before a drop' });

verifies('model:server:faults', async () => {
  const { server, ask } = await start({ script: [when({ first: 'slow' }, [reply(say('before '), hold('gate'), say('after'))]), say('quick'), reply(delay(20), say('x'.repeat(40), { tokensPerSecond: 200 }))] });
  const slow = ask({ messages: [{ role: 'user', content: 'slow' }] });
  await server.waitFor((requests) => (requests[0]?.replied?.events ?? 0) > 0);
  expect(texts(await ask())).toBe('quick');
  expect(server.requests[0]?.replied?.outcome).toBe('open');
  server.release('gate');
  expect(texts(await slow)).toBe('before after');
  const begun = performance.now();
  await ask();
  expect(performance.now() - begun).toBeGreaterThan(20 + 10 * 5 - 10);
}, { case: 'hold, delay and pace' });

verifies('model:server:models', async () => {
  const { client } = await start({ models: ['claude-opus-5-5', 'claude-haiku-4-5', { id: 'own', maxInputTokens: 5000 }] });
  const page = await client.models.list({ limit: 2 });
  expect(page).toMatchObject({ data: [{ id: 'claude-opus-5-5', max_tokens: 128_000 }, { id: 'claude-haiku-4-5' }], has_more: true, first_id: 'claude-opus-5-5', last_id: 'claude-haiku-4-5' });
  const all: string[] = [];
  for await (const model of client.models.list({ limit: 1 })) all.push(model.id);
  expect(all).toEqual(['claude-opus-5-5', 'claude-haiku-4-5', 'own']);
  expect(await client.models.retrieve('own')).toMatchObject({ type: 'model', max_input_tokens: 5000 });
  await expect(client.models.retrieve('none')).rejects.toMatchObject({ status: 404 });
});
