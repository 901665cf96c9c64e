import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { lazily } from '../base/lazily';
import { err, ok, type Result } from '../base/result';
import { admit } from '../mcp/mcpAdmission';
import { loadMcpConfig, type McpPlaces } from '../mcp/mcpConfigLoader';
import { McpConnection } from '../mcp/mcpConnection';
import { serverPart, toolName } from '../mcp/mcpNames';
import { McpPool, type PooledServer } from '../mcp/mcpPool';
import type { McpServer } from '../mcp/mcpServer';
import { createMcpTool } from '../mcp/mcpTool';
import type { McpToolInfo } from '../mcp/mcpLists';
import { promptRows, runPrompt } from './mcpPrompts';
import type { SkillListing } from '../protocol/methods';
import { createListResourcesTool, createReadResourceTool } from '../mcp/resourceTools';
import { createSignIns, type SignIns } from '../mcp/signIns';
import { createProxyFetch } from '../model/proxyFetch';
import type { ServerAsks } from '../mcp/serverAsks';
import type { ModelAccess } from '../ports';
import { failure, type PreparedCall, type Tool, type ToolContext } from '../tools/defineTool';
import type { EngineOptions, EnginePorts } from './contract';
import type { EngineParts } from './engineParts';
import type { SettingsAccess } from './settingsAccess';

export interface McpHouseParts {
  readonly ports: EnginePorts;
  readonly options: EngineOptions;
  readonly settings: SettingsAccess;
  readonly parts: EngineParts;
  readonly models: ModelAccess;
  /** Who answers when a server asks; sessions come after this is made. */
  readonly asks: (server: McpServer) => Omit<ServerAsks, 'roots'>;
  readonly approve: (sessionId: string, servers: readonly McpServer[]) => Promise<readonly { readonly name: string; readonly may: boolean }[] | undefined>;
  /** Servers, states or lists have changed. */
  readonly onChange: () => void;
}

/** The MCP servers of one window and their tools. */
export interface McpHouse {
  readonly pool: McpPool;
  readonly signIns: SignIns;
  /** In the order of the configuration; a server's own order within. */
  readonly tools: () => readonly Tool[];
  /** A tool of a server that is still being connected: the call waits for it. */
  readonly expected: (name: string) => Tool | undefined;
  /** `mcp__server` or one of its tools, while the server may still be connected. */
  readonly mayCome: (name: string) => boolean;
  /** What connected servers say about how to use them. */
  readonly instructions: () => readonly { readonly server: string; readonly text: string }[];
  /** Servers an agent brings along: connected for its life. */
  readonly visit: (servers: readonly McpServer[]) => Promise<{ readonly tools: () => readonly Tool[]; readonly close: () => Promise<void> }>;
  /** `/mcp__server__prompt args`, as text for the model. @returns undefined: no server has such a prompt */
  readonly prompt: (name: string, args: string, ctx: ToolContext) => Promise<Result<string, string>> | undefined;
  readonly promptRows: () => readonly SkillListing[];
  readonly save: (ctx: ToolContext) => (name: string, bytes: Uint8Array) => Promise<string>;
  readonly reload: () => Promise<void>;
}

const tokensWhole = 25_000;
const charsPerToken = 4;
const startupMs = 30_000;
const longestCallMs = 100_000_000;
const remoteIdleMs = 5 * 60_000;
const stdioIdleMs = 30 * 60_000;

