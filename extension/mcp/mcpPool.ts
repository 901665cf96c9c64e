import type { Problem } from '../base/problem';
import { err, ok, type Result } from '../base/result';
import type { Clock } from '../ports';
import { type Admission, choose } from './mcpAdmission';
import type { McpConfig } from './mcpConfigLoader';
import type { McpConnection } from './mcpConnection';
import type { McpServer } from './mcpServer';

/** A server and whether it may run; `connection` once it may. */
export interface PooledServer {
  readonly server: McpServer;
  readonly admission: Admission;
  readonly connection: McpConnection | undefined;
}

export interface PoolPorts {
  readonly load: () => Promise<McpConfig>;
  readonly admit: (server: McpServer, config: McpConfig) => Admission;
  readonly connection: (server: McpServer) => McpConnection;
  readonly clock: Clock;
  /** Servers, their states or their lists have changed. */
  readonly onChange: () => void;
}

/** The servers of one window, shared by all its agents: connected in the background, ended with the window. */
export class McpPool {
  private config: McpConfig = { loaded: [], disabled: [], problems: [], turnedOff: new Set(), files: [] };
  private pooled: readonly PooledServer[] = [];
  private loading: Promise<void> | undefined;
  private isClosed = false;

  constructor(private readonly ports: PoolPorts) {}

  get servers(): readonly PooledServer[] {
    return this.pooled;
  }

  get problems(): readonly Problem[] {
    return this.config.problems;
  }

  get report(): McpConfig {
    return this.config;
  }

  /** Reads the configuration once; `reload` reads it again. */
  ready(): Promise<void> {
    this.loading ??= this.reload();
    return this.loading;
  }

  /** Servers whose entry is the same keep their connection. */
  async reload(): Promise<void> {
    const work = this.load();
    this.loading = work;
    await work;
  }

  find(name: string): PooledServer | undefined {
    return this.pooled.find(({ server }) => server.id === name) ?? this.pooled.find(({ server }) => server.name === name);
  }

  /** Begins to connect whatever is not connected; does not wait. */
  start(): void {
    if (this.isClosed) return;
    for (const { connection } of this.pooled) if (connection?.status.kind === 'idle') void connection.connect();
  }

  /** Waits for servers that are being connected. @returns whether all of them have come to an end of it */
  async settled(wait: { readonly ms: number; readonly signal?: AbortSignal; readonly which: (server: McpServer) => boolean }): Promise<boolean> {
    const busy = this.pooled.flatMap(({ server, connection }) => (connection && wait.which(server) && isBusy(connection) ? [connection.quiet()] : []));
    if (busy.length === 0) return true;
    const over = new AbortController();
    const signal = wait.signal ? AbortSignal.any([wait.signal, over.signal]) : over.signal;
    const first = await Promise.race([Promise.all(busy).then(() => true), this.ports.clock.sleep(wait.ms, signal).then(() => false)]);
    over.abort();
    return first;
  }

  async restart(name: string): Promise<Result<void, string>> {
    const found = this.find(name);
    if (!found) return err(`There is no MCP server "${name}".`);
    if (!found.connection) return err(found.admission.kind === 'refused' ? `${name} may not be started: ${found.admission.reason}.` : `${name} waits for your approval.`);
    await found.connection.restart();
    return ok(undefined);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all(this.pooled.map(({ connection }) => connection?.close()));
  }

  private async load(): Promise<void> {
    const config = await this.ports.load();
    const chosen = choose(config.loaded, (server) => this.ports.admit(server, config));
    const before = new Map(this.pooled.flatMap((one) => (one.connection ? [[JSON.stringify(one.server), one.connection] as const] : [])));
    this.config = config;
    this.pooled = chosen.map(({ server, admission }) => {
      const key = JSON.stringify(server);
      const kept = before.get(key);
      if (admission.kind !== 'allowed') return { server, admission, connection: undefined };
      before.delete(key);
      return { server, admission, connection: kept ?? this.ports.connection(server) };
    });
    if (this.isClosed) return;
    await Promise.all([...before.values()].map((connection) => connection.close()));
    this.ports.onChange();
  }
}

function isBusy(connection: McpConnection): boolean {
  return connection.isRelisting || connection.status.kind === 'idle' || connection.status.kind === 'connecting';
}
