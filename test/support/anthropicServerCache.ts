import { createHash } from 'node:crypto';
import { blocksOf, type Json } from './anthropicServerThinking';

/** Input tokens of a request as the API reports them; their sum is the whole prompt. */
export interface InputUsage {
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation: { readonly ephemeral_5m_input_tokens: number; readonly ephemeral_1h_input_tokens: number };
}

interface Segment {
  readonly text: string;
  readonly tokens: number;
  readonly ttl: '5m' | '1h' | undefined;
}

const withoutControl = (value: unknown): string => JSON.stringify(value, (key, inner: unknown) => (key === 'cache_control' ? undefined : inner));
const controlOf = (block: Json): Json | undefined => (block['cache_control'] ?? undefined) as Json | undefined;
/** A quarter of the characters, rounded up; base64 of pictures and documents counts as 1,500 tokens. */
export const estimateTokens = (text: string): number => Math.ceil(text.replace(/"data":"[A-Za-z0-9+/=]{1000,}"/g, `"data":"${'x'.repeat(6000)}"`).length / 4);

/** The prompt in cache order: tools, system, messages. Deferred tools are not part of it. */
function segmentsOf(body: Json): readonly Segment[] {
  const list: { text: string; ttl: '5m' | '1h' | undefined }[] = [];
  const add = (label: string, block: Json): void => {
    const inner = block['type'] === 'tool_result' ? blocksOf(block['content']).map(controlOf).find(Boolean) : undefined;
    const control = controlOf(block) ?? inner;
    list.push({ text: `${label}${withoutControl(block)}`, ttl: control ? (control['ttl'] === '1h' ? '1h' : '5m') : undefined });
  };
  const tools = (Array.isArray(body['tools']) ? body['tools'] : []) as readonly Json[];
  for (const tool of tools) if (tool['defer_loading'] !== true) add('', tool);
  for (const block of blocksOf(body['system'])) add('', block);
  // A changed tool choice or thinking setting voids what is cached of the messages, not of tools and system.
  const salt = `${JSON.stringify(body['tool_choice'] ?? null)}${JSON.stringify(body['thinking'] ?? null)}`;
  for (const message of (body['messages'] ?? []) as readonly { readonly role: string; readonly content: unknown }[])
    for (const block of blocksOf(message.content)) add(`${message.role}:`, block);
  const automatic = body['cache_control'] as Json | undefined;
  const last = list.at(-1);
  if (automatic && last) last.ttl ??= automatic['ttl'] === '1h' ? '1h' : '5m';
  const firstMessage = list.findIndex(({ text }) => /^(user|assistant|system):/.test(text));
  return list.map(({ text, ttl }, i) => ({ text: i === firstMessage ? `${salt}${text}` : text, ttl, tokens: estimateTokens(text) }));
}

export function countTokens(body: Json): number {
  return segmentsOf(body).reduce((sum, { tokens }) => sum + tokens, 0);
}

export interface PromptCache {
  /** Usage of this request; what it marks is in the cache afterwards. */
  readonly use: (body: Json, nowMs: number) => InputUsage;
}

/** Documented: a breakpoint looks back at most this many blocks for something cached. */
const lookBack = 20;

/** @param minTokens shorter prefixes are not cached (512 to 4,096 by model in the real API) */
export function createPromptCache(minTokens: number): PromptCache {
  const expiresAtMs = new Map<string, { at: number; lifeMs: number }>();
  return {
    use: (body, nowMs) => {
      const segments = segmentsOf(body);
      let chain = String(body['model']);
      let total = 0;
      const prefixes = segments.map(({ text, tokens, ttl }) => {
        chain = createHash('sha256').update(chain).update('\u0000').update(text).digest('base64url');
        total += tokens;
        return { key: chain, total, ttl };
      });
      const marked = prefixes.flatMap((prefix, i) => (prefix.ttl ? [i] : []));
      const live = (i: number): boolean => (expiresAtMs.get(prefixes[i]!.key)?.at ?? 0) > nowMs;
      const hit = Math.max(-1, ...marked.flatMap((end) => Array.from({ length: Math.min(lookBack, end + 1) }, (_, back) => end - back).filter(live)));
      const read = hit === -1 ? 0 : prefixes[hit]!.total;
      const entry = hit === -1 ? undefined : expiresAtMs.get(prefixes[hit]!.key);
      if (entry) entry.at = nowMs + entry.lifeMs;
      let written = read;
      const created = { '5m': 0, '1h': 0 };
      for (const i of marked) {
        const { key, total: size, ttl } = prefixes[i]!;
        if (size <= written || size < minTokens) continue;
        const lifeMs = ttl === '1h' ? 3_600_000 : 300_000;
        expiresAtMs.set(key, { at: nowMs + lifeMs, lifeMs });
        created[ttl ?? '5m'] += size - written;
        written = size;
      }
      return {
        input_tokens: total - written,
        cache_creation_input_tokens: written - read,
        cache_read_input_tokens: read,
        cache_creation: { ephemeral_5m_input_tokens: created['5m'], ephemeral_1h_input_tokens: created['1h'] },
      };
    },
  };
}
