import type { Tool } from '../tools/defineTool';
import type { Incoming } from './turnLoop';

/** All names together may take this much; then servers are only counted. */
const namesChars = 6_000;

/** Tells an agent of tools that only the tool search gives. */
export function lateToolsReminder(hidden: readonly Tool[]): readonly Incoming[] {
  if (hidden.length === 0) return [];
  const groups = new Map<string, string[]>();
  for (const tool of hidden) groups.set(tool.late?.group ?? '', [...(groups.get(tool.late?.group ?? '') ?? []), tool.name]);
  const whole = hidden.reduce((sum, tool) => sum + tool.name.length + 2, 0) <= namesChars;
  const lines = [...groups].map(([group, names]) => (whole ? `${group}: ${names.join(', ')}` : `${group}: ${names.length} tools, such as ${names.slice(0, 5).join(', ')}`));
  return [reminder(`There are more tools, which are not loaded. Load those you need with ToolSearch:\n${lines.join('\n')}`)];
}

/** What servers say about how to use them. */
export function instructionsReminder(instructions: readonly { readonly server: string; readonly text: string }[]): readonly Incoming[] {
  return instructions.map(({ server, text }) => reminder(`${instructionsOpening(server)}\n${text}`));
}

export function instructionsOpening(server: string): string {
  return `The MCP server ${server} says about its tools:`;
}

function reminder(text: string): Incoming {
  return { origin: 'reminder', content: [{ type: 'text', text: `<reminder>\n${text}\n</reminder>` }] };
}
