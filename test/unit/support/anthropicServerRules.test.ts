import { afterAll, beforeAll, expect } from 'vitest';
import { type AnthropicServer, startAnthropicServer } from '../../support/anthropicServer';
import { always, say } from '../../support/script';
import { verifies } from '../../support/verifies';

type Body = Record<string, unknown>;
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const schema = { type: 'object', properties: { command: { type: 'string' } } };
const bash = { name: 'Bash', description: 'runs', input_schema: schema };
const cached = { type: 'ephemeral' };
const user = (content: unknown): Body => ({ role: 'user', content });
const assistant = (content: unknown): Body => ({ role: 'assistant', content });
const text = (value: string, more: Body = {}): Body => ({ type: 'text', text: value, ...more });
const use = (id: string, more: Body = {}): Body => ({ type: 'tool_use', id, name: 'Bash', input: {}, ...more });
const result = (id: string, more: Body = {}): Body => ({ type: 'tool_result', tool_use_id: id, content: 'done', ...more });
const image = (more: Body = {}): Body => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: png, ...more } });
const pdf = (more: Body = {}): Body => ({ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0xLjQK', ...more } });
const talk = (...messages: Body[]): Body => ({ messages: [user('go'), ...messages] });
const tool = (more: Body): Body => ({ tools: [{ ...bash, ...more }] });

let server: AnthropicServer;
beforeAll(async () => {
  server = await startAnthropicServer({ script: [always(say('ok'))], tolerant: true });
});
afterAll(() => server.close());

async function send(changes: Body, headers: Record<string, string> = {}, path = '/v1/messages'): Promise<{ status: number; body: { error?: { type: string; message: string }; request_id?: string }; requestId: string | null }> {
  const whole: Body = { model: 'claude-sonnet-5-5', max_tokens: 1000, messages: [user('go')], ...changes };
  for (const key of Object.keys(whole)) if (whole[key] === null) delete whole[key];
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { authorization: 'Bearer test-key', 'anthropic-version': '2026-10-21', 'content-type': 'application/json', ...headers },
    body: JSON.stringify(whole),
  });
  return { status: response.status, body: (await response.json()) as never, requestId: response.headers.get('request-id') };
}

