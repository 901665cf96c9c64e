import type { AssistantBlock, ModelMessage, ResultBlock, ToolResultBlock, ToolUseBlock, UserBlock } from '../protocol/content';
import type { DurableEvent } from '../protocol/events';

/** What a call that has no result on record is told: it is never run again by itself. */
export const interruptedResult =
  'This call was cut off before it finished and its outcome is unknown. It was not run again. Check the current state (files, processes) before you repeat it.';

/**
 * The conversation of one agent as the model reads it, from that agent's events alone. By construction every
 * tool_use is followed by its tool_result, results stand first in their message, and what was sent once never changes.
 */
export class History {
  private readonly done: ModelMessage[] = [];
  private calls: readonly ToolUseBlock[] = [];
  private results = new Map<string, ToolResultBlock>();
  private started = new Set<string>();
  private texts: UserBlock[] = [];

  constructor(
    private readonly agentId: string,
    events: readonly DurableEvent[] = [],
  ) {
    for (const event of events) this.add(event);
  }

  add(event: DurableEvent): void {
    if (!('agentId' in event) || event.agentId !== this.agentId) return;
    switch (event.type) {
      case 'context/compacted':
        this.forget();
        break;
      case 'message/received':
        this.texts.push(...event.content.filter(isSendable));
        break;
      case 'message/completed':
        this.addReply(event.content);
        break;
      case 'tool/started':
        this.started.add(event.callId);
        break;
      case 'tool/completed':
        this.results.set(event.callId, toResult(event.callId, event.content, event.outcome !== 'completed'));
        break;
      default:
    }
  }

  /** Messages for the next request. A call without a result is answered as interrupted. */
  messages(): readonly ModelMessage[] {
    const tail = this.pendingUserMessage();
    return tail ? [...this.done, tail] : [...this.done];
  }

  /** Calls of the last reply that have no result yet. */
  openCalls(): { readonly notStarted: readonly ToolUseBlock[]; readonly started: readonly ToolUseBlock[] } {
    const open = this.calls.filter((call) => !this.results.has(call.id));
    return { notStarted: open.filter((call) => !this.started.has(call.id)), started: open.filter((call) => this.started.has(call.id)) };
  }

  /** Nothing has been said since the model's last reply. */
  get endsWithReply(): boolean {
    return this.done.length > 0 && this.pendingUserMessage() === undefined;
  }

  /** The model has said something in what it still knows. */
  get hasReplies(): boolean {
    return this.done.some((message) => message.role === 'assistant');
  }

  get isEmpty(): boolean {
    return this.done.length === 0 && this.texts.length === 0;
  }

  /** What follows stands for all before it. */
  private forget(): void {
    this.done.length = 0;
    this.calls = [];
    this.results = new Map();
    this.started = new Set();
    this.texts = [];
  }

  private addReply(content: readonly AssistantBlock[]): void {
    const blocks = content.filter((block) => block.type !== 'text' || block.text !== '');
    const says = blocks.some((block) => block.type === 'text' || block.type === 'tool_use' || block.type === 'opaque');
    if (!says) return; // thinking alone can't be sent back: the API wants something said after it
    const tail = this.pendingUserMessage();
    if (tail) this.done.push(tail);
    this.done.push({ role: 'assistant', content: blocks });
    this.calls = blocks.filter((block) => block.type === 'tool_use');
    this.results = new Map();
    this.started = new Set();
    this.texts = [];
  }

  private pendingUserMessage(): ModelMessage | undefined {
    const results = this.calls.map((call) => this.results.get(call.id) ?? toResult(call.id, interruptedResult, true));
    const content: UserBlock[] = [...results, ...this.texts];
    return content.length > 0 ? { role: 'user', content } : undefined;
  }
}

function isSendable(block: UserBlock | ResultBlock): boolean {
  return block.type !== 'text' || block.text.trim() !== '';
}

function toResult(callId: string, content: string | readonly ResultBlock[], isError: boolean): ToolResultBlock {
  const filled = typeof content === 'string' ? (content.trim() === '' ? '(no output)' : content) : content.filter(isSendable);
  const kept = typeof filled === 'string' || filled.length > 0 ? filled : '(no output)';
  const result: ToolResultBlock = { type: 'tool_result', tool_use_id: callId, content: typeof kept === 'string' ? kept : [...kept] };
  return isError ? { ...result, is_error: true } : result;
}
