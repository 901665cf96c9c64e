import * as z from 'zod';
import type { Result } from '../base/result';
import { defineTool, failure, text, type Tool, type ToolContext } from '../tools/defineTool';
import type { CallOptions } from './mcpConnection';
import type { McpResourceInfo } from './mcpLists';
import { readContents, type SaveBytes } from './mcpResult';

export interface ResourceToolPorts {
  /** Connected servers that have resources. */
  readonly servers: () => readonly { readonly name: string; readonly resources: readonly McpResourceInfo[] }[];
  readonly read: (server: string, uri: string, options: CallOptions) => Promise<Result<Readonly<Record<string, unknown>>, string>>;
  readonly save: (ctx: ToolContext) => SaveBytes;
}

const late = { group: 'resources of MCP servers', mayDefer: true };
const maxListed = 500;

export function createListResourcesTool(ports: ResourceToolPorts): Tool {
  const tool = defineTool({
    name: 'ListMcpResourcesTool',
    aliases: ['ListMcpResources'],
    description: 'List what connected MCP servers offer to read (files, records, documents), of one server or of all. Read one with ReadMcpResourceTool.',
    kind: 'other',
    input: z.object({ server: z.string().optional().describe('Name of one server') }),
    readOnly: true,
    title: ({ server }) => server ?? 'all servers',
    describe: ({ server }) => ({ title: `list resources of ${server ?? 'all MCP servers'}` }),
    run: async ({ server }) => {
      const servers = ports.servers();
      const wanted = server === undefined ? servers : servers.filter((one) => one.name === server);
      if (server !== undefined && wanted.length === 0) return failure(`No connected MCP server "${server}" has resources. Those that do: ${servers.map((one) => one.name).join(', ') || 'none'}.`);
      const lines = wanted.flatMap((one) => one.resources.map((resource) => `${one.name}  ${resource.uri}  ${resource.name}${resource.mimeType ? ` (${resource.mimeType})` : ''}${resource.description ? `: ${resource.description}` : ''}`));
      if (lines.length === 0) return text('No connected MCP server has resources.');
      return text(lines.length <= maxListed ? lines.join('\n') : `${lines.slice(0, maxListed).join('\n')}\n[${lines.length - maxListed} more; name one server]`, { note: `${lines.length} resources` });
    },
  });
  return { ...tool, late };
}

export function createReadResourceTool(ports: ResourceToolPorts): Tool {
  const tool = defineTool({
    name: 'ReadMcpResourceTool',
    aliases: ['ReadMcpResource'],
    description: 'Read one resource of an MCP server by the address that ListMcpResourcesTool or the server gave.',
    kind: 'other',
    input: z.object({ server: z.string().describe('Name of the server'), uri: z.string().describe('Address of the resource') }),
    readOnly: true,
    title: ({ uri }) => uri,
    describe: ({ server, uri }) => ({ title: `read ${uri} of ${server}` }),
    run: async ({ server, uri }, ctx) => {
      const read = await ports.read(server, uri, { caller: { sessionId: ctx.sessionId, agentId: ctx.agentId, callId: ctx.callId, signal: ctx.signal }, signal: ctx.signal, onProgress: ctx.output });
      return read.ok ? { content: await readContents(read.value, ports.save(ctx)) } : failure(read.problem);
    },
  });
  return { ...tool, late };
}
