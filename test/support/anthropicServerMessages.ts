import type { ServerModel } from './anthropicServerModels';
import { blocksOf, type Json } from './anthropicServerThinking';

/** Problems of `messages` and `system`, in the order the API looks for them; only the first one is sent. */

const extra = 'Extra inputs are not permitted';
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

const fields: Readonly<Record<string, readonly string[]>> = {
  text: ['type', 'text', 'cache_control', 'citations'],
  image: ['type', 'source', 'cache_control', 'transformations'],
  document: ['type', 'source', 'cache_control', 'citations', 'context', 'title'],
  search_result: ['type', 'source', 'title', 'content', 'cache_control', 'citations'],
  thinking: ['type', 'thinking', 'signature'],
  redacted_thinking: ['type', 'data'],
  tool_use: ['type', 'id', 'name', 'input', 'cache_control', 'caller', 'toolset_name'],
  tool_result: ['type', 'tool_use_id', 'content', 'is_error', 'cache_control', 'toolset_name'],
  tool_reference: ['type', 'tool_name', 'cache_control'],
};
const inMessage: Readonly<Record<string, readonly string[]>> = {
  user: ['text', 'image', 'document', 'search_result', 'tool_result'],
  assistant: ['text', 'thinking', 'redacted_thinking', 'tool_use'],
  system: ['text'],
};
const inResult = ['text', 'image', 'document', 'search_result', 'tool_reference'];
const serverBlocks = /^(server_tool_use|[a-z_]+_tool_result|container_upload|compaction)$/;

interface Where {
  readonly at: string;
  readonly role: string;
  readonly version: string;
}

const magic: readonly (readonly [string, RegExp])[] = [
  ['image/png', /^iVBORw0KGg/],
  ['image/jpeg', /^\/9j\//],
  ['image/gif', /^R0lGOD/],
  ['image/webp', /^UklGR/],
];
const isBase64 = (data: string): boolean => data.length > 0 && data.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(data);

function* imageProblems(block: Json, at: string): Generator<string> {
  const source = block['source'];
  if (!isObject(source)) return yield `${at}.image.source: Field required`;
  if (source['type'] === 'url' || source['type'] === 'file') return;
  if (source['type'] !== 'base64') return yield `${at}.image.source: Input tag '${String(source['type'])}' found using 'type' does not match any of the expected tags: 'base64', 'url', 'file'`;
  const type = String(source['media_type']);
  const data = String(source['data'] ?? '');
  if (!magic.some(([name]) => name === type)) yield `${at}.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`;
  if (!isBase64(data)) yield `${at}.image.source.base64: invalid base64 data`;
  const bytes = Math.floor((data.length * 3) / 4);
  if (bytes > 5_242_880) yield `${at}.image.source.base64: image exceeds 5 MB maximum: ${bytes} bytes > 5242880 bytes`;
  const real = magic.find(([, start]) => start.test(data))?.[0];
  if (!real) yield `${at}.image.source.base64.data: Could not process image`;
  else if (real !== type) yield `${at}.image.source.base64.data: The image was specified using the ${type} media type, but the image appears to be a ${real} image`;
}

function* documentProblems(block: Json, at: string): Generator<string> {
  const source = block['source'];
  if (!isObject(source)) return yield `${at}.document.source: Field required`;
  if (source['type'] === 'base64') {
    const data = String(source['data'] ?? '');
    if (source['media_type'] !== 'application/pdf') yield `${at}.document.source.base64.media_type: Input should be 'application/pdf'`;
    if (!isBase64(data)) yield `${at}.document.source.base64: invalid base64 data`;
    if (!data.startsWith('JVBERi')) yield `${at}.document.source.base64.data: The PDF specified was not valid.`;
  } else if (source['type'] === 'text') {
    if (source['media_type'] !== 'text/plain') yield `${at}.document.source.text.media_type: Input should be 'text/plain'`;
    if (typeof source['data'] !== 'string' || source['data'] === '') yield `${at}.document.source.text.data: Input should be a non-empty string`;
  } else if (!['content', 'url', 'file'].includes(String(source['type']))) {
    yield `${at}.document.source: Input tag '${String(source['type'])}' found using 'type' does not match any of the expected tags: 'base64', 'text', 'content', 'url', 'file'`;
  }
}

function* textProblems(block: Json, where: Where): Generator<string> {
  const place = where.at.replace(/\..*$/, '');
  if (typeof block['text'] !== 'string') return yield `${where.at}.text.text: ${'text' in block ? 'Input should be a valid string' : 'Field required'}`;
  if (block['text'] === '') yield block['cache_control'] ? `${where.at}.text: cache_control cannot be set for empty text blocks` : `${place}: text content blocks must be non-empty`;
  if (block['text'].trim() === '') yield `${place}: text content blocks must contain non-whitespace text`;
  const citations = block['citations'];
  if (where.role === 'user' && where.version === '2026-10-21' && Array.isArray(citations) && citations.length > 0) yield `${where.at}.text.citations: ${extra}`;
}

function* callProblems(block: Json, at: string): Generator<string> {
  if (typeof block['id'] !== 'string' || !/^[a-zA-Z0-9_-]+$/.test(block['id'])) yield `${at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
  if (typeof block['name'] !== 'string' || !/^[a-zA-Z0-9_-]{1,200}$/.test(block['name'])) yield `${at}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,200}$'`;
  if (!isObject(block['input'])) yield `${at}.tool_use.input: Input should be a valid dictionary`;
}

