import { ok, type Result } from '../base/result';
import { failure, type Tool, type ToolContext, type ToolResult } from '../tools/defineTool';
import type { PermissionSubject } from '../protocol/permission';
import type { CallOptions } from './mcpConnection';
import type { McpToolInfo } from './mcpLists';
import { readToolResult, type SaveBytes } from './mcpResult';

export interface McpToolPorts {
  readonly call: (tool: string, input: Readonly<Record<string, unknown>>, options: CallOptions) => Promise<Result<Readonly<Record<string, unknown>>, string>>;
  readonly save: (ctx: ToolContext) => SaveBytes;
  /** Most characters of a result that enter the conversation. */
  readonly maxResultChars: number;
}

export interface McpToolSpec {
  /** `mcp__server__tool`. */
  readonly name: string;
  /** The server as people know it. */
  readonly server: string;
  readonly info: McpToolInfo;
  readonly alwaysLoad: boolean;
}

const titleChars = 80;

/** A server's tool as one of ours. Its input is checked by the server, which knows its own schema best. */
export function createMcpTool(spec: McpToolSpec, ports: McpToolPorts): Tool {
  const { name, info, server } = spec;
  return {
    name,
    aliases: [],
    description: info.description === '' ? `${info.title ?? info.name} of the MCP server ${server}.` : info.description,
    kind: 'mcp',
    inputSchema: () => info.inputSchema,
    maxResultChars: info.maxResultChars ?? ports.maxResultChars,
    late: { group: server, mayDefer: !spec.alwaysLoad },
    prepare: (input) =>
      ok({
        input,
        readOnly: info.readOnly,
        title: titleOf(info, input),
        describe: async (ctx) => subjectOf(spec, input, ctx),
        run: (ctx) => run(spec, input, { ctx, ports }),
      }),
  };
}

async function run({ info }: McpToolSpec, input: Readonly<Record<string, unknown>>, { ctx, ports }: { readonly ctx: ToolContext; readonly ports: McpToolPorts }): Promise<ToolResult> {
  const called = await ports.call(info.name, input, { caller: { sessionId: ctx.sessionId, agentId: ctx.agentId, callId: ctx.callId, signal: ctx.signal }, signal: ctx.signal, onProgress: ctx.output });
  if (!called.ok) return failure(called.problem);
  const { content, isError } = await readToolResult(called.value, ports.save(ctx));
  return { content, ...(isError ? { isError: true } : {}) };
}

function subjectOf({ name, info, server }: McpToolSpec, input: Readonly<Record<string, unknown>>, ctx: ToolContext): PermissionSubject {
  const risks = [...(info.destructive ? ['The server says that this may change or delete what is there'] : []), ...(info.openWorld && !info.readOnly ? ['The server says that this reaches systems outside'] : [])];
  return {
    tool: name,
    kind: 'mcp',
    title: `use ${info.title ?? info.name} of ${server}`,
    input: { ...input },
    cwd: ctx.cwd,
    readOnly: info.readOnly,
    ...(risks.length > 0 ? { risks } : {}),
    ...(info.needsPerson ? { alwaysAsk: `${server} wants a person to look at every call of this tool` } : {}),
  };
}

/** The first short value says most about a call: a name, a path, a query. */
function titleOf(info: McpToolInfo, input: Readonly<Record<string, unknown>>): string {
  const value = Object.values(input).find((one) => typeof one === 'string' || typeof one === 'number');
  if (value === undefined) return info.title ?? info.name;
  const line = String(value).replace(/\s+/g, ' ').trim();
  return line.length <= titleChars ? line : `${line.slice(0, titleChars - 1)}…`;
}
