import type { InputUsage } from './anthropicServerCache';
import { estimateTokens } from './anthropicServerCache';
import type { ServerModel } from './anthropicServerModels';
import { extendPrefix, type Json, prefixOf, type ThinkingLedger, thinkingOf } from './anthropicServerThinking';
import type { Pace, ScriptItem, ScriptReply, ScriptStop } from './script';

/** One step of a reply: an SSE event, with the pause before it, or a place where the test holds it. */
export type ReplyStep = { readonly event: string; readonly data: Json; readonly waitMs: number } | { readonly hold: string };

export interface BuiltReply {
  readonly steps: readonly ReplyStep[];
  /** The whole message, as a request without `stream` gets it. */
  readonly message: Json;
  readonly stopReason: ScriptStop;
  readonly usage: Json;
}

export interface ReplyContext {
  readonly body: Json;
  readonly model: ServerModel;
  readonly usage: InputUsage;
  readonly ledger: ThinkingLedger;
  readonly nextId: (prefix: 'msg' | 'toolu') => string;
}

const defaultChunk = 32;
const charsPerToken = 4;

function* pieces(text: string, pace: Pace): Generator<{ readonly text: string; readonly waitMs: number }> {
  const size = pace.chunk ?? (pace.tokensPerSecond ? charsPerToken : defaultChunk);
  const waitMs = pace.tokensPerSecond ? ((size / charsPerToken) * 1000) / pace.tokensPerSecond : 0;
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + size);
    if (/[\uD800-\uDBFF]/.test(text[end - 1] ?? '') && end < text.length) end++;
    yield { text: text.slice(at, end), waitMs };
    at = end;
  }
}

interface Block {
  /** As it starts in the stream, empty. */
  readonly start: Json;
  readonly whole: Json;
  readonly deltas: readonly { readonly delta: Json; readonly waitMs: number }[];
  readonly tokens: number;
}

function textBlock(item: ScriptItem & { readonly kind: 'say' }): Block {
  const deltas = [...pieces(item.text, item)].map(({ text, waitMs }) => ({ delta: { type: 'text_delta', text }, waitMs }));
  return { start: { type: 'text', text: '', citations: null }, whole: { type: 'text', text: item.text, citations: null }, deltas, tokens: estimateTokens(item.text) };
}

function thinkingBlock(item: ScriptItem & { readonly kind: 'think' }, omitted: boolean, sign: (text: string) => string): Block {
  const text = omitted ? '' : item.text;
  const signature = sign(text);
  const deltas = [...pieces(text, item)].map((piece) => ({ delta: { type: 'thinking_delta', thinking: piece.text } as Json, waitMs: piece.waitMs }));
  deltas.push({ delta: { type: 'signature_delta', signature }, waitMs: 0 });
  return { start: { type: 'thinking', thinking: '', signature: '' }, whole: { type: 'thinking', thinking: text, signature }, deltas, tokens: estimateTokens(item.text) };
}

function toolBlock(item: ScriptItem & { readonly kind: 'tool' }, id: string): Block {
  const json = JSON.stringify(item.input);
  const sent = item.cutAt === undefined ? json : json.slice(0, item.cutAt);
  const deltas = ['', ...[...pieces(sent, item)].map(({ text }) => text)].map((text, i) => ({
    delta: { type: 'input_json_delta', partial_json: text },
    waitMs: i === 0 || !item.tokensPerSecond ? 0 : 1000 / item.tokensPerSecond,
  }));
  const head = { type: 'tool_use', id: item.id ?? id, caller: { type: 'direct' }, name: item.name };
  return { start: { ...head, input: {} }, whole: { ...head, input: item.cutAt === undefined ? JSON.parse(json) : {} }, deltas, tokens: estimateTokens(sent) };
}

function stopOf(items: readonly ScriptItem[]): ScriptStop {
  const said = items.find((item) => item.kind === 'stop');
  if (said) return said.reason;
  if (items.some((item) => item.kind === 'tool' && item.cutAt !== undefined)) return 'max_tokens';
  return items.some((item) => item.kind === 'tool') ? 'tool_use' : 'end_turn';
}

function buildBlock(item: ScriptItem, context: ReplyContext, prefix: string): Block | undefined {
  const thinking = thinkingOf(context.body, context.model);
  const sign = (text: string): string => context.ledger.sign(text, context.model.id, prefix);
  if (item.kind === 'say') return textBlock(item);
  if (item.kind === 'tool') return toolBlock(item, item.id ?? context.nextId('toolu'));
  if (item.kind === 'think' && thinking.on) return thinkingBlock(item, thinking.omitted, sign);
  if (item.kind === 'redacted' && thinking.on) {
    const whole = { type: 'redacted_thinking', data: `${sign('')}.${Buffer.from(item.data).toString('base64url')}` };
    return { start: whole, whole, deltas: [], tokens: estimateTokens(item.data) };
  }
  return undefined;
}

/**
 * The documented event order: message_start; per block start, deltas, stop, with a ping after the first start;
 * message_delta; message_stop. A `think` is left out when the request has thinking off, as the API would.
 */
export function buildReply(reply: ScriptReply, context: ReplyContext): BuiltReply {
  const steps: ReplyStep[] = [];
  const content: Json[] = [];
  const add = (data: Json & { readonly type: string }, waitMs = 0): number => steps.push({ event: data.type, data, waitMs });
  const stopReason = stopOf(reply.items);
  const head = { id: context.nextId('msg'), type: 'message', role: 'assistant', model: context.model.id };
  const rest = { container: null, diagnostics: null };
  const extras = { output_tokens_details: null, server_tool_use: null };
  const usage = { ...context.usage, ...extras, inference_geo: null, service_tier: 'standard', speed: null };
  add({ type: 'message_start', message: { ...head, content: [], stop_reason: null, stop_sequence: null, stop_details: null, ...rest, usage: { ...usage, output_tokens: 1 } } });
  let prefix = prefixOf(context.body);
  let output = 0;
  for (const item of reply.items) {
    if (item.kind === 'hold') steps.push({ hold: item.name });
    const block = buildBlock(item, context, prefix);
    if (!block) continue;
    const index = content.length;
    add({ type: 'content_block_start', index, content_block: block.start });
    if (index === 0) add({ type: 'ping' });
    for (const { delta, waitMs } of block.deltas) add({ type: 'content_block_delta', index, delta }, waitMs);
    add({ type: 'content_block_stop', index });
    content.push(block.whole);
    output += block.tokens;
    prefix = extendPrefix(prefix, 'assistant', block.whole);
  }
  const output_tokens = Math.max(1, output);
  const stop_details = stopReason === 'refusal' ? { type: 'refusal', category: null, explanation: null } : null;
  const stop = { stop_reason: stopReason, stop_sequence: null, stop_details };
  const { cache_creation: _, ...inputUsage } = context.usage;
  add({ type: 'message_delta', delta: { ...stop, container: null }, usage: { ...inputUsage, ...extras, output_tokens } });
  add({ type: 'message_stop' });
  context.ledger.remember(content, stopReason, context.model.id);
  return { steps, message: { ...head, content, ...stop, ...rest, usage: { ...usage, output_tokens } }, stopReason, usage: { ...usage, output_tokens } };
}
