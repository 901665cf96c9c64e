/** Where an entry was written. Of two with one name the first of this order counts, whole. */
export const mcpScopes = ['managed', 'flag', 'local', 'project', 'user', 'plugin', 'agent'] as const;
export type McpScope = (typeof mcpScopes)[number];

export type McpTransportKind = 'stdio' | 'http' | 'sse' | 'ws';

export interface StdioLaunch {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface McpOAuth {
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly callbackPort?: number;
  readonly authServerMetadataUrl?: string;
  readonly scopes?: string;
}

export interface RemoteAddress {
  readonly kind: 'http' | 'sse' | 'ws';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A shell command whose JSON output is more headers. */
  readonly headersHelper?: string;
  readonly oauth?: McpOAuth;
}

/** One server as it is configured, variables put in. */
export interface McpServer {
  /** The key in its file; `plugin:<plugin>:<key>` for a plugin's. Unique among those that count. */
  readonly id: string;
  readonly name: string;
  readonly scope: McpScope;
  readonly plugin?: string;
  /** The file it stands in; absent for what came as JSON on the command line. */
  readonly path?: string;
  readonly line?: number;
  readonly connect: StdioLaunch | RemoteAddress;
  /** Longest time of one call, in milliseconds. */
  readonly timeoutMs?: number;
  /** Its tools are never left to the tool search, and a start waits for it a short time. */
  readonly alwaysLoad: boolean;
}

/** `description` of a server for people: its command line or its address. */
export function describeServer({ connect }: Pick<McpServer, 'connect'>): string {
  return connect.kind === 'stdio' ? [connect.command, ...connect.args].join(' ') : connect.url;
}