const old = { 'anthropic-version': '2023-06-01' };
const four = { model: 'claude-sonnet-4-5' };
const refusals: readonly (readonly [name: string, body: Body, message: RegExp, headers?: Record<string, string>])[] = [
  ['no max_tokens', { max_tokens: null }, /^max_tokens: Field required/],
  ['max_tokens 0', { max_tokens: 0 }, /^max_tokens: Input should be greater/],
  ['max_tokens -5', { max_tokens: -5 }, /^max_tokens: Input should be greater/],
  ['max_tokens a string', { max_tokens: '100' }, /^max_tokens: Input should be a valid integer/],
  ['max_tokens above the model', { max_tokens: 128_001 }, /128001 > 128000, which is the maximum allowed/],
  ['no model', { model: null }, /^model: Field required/],
  ['unknown field', { max_token: 5 }, /^max_token: Extra inputs are not permitted/],
  ['beta field without its header', { context_management: {} }, /^context_management: Extra inputs/],
  ['temperature in the new version', { temperature: 1 }, /^temperature: Extra inputs are not permitted/],
  ['top_p in the new version', { ...four, top_p: 1 }, /^top_p: Extra inputs/],
  ['top_k in the new version', { top_k: 5 }, /^top_k: Extra inputs/],
  ['temperature for a model that has none', { temperature: 0.5 }, /`temperature` is not supported for this model/, old],
  ['temperature with top_p', { ...four, temperature: 0.5, top_p: 0.5 }, /cannot both be specified/, old],
  ['temperature while thinking', { ...four, max_tokens: 4000, temperature: 0.5, thinking: { type: 'enabled', budget_tokens: 1024 } }, /may only be set to 1/, old],
  ['thinking enabled on an adaptive model', { max_tokens: 4000, thinking: { type: 'enabled', budget_tokens: 2000 } }, /"thinking.type.enabled" is not supported for this model/],
  ['thinking disabled where it is always on', { model: 'claude-opus-5-5', thinking: { type: 'disabled' } }, /"thinking.type.disabled" is not supported/],
  ['adaptive on an older model', { ...four, thinking: { type: 'adaptive' } }, /adaptive thinking is not supported/],
  ['budget too small', { ...four, thinking: { type: 'enabled', budget_tokens: 1023 }, max_tokens: 4000 }, /greater than or equal to 1024/],
  ['budget not below max_tokens', { ...four, thinking: { type: 'enabled', budget_tokens: 4000 }, max_tokens: 4000 }, /`max_tokens` must be greater/],
  ['budget missing', { ...four, thinking: { type: 'enabled' } }, /budget_tokens: Field required/],
  ['budget in adaptive', { thinking: { type: 'adaptive', budget_tokens: 2000 } }, /thinking.adaptive.budget_tokens: Extra inputs/],
  ['block_binding without its header', { thinking: { type: 'adaptive', block_binding: {} } }, /block_binding: Extra inputs/],
  ['unknown thinking type', { thinking: { type: 'on' } }, /^thinking: Input tag 'on'/],
  ['effort on a model without it', { ...four, output_config: { effort: 'high' } }, /does not support the effort parameter/],
  ['unknown effort', { output_config: { effort: 'huge' } }, /^output_config.effort: Input should be/],
  ['effort level the model lacks', { model: 'claude-opus-4-6', output_config: { effort: 'xhigh' } }, /'xhigh' is not supported for this model/],
  ['metadata with a foreign key', { metadata: { session: 'x' } }, /^metadata.session: Extra inputs/],
  ['blank stop sequence', { stop_sequences: [' '] }, /^stop_sequences: each stop sequence/],
  ['tool name with a dot', tool({ name: 'a.b' }), /tools.0.custom.name: String should match pattern/],
  ['tool name of 129 characters', tool({ name: 'x'.repeat(129) }), /tools.0.custom.name: String should match/],
  ['empty tool name', tool({ name: '' }), /tools.0.custom.name: String should match/],
  ['tool without a schema', { tools: [{ name: 'Bash' }] }, /tools.0.custom.input_schema: Field required/],
  ['schema not of type object', tool({ input_schema: { type: 'array' } }), /input_schema.type: Input should be 'object'/],
  ['schema without a type', tool({ input_schema: {} }), /input_schema.type: Field required/],
  ['schema with anyOf at the top', tool({ input_schema: { type: 'object', anyOf: [] } }), /does not support oneOf, allOf, or anyOf/],
  ['schema with oneOf at the top', tool({ input_schema: { type: 'object', oneOf: [] } }), /does not support oneOf, allOf, or anyOf/],
  ['schema with allOf at the top', tool({ input_schema: { type: 'object', allOf: [] } }), /does not support oneOf, allOf, or anyOf/],
  ['schema key with a space', tool({ input_schema: { type: 'object', properties: { 'a b': {} } } }), /Property keys should match pattern/],
  ['schema with a bad required', tool({ input_schema: { type: 'object', required: 'a' } }), /JSON schema is invalid/],
  ['unknown field of a tool', tool({ parameters: {} }), /tools.0.custom.parameters: Extra inputs/],
  ['two tools of one name', { tools: [bash, bash] }, /Tool names must be unique/],
  ['only deferred tools', tool({ defer_loading: true }), /At least one tool must have defer_loading=false/],
  ['tool_choice of a missing tool', { tools: [bash], tool_choice: { type: 'tool', name: 'Read' } }, /Tool 'Read' not found in provided tools/],
  ['tool_choice without tools', { tool_choice: { type: 'auto' } }, /may only be specified while providing tools/],
  ['forced tool while thinking', { tools: [bash], tool_choice: { type: 'any' }, thinking: { type: 'adaptive' } }, /Thinking may not be enabled/],
  ['five breakpoints', { tools: [{ ...bash, cache_control: cached }], system: [text('a', { cache_control: cached })], messages: [user([1, 2, 3].map((n) => text(`${n}`, { cache_control: cached })))] }, /maximum of 4 blocks with cache_control may be provided. Found 5/],
  ['long-lived breakpoint after a short one', { system: [text('a', { cache_control: cached })], messages: [user([text('b', { cache_control: { type: 'ephemeral', ttl: '1h' } })])] }, /must not come after a ttl='5m'/],
  ['breakpoint of another kind', { system: [text('a', { cache_control: { type: 'lasting' } })] }, /system.0.text.cache_control.type: Input should be 'ephemeral'/],
  ['breakpoint of another life', { system: [text('a', { cache_control: { type: 'ephemeral', ttl: '2h' } })] }, /ttl: Input should be '5m' or '1h'/],
  ['breakpoint on thinking', talk(assistant([{ type: 'thinking', thinking: '', signature: 's', cache_control: cached }, text('a')]), user('b')), /thinking.cache_control: Extra inputs/],
  ['breakpoint on empty text', { system: [text('', { cache_control: cached })] }, /cache_control cannot be set for empty text blocks/],
  ['empty system text', { system: [text('')] }, /^system: text content blocks must be non-empty/],
  ['picture in system', { system: [image()] }, /system.0: Input tag 'image'/],
  ['no messages field', { messages: null }, /^messages: Field required/],
  ['no messages', { messages: [] }, /at least one message is required/],
  ['assistant first', { messages: [assistant('hi'), user('go')] }, /first message must use the "user" role/],
  ['role tool', talk({ role: 'tool', content: 'x' }), /messages.1.role: Input should be 'user' or 'assistant'/],
  ['system first in messages', { messages: [{ role: 'system', content: 'x' }, user('go')] }, /must come directly after a `user` message/],
  ['system in messages of an older model', { ...four, ...talk({ role: 'system', content: 'x' }) }, /role 'system' is not supported on this model/],
  ['field of a message', { messages: [{ ...user('go'), id: 'm1' }] }, /messages.0.id: Extra inputs/],
  ['empty string', talk(assistant('a'), user('')), /messages.2: all messages must have non-empty content/],
  ['empty list', { messages: [user([])] }, /messages.0: all messages must have non-empty content/],
  ['no content', { messages: [{ role: 'user' }] }, /messages.0.content: Field required/],
  ['empty text block', { messages: [user([text('')])] }, /^messages: text content blocks must be non-empty/],
  ['blank text block', { messages: [user([text(' \n')])] }, /must contain non-whitespace text/],
  ['unknown block', { messages: [user([{ type: 'audio' }])] }, /messages.0.content.0: Input tag 'audio'/],
  ['unknown field of a block', { messages: [user([text('a', { id: 1 })])] }, /messages.0.content.0.text.id: Extra inputs/],
  ['tool_use of the user', { messages: [user([use('a')])] }, /Input tag 'tool_use'/],
  ['citations of the user', { messages: [user([text('a', { citations: [{}] })])] }, /text.citations: Extra inputs/],
  ['document of the assistant', talk(assistant([pdf()]), user('b')), /Input tag 'document'/],
  ['prefill', talk(assistant('The answer is')), /does not support assistant message prefill/],
  ['final assistant text ending in a space', { ...four, ...talk(assistant('The answer is ')) }, /cannot end with trailing whitespace/],
  ['tool_use at the end', talk(assistant([use('a')])), /`tool_use` ids were found without `tool_result` blocks immediately after: a/],
  ['tool_use without result', talk(assistant([use('a'), use('b')]), user([result('a')])), /immediately after: b\./],
  ['tool_use answered one message late', talk(assistant([use('a')]), user('wait'), assistant('ok'), user([result('a')])), /immediately after: a\./],
  ['text before the result', talk(assistant([use('a')]), user([text('here'), result('a')])), /immediately after: a\./],
  ['result without its call', talk(assistant('hi'), user([result('a')])), /unexpected `tool_use_id` found in `tool_result` blocks: a/],
  ['result in the first message', { messages: [user([result('a')])] }, /unexpected `tool_use_id`/],
  ['two results of one call', talk(assistant([use('a')]), user([result('a'), result('a')])), /each tool_use must have a single result/],
  ['two calls of one id', talk(assistant([use('a'), use('a')]), user([result('a')])), /`tool_use` ids must be unique/],
  ['the same id in a later turn', talk(assistant([use('a')]), user([result('a')]), assistant([use('a')]), user([result('a')])), /`tool_use` ids must be unique/],
  ['call id with a colon', talk(assistant([use('a:b')]), user([result('a:b')])), /tool_use.id: String should match pattern/],
  ['call input not an object', talk(assistant([use('a', { input: 'ls' })]), user([result('a')])), /tool_use.input: Input should be a valid dictionary/],
  ['picture in a failed result', talk(assistant([use('a')]), user([result('a', { is_error: true, content: [image()] })])), /all content must be type `text` if `is_error` is true/],
  ['empty text in a result', talk(assistant([use('a')]), user([result('a', { content: [text('')] })])), /text content blocks must be non-empty/],
  ['reference to no tool', { ...tool({}), ...talk(assistant([use('a')]), user([result('a', { content: [{ type: 'tool_reference', tool_name: 'Gone' }] })])) }, /Tool reference 'Gone' not found/],
  ['picture of another type', { messages: [user([image({ media_type: 'image/bmp' })])] }, /media_type: Input should be 'image\/jpeg'/],
  ['picture that is no base64', { messages: [user([image({ data: '<png>' })])] }, /invalid base64 data/],
  ['picture that is not what it says', { messages: [user([image({ media_type: 'image/jpeg' })])] }, /appears to be a image\/png image/],
  ['picture that is none', { messages: [user([image({ data: 'aGVsbG8h' })])] }, /Could not process image/],
  ['picture over 5 MB', { messages: [user([image({ data: png.slice(0, 12) + 'A'.repeat(7_000_000) })])] }, /image exceeds 5 MB maximum/],
  ['document of another type', { messages: [user([pdf({ media_type: 'text/html' })])] }, /media_type: Input should be 'application\/pdf'/],
  ['document that is no PDF', { messages: [user([pdf({ data: 'aGVsbG8h' })])] }, /The PDF specified was not valid/],
  ['prompt over the window', { ...four, messages: [user('x'.repeat(900_000))] }, /prompt is too long: 22\d{4} tokens > 200000 maximum/],
];

