import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import * as z from 'zod';
import { err, ok, type Result } from '../base/result';
import type { FetchLike } from '../model/fetchLike';
import type { ProcessRunner } from '../platform/processRunner';
import { limitedFetch } from './limitedFetch';
import type { McpServer, RemoteAddress } from './mcpServer';
import type { OAuthProvider } from './oauthProvider';
import type { Sdk } from './sdkTypes';
import { StdioTransport } from './stdioTransport';
import { WebSocketTransport } from './webSocketTransport';

export interface TransportPorts {
  readonly processes: ProcessRunner;
  readonly cwd: string;
  readonly projectDir: string;
  readonly childEnv: () => Readonly<Record<string, string>>;
  readonly fetch: () => Promise<FetchLike>;
  /** A command that an entry brings may run only where its folder is trusted. */
  readonly isTrusted: () => boolean;
  /** undefined: nobody can sign in here, and nobody has. */
  readonly provider: (server: McpServer) => Promise<OAuthProvider | undefined>;
}

export type RemoteTransport = InstanceType<Sdk['StreamableHTTPClientTransport']> | InstanceType<Sdk['SSEClientTransport']>;
export interface OpenedTransport {
  readonly transport: Transport;
  /** What takes the code of a sign-in. */
  readonly signIn?: { readonly provider: OAuthProvider; readonly transport: RemoteTransport };
}

const helperTimeoutMs = 10_000;
const reconnection = { initialReconnectionDelay: 1_000, maxReconnectionDelay: 30_000, reconnectionDelayGrowFactor: 2, maxRetries: 5 };

/** A way to one server, not yet started. @returns problem: in words for the person */
export async function openTransport(server: McpServer, sdk: Sdk, ports: TransportPorts & { readonly onText: (text: string) => void }): Promise<Result<OpenedTransport, string>> {
  const { connect } = server;
  if (connect.kind === 'stdio') {
    const env = { ...ports.childEnv(), CLAUDE_PROJECT_DIR: ports.projectDir, ...connect.env };
    return ok({ transport: new StdioTransport(connect, { sdk, processes: ports.processes, cwd: ports.cwd, env, onText: ports.onText }) });
  }
  if (!URL.canParse(connect.url)) return err(`its address is no URL: ${connect.url}`);
  const headers = await headersOf(server, connect, ports);
  if (!headers.ok) return headers;
  if (connect.kind === 'ws') return ok({ transport: new WebSocketTransport(sdk, { url: connect.url, headers: headers.value }) });
  const provider = hasAuthorization(headers.value) ? undefined : await ports.provider(server);
  const options = { requestInit: { headers: { ...headers.value } }, fetch: limitedFetch(await ports.fetch()), ...(provider ? { authProvider: provider } : {}) };
  const url = new URL(connect.url);
  const transport: RemoteTransport = connect.kind === 'http' ? new sdk.StreamableHTTPClientTransport(url, { ...options, reconnectionOptions: reconnection }) : new sdk.SSEClientTransport(url, options);
  return ok({ transport, ...(provider ? { signIn: { provider, transport } } : {}) });
}

function hasAuthorization(headers: Readonly<Record<string, string>>): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}

async function headersOf(server: McpServer, address: RemoteAddress, ports: TransportPorts): Promise<Result<Readonly<Record<string, string>>, string>> {
  const { headersHelper } = address;
  if (headersHelper === undefined) return ok(address.headers);
  if (!ports.isTrusted() && server.scope !== 'user' && server.scope !== 'managed' && server.scope !== 'flag') return err('its headersHelper is a command and runs only in a trusted folder');
  const run = await ports.processes.run(
    {
      command: '/bin/sh',
      args: [],
      script: headersHelper,
      cwd: ports.cwd,
      env: { ...withoutSecrets(ports.childEnv(), server), CLAUDE_CODE_MCP_SERVER_NAME: server.name, CLAUDE_CODE_MCP_SERVER_URL: address.url },
    },
    { timeoutMs: helperTimeoutMs },
  );
  if (!run.ok) return err(`its headersHelper could not be run: ${run.problem}`);
  if (run.value.exitCode !== 0) return err(`its headersHelper failed (${run.value.reason === 'timeout' ? 'no answer within 10 s' : `exit code ${run.value.exitCode}`}): ${run.value.stderr.head.slice(0, 300)}`);
  const parsed = readHeaders(run.value.stdout.head);
  return parsed ? ok({ ...address.headers, ...parsed }) : err('its headersHelper did not print a JSON map of header names and values');
}

function readHeaders(text: string): Readonly<Record<string, string>> | undefined {
  try {
    const parsed = z.record(z.string(), z.string()).safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined; // told as "no JSON map"
  }
}

/** A helper that a repository or a plugin brings sees no tokens of the person's. */
function withoutSecrets(env: Readonly<Record<string, string>>, { scope }: McpServer): Readonly<Record<string, string>> {
  if (scope !== 'project' && scope !== 'plugin') return env;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/(TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|PRIVATE_?KEY|CREDENTIAL)/i.test(name)));
}
