import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { errorText } from '../base/errorText';
import { err, ok, type Result } from '../base/result';
import type { Clock } from '../ports';
import { failureOf } from './mcpFailure';
import { cutText } from './mcpLists';
import { McpLog, type McpStatus } from './mcpStatus';
import type { McpServer } from './mcpServer';
import { newMcpClient } from './newMcpClient';
import { type ListName, type McpLists, noLists, readAllLists, readList } from './readLists';
import type { McpCaller, ServerAsks } from './serverAsks';
import type { Sdk, SdkClient } from './sdkTypes';

export interface ConnectionPorts extends ServerAsks {
  readonly sdk: () => Promise<Sdk>;
  readonly transport: (sdk: Sdk, onText: (text: string) => void) => Promise<Result<Transport, string>>;
  readonly clock: Clock;
  readonly version: string;
  readonly startupMs: number;
  /** Longest time of a call, and longest time without a sign of life, both in milliseconds. */
  readonly callMs: number;
  readonly idleMs: number;
  /** Its state or its lists have changed. */
  readonly onChange: () => void;
}

export interface CallOptions {
  readonly caller: McpCaller;
  readonly signal: AbortSignal;
  readonly onProgress: (text: string) => void;
}

const firstDelayMs = 1_000;
const pingMs = 60_000;
/** A connection that lasted this long begins to count its failures anew. */
const steadyMs = 60_000;
/** Notifications that something changed come in bursts. */
const settleMs = 200;

/** One server: its connection, what it offers, and what it wrote. It is connected again when the connection is lost. */
export class McpConnection {
  readonly log: McpLog;
  private current: McpStatus = { kind: 'idle' };
  private offered: McpLists = noLists;
  private client: SdkClient | undefined;
  private opening: Promise<void> | undefined;
  private losses = 0;
  private readonly life = new AbortController();
  private readonly callers = new Set<McpCaller>();
  private readonly pinging: { dispose(): void };
  private readonly stale = new Set<ListName>();
  private relisting: Promise<void> | undefined;

  constructor(
    readonly server: McpServer,
    private readonly ports: ConnectionPorts,
  ) {
    this.log = new McpLog(ports.clock.nowMs);
    this.pinging = server.connect.kind === 'stdio' ? { dispose: () => undefined } : ports.clock.every(pingMs, () => void this.ping());
  }

  get status(): McpStatus {
    return this.current;
  }

  get isRelisting(): boolean {
    return this.stale.size > 0;
  }

  get lists(): McpLists {
    return this.offered;
  }

  get instructions(): string {
    return cutText(this.client?.getInstructions() ?? '');
  }

  /** Starts connecting unless it is connected or at it. Resolves when that has come to an end, whichever. */
  connect(): Promise<void> {
    if (this.current.kind === 'connected' || this.life.signal.aborted) return this.opening ?? Promise.resolve();
    this.opening ??= this.attempts(this.server.connect.kind === 'stdio' ? 1 : 3).finally(() => {
      this.opening = undefined;
    });
    return this.opening;
  }

  /** Resolves when it is neither being connected nor its lists are being read again. */
  async quiet(): Promise<void> {
    await this.connect();
    await this.relisting;
  }

  async restart(): Promise<void> {
    await this.opening;
    this.losses = 0;
    await this.drop();
    this.become({ kind: 'idle' });
    await this.connect();
  }

  async close(): Promise<void> {
    this.life.abort();
    this.pinging.dispose();
    await this.drop();
    this.become({ kind: 'closed' });
  }

  async call(tool: string, input: Readonly<Record<string, unknown>>, options: CallOptions): Promise<Result<Readonly<Record<string, unknown>>, string>> {
    const ready = await this.ready(options.signal);
    if (!ready.ok) return ready;
    if (!this.offered.tools.some((one) => one.name === tool)) return err(`The MCP server ${this.server.name} no longer has a tool ${tool}. Its tools are now: ${this.offered.tools.slice(0, 50).map((one) => one.name).join(', ') || 'none'}.`);
    return this.request('tools/call', { name: tool, arguments: { ...input } }, options);
  }

  async getPrompt(name: string, args: Readonly<Record<string, string>>, options: CallOptions): Promise<Result<Readonly<Record<string, unknown>>, string>> {
    const ready = await this.ready(options.signal);
    return ready.ok ? this.request('prompts/get', { name, arguments: { ...args } }, options) : ready;
  }

  async readResource(uri: string, options: CallOptions): Promise<Result<Readonly<Record<string, unknown>>, string>> {
    const ready = await this.ready(options.signal);
    return ready.ok ? this.request('resources/read', { uri }, options) : ready;
  }

