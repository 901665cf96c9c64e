import * as z from 'zod';
import type { ModelEvent, ModelStopReason } from '../ports';
import type { AssistantBlock, Usage } from '../protocol/content';

const tokens = z.int().min(0).nullish();
const RawUsage = z.looseObject({ input_tokens: tokens, output_tokens: tokens, cache_read_input_tokens: tokens, cache_creation_input_tokens: tokens });
/** One event of the Messages API stream, read as loosely as compatible servers write it. */
export const RawStreamEvent = z.looseObject({
  type: z.string(),
  index: z.int().optional(),
  message: z.looseObject({ model: z.string().nullish(), usage: RawUsage.nullish() }).optional(),
  content_block: z.looseObject({ type: z.string() }).optional(),
  delta: z
    .looseObject({
      type: z.string().optional(),
      text: z.string().optional(),
      partial_json: z.string().optional(),
      thinking: z.string().optional(),
      signature: z.string().optional(),
      stop_reason: z.string().nullish(),
    })
    .optional(),
  usage: RawUsage.nullish(),
});
export type RawStreamEvent = z.infer<typeof RawStreamEvent>;

interface Draft {
  readonly start: Readonly<Record<string, unknown>> & { readonly type: string };
  text: string;
  signature: string;
  json: string;
  closed: boolean;
}

/** Builds one reply out of its stream. `finish` gives blocks that may be sent back, whatever point the stream reached. */
export class StreamAccumulator {
  private readonly drafts = new Map<number, Draft>();
  private rawStop: string | undefined;
  private seenStop = false;
  private tokens: Usage = {};
  model: string;

  constructor(askedModel: string) {
    this.model = askedModel;
  }

  /** The reply is whole. Some compatible servers leave out the reason, others `message_stop`. */
  get complete(): boolean {
    return this.rawStop !== undefined || this.seenStop;
  }

  get usage(): Usage {
    return this.tokens;
  }

  apply(event: RawStreamEvent): ModelEvent | undefined {
    switch (event.type) {
      case 'message_start':
        this.model = event.message?.model || this.model;
        this.addUsage(event.message?.usage);
        return { type: 'start', model: this.model };
      case 'content_block_start':
        return this.open(event);
      case 'content_block_delta':
        return this.grow(event);
      case 'content_block_stop':
        this.close(event.index ?? 0);
        return undefined;
      case 'message_delta':
        this.rawStop = event.delta?.stop_reason ?? this.rawStop;
        this.addUsage(event.usage);
        return undefined;
      case 'message_stop':
        this.seenStop = true;
        return undefined;
      default:
        return undefined;
    }
  }

  /**
   * `cut`: nothing more comes (abort, failure). Half a thinking block has no signature and half a tool call no meaning,
   * so both go; half a text stays. A reply that the token limit ended keeps its cut tool call, marked broken.
   */
  finish(cut: boolean): { readonly content: readonly AssistantBlock[]; readonly stopReason: ModelStopReason } {
    const drafts = [...this.drafts.entries()].sort(([a], [b]) => a - b).map(([, draft]) => draft);
    const content = drafts.flatMap((draft, index) => {
      if (!draft.closed && (cut || draft.start.type !== 'tool_use') && draft.start.type !== 'text' && !(draft.start.type === 'thinking' && draft.signature !== '')) return [];
      const block = finished(draft, this.rawStop === 'max_tokens' && index === drafts.length - 1);
      return block ? [block] : [];
    });
    return { content, stopReason: cut ? 'aborted' : stopReason(this.rawStop, content) };
  }

  private open(event: RawStreamEvent): ModelEvent | undefined {
    const start = event.content_block;
    const block = event.index ?? 0;
    if (!start) return undefined;
    const text = startText(start);
    this.drafts.set(block, { start, text, signature: typeof start['signature'] === 'string' ? start['signature'] : '', json: '', closed: false });
    if (start.type === 'tool_use') return { type: 'input', block, tool: String(start['name'] ?? ''), text: '' };
    if (text === '') return undefined;
    return start.type === 'thinking' ? { type: 'thinking', block, text } : { type: 'text', block, text };
  }

  private grow(event: RawStreamEvent): ModelEvent | undefined {
    const block = event.index ?? 0;
    const draft = this.drafts.get(block);
    const delta = event.delta;
    if (!draft || !delta) return undefined;
    if (delta.signature !== undefined) draft.signature += delta.signature;
    if (delta.text !== undefined) {
      draft.text += delta.text;
      return { type: 'text', block, text: delta.text };
    }
    if (delta.thinking !== undefined) {
      draft.text += delta.thinking;
      return { type: 'thinking', block, text: delta.thinking };
    }
    if (delta.partial_json === undefined) return undefined;
    draft.json += delta.partial_json;
    return draft.start.type === 'tool_use' ? { type: 'input', block, tool: String(draft.start['name'] ?? ''), text: delta.partial_json } : undefined;
  }

  private close(block: number): void {
    const draft = this.drafts.get(block);
    if (draft) draft.closed = true;
  }

  /** Counts are running totals: a later one replaces the earlier. Some servers send 0 for what they do not count late. */
  private addUsage(raw: z.infer<typeof RawUsage> | null | undefined): void {
    if (!raw) return;
    const later = (next: number | null | undefined, before: number | undefined): number | undefined => (next === null || next === undefined || (next === 0 && before) ? before : next);
    const usage = {
      inputTokens: later(raw.input_tokens, this.tokens.inputTokens),
      outputTokens: later(raw.output_tokens, this.tokens.outputTokens),
      cacheReadTokens: later(raw.cache_read_input_tokens, this.tokens.cacheReadTokens),
      cacheWriteTokens: later(raw.cache_creation_input_tokens, this.tokens.cacheWriteTokens),
    };
    this.tokens = Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== undefined));
  }
}

function startText(start: Draft['start']): string {
  const text = start.type === 'thinking' ? start['thinking'] : start['text'];
  return (start.type === 'thinking' || start.type === 'text') && typeof text === 'string' ? text : '';
}

function finished(draft: Draft, mayBeCut: boolean): AssistantBlock | undefined {
  const { start } = draft;
  if (start.type === 'text') return draft.text === '' ? undefined : { type: 'text', text: draft.text };
  if (start.type === 'thinking') return { type: 'thinking', thinking: draft.text, signature: draft.signature };
  if (start.type === 'redacted_thinking') return { type: 'redacted_thinking', data: String(start['data'] ?? '') };
  if (start.type === 'tool_use') return toolUse(draft, mayBeCut);
  const input = draft.json === '' ? undefined : parseObject(draft.json);
  return { type: 'opaque', block: input ? { ...start, input } : start };
}

function toolUse(draft: Draft, mayBeCut: boolean): AssistantBlock {
  const base = { type: 'tool_use' as const, id: String(draft.start['id'] ?? ''), name: String(draft.start['name'] ?? '') };
  const given = draft.start['input'];
  const whole = draft.json !== '' ? parseObject(draft.json) : mayBeCut ? undefined : asObject(given ?? {});
  return whole && (draft.closed || draft.json !== '') ? { ...base, input: whole } : { ...base, input: {}, brokenInput: draft.json };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : undefined;
}

function stopReason(raw: string | undefined, content: readonly AssistantBlock[]): ModelStopReason {
  switch (raw) {
    case 'tool_use':
    case 'max_tokens':
    case 'stop_sequence':
    case 'pause_turn':
    case 'refusal':
      return raw;
    case 'model_context_window_exceeded':
      return 'max_tokens';
    default:
      // Some compatible servers say end_turn, or nothing, after a tool call.
      return content.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn';
  }
}
