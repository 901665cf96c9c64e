import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { createJsonlTransport } from '../../extension/platform/jsonlTransport';
import type { UiEvent } from '../../extension/protocol/events';
import type { MethodName, MethodResult, Params } from '../../extension/protocol/methods';
import { RpcClient } from '../../extension/protocol/rpc';
import type { AnthropicServer } from './anthropicServer';
import type { TempRepo } from './tempRepo';

export interface HeadlessOptions {
  readonly repo: TempRepo;
  readonly server?: AnthropicServer;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string;
  /** Words of a shell that come before, such as `ulimit -f 64;`. */
  readonly before?: string;
}

export interface HeadlessRun {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** stdout as JSON lines. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  /** The last line: the result. */
  readonly result: Readonly<Record<string, unknown>>;
}

export interface RunningHeadless {
  readonly child: ChildProcess;
  readonly done: Promise<HeadlessRun>;
}

/** Built once for all scenarios, see `buildHeadless.ts`. */
const bundle = (): string => {
  const path = process.env['TROUPE_SCENARIO_BUNDLE'];
  if (path === undefined) throw new Error('Scenarios need their config: vitest run --config test/vitest.scenarios.config.mts');
  return path;
};

function start(args: readonly string[], { repo, server, env, before }: HeadlessOptions): ChildProcess {
  mkdirSync(repo.tempDir, { recursive: true });
  const command = [process.execPath, bundle(), ...args];
  const [file = '', ...rest] = before === undefined ? command : ['/bin/bash', '-c', `${before} exec "$@"`, 'bash', ...command];
  const child = spawn(file, rest, {
    cwd: repo.root,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      HOME: repo.homeDir,
      TMPDIR: repo.tempDir,
      CLAUDE_CONFIG_DIR: repo.configRoot,
      ...(server ? { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: server.url } : {}),
      ...env,
    },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

export function spawnHeadless(args: readonly string[], options: HeadlessOptions): RunningHeadless {
  const child = start(args, options);
  let [stdout, stderr] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin?.on('error', () => undefined); // it may end without reading
  child.stdin?.end(options.stdin ?? '');
  const done = new Promise<HeadlessRun>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode, signal) => {
      const lines = (): readonly Readonly<Record<string, unknown>>[] => stdout.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line));
      resolve({
        exitCode,
        signal,
        stdout,
        stderr,
        get lines() {
          return lines();
        },
        get result() {
          return lines().at(-1) ?? {};
        },
      });
    });
  });
  return { child, done };
}

export const runHeadless = (args: readonly string[], options: HeadlessOptions): Promise<HeadlessRun> => spawnHeadless(args, options).done;

export interface StdioClient {
  readonly child: ChildProcess;
  readonly call: <M extends MethodName>(method: M, params: Params<M>) => Promise<MethodResult<M>>;
  /** Everything that came in `events` envelopes. */
  readonly events: readonly UiEvent[];
  readonly event: <T extends UiEvent['type']>(type: T, test?: (event: Extract<UiEvent, { type: T }>) => boolean) => Promise<Extract<UiEvent, { type: T }>>;
  /** Ends as a machine that loses power does. Resolves when it is gone. */
  readonly kill: () => Promise<void>;
  /** Closes its stdin. @returns the exit code */
  readonly end: () => Promise<number | null>;
  readonly stderr: () => string;
}

/** `troupe --stdio` and a front end that talks to it. */
export function startStdio(options: HeadlessOptions, args: readonly string[] = []): StdioClient {
  const child = start(['--stdio', ...args], options);
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  if (!child.stdout || !child.stdin) throw new Error('no pipes');
  child.stdin.on('error', () => undefined); // killed on purpose
  const closed = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  const events: UiEvent[] = [];
  const listeners = new Set<(event: UiEvent) => void>();
  const client = new RpcClient(createJsonlTransport(child.stdout, child.stdin), (envelope) => {
    if (envelope.kind !== 'events') return;
    for (const event of envelope.events) {
      events.push(event);
      for (const listener of [...listeners]) listener(event);
    }
  });
  return {
    child,
    call: (method, params) => client.call(method, params),
    events,
    event: (type, test = () => true) =>
      new Promise((resolve) => {
        const take = (event: UiEvent): boolean => {
          if (event.type !== type || !test(event as never)) return false;
          listeners.delete(take);
          resolve(event as never);
          return true;
        };
        if (!events.some(take)) listeners.add(take);
      }),
    kill: async () => {
      child.kill('SIGKILL');
      await closed;
    },
    end: () => {
      child.stdin?.end();
      return closed;
    },
    stderr: () => stderr,
  };
}

/** Command lines of running processes that hold this text (of whoever: use a text nobody else has). */
export function processesWith(text: string): readonly string[] {
  return execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(text));
}

/** The sleep itself runs, not only the shell that is about to start it. */
export const sleepsFor = (seconds: string): boolean => processesWith(seconds).some((line) => line.trim() === `sleep ${seconds}`);

/** Seconds nobody else sleeps for, so that the process can be told in the process table. */
export const uniqueSeconds = (): string => `${600 + (process.pid % 300)}.${Math.floor(Math.random() * 1e9)}`;