export function openMcpHouse(places: () => McpPlaces, parts: McpHouseParts): McpHouse {
  const { ports, options, settings, parts: adapters } = parts;
  const sdk = lazily(() => import('../mcp/mcpSdk'));
  const fetch = lazily(() => createProxyFetch({ env: options.env, log: ports.log }));
  const signIns = createSignIns({
    secrets: ports.secrets,
    signIn: ports.signIn,
    fetch,
    transport: {
      processes: adapters.processes,
      // What a folder holds may stand in for a program there (npx looks into node_modules first).
      cwd: () => (ports.trust.isTrusted() ? options.cwd : options.homeDir),
      projectDir: options.cwd,
      childEnv: adapters.childEnv,
      isTrusted: ports.trust.isTrusted,
    },
  });
  let known: readonly Tool[] | undefined;
  const changed = (): void => {
    known = undefined;
    parts.onChange();
  };
  const connection = (server: McpServer): McpConnection => newConnection({ server, parts, sdk, signIns, onChange: changed });
  const pool = new McpPool({
    load: () => loadMcpConfig(places()),
    admit: (server, config) => admit(server, settings.mcp(), { trusted: ports.trust.isTrusted(), interactive: options.interactive, turnedOff: config.turnedOff }),
    connection,
    clock: ports.clock,
    onChange: changed,
  });
  const save = (ctx: ToolContext) => saver(adapters, ctx);
  const maxResultChars = positive(options.env['MAX_MCP_OUTPUT_TOKENS'], tokensWhole) * charsPerToken;
  const toolOf = toolMaker({ save, maxResultChars });
  const resources = resourceTools(pool, save);
  const tools = (): readonly Tool[] => {
    known ??= [...pooledTools(pool.servers, toolOf), ...(hasResources(pool) ? resources : [])];
    return known;
  };
  return {
    pool,
    signIns,
    tools,
    save,
    prompt: (name, args, ctx) => runPrompt(pool, { name, args, ctx }),
    promptRows: () => promptRows(pool),
    expected: (name) => expectedTool(name, pool, tools),
    mayCome: (name) => pool.servers.some(({ server, connection: live }) => live && live.status.kind !== 'connected' && (name === `mcp__${serverPart(server)}` || name.startsWith(`mcp__${serverPart(server)}__`) || name.startsWith('mcp__*'))),
    instructions: () => pool.servers.flatMap(({ server, connection: live }) => (live && live.instructions !== '' ? [{ server: server.name, text: live.instructions }] : [])),
    visit: async (servers) => {
      const guests: readonly PooledServer[] = servers.map((server) => ({ server, admission: { kind: 'allowed' }, connection: connection(server) }));
      await Promise.all(guests.map((guest) => guest.connection?.connect()));
      return { tools: () => pooledTools(guests, toolOf), close: async () => void (await Promise.all(guests.map((guest) => guest.connection?.close()))) };
    },
    reload: async () => {
      await pool.reload();
      pool.start();
    },
  };
}

interface ConnectionParts {
  readonly server: McpServer;
  readonly parts: McpHouseParts;
  readonly sdk: () => Promise<typeof import('../mcp/mcpSdk')>;
  readonly signIns: SignIns;
  readonly onChange: () => void;
}

function newConnection({ server, parts, sdk, signIns, onChange }: ConnectionParts): McpConnection {
  const { ports, options, settings } = parts;
  const env = options.env;
  return new McpConnection(server, {
    sdk,
    transport: (loaded, onText) => signIns.open(server, loaded, onText),
    clock: ports.clock,
    version: options.version,
    startupMs: positive(env['MCP_TIMEOUT'], startupMs),
    callMs: server.timeoutMs ?? positive(env['MCP_TOOL_TIMEOUT'], longestCallMs),
    idleMs: server.connect.kind === 'stdio' ? stdioIdleMs : remoteIdleMs,
    roots: () => [...new Set([options.cwd, ...options.addDirs, ...settings.addedDirs()])].map((dir) => ({ uri: pathToFileURL(dir).href, name: dir.split(/[\\/]/).at(-1) ?? dir })),
    ...parts.asks(server),
    onChange,
  });
}

function positive(text: string | undefined, usual: number): number {
  return text !== undefined && /^[1-9]\d*$/.test(text) ? Number(text) : usual;
}

type ToolMaker = (server: McpServer, connection: McpConnection, info: McpToolInfo, name: string) => Tool;

/** The same tool stays the same object while its server says the same of it. */
function toolMaker({ save, maxResultChars }: { readonly save: McpHouse['save']; readonly maxResultChars: number }): ToolMaker {
  const made = new WeakMap<McpToolInfo, Tool>();
  return (server, connection, info, name) => {
    const before = made.get(info);
    if (before?.name === name) return before;
    const tool = createMcpTool({ name, server: server.name, info, alwaysLoad: server.alwaysLoad }, { call: (called, input, callOptions) => connection.call(called, input, callOptions), save, maxResultChars });
    made.set(info, tool);
    return tool;
  };
}