function* resultProblems(block: Json, where: Where, toolNames: readonly string[]): Generator<string> {
  const { at } = where;
  if (typeof block['tool_use_id'] !== 'string') yield `${at}.tool_result.tool_use_id: Field required`;
  if ('is_error' in block && typeof block['is_error'] !== 'boolean') yield `${at}.tool_result.is_error: Input should be a valid boolean`;
  const content = block['content'];
  if (content === undefined || typeof content === 'string') return;
  if (!Array.isArray(content)) return yield `${at}.tool_result.content: Input should be a valid list`;
  for (const [k, inner] of content.entries()) {
    yield* blockProblems(inner, { ...where, at: `${at}.tool_result.content.${k}` }, inResult, toolNames);
    if (block['is_error'] === true && isObject(inner) && inner['type'] !== 'text') yield `${at}.tool_result: all content must be type \`text\` if \`is_error\` is true`;
    if (isObject(inner) && inner['type'] === 'tool_reference' && !toolNames.includes(String(inner['tool_name'])))
      yield `${at}.tool_result.content.${k}: Tool reference '${String(inner['tool_name'])}' not found in available tools`;
  }
}

function* blockProblems(block: unknown, where: Where, allowed: readonly string[], toolNames: readonly string[]): Generator<string> {
  const { at, role } = where;
  if (!isObject(block)) return yield `${at}: Input should be a valid dictionary or object to extract fields from`;
  const type = String(block['type']);
  if (role === 'assistant' && serverBlocks.test(type) && type !== 'tool_result') return;
  if (role === 'assistant' && type === 'document' && where.version !== '2026-10-21') return;
  if (!allowed.includes(type)) return yield `${at}: Input tag '${type}' found using 'type' does not match any of the expected tags: ${allowed.map((name) => `'${name}'`).join(', ')}`;
  for (const key of Object.keys(block)) if (!fields[type]?.includes(key)) yield `${at}.${type}.${key}: ${extra}`;
  yield* cacheControlProblems(block['cache_control'], `${at}.${type}.cache_control`);
  if (type === 'text') yield* textProblems(block, where);
  if (type === 'image') yield* imageProblems(block, at);
  if (type === 'document') yield* documentProblems(block, at);
  if (type === 'tool_use') yield* callProblems(block, at);
  if (type === 'tool_result') yield* resultProblems(block, where, toolNames);
  if (type === 'thinking' && (typeof block['thinking'] !== 'string' || typeof block['signature'] !== 'string')) yield `${at}.thinking.${typeof block['thinking'] === 'string' ? 'signature' : 'thinking'}: Field required`;
}

export function* cacheControlProblems(value: unknown, at: string): Generator<string> {
  if (value === undefined || value === null) return;
  if (!isObject(value) || value['type'] !== 'ephemeral') yield `${at}.type: Input should be 'ephemeral'`;
  else if (value['ttl'] !== undefined && value['ttl'] !== '5m' && value['ttl'] !== '1h') yield `${at}.ttl: Input should be '5m' or '1h'`;
  else for (const key of Object.keys(value)) if (key !== 'type' && key !== 'ttl') yield `${at}.${key}: ${extra}`;
}

export function* systemProblems(system: unknown, version: string): Generator<string> {
  if (system === undefined || typeof system === 'string') return;
  if (!Array.isArray(system)) return yield 'system: Input should be a valid string or list of text blocks';
  for (const [i, block] of system.entries()) yield* blockProblems(block, { at: `system.${i}`, role: 'system', version }, ['text'], []);
}

interface Message {
  readonly role: string;
  readonly content: unknown;
}

