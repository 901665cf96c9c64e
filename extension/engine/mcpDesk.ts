import type { LateTools } from '../tools/toolShelf';
import type { McpServer } from '../mcp/mcpServer';
import { admit, choose } from '../mcp/mcpAdmission';
import { hasMcpConfig, loadMcpConfig, type McpConfig, type McpPlaces } from '../mcp/mcpConfigLoader';
import type { PooledServer } from '../mcp/mcpPool';
import type { McpHouse, McpHouseParts } from './mcpHouse';

/** A start waits so long for servers marked `alwaysLoad` (spec 08); a run without a person for the others, since it has no later turn. */
const alwaysLoadMs = 5_000;
const headlessMs = 2_000;

/** The door to the MCP servers of the window. Where no file names one, nothing of MCP is ever loaded. */
export class McpDesk {
  /** What the agents' tool lists are fed from. */
  readonly late: LateTools = { current: () => this.open?.tools() ?? [], expected: (name) => this.open?.expected(name) };
  private open: McpHouse | undefined;
  private opening: Promise<McpHouse | undefined> | undefined;
  private waited: Promise<void> | undefined;
  private isClosed = false;
  private hasAsked = false;

  constructor(
    private readonly places: () => McpPlaces,
    private readonly parts: McpHouseParts,
  ) {}

  /** The servers, once some file names one. Connecting goes on in the background. */
  house(): Promise<McpHouse | undefined> {
    this.opening ??= this.load().then((house) => {
      // Asked again later: a file may come.
      if (!house) this.opening = undefined;
      return house;
    });
    return this.opening;
  }

  /** What is there without waiting. */
  get current(): McpHouse | undefined {
    return this.open;
  }

  /** Before an agent's first request, and only then: later tools come with later turns. */
  async beforeFirst(): Promise<void> {
    const house = await this.house();
    if (!house) return;
    this.waited ??= Promise.all([
      house.pool.settled({ ms: alwaysLoadMs, which: (server: McpServer) => server.alwaysLoad }),
      ...(this.parts.options.interactive ? [] : [house.pool.settled({ ms: headlessMs, which: () => true })]),
    ]).then(() => undefined);
    await this.waited;
  }

  /** Once per window: asks the person of this session about the repository's servers, while the agent goes on. */
  askForApproval(sessionId: string): void {
    const pending = this.open?.pool.servers.filter(({ admission }) => admission.kind === 'pending').map(({ server }) => server) ?? [];
    if (pending.length === 0 || this.hasAsked) return;
    this.hasAsked = true;
    void this.parts.approve(sessionId, pending).then(async (answers) => {
      for (const { name, may } of answers ?? []) {
        const saved = await this.parts.settings.saveMcpAnswer(name, may ? 'enable' : 'disable');
        if (!saved.ok) this.parts.ports.log.warn(`The answer about the MCP server ${name} could not be kept: ${saved.problem}`);
      }
      if (answers) await this.reload();
    });
  }

  /** Settings, trust or files have changed. */
  async reload(): Promise<void> {
    if (!this.open) return void (await this.house());
    await this.open.reload();
  }

  /** What the files say and who may run; connects nothing that is not connected. */
  async look(): Promise<Pick<McpConfig, 'disabled' | 'problems'> & { readonly servers: readonly PooledServer[] }> {
    if (this.open) return { servers: this.open.pool.servers, ...this.open.pool.report };
    const config = await loadMcpConfig(this.places());
    const { settings, ports, options } = this.parts;
    const place = { trusted: ports.trust.isTrusted(), interactive: options.interactive, turnedOff: config.turnedOff };
    return { servers: choose(config.loaded, (server) => admit(server, settings.mcp(), place)).map((one) => ({ ...one, connection: undefined })), disabled: config.disabled, problems: config.problems };
  }

  /** Settings change what may run, not the files. */
  async settingsChanged(): Promise<void> {
    await this.open?.reload();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const house = await this.opening;
    await house?.pool.close();
  }

  private async load(): Promise<McpHouse | undefined> {
    if (this.isClosed || !(await hasMcpConfig(this.places()))) return undefined;
    const { openMcpHouse } = await import('./mcpHouse');
    const house = openMcpHouse(this.places, this.parts);
    await house.pool.ready();
    if (this.isClosed) return house;
    this.open = house;
    house.pool.start();
    return house;
  }
}