  /** The folders have changed. */
  rootsChanged(): void {
    this.client?.sendRootsListChanged().catch((thrown) => this.log.add('warning', `It could not be told of the folders: ${errorText(thrown)}`));
  }

  private async ready(signal: AbortSignal): Promise<Result<void, string>> {
    if (this.current.kind === 'idle' || this.current.kind === 'connecting') await Promise.race([this.connect(), aborted(signal)]);
    // A call is judged by what the server offers now.
    if (this.relisting) await Promise.race([this.relisting, aborted(signal)]);
    if (this.client && this.current.kind === 'connected') return ok(undefined);
    return err(`The MCP server ${this.server.name} is not available: ${this.whyNot()}`);
  }

  private whyNot(): string {
    switch (this.current.kind) {
      case 'failed':
        return `${this.current.problem}. Go on without it, or ask the person to look at /mcp.`;
      case 'needsSignIn':
        return `${this.current.problem}. Ask the person to sign in with /mcp.`;
      case 'closed':
        return 'it has been closed. Go on without it.';
      default:
        return 'it is not connected yet. Try again later, or go on without it.';
    }
  }

  private async request(method: string, params: Readonly<Record<string, unknown>>, options: CallOptions, isSecond = false): Promise<Result<Readonly<Record<string, unknown>>, string>> {
    const { client } = this;
    if (!client) return err(`The MCP server ${this.server.name} is not connected.`);
    const sdk = await this.ports.sdk();
    const { callMs, idleMs } = this.ports;
    this.callers.add(options.caller);
    try {
      const value = await client.request({ method, params }, sdk.ResultSchema, {
        signal: options.signal,
        timeout: Math.min(callMs, idleMs),
        maxTotalTimeout: callMs,
        resetTimeoutOnProgress: true,
        onprogress: (progress) => options.onProgress(progressText(progress)),
      });
      return ok(value);
    } catch (thrown) {
      if (options.signal.aborted) return err('The call was stopped.');
      return this.failed(thrown, { sdk, client, again: isSecond ? undefined : () => this.request(method, params, options, true) });
    } finally {
      this.callers.delete(options.caller);
    }
  }

  private async failed(thrown: unknown, call: { readonly sdk: Sdk; readonly client: SdkClient; readonly again: (() => Promise<Result<Readonly<Record<string, unknown>>, string>>) | undefined }): Promise<Result<Readonly<Record<string, unknown>>, string>> {
    const { name } = this.server;
    const failure = failureOf(thrown, call.sdk);
    this.log.add('error', failure.message);
    switch (failure.kind) {
      case 'signIn':
        this.become({ kind: 'needsSignIn', problem: failure.message });
        return err(`The MCP server ${name} wants the person to sign in (/mcp). Go on without it, or ask for that.`);
      case 'session':
        // It has done nothing: a new session may simply ask again.
        if (!call.again) return err(`The MCP server ${name}: ${failure.message}`);
        this.lost(call.client);
        await this.opening;
        return this.current.kind === 'connected' ? call.again() : err(`The MCP server ${name} is not available: ${this.whyNot()}`);
      case 'lost':
        this.lost(call.client);
        return err(`The connection to the MCP server ${name} broke off during the call: ${failure.message}. It may have done part of it; it is being connected again. Look at what was done before you try again.`);
      case 'timeout':
        return err(`The MCP server ${name} did not answer in time and the call was given up. Ask for less, or go on without it.`);
      case 'server':
        return err(`The MCP server ${name} answered with an error: ${failure.message}`);
    }
  }

  private async attempts(limit: number): Promise<void> {
    for (let attempt = 1; !this.life.signal.aborted; attempt++) {
      this.become({ kind: 'connecting', attempt });
      const failed = await this.open();
      if (!failed || this.life.signal.aborted) return;
      this.log.add('error', failed.problem);
      if (failed.kind === 'needsSignIn' || attempt >= limit) return this.become(failed);
      await this.ports.clock.sleep(firstDelayMs * 2 ** (attempt - 1), this.life.signal);
    }
  }

  private async open(): Promise<Extract<McpStatus, { kind: 'failed' | 'needsSignIn' }> | undefined> {
    const sdk = await this.ports.sdk();
    const transport = await this.ports.transport(sdk, (text) => this.log.add('info', text));
    if (!transport.ok) return { kind: 'failed', problem: transport.problem };
    const client = newMcpClient(sdk, { ...this.ports, log: this.log, caller: () => this.caller() });
    try {
      await client.connect(transport.value, { timeout: this.ports.startupMs, signal: this.life.signal });
      this.client = client;
      client.onclose = () => this.lost(client);
      this.offered = await readAllLists(client, this.reading(sdk));
    } catch (thrown) {
      this.client = undefined;
      client.onclose = undefined;
      await transport.value.close().catch((more: unknown) => this.log.add('debug', errorText(more)));
      return this.openFailure(thrown, sdk);
    }
    if (this.client !== client) return { kind: 'failed', problem: `it ended while it was being connected. ${this.log.lastWords()}` };
    this.become({ kind: 'connected', atMs: this.ports.clock.nowMs() });
    this.watch(client, sdk);
    return undefined;
  }

