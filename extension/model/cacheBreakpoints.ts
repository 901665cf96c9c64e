import type { WireBlock, WireBody, WireMessage } from './requestBody';

const mark = { type: 'ephemeral' } as const;

/**
 * Marks where the provider may cache, at most four places (the API's limit):
 * the end of tools and system, which agents of a kind share; the first block of the first message, which they share too
 * when the history builder puts memory and listings there; and the last two user messages, of which the older is where
 * the request before this one ended, so that it is found however many tool results came in between.
 */
export function placeCacheBreakpoints(body: WireBody): WireBody {
  const users = body.messages.flatMap((message, index) => (message.role === 'user' ? [index] : []));
  const moving = users.slice(-2);
  const messages = body.messages.map((message, index) => {
    const end = moving.includes(index) ? markEnd(message) : message;
    return index === 0 && message.role === 'user' && message.content.length > 1 ? markStart(end) : end;
  });
  const { tools, system } = body;
  if (system) return { ...body, system: system.map((block, i) => (i === system.length - 1 ? { ...block, cache_control: mark } : block)), messages };
  // What is deferred is no part of the prompt and takes no mark.
  const end = tools?.findLastIndex((tool) => tool['defer_loading'] !== true);
  if (tools) return { ...body, tools: tools.map((tool, i) => (i === end ? { ...tool, cache_control: mark } : tool)), messages };
  return { ...body, messages };
}

function markEnd(message: WireMessage): WireMessage {
  const at = message.content.findLastIndex(mayBeMarked);
  return markAt(message, at);
}

function markStart(message: WireMessage): WireMessage {
  const [first] = message.content;
  return first && mayBeMarked(first) ? markAt(message, 0) : message;
}

function markAt(message: WireMessage, at: number): WireMessage {
  return { role: message.role, content: message.content.map((block, index) => (index === at ? { ...block, cache_control: mark } : block)) };
}

/** Thinking and empty text cannot carry a mark, and blocks we do not know are sent back untouched. */
function mayBeMarked(block: WireBlock): boolean {
  if (block.type === 'text') return block['text'] !== '';
  return block.type === 'tool_result' || block.type === 'image' || block.type === 'document';
}