function* roleProblems(messages: readonly unknown[], model: ServerModel): Generator<string> {
  for (const [i, message] of messages.entries()) {
    if (!isObject(message)) return yield `messages.${i}: Input should be a valid dictionary or object to extract fields from`;
    const before = messages[i - 1] as Message | undefined;
    const role = message['role'];
    if (role === 'system' && !model.midSystem) yield `messages.${i}: role 'system' is not supported on this model; use the top-level \`system\` parameter for the initial system prompt`;
    else if (role === 'system' && before?.role !== 'user') yield `messages.${i}: a \`system\` message must come directly after a \`user\` message`;
    else if (role !== 'user' && role !== 'assistant' && role !== 'system') yield `messages.${i}.role: Input should be 'user' or 'assistant'`;
    else if (i === 0 && role !== 'user') yield 'messages: first message must use the "user" role';
    for (const key of Object.keys(message)) if (key !== 'role' && key !== 'content') yield `messages.${i}.${key}: ${extra}`;
    if (!('content' in message)) yield `messages.${i}.content: Field required`;
    const content = message['content'];
    if (typeof content !== 'string' && !Array.isArray(content)) yield `messages.${i}.content: Input should be a valid string or list`;
    if (blocksOf(content).length === 0 && !(i === messages.length - 1 && role === 'assistant')) yield `messages.${i}: all messages must have non-empty content except for the optional final assistant message`;
  }
}

interface Turn {
  readonly role: string;
  readonly index: number;
  readonly blocks: readonly { readonly at: string; readonly block: Json }[];
}

/** Consecutive messages of one role count as one; system messages in between don't part them. */
function turnsOf(messages: readonly Message[]): readonly Turn[] {
  const turns: Turn[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === 'system') continue;
    const blocks = blocksOf(message.content).map((block, j) => ({ at: `messages.${index}.content.${j}`, block }));
    const last = turns.at(-1);
    if (last?.role === message.role) turns[turns.length - 1] = { ...last, blocks: [...last.blocks, ...blocks] };
    else turns.push({ role: message.role, index, blocks });
  }
  return turns;
}

function* pairingProblems(messages: readonly Message[]): Generator<string> {
  const turns = turnsOf(messages);
  const seen = new Set<string>();
  for (const [t, turn] of turns.entries()) {
    if (turn.role === 'user') {
      const calls = (turns[t - 1]?.blocks ?? []).filter(({ block }) => block['type'] === 'tool_use').map(({ block }) => block['id']);
      const answered = new Set<unknown>();
      for (const { at, block } of turn.blocks) {
        if (block['type'] !== 'tool_result') continue;
        const id = block['tool_use_id'];
        if (!calls.includes(id)) yield `${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(id)}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
        if (answered.has(id)) yield `${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${String(id)}`;
        answered.add(id);
      }
      continue;
    }
    const calls: string[] = [];
    for (const { at, block } of turn.blocks) {
      if (block['type'] !== 'tool_use') continue;
      const id = String(block['id']);
      if (seen.has(id)) yield `${at}: \`tool_use\` ids must be unique`;
      seen.add(id);
      calls.push(id);
    }
    const next = turns[t + 1]?.blocks ?? [];
    const leading = next.slice(0, Math.max(0, next.findIndex(({ block }) => block['type'] !== 'tool_result') === -1 ? next.length : next.findIndex(({ block }) => block['type'] !== 'tool_result')));
    const open = calls.filter((id) => !leading.some(({ block }) => block['tool_use_id'] === id));
    if (open.length > 0)
      yield `messages.${turn.index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
  }
}

function* finalProblems(messages: readonly Message[], model: ServerModel, isPausedTurn: (content: unknown) => boolean): Generator<string> {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return;
  const text = blocksOf(last.content).at(-1)?.['text'];
  if (isPausedTurn(last.content)) return;
  if (typeof text === 'string' && /\s$/.test(text)) yield 'messages: final assistant content cannot end with trailing whitespace';
  if (!model.prefill) yield 'This model does not support assistant message prefill. The conversation must end with a user message.';
}

export interface MessageRules {
  readonly model: ServerModel;
  readonly version: string;
  readonly toolNames: readonly string[];
  readonly isPausedTurn: (content: unknown) => boolean;
}

export function* messagesProblems(value: unknown, rules: MessageRules): Generator<string> {
  if (value === undefined) return yield 'messages: Field required';
  if (!Array.isArray(value)) return yield 'messages: Input should be a valid list';
  if (value.length === 0) return yield 'messages: at least one message is required';
  if (value.length > 100_000) yield 'messages: List should have at most 100000 items';
  yield* roleProblems(value, rules.model);
  const messages: readonly Message[] = value;
  for (const [i, { role, content }] of messages.entries()) {
    for (const [j, block] of blocksOf(content).entries()) yield* blockProblems(block, { at: `messages.${i}.content.${j}`, role, version: rules.version }, inMessage[role] ?? [], rules.toolNames);
  }
  yield* pairingProblems(messages);
  yield* finalProblems(messages, rules.model, rules.isPausedTurn);
}
