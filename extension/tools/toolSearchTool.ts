import * as z from 'zod';
import { defineTool, text, type Tool, type ToolContext } from './defineTool';
import type { ToolShelf } from './toolShelf';

export interface ToolSearchPorts {
  /** The tools of the agent that asks. */
  readonly shelf: (ctx: ToolContext) => ToolShelf | undefined;
  /** Waits for servers that are still being connected. */
  readonly connected: (signal: AbortSignal) => Promise<void>;
  /** What can't be searched because its server does not work, in words for the model; empty when there is nothing. */
  readonly missing: () => string;
}

const usualResults = 5;

export function createToolSearchTool(ports: ToolSearchPorts): Tool {
  return defineTool({
    name: 'ToolSearch',
    description: 'Find and load tools of MCP servers that are not loaded yet. Give words that describe what you want to do, or "select:name1,name2" for tools whose names you know. Waits for servers that are still being connected. The tools it finds can be called from then on.',
    kind: 'other',
    input: z.object({ query: z.string().min(1).describe('Words, or select:<name>,<name>'), max_results: z.int().min(1).max(50).optional().describe('Default 5') }),
    readOnly: true,
    title: ({ query }) => query,
    describe: ({ query }) => ({ title: `search tools for “${query}”` }),
    run: async ({ query, max_results }, ctx) => {
      const shelf = ports.shelf(ctx);
      await ports.connected(ctx.signal);
      const named = query.trim().startsWith('select:');
      const found = shelf?.search(query, max_results ?? (named ? 50 : usualResults)) ?? [];
      if (!shelf || found.length === 0) return text(`No tool fits "${query}". Try other words, or go on without it.${missing(ports)}`, { note: 'none found' });
      const note = `${found.length} found`;
      if (shelf.load(found) === 'references') return { content: found.map((tool) => ({ type: 'tool_reference' as const, tool_name: tool.name })), note, display: { kind: 'text', text: found.map((tool) => tool.name).join('\n') } };
      const schemas = found.map((tool) => `<tool name="${tool.name}">\n${tool.description}\nInput: ${JSON.stringify(tool.inputSchema())}\n</tool>`);
      return text(`These tools can be called now, by these names:\n${schemas.join('\n')}${missing(ports)}`, { note });
    },
  });
}

function missing(ports: ToolSearchPorts): string {
  const words = ports.missing();
  return words === '' ? '' : `\n${words}`;
}
