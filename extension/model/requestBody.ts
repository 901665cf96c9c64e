import type { ModelRequest, ToolSchema } from '../ports';
import type { AssistantBlock, ModelMessage, ResultBlock, UserBlock } from '../protocol/content';
import { type ThinkingFields, thinkingFields } from './effort';
import { namedTools } from '../protocol/namedTools';
import { modelFacts } from './modelTable';

export type WireBlock = { readonly type: string } & Readonly<Record<string, unknown>>;
export interface WireMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly WireBlock[];
}
export type WireTool = Readonly<Record<string, unknown>>;

/** The body of POST /v1/messages. Its keys are always written in this order, so that equal requests are equal bytes. */
export interface WireBody extends ThinkingFields {
  readonly model: string;
  readonly max_tokens: number;
  readonly stream: true;
  readonly tools?: readonly WireTool[];
  readonly system?: readonly WireBlock[];
  readonly messages: readonly WireMessage[];
}

/** Asked for when a request names no limit; long enough for a whole file, short of what a runaway answer would cost. */
const usualMaxTokens = 32_000;

/** The request as the API takes it, without cache breakpoints. Depends on nothing but the request: no time, no ids. */
export function buildRequestBody(request: ModelRequest): WireBody {
  const facts = modelFacts(request.model);
  const maxTokens = Math.min(request.maxTokens ?? usualMaxTokens, facts.maxOutputTokens);
  const tools = toolsFor(request, facts.defersTools);
  const system = request.system.filter((text) => text.trim() !== '').map((text) => ({ type: 'text', text }));
  return {
    model: request.model,
    max_tokens: maxTokens,
    stream: true,
    ...thinkingFields(facts, request.effort, maxTokens),
    ...(tools.length > 0 ? { tools: tools.map(wireTool) } : {}),
    ...(system.length > 0 ? { system } : {}),
    messages: wireMessages(request.messages, facts.defersTools ? new Set(tools.map((tool) => tool.name)) : new Set()),
  };
}

/** The same conversation without thinking, for a model that refuses the thinking of another one. */
export function withoutThinking(body: WireBody): WireBody {
  const messages = body.messages
    .map((message) => ({ role: message.role, content: message.content.filter((block) => !isThinking(block)) }))
    .filter((message) => message.content.length > 0);
  const { thinking, ...rest } = body;
  return thinking?.type === 'enabled' ? { ...rest, messages } : { ...body, messages };
}

export function hasThinking(body: WireBody): boolean {
  return body.messages.some((message) => message.content.some(isThinking));
}

function isThinking(block: WireBlock): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}

/** A model that can't defer is only sent what the tool search has loaded. */
function toolsFor(request: ModelRequest, defers: boolean): readonly ToolSchema[] {
  if (defers || !request.tools.some((tool) => tool.deferred)) return request.tools;
  const named = namedTools(request.messages);
  return request.tools.filter((tool) => !tool.deferred || named.has(tool.name)).map(({ deferred: _, ...tool }) => tool);
}

function wireTool(tool: ToolSchema): WireTool {
  return { name: tool.name, description: tool.description, input_schema: tool.inputSchema, ...(tool.deferred ? { defer_loading: true } : {}) };
}

/**
 * Neighbours of one role become one message, empty ones go, and tool results stand first, as the API asks.
 * @param referable tools that a `tool_reference` may name: the API refuses one that is not in the request
 */
function wireMessages(messages: readonly ModelMessage[], referable: ReadonlySet<string>): readonly WireMessage[] {
  const merged: { role: 'user' | 'assistant'; content: WireBlock[] }[] = [];
  for (const message of messages) {
    const content = message.content.filter((block) => block.type !== 'text' || block.text.trim() !== '').map((block) => wireBlock(block, referable));
    const last = merged.at(-1);
    if (content.length === 0) continue;
    if (last?.role === message.role) last.content.push(...content);
    else merged.push({ role: message.role, content });
  }
  return merged.map((message) => (message.role === 'user' ? { role: message.role, content: resultsFirst(message.content) } : message));
}

function resultsFirst(content: readonly WireBlock[]): readonly WireBlock[] {
  const isResult = (block: WireBlock): boolean => block.type === 'tool_result';
  return [...content.filter(isResult), ...content.filter((block) => !isResult(block))];
}

function wireBlock(block: AssistantBlock | UserBlock, referable: ReadonlySet<string>): WireBlock {
  switch (block.type) {
    case 'opaque':
      return block.block;
    case 'tool_use':
      // A broken input is sent as an empty one: the API takes objects only, and the same one every time.
      return { type: 'tool_use', id: block.id, name: block.name, input: block.brokenInput === undefined ? block.input : {} };
    case 'tool_result':
      return { type: 'tool_result', tool_use_id: block.tool_use_id, content: resultContent(block.content, referable), ...(block.is_error ? { is_error: true } : {}) };
    case 'text':
      return { type: 'text', text: block.text };
    case 'thinking':
      return { type: 'thinking', thinking: block.thinking, signature: block.signature };
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: block.data };
    case 'image':
      return { type: 'image', source: block.source };
    case 'document':
      return { type: 'document', source: block.source, ...(block.title === undefined ? {} : { title: block.title }) };
  }
}

function resultContent(content: string | readonly ResultBlock[], referable: ReadonlySet<string>): unknown {
  if (typeof content === 'string' || !content.some((part) => part.type === 'tool_reference' && !referable.has(part.tool_name))) return content;
  return content.map((part) => (part.type === 'tool_reference' ? { type: 'text', text: `The tool ${part.tool_name} was found.` } : part));
}
