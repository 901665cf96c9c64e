import type { ModelEvent, ModelProblem } from '../ports';
import type { AssistantBlock } from '../protocol/content';

export type ReplyPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly callId: string; readonly name: string; readonly input: Readonly<Record<string, unknown>> };

/** What has arrived of a reply of VS Code's Language Model API: texts that follow each other are one block, a call comes whole. */
export class LanguageModelReply {
  private blocks: readonly AssistantBlock[] = [];

  /** @returns what to stream on for this part */
  take(part: ReplyPart): ModelEvent | undefined {
    if (part.kind === 'call') {
      this.blocks = [...this.blocks, { type: 'tool_use', id: part.callId, name: part.name, input: part.input }];
      return { type: 'input', block: this.blocks.length - 1, tool: part.name, text: JSON.stringify(part.input) };
    }
    if (part.text === '') return undefined;
    const last = this.blocks.at(-1);
    this.blocks = last?.type === 'text' ? [...this.blocks.slice(0, -1), { type: 'text', text: last.text + part.text }] : [...this.blocks, { type: 'text', text: part.text }];
    return { type: 'text', block: this.blocks.length - 1, text: part.text };
  }

  /** Usage and price are not reported by this API: left open, never 0. */
  end(model: string, isAborted: boolean): ModelEvent {
    const stopReason = isAborted ? 'aborted' : this.blocks.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn';
    return { type: 'end', content: this.blocks, stopReason, model, usage: {}, costUsd: null };
  }

  failed(problem: ModelProblem): ModelEvent {
    return { type: 'failed', problem, content: this.blocks, usage: {}, costUsd: null };
  }
}

/** `code` is the name VS Code gives its LanguageModelError; `message` includes that of the cause. */
export function languageModelProblem(failure: { readonly code: string | undefined; readonly message: string }, modelName: string): ModelProblem {
  const { code, message } = failure;
  if (code === 'NoPermissions') {
    const advice = 'Allow it in VS Code’s question, or under “Manage Language Model Access…” of the Accounts menu, then send again.';
    return { code: 'permission', message: `VS Code does not let Troupe use ${modelName}. ${advice}`, retryable: true };
  }
  if (code === 'NotFound') return { code: 'notFound', message: `VS Code no longer offers ${modelName}. Pick another model with “Troupe: Set Up Model…”.`, retryable: false };
  if (code === 'Blocked') return { code: 'rateLimit', message: `${modelName} refused the request, because a limit is used up or it was filtered: ${message}`, retryable: true };
  if (/context (length|window)|too long|token limit|exceeds? .*tokens|max_tokens|prompt is too/i.test(message)) return { code: 'contextOverflow', message, retryable: false };
  return { code: 'server', message: `${modelName}: ${message}`, retryable: true };
}
