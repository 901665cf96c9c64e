import type { ModelMessage } from './content';

/** Deferred tools that results of the tool search have loaded. */
export function namedTools(messages: readonly ModelMessage[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const message of messages) {
    if (message.role !== 'user') continue;
    for (const block of message.content) {
      if (block.type !== 'tool_result' || typeof block.content === 'string') continue;
      for (const part of block.content) if (part.type === 'tool_reference') names.add(part.tool_name);
    }
  }
  return names;
}
