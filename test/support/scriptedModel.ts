import type { ModelCapabilities, ModelClient, ModelEvent, ModelRequest, ModelStopReason } from '../../extension/ports';
import type { AssistantBlock, Usage } from '../../extension/protocol/content';

/** One reply of the model, as its stream's items; `end` or `failed` is the last. */
export type ScriptedReply = readonly ModelEvent[];

export interface ScriptedModel extends ModelClient {
  /** What was asked, oldest first; each as it stood when it was sent. */
  readonly requests: readonly ModelRequest[];
  readonly add: (...replies: readonly ScriptedReply[]) => void;
}

export interface ScriptedModelOptions {
  /** Called before each item of a stream and after the last one: a place to stop or to wait at. */
  readonly onPoint?: (name: string) => void | Promise<void>;
}

export const capabilities: ModelCapabilities = { contextTokens: 200_000, maxOutputTokens: 32_000, images: true, documents: true, systemRole: true, cacheControl: true, reportsUsage: true, thinking: 'none' };

/** A model that says what the script says; stopped, it ends as a client does: with what had arrived. */
export function createScriptedModel(script: readonly ScriptedReply[] = [], options: ScriptedModelOptions = {}): ScriptedModel {
  const left = [...script];
  const requests: ModelRequest[] = [];
  const point = async (name: string): Promise<void> => options.onPoint?.(name);
  return {
    requests,
    add: (...replies) => void left.push(...replies),
    capabilities: () => capabilities,
    async *stream(request, signal) {
      requests.push(structuredClone(request));
      const events = left.shift();
      if (!events) throw new Error(`the script has no reply for request ${requests.length}`);
      const arrived: ModelEvent[] = [];
      for (const event of events) {
        await point(`before ${event.type}`);
        if (signal.aborted) return yield { type: 'end', content: arrivedContent(arrived), stopReason: 'aborted', model: request.model, usage: {}, costUsd: 0 };
        arrived.push(event);
        yield event;
      }
      await point('after the stream');
    },
  };
}

function arrivedContent(events: readonly ModelEvent[]): readonly AssistantBlock[] {
  const blocks: AssistantBlock[] = [];
  for (const event of events) {
    if (event.type === 'retry') blocks.length = 0;
    if (event.type === 'text') grow(blocks, event.block, { type: 'text', text: event.text });
    if (event.type === 'thinking') grow(blocks, event.block, { type: 'thinking', thinking: event.text, signature: '' });
    if (event.type === 'input') blocks[event.block] = { type: 'tool_use', id: `cut_${event.block}`, name: event.tool, input: {}, brokenInput: event.text };
  }
  return blocks.filter((block) => block !== undefined);
}

function grow(blocks: AssistantBlock[], at: number, block: AssistantBlock): void {
  const before = blocks[at];
  if (before?.type === 'text' && block.type === 'text') blocks[at] = { type: 'text', text: before.text + block.text };
  else if (before?.type === 'thinking' && block.type === 'thinking') blocks[at] = { ...before, thinking: before.thinking + block.thinking };
  else blocks[at] = block;
}

export interface ReplyParts {
  readonly text?: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly input?: Readonly<Record<string, unknown>> }[];
  readonly stop?: ModelStopReason;
  readonly content?: readonly AssistantBlock[];
  readonly usage?: Usage;
  readonly costUsd?: number | null;
}

/** A whole reply: its text in two pieces, its calls, its end. */
export function reply({ text = '', calls = [], stop, content, usage = { inputTokens: 10, outputTokens: 2 }, costUsd = 0.01 }: ReplyParts): ScriptedReply {
  const blocks: AssistantBlock[] = [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...calls.map((call) => ({ type: 'tool_use' as const, id: call.id, name: call.name, input: { ...call.input } }))];
  const half = Math.ceil(text.length / 2);
  const events: ModelEvent[] = [{ type: 'start', model: 'scripted' }];
  if (text !== '') events.push({ type: 'text', block: 0, text: text.slice(0, half) }, { type: 'text', block: 0, text: text.slice(half) });
  for (const [i, call] of calls.entries()) events.push({ type: 'input', block: i + (text === '' ? 0 : 1), tool: call.name, text: JSON.stringify(call.input ?? {}) });
  const stopReason = stop ?? (calls.length > 0 ? 'tool_use' : 'end_turn');
  return [...events, { type: 'end', content: content ?? blocks, stopReason, model: 'scripted', usage, costUsd }];
}

/** The request was longer than the model's window. */
export const tooLong: ScriptedReply = [{ type: 'failed', problem: { code: 'contextOverflow', message: 'The request is too long.', retryable: false }, content: [], usage: {}, costUsd: 0 }];

/** A stream that broke after `text` had arrived. */
export function broken(text: string, message = 'The server closed the connection.'): ScriptedReply {
  const content: AssistantBlock[] = text === '' ? [] : [{ type: 'text', text }];
  return [
    ...(text === '' ? [] : [{ type: 'start' as const, model: 'scripted' }, { type: 'text' as const, block: 0, text }]),
    { type: 'failed', problem: { code: 'network', message, retryable: true }, content, usage: {}, costUsd: null },
  ];
}