function pooledTools(servers: readonly PooledServer[], toolOf: ToolMaker): readonly Tool[] {
  const taken = new Set<string>();
  return servers.flatMap(({ server, connection }) => {
    // While it is connected again its tools stay: a call waits for it.
    if (!connection || (connection.status.kind !== 'connected' && connection.status.kind !== 'connecting')) return [];
    return connection.lists.tools.map((info) => {
      const name = toolName(serverPart(server), info.name, taken);
      taken.add(name);
      return toolOf(server, connection, info, name);
    });
  });
}

function hasResources(pool: McpPool): boolean {
  return pool.servers.some(({ connection }) => connection?.status.kind === 'connected' && connection.lists.resources.length > 0);
}

function resourceTools(pool: McpPool, save: McpHouse['save']): readonly Tool[] {
  const ports = {
    servers: () => pool.servers.flatMap(({ server, connection }) => (connection && connection.lists.resources.length > 0 ? [{ name: server.name, resources: connection.lists.resources }] : [])),
    read: async (name: string, uri: string, callOptions: Parameters<McpConnection['readResource']>[1]): Promise<Result<Readonly<Record<string, unknown>>, string>> => {
      const found = pool.find(name)?.connection;
      return found ? found.readResource(uri, callOptions) : err(`There is no MCP server "${name}". The servers are: ${pool.servers.map(({ server }) => server.name).join(', ')}.`);
    },
    save,
  };
  return [createListResourcesTool(ports), createReadResourceTool(ports)];
}

function expectedTool(name: string, pool: McpPool, tools: () => readonly Tool[]): Tool | undefined {
  const coming = pool.servers.find(({ server, connection }) => connection && (connection.status.kind === 'idle' || connection.status.kind === 'connecting') && name.startsWith(`mcp__${serverPart(server)}__`));
  const { connection, server } = coming ?? {};
  if (!connection || !server) return undefined;
  /** What the server says of the tool decides how it is asked for, so that is waited for first. */
  const arrived = async (input: Readonly<Record<string, unknown>>, ctx: ToolContext): Promise<Result<PreparedCall, string>> => {
    await Promise.race([connection.connect(), stopped(ctx.signal)]);
    const tool = tools().find((one) => one.name === name);
    return tool ? tool.prepare(input) : err(`The MCP server ${server.name} has no tool of this name, or could not be connected. Its tools are: ${connection.lists.tools.map((info) => info.name).join(', ') || 'none'}.`);
  };
  return {
    name,
    aliases: [],
    description: `A tool of the MCP server ${server.name}, which is being connected.`,
    kind: 'mcp',
    inputSchema: () => ({ type: 'object' }),
    maxResultChars: tokensWhole * charsPerToken,
    prepare: (input) =>
      ok({
        input,
        readOnly: false,
        title: name,
        check: async (ctx) => {
          const call = await arrived(input, ctx);
          return call.ok ? undefined : call.problem;
        },
        describe: async (ctx) => {
          const call = await arrived(input, ctx);
          return call.ok ? call.value.describe(ctx) : { tool: name, kind: 'mcp', title: `use ${name}`, input: { ...input }, cwd: ctx.cwd, readOnly: false };
        },
        run: async (ctx) => {
          const call = await arrived(input, ctx);
          return call.ok ? call.value.run(ctx) : failure(call.problem);
        },
      }),
  };
}

function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function saver(adapters: EngineParts, ctx: ToolContext): (name: string, bytes: Uint8Array) => Promise<string> {
  return async (name, bytes) => {
    const path = join(adapters.outputsDir(ctx.sessionId), `${ctx.callId.replace(/[^\w-]/g, '_')}-${name}`);
    const written = await adapters.store.writeBytes(path, bytes);
    return written.ok ? `saved as ${path}` : `it could not be saved: ${written.problem.message}`;
  };
}
