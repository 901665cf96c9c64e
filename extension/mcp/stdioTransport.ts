import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { ProcessRunner, RunningProcess } from '../platform/processRunner';
import { idOf, LineFeed } from './lineFeed';
import type { StdioLaunch } from './mcpServer';
import type { Sdk } from './sdkTypes';

export interface StdioPorts {
  readonly sdk: Pick<Sdk, 'JSONRPCMessageSchema'>;
  readonly processes: ProcessRunner;
  readonly cwd: string;
  /** All of it, the entry's own variables included. */
  readonly env: Readonly<Record<string, string>>;
  /** What it writes to stderr, and lines on stdout that are no messages. */
  readonly onText: (text: string) => void;
}

/** How long a server may take to end by itself once its input is closed. */
const endGraceMs = 500;

/** A server as a child process of ours: it and all it starts end with the window. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  private child: RunningProcess | undefined;
  private closing = false;

  constructor(
    private readonly launch: StdioLaunch,
    private readonly ports: StdioPorts,
  ) {}

  async start(): Promise<void> {
    const { processes, cwd, env, onText } = this.ports;
    const feed = new LineFeed({ onLine: (line) => this.line(line), onTooLong: (head, bytes) => this.tooLong(head, bytes) });
    const started = await processes.start({
      command: this.launch.command,
      args: this.launch.args,
      cwd,
      env,
      keepsStdin: true,
      output: { keepBytes: 0 },
      maxOutputBytes: Number.POSITIVE_INFINITY,
      onOutput: (chunk) => feed.take(chunk),
      onErrorOutput: (chunk) => onText(chunk.toString('utf8')),
    });
    if (!started.ok) throw new Error(started.problem);
    const child = started.value;
    this.child = child;
    void child.ended.then((end) => {
      if (end.leftover) processes.endGroup(child.pid);
      if (!this.closing) onText(`It ended (${end.signal ?? `exit code ${end.exitCode}`}).`);
      this.onclose?.();
    });
    // Closed while it was being started.
    if (this.closing) child.stop('stopped');
  }

  async send(message: unknown): Promise<void> {
    const written = await this.child?.write(`${JSON.stringify(message)}\n`);
    if (!written) throw new Error('The server has ended.');
  }

  async close(): Promise<void> {
    this.closing = true;
    const { child } = this;
    if (!child) return;
    child.endInput();
    const timer = setTimeout(() => child.stop('stopped'), endGraceMs);
    await child.ended;
    clearTimeout(timer);
    this.ports.processes.endGroup(child.pid);
  }

  private line(line: string): void {
    const message = this.parse(line);
    if (message) this.onmessage?.(message);
    else this.ports.onText(`Not a message: ${line.slice(0, 500)}`);
  }

  private parse(line: string): Parameters<NonNullable<Transport['onmessage']>>[0] | undefined {
    try {
      const parsed = this.ports.sdk.JSONRPCMessageSchema.safeParse(JSON.parse(line));
      return parsed.success ? parsed.data : undefined;
    } catch {
      return undefined; // garbage on stdout is told to the person as text
    }
  }

  /** Whoever waits for it must hear of it. */
  private tooLong(head: string, bytes: number): void {
    const id = idOf(head);
    this.ports.onText(`A message of ${bytes} bytes was dropped.`);
    if (id !== undefined && /"(result|error)"/.test(head)) this.onmessage?.({ jsonrpc: '2.0', id, error: { code: -32_000, message: `the answer was too large (${Math.round(bytes / 1_048_576)} MB) and was dropped; ask for less` } });
  }
}