  private openFailure(thrown: unknown, sdk: Sdk): Extract<McpStatus, { kind: 'failed' | 'needsSignIn' }> {
    const failure = failureOf(thrown, sdk);
    if (failure.kind === 'signIn') return { kind: 'needsSignIn', problem: failure.message };
    const words = this.log.lastWords();
    const said = words === '' ? '' : ` It wrote: ${words}`;
    if (failure.kind === 'timeout') return { kind: 'failed', problem: `it did not answer within ${this.ports.startupMs / 1_000} s.${said}` };
    return { kind: 'failed', problem: `${failure.message}${said}` };
  }

  /** The call that runs now; with several at once the last one begun stands for them. */
  private caller(): McpCaller | undefined {
    return [...this.callers].at(-1);
  }

  private watch(client: SdkClient, sdk: Sdk): void {
    client.setNotificationHandler(sdk.ToolListChangedNotificationSchema, () => this.changed('tools', client));
    client.setNotificationHandler(sdk.PromptListChangedNotificationSchema, () => this.changed('prompts', client));
    client.setNotificationHandler(sdk.ResourceListChangedNotificationSchema, () => this.changed('resources', client));
    if (client.getServerCapabilities()?.logging) client.setLoggingLevel('info').catch((thrown) => this.log.add('debug', errorText(thrown)));
  }

  private changed(list: ListName, client: SdkClient): void {
    const isFirst = this.stale.size === 0;
    this.stale.add(list);
    if (!isFirst) return;
    this.relisting = this.ports.clock.sleep(settleMs, this.life.signal).then(async () => {
      const lists = [...this.stale];
      this.stale.clear();
      for (const one of lists) await this.relist(one, client);
      if (this.client === client) this.ports.onChange();
    });
  }

  /** A list that can't be read again stays as it was. */
  private async relist(list: ListName, client: SdkClient): Promise<void> {
    try {
      const fresh = await readList(list, client, this.reading(await this.ports.sdk()));
      if (this.client === client) this.offered = { ...this.offered, ...fresh };
    } catch (thrown) {
      this.log.add('warning', `Its list of ${list} could not be read again: ${errorText(thrown)}`);
    }
  }

  private reading(sdk: Sdk): Parameters<typeof readAllLists>[1] {
    return { sdk, timeoutMs: this.ports.startupMs, signal: this.life.signal, log: this.log };
  }

  private async ping(): Promise<void> {
    const { client } = this;
    if (!client || this.current.kind !== 'connected') return;
    try {
      await client.ping({ timeout: 10_000 });
    } catch (thrown) {
      this.log.add('warning', `It does not answer: ${errorText(thrown)}`);
      this.lost(client);
    }
  }

  /** What it offered stays known: the calls say that it is gone. */
  private lost(client: SdkClient): void {
    if (this.client !== client || this.life.signal.aborted) return;
    const wasSteady = this.current.kind === 'connected' && this.ports.clock.nowMs() - this.current.atMs >= steadyMs;
    this.losses = wasSteady ? 1 : this.losses + 1;
    this.client = undefined;
    client.onclose = undefined;
    client.close().catch((thrown) => this.log.add('debug', errorText(thrown)));
    if (this.opening) return; // `open` sees that it is gone
    if (this.losses > 5) return this.become({ kind: 'failed', problem: `it ended ${this.losses} times in a row. ${this.log.lastWords()}` });
    this.log.add('warning', 'The connection was lost; it is being connected again.');
    this.become({ kind: 'connecting', attempt: 1 });
    this.opening = this.ports.clock
      .sleep(this.losses === 1 ? 0 : firstDelayMs * 2 ** (this.losses - 2), this.life.signal)
      .then(() => this.attempts(5))
      .finally(() => {
        this.opening = undefined;
      });
  }

  private async drop(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    if (!client) return;
    client.onclose = undefined;
    await client.close().catch((thrown: unknown) => this.log.add('debug', errorText(thrown)));
  }

  private become(status: McpStatus): void {
    if (this.current.kind === 'closed') return;
    this.current = status;
    this.ports.onChange();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function progressText({ progress, total, message }: { readonly progress: number; readonly total?: number; readonly message?: string }): string {
  const count = total === undefined ? String(progress) : `${progress}/${total}`;
  return message === undefined || message === '' ? `${count}\n` : `${count} ${message.slice(0, 1_000)}\n`;
}
