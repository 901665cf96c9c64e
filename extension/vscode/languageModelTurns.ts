import type { ResultBlock, UserBlock } from '../protocol/content';
import type { AssistantBlock, ModelMessage } from '../protocol/content';
import type { ModelRequest } from '../ports';

export type ChatContent = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'image'; readonly mediaType: string; readonly data: string };
export type ChatPart =
  | ChatContent
  | { readonly kind: 'call'; readonly callId: string; readonly name: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly kind: 'result'; readonly callId: string; readonly content: readonly ChatContent[] };
export interface ChatTurn {
  readonly role: 'user' | 'assistant';
  readonly parts: readonly ChatPart[];
}

/**
 * A request in what VS Code's Language Model API can carry: there is no system role, so that text goes first as the
 * user's; thinking is left out (no signatures); pictures become a note where the model takes none.
 */
export function chatTurns(request: Pick<ModelRequest, 'system' | 'messages'>, takesImages: boolean): readonly ChatTurn[] {
  const system = request.system.filter((text) => text !== '').join('\n\n');
  const first: readonly ChatTurn[] = system === '' ? [] : [{ role: 'user', parts: [{ kind: 'text', text: system }] }];
  return [...first, ...request.messages.map((message) => chatTurn(message, takesImages)).filter((turn) => turn.parts.length > 0)];
}

function chatTurn(message: ModelMessage, takesImages: boolean): ChatTurn {
  if (message.role === 'assistant') return { role: 'assistant', parts: message.content.flatMap(assistantPart) };
  return { role: 'user', parts: message.content.flatMap((block) => userPart(block, takesImages)) };
}

function assistantPart(block: AssistantBlock): readonly ChatPart[] {
  if (block.type === 'text') return text(block.text);
  if (block.type === 'tool_use') return [{ kind: 'call', callId: block.id, name: block.name, input: block.input }];
  return [];
}

function userPart(block: UserBlock, takesImages: boolean): readonly ChatPart[] {
  if (block.type !== 'tool_result') return plainPart(block, takesImages);
  const blocks: readonly ResultBlock[] = typeof block.content === 'string' ? [{ type: 'text', text: block.content }] : block.content;
  const content = blocks.flatMap((inner) => plainPart(inner, takesImages));
  // This API has no flag for a failed call, and refuses a result without content.
  const failed = block.is_error ? text('The call failed:') : [];
  return [{ kind: 'result', callId: block.tool_use_id, content: content.length === 0 ? text('(no output)') : [...failed, ...content] }];
}

function plainPart(block: ResultBlock, takesImages: boolean): readonly ChatContent[] {
  if (block.type === 'text') return text(block.text);
  if (block.type === 'document') return text(`[The document ${block.title ?? ''} is left out: this model takes no documents. Read it in parts as text instead.]`);
  if (block.type === 'tool_reference') return text(`The tool ${block.tool_name} is loaded.`);
  if (!takesImages) return text('[A picture is left out: this model takes none.]');
  return [{ kind: 'image', mediaType: block.source.media_type, data: block.source.data }];
}

function text(value: string): readonly [{ kind: 'text'; text: string }] | readonly [] {
  return value === '' ? [] : [{ kind: 'text', text: value }];
}