for (const [name, body, message, headers] of refusals) {
  verifies(
    'model:server:refuses',
    async () => {
      const answer = await send(body, headers);
      expect(answer.body.error?.message).toMatch(message);
      expect(answer).toMatchObject({ status: 400, body: { type: 'error', error: { type: 'invalid_request_error' }, request_id: answer.requestId } });
    },
    { case: name },
  );
}

const accepted: readonly (readonly [name: string, body: Body, headers?: Record<string, string>])[] = [
  ['the least', {}],
  ['system as text, empty too', { system: '' }],
  ['temperature in the old version', { ...four, temperature: 0.5 }, old],
  ['budget thinking on an older model', { ...four, max_tokens: 4000, thinking: { type: 'enabled', budget_tokens: 1024 } }],
  ['adaptive with effort', { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'xhigh' } }],
  ['thinking off between tools', { thinking: { type: 'between_tools' } }],
  ['prefill on an older model', { ...four, ...talk(assistant('The answer is')) }],
  ['system message after a user message', talk({ role: 'system', content: 'from now on, be short' })],
  ['consecutive messages of one role', talk(user('more'), assistant('a'), assistant('b'), user('c'))],
  ['results split over two user messages', talk(assistant([use('a'), use('b')]), user([result('a')]), user([result('b')]))],
  ['text after results', talk(assistant([use('a')]), user([result('a'), text('and now?')]))],
  ['result without content', talk(assistant([use('a')]), user([{ type: 'tool_result', tool_use_id: 'a' }]))],
  ['result with empty text', talk(assistant([use('a')]), user([result('a', { content: '', is_error: true })]))],
  ['result with picture and document', talk(assistant([use('a')]), user([result('a', { content: [text('see'), image(), pdf()] })]))],
  ['four breakpoints', { system: [text('a', { cache_control: { type: 'ephemeral', ttl: '1h' } })], messages: [user([1, 2].map((n) => text(`${n}`, { cache_control: cached })))], tools: [{ ...bash, cache_control: { type: 'ephemeral', ttl: '1h' } }] }],
  ['a deferred tool that a result names', { tools: [bash, { ...bash, name: 'mcp__x__y', defer_loading: true }], ...talk(assistant([use('a')]), user([result('a', { content: [{ type: 'tool_reference', tool_name: 'mcp__x__y' }] })])) }],
  ['a forced tool', { tools: [bash], tool_choice: { type: 'tool', name: 'Bash', disable_parallel_tool_use: true } }],
  ['schema with anyOf inside', tool({ input_schema: { type: 'object', properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } } } })],
  ['text document', { messages: [user([{ type: 'document', title: 'notes', source: { type: 'text', media_type: 'text/plain', data: 'hello' } }])] }],
  ['a known beta', {}, { 'anthropic-beta': 'context-1m-2025-08-07, interleaved-thinking-2025-05-14' }],
];
for (const [name, body, headers] of accepted) {
  verifies(
    'model:server:accepts',
    async () => {
      const answer = await send(body, headers);
      expect(answer.body).toMatchObject({ type: 'message', content: [{ type: 'text', text: 'ok' }], stop_reason: 'end_turn' });
    },
    { case: name },
  );
}

