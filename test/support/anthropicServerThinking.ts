import { createHash } from 'node:crypto';
import type { ServerModel } from './anthropicServerModels';

export type Json = Readonly<Record<string, unknown>>;

const hash = (...parts: readonly string[]): string => createHash('sha256').update(parts.join('\u0000')).digest('base64url').slice(0, 24);
const secret = 'not a secret: signatures only tell a replayed block from an invented or edited one';

/** JSON with sorted keys, so that a client that parses and prints tool input again is not taken for one that changed it. */
function stable(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) => {
    if (key === 'cache_control') return undefined;
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

const echoed: Readonly<Record<string, readonly string[]>> = { text: ['type', 'text'], tool_use: ['type', 'id', 'name', 'input'], thinking: ['type', 'thinking', 'signature'] };

export function blocksOf(content: unknown): readonly Json[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return Array.isArray(content) ? content : [];
}

/** Fingerprint of everything before a block; grows block by block in request order. */
export function extendPrefix(prefix: string, role: string, block: Json): string {
  const keys = echoed[String(block['type'])];
  const canonical = keys ? Object.fromEntries(keys.map((key) => [key, block[key]])) : block;
  return hash(prefix, role, stable(canonical));
}

/** Tools that are not loaded yet (`defer_loading`) are not part of the prompt. */
export function startPrefix(body: Json): string {
  const tools = Array.isArray(body['tools']) ? body['tools'].filter((tool: Json) => tool?.['defer_loading'] !== true) : [];
  return hash(stable(blocksOf(body['system'])), stable(tools));
}

interface Message {
  readonly role: string;
  readonly content: unknown;
}

export function prefixOf(body: Json): string {
  let prefix = startPrefix(body);
  for (const message of (body['messages'] ?? []) as readonly Message[]) for (const block of blocksOf(message.content)) prefix = extendPrefix(prefix, message.role, block);
  return prefix;
}

/** How the request asks for thinking, defaults of the model filled in. */
export function thinkingOf(body: Json, model: ServerModel): { readonly on: boolean; readonly omitted: boolean; readonly type: string } {
  const config = (body['thinking'] ?? {}) as Json;
  const type = String(config['type'] ?? (model.thinksByDefault ? 'adaptive' : 'disabled'));
  const display = config['display'] ?? (model.omitsThinking ? 'omitted' : 'summarized');
  return { on: type === 'adaptive' || type === 'enabled', omitted: display === 'omitted', type };
}

export interface ThinkingLedger {
  readonly sign: (text: string, model: string, prefix: string) => string;
  /** What was answered, so that a later request can be checked for thinking that went missing. */
  readonly remember: (content: readonly Json[], stopReason: string, model: string) => void;
  readonly isPausedTurn: (content: unknown) => boolean;
  readonly problems: (body: Json, model: ServerModel) => Generator<string>;
}

const unmodified = '`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.';
const isThinking = (block: Json): boolean => block['type'] === 'thinking' || block['type'] === 'redacted_thinking';
const signatureOf = (block: Json): string => String(block['signature'] ?? block['data'] ?? '');

interface Read {
  readonly genuine: boolean;
  readonly sameText: boolean;
  readonly model: string;
  readonly prefix: string;
}

function read(block: Json): Read {
  const [payload = '', payloadMark = '', textMark = ''] = signatureOf(block).split('.');
  const genuine = hash(secret, payload) === payloadMark;
  const [model = '', prefix = ''] = genuine ? Buffer.from(payload, 'base64url').toString('utf8').split(' ') : [];
  const text = block['type'] === 'redacted_thinking' ? '' : String(block['thinking'] ?? '');
  return { genuine, sameText: hash(secret, payload, text) === textMark, model, prefix };
}

/**
 * Signs the thinking the server sends and checks what comes back. Stateless but for dropped blocks, so a conversation
 * that is resumed against another server still verifies.
 * @param enforcePrefix preserved thinking, the default of accounts made since 2026-08-31
 */
export function createThinkingLedger(enforcePrefix: boolean): ThinkingLedger {
  const issued = new Map<string, { readonly signatures: readonly string[]; readonly model: string }>();
  const paused = new Set<string>();

  function* blockProblems(body: Json, model: ServerModel): Generator<string> {
    const messages = (body['messages'] ?? []) as readonly Message[];
    const latest = messages.map((message) => message.role).lastIndexOf('assistant');
    const binding = ((body['thinking'] ?? {}) as Json)['block_binding'] as Json | undefined;
    const bound = enforcePrefix && model.bindsThinking && binding?.['prefix_mismatch_behavior'] !== 'drop_block';
    let prefix = startPrefix(body);
    for (const [i, message] of messages.entries()) {
      for (const [j, block] of blocksOf(message.content).entries()) {
        if (message.role === 'assistant' && isThinking(block)) {
          const found = read(block);
          const at = `messages.${i}.content.${j}`;
          if (!found.genuine) yield `${at}: Invalid \`signature\` in \`thinking\` block`;
          else if (!found.sameText) yield i === latest ? `${at}: ${unmodified}` : `${at}: Invalid \`signature\` in \`thinking\` block`;
          else if (bound && found.model === model.id && found.prefix !== prefix)
            yield `${at}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".`;
        }
        prefix = extendPrefix(prefix, message.role, block);
      }
    }
  }

  function* droppedProblems(body: Json, model: ServerModel): Generator<string> {
    const thinking = thinkingOf(body, model);
    const messages = (body['messages'] ?? []) as readonly Message[];
    const latest = messages.map((message) => message.role).lastIndexOf('assistant');
    if (latest === -1 || !thinking.on) return;
    let first = latest;
    while (messages[first - 1]?.role === 'assistant') first--;
    const blocks = messages.slice(first, latest + 1).flatMap((message) => blocksOf(message.content));
    const calls = blocks.filter((block) => block['type'] === 'tool_use').map((block) => String(block['id']));
    if (calls.length === 0) return;
    const there = blocks.filter(isThinking).map(signatureOf);
    const wanted = [...new Set(calls.flatMap((id) => (issued.get(id)?.model === model.id ? (issued.get(id)?.signatures ?? []) : [])))];
    if (wanted.join() !== there.filter((signature) => wanted.includes(signature)).join()) yield `messages.${latest}.content.0: ${unmodified}`;
    if (thinking.type === 'enabled' && blocks[0] && !isThinking(blocks[0]))
      yield `messages.${first}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(blocks[0]['type'])}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`;
  }

  return {
    sign: (text, model, prefix) => {
      const payload = Buffer.from(`${model} ${prefix}`).toString('base64url');
      return `${payload}.${hash(secret, payload)}.${hash(secret, payload, text)}`;
    },
    remember: (content, stopReason, model) => {
      const signatures = content.filter(isThinking).map(signatureOf);
      for (const block of content) if (block['type'] === 'tool_use') issued.set(String(block['id']), { signatures, model });
      if (stopReason === 'pause_turn') paused.add(stable(content.map((block) => ({ type: block['type'], text: block['text'] }))));
    },
    isPausedTurn: (content) => paused.has(stable(blocksOf(content).map((block) => ({ type: block['type'], text: block['text'] })))),
    problems: function* (body, model) {
      yield* blockProblems(body, model);
      yield* droppedProblems(body, model);
    },
  };
}
