import { err, ok, type Result } from '../base/result';
import type { McpPromptInfo } from '../mcp/mcpLists';
import { plainName, serverPart } from '../mcp/mcpNames';
import type { McpPool, PooledServer } from '../mcp/mcpPool';
import { readToolResult } from '../mcp/mcpResult';
import type { SkillListing } from '../protocol/methods';
import { splitArguments } from '../skills/skillArguments';
import type { ToolContext } from '../tools/defineTool';

interface Offered {
  readonly name: string;
  readonly prompt: McpPromptInfo;
  readonly pooled: PooledServer;
}

function offered(pool: McpPool): readonly Offered[] {
  return pool.servers.flatMap((pooled) => (pooled.connection?.lists.prompts ?? []).map((prompt) => ({ name: `mcp__${serverPart(pooled.server)}__${plainName(prompt.name)}`, prompt, pooled })));
}

/** Rows of the `/` menu. */
export function promptRows(pool: McpPool): readonly SkillListing[] {
  return offered(pool).map(({ name, prompt, pooled }) => ({
    name,
    qualified: name,
    kind: 'command',
    source: 'mcp',
    description: prompt.description === '' ? `A prompt of the MCP server ${pooled.server.name}` : prompt.description,
    ...(prompt.arguments.length > 0 ? { argumentHint: prompt.arguments.map((arg) => (arg.required ? `<${arg.name}>` : `[${arg.name}]`)).join(' ') } : {}),
    path: pooled.server.path ?? '',
  }));
}

/** Arguments are given in order, quoted as in a shell; the last one takes what is left. */
export function runPrompt(pool: McpPool, typed: { readonly name: string; readonly args: string; readonly ctx: ToolContext }): Promise<Result<string, string>> | undefined {
  const found = offered(pool).find(({ name }) => name === typed.name);
  return found ? fetchPrompt(found, typed) : undefined;
}

async function fetchPrompt({ prompt, pooled }: Offered, { args, ctx }: { readonly args: string; readonly ctx: ToolContext }): Promise<Result<string, string>> {
  const words = splitArguments(args);
  const missing = prompt.arguments.filter((arg, i) => arg.required && words[i] === undefined);
  if (missing.length > 0) return err(`it needs ${missing.map((arg) => `<${arg.name}>${arg.description ? ` (${arg.description})` : ''}`).join(' and ')}`);
  const last = prompt.arguments.length - 1;
  const given = Object.fromEntries(prompt.arguments.flatMap((arg, i) => (words[i] === undefined ? [] : [[arg.name, i === last ? words.slice(i).join(' ') : (words[i] ?? '')]])));
  const { connection } = pooled;
  if (!connection) return err('its server may not be started');
  const { sessionId, agentId, callId, signal } = ctx;
  const got = await connection.getPrompt(prompt.name, given, { caller: { sessionId, agentId, callId, signal }, signal, onProgress: () => undefined });
  if (!got.ok) return got;
  const messages = Array.isArray(got.value['messages']) ? got.value['messages'] : [];
  const texts: string[] = [];
  for (const message of messages) {
    const { content } = await readToolResult({ content: [message?.content] }, async () => 'left out: a prompt is text');
    texts.push(typeof content === 'string' ? content : content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n'));
  }
  return ok(texts.join('\n\n'));
}