verifies('model:server:accepts', async () => {
  const counted = await send({ max_tokens: null, system: 'x'.repeat(400) }, {}, '/v1/messages/count_tokens');
  expect(counted.body).toMatchObject({ input_tokens: expect.any(Number) });
  expect((await send({}, {}, '/v1/messages/count_tokens')).body.error?.message).toMatch(/^max_tokens: Extra inputs/);
}, { case: 'counting tokens, which takes no max_tokens' });

const gates: readonly (readonly [name: string, status: number, type: string, body: Body, headers: Record<string, string>])[] = [
  ['wrong bearer', 401, 'authentication_error', {}, { authorization: 'Bearer other' }],
  ['wrong x-api-key beside a right bearer', 401, 'authentication_error', {}, { 'x-api-key': 'other' }],
  ['no key', 401, 'authentication_error', {}, { authorization: '' }],
  ['unknown version', 400, 'invalid_request_error', {}, { 'anthropic-version': '2024-01-01' }],
  ['no version', 400, 'invalid_request_error', {}, { 'anthropic-version': '' }],
  ['unknown beta', 400, 'invalid_request_error', {}, { 'anthropic-beta': 'time-travel-2026-01-01' }],
  ['unknown model', 404, 'not_found_error', { model: 'claude-9' }, {}],
  ['over 32 MB', 413, 'request_too_large', { messages: [user('x'.repeat(33 * 1024 * 1024))] }, {}],
];
for (const [name, status, type, body, headers] of gates) {
  verifies(
    'model:server:auth',
    async () => {
      const answer = await send(body, headers);
      expect(answer).toMatchObject({ status, body: { type: 'error', error: { type }, request_id: answer.requestId } });
    },
    { case: name },
  );
}

verifies('model:server:auth', async () => {
  const answer = await send({}, { authorization: '', 'x-api-key': 'test-key' });
  expect(answer.status).toBe(200);
  expect(answer.requestId).toMatch(/^req_/);
}, { case: 'x-api-key is enough' });
