import { estimateTokens } from '../base/estimateTokens';
import { estimateBlockTokens } from '../model/tokenEstimate';
import type { ModelRequest } from '../ports';
import type { ContextPart } from '../protocol/context';

type Kind = ContextPart['kind'];

const labels: Readonly<Record<Kind, string>> = {
  system: 'System prompt',
  tools: 'Tools',
  mcp: 'MCP servers',
  memory: 'Memory files',
  listings: 'Skills and agents',
  messages: 'Messages',
  files: 'Files read',
  results: 'Other results',
};
const memoryFile = /<memory-file [^>]*>[\s\S]*?<\/memory-file>/g;
const listing = /^(?:Skills you can run|Agents you can start) [^\n]*\n[\s\S]*?(?=\n\n(?:Agents you can start|Today is)|$)/gm;

/** Where the tokens of a request go, largest first; parts without any are left out. */
export function contextParts(request: ModelRequest): readonly ContextPart[] {
  const tokens = new Map<Kind, number>();
  const add = (kind: Kind, count: number): void => void tokens.set(kind, (tokens.get(kind) ?? 0) + count);
  for (const text of request.system) add('system', estimateTokens(text));
  for (const tool of request.tools) add(tool.name.startsWith('mcp__') ? 'mcp' : 'tools', estimateTokens(tool.name + tool.description + JSON.stringify(tool.inputSchema)));
  const names = new Map(request.messages.flatMap((message) => message.content.flatMap((block) => (block.type === 'tool_use' ? [[block.id, block.name] as const] : []))));
  for (const message of request.messages) {
    for (const block of message.content) {
      if (block.type === 'tool_result') add(resultKind(names.get(block.tool_use_id)), estimateBlockTokens(block));
      else if (block.type === 'text' && message.role === 'user') addText(add, block.text);
      else add('messages', estimateBlockTokens(block));
    }
  }
  return [...tokens].map(([kind, count]) => ({ kind, label: labels[kind], tokens: count })).toSorted((a, b) => b.tokens - a.tokens);
}

function resultKind(tool: string | undefined): Kind {
  if (tool === 'Read' || tool === 'NotebookRead') return 'files';
  return tool?.startsWith('mcp__') ? 'mcp' : 'results';
}

function addText(add: (kind: Kind, count: number) => void, text: string): void {
  if (text.startsWith('<attached-file ')) return add('files', estimateTokens(text));
  const memory = (text.match(memoryFile) ?? []).join('');
  const lists = text.startsWith('<context>') ? (text.replace(memoryFile, '').match(listing) ?? []).join('') : '';
  if (memory !== '') add('memory', estimateTokens(memory));
  if (lists !== '') add('listings', estimateTokens(lists));
  add('messages', Math.max(0, estimateTokens(text) - estimateTokens(memory) - estimateTokens(lists)));
}
