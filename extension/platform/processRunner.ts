import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { accessSync, constants, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { delimiter, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { errorText } from '../base/errorText';
import { err, ok, type Result } from '../base/result';
import { type CapturedOutput, OutputSink, type SinkOptions } from './outputSink';
import { groupLives, linuxStartMs, markedProcesses, processStartedAtMs, signalGroup, signalProcess, startedAround, startTicks } from './processTimes';
import { Reaper } from './reaper';

export interface ProcessSpec {
  /** A path, or a name looked up on the PATH of `env`. Never a shell line. */
  readonly command: string;
  readonly args: readonly string[];
  /** `command` is a POSIX shell and this its script, in place of `args`: saves the start of one more process. */
  readonly script?: string;
  readonly cwd: string;
  /** All of it: nothing is inherited. @see childEnv */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** The command talks with us while it runs: what is `write`n reaches its stdin, which stays open. */
  readonly keepsStdin?: boolean;
  /** Errors are written into the same stream, in order. */
  readonly merge?: boolean;
  /** Default: 1 MiB kept, the rest counted and dropped. */
  readonly output?: SinkOptions;
  /** The group is ended once it has written more than this. Default 5 GB. */
  readonly maxOutputBytes?: number;
  /** Called after the process exists and before its command starts. */
  readonly spawned?: (pid: number, processStartedAtMs: number) => void;
  readonly onOutput?: (chunk: Buffer) => void;
  /** Of `onOutput`, what came on stderr alone; `onOutput` is not told of it then. */
  readonly onErrorOutput?: (chunk: Buffer) => void;
}

export type EndReason = 'exit' | 'timeout' | 'stopped' | 'outputLimit';

export interface ProcessEnd {
  /** null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly reason: EndReason;
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
  /** The command has ended but something it started goes on in its group. */
  readonly leftover: boolean;
  readonly durationMs: number;
}

export interface RunningProcess {
  readonly pid: number;
  readonly startedAtMs: number;
  readonly ended: Promise<ProcessEnd>;
  /** Ends the whole group: TERM, then KILL a second later. */
  readonly stop: (reason: Exclude<EndReason, 'exit'>) => void;
  readonly captured: () => CapturedOutput;
  /** To a command with `keepsStdin`. @returns false when it no longer takes anything */
  readonly write: (text: string) => Promise<boolean>;
  /** Tells a command with `keepsStdin` that nothing more comes. */
  readonly endInput: () => void;
  /** Sends all output to the file of `output.spill` from here on; what had come before is in it too. */
  readonly toFile: () => string | undefined;
}

export interface RunLimits {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** Starts programs so that they, and all they start, end with this process. One per engine. */
export interface ProcessRunner {
  readonly start: (spec: ProcessSpec) => Promise<Result<RunningProcess, string>>;
  /** Start and wait. Runs past the limit or after abort end with `reason` `timeout` or `stopped`. */
  readonly run: (spec: ProcessSpec, limits: RunLimits) => Promise<Result<ProcessEnd, string>>;
  /** Ends what commands that are over have left running in their groups. */
  readonly endGroup: (pid: number) => void;
  /** Ends every group and waits for it, at most about 1.5 s. */
  readonly close: () => Promise<void>;
}

/**
 * Waits for one line before it becomes the command, so that the reaper holds the group first; if we die before,
 * the line never comes and nothing runs. `exec` keeps the pid.
 */
const gate = 'IFS= read -r TROUPE_GATE <&3 || exit 125; unset TROUPE_GATE; exec 3<&-';
const defaultSink: SinkOptions = { keepBytes: 1024 * 1024 };
const killAfterMs = 1_000;
/** How long output may go on after the command's end before a leftover is taken to hold the pipe. */
const drainMs = 100;
/** The most of it, when a leftover writes without a pause. */
const mostDrainMs = 2_000;

export function createProcessRunner(): ProcessRunner {
  const reaper = new Reaper();
  const running = new Set<RunningProcess>();
  const marks = markMaker();
  /** Groups whose command is over while something it started goes on. */
  const leftovers = new Set<number>();
  const prune = (): void => {
    for (const pgid of leftovers) if (!groupLives(pgid) && leftovers.delete(pgid)) reaper.release(pgid);
  };
  const start = async (spec: ProcessSpec): Promise<Result<RunningProcess, string>> => {
    const problem = startProblem(spec);
    if (problem) return err(problem);
    prune();
    const mark = marks();
    const spawned = await spawnGated(spec, reaper, mark);
    if (!spawned.ok) return spawned;
    const started = supervise(spec, spawned.value, mark);
    running.add(started);
    void started.ended.then((end) => {
      running.delete(started);
      if (end.leftover) leftovers.add(started.pid);
      else reaper.release(started.pid);
    });
    return ok(started);
  };
  return {
    start,
    run: async (spec, limits) => {
      if (limits.signal?.aborted) return err('It was stopped before it started.');
      const started = await start(spec);
      return started.ok ? ok(await waitWithin(started.value, limits)) : started;
    },
    endGroup: (pid) => {
      if (reaper.held().includes(pid)) endGroup(pid);
    },
    close: async () => {
      const groups = reaper.held();
      for (const p of running) p.stop('stopped');
      for (const pgid of groups) endGroup(pgid);
      for (let waited = 0; waited < 1_500 && groups.some(groupLives); waited += 20) await pause(20);
      reaper.close();
    },
  };
}

/** Waits for the end; ends it at the time limit or on abort. */
export async function waitWithin(process: RunningProcess, limits: RunLimits): Promise<ProcessEnd> {
  const onAbort = (): void => process.stop('stopped');
  const timer = setTimeout(() => process.stop('timeout'), limits.timeoutMs);
  limits.signal?.addEventListener('abort', onAbort, { once: true });
  if (limits.signal?.aborted) onAbort();
  const end = await process.ended;
  clearTimeout(timer);
  limits.signal?.removeEventListener('abort', onAbort);
  return end;
}

/** Ends groups that an earlier, crashed engine has left. A pid that now belongs to another process is left alone. */
export async function sweep(records: readonly { readonly pid: number; readonly processStartedAtMs: number }[]): Promise<readonly number[]> {
  const ended: number[] = [];
  for (const { pid, processStartedAtMs: recorded } of records) {
    const now = await processStartedAtMs(pid);
    if (now === undefined || !startedAround(now, recorded)) continue;
    endGroup(pid);
    ended.push(pid);
  }
  return ended;
}

interface Spawned {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly startedAtMs: number;
}

/** In the environment of all that one command starts, so that what leaves its group is still known to be its own. */
function markMaker(): () => string {
  const own = randomBytes(6).toString('hex');
  let count = 0;
  return () => `${own}.${++count}.`;
}

async function spawnGated(spec: ProcessSpec, reaper: Reaper, mark: string): Promise<Result<Spawned, string>> {
  const windows = process.platform === 'win32';
  const { command, args } = windows ? { command: spec.command, args: spec.script === undefined ? spec.args : ['-c', spec.script] } : gated(spec);
  try {
    const stdin = spec.stdin === undefined && !spec.keepsStdin ? 'ignore' : 'pipe';
    const child = spawn(command, [...args], {
      cwd: spec.cwd,
      env: { ...spec.env, TROUPE_RUN: mark },
      detached: !windows,
      windowsHide: true,
      stdio: windows ? [stdin, 'pipe', 'pipe'] : [stdin, 'pipe', 'pipe', 'pipe'],
    });
    const { pid } = child;
    if (pid === undefined) return err(await new Promise<string>((resolve) => child.once('error', (e) => resolve(spawnText(spec, e)))));
    const startedAtMs = linuxStartMs(pid) ?? Date.now();
    await reaper.hold(pid, { startTicks: startTicks(pid), mark });
    spec.spawned?.(pid, startedAtMs);
    openGate(child.stdio[3]);
    return ok({ child, pid, startedAtMs });
  } catch (thrown) {
    return err(spawnText(spec, thrown));
  }
}

function gated(spec: ProcessSpec): { readonly command: string; readonly args: readonly string[] } {
  const before = `${spec.merge ? 'exec 2>&1; ' : ''}${gate}`;
  if (spec.script !== undefined) return { command: spec.command, args: ['-c', `${before}\n${spec.script}`] };
  return { command: '/bin/sh', args: ['-c', `${before}; exec "$@"`, 'sh', spec.command, ...spec.args] };
}

function openGate(pipe: Readable | Writable | null | undefined): void {
  if (!pipe || !('write' in pipe)) return;
  pipe.on('error', () => undefined); // the group was ended while it waited: its end is reported like any other
  pipe.end('\n');
}

function supervise(spec: ProcessSpec, { child, pid, startedAtMs }: Spawned, mark: string): RunningProcess {
  const sink = spec.output ?? defaultSink;
  const stdout = new OutputSink(sink);
  const stderr = new OutputSink({ keepBytes: sink.keepBytes });
  const max = spec.maxOutputBytes ?? 5_000_000_000;
  let reason: EndReason = 'exit';
  const stop = (why: EndReason): void => {
    if (reason !== 'exit') return;
    reason = why;
    endGroup(pid);
    endMarked(mark);
  };
  const take = (target: OutputSink, tell = spec.onOutput) => (chunk: Buffer): void => {
    target.write(chunk);
    tell?.(chunk);
    if (stdout.total + stderr.total > max) stop('outputLimit');
  };
  child.stdout?.on('data', take(stdout));
  child.stderr?.on('data', take(stderr, spec.onErrorOutput ?? spec.onOutput));
  child.stdin?.on('error', () => undefined); // a command need not read what it is given
  if (!spec.keepsStdin) child.stdin?.end(spec.stdin);
  const begun = performance.now();
  const ended = settle(child).then(({ exitCode, signal, open }) => {
    const end = { exitCode, signal, reason, leftover: groupLives(pid), durationMs: Math.round(performance.now() - begun), stdout: stdout.captured(), stderr: stderr.captured() };
    if (!open) stdout.close();
    else {
      child.once('close', () => stdout.close());
      // What goes on writing must not keep us alive.
      for (const pipe of [child.stdout, child.stderr]) if (pipe instanceof Socket) pipe.unref();
    }
    return end;
  });
  return { pid, startedAtMs, ended, stop, write: (text) => writeTo(child.stdin, text), endInput: () => void child.stdin?.end(), captured: () => stdout.captured(), toFile: () => stdout.openFile() };
}

function writeTo(pipe: Writable | null, text: string): Promise<boolean> {
  return new Promise((resolve) => {
    if (!pipe?.writable) return resolve(false);
    pipe.write(text, (error) => resolve(!error));
  });
}

/** Resolves when the command has ended and its output was read; `open` when something else still holds the pipe. */
function settle(child: ChildProcess): Promise<{ exitCode: number | null; signal: string | null; open: boolean }> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    let status: { exitCode: number | null; signal: string | null } = { exitCode: null, signal: null };
    const finish = (open: boolean): void => {
      clearTimeout(timer);
      resolve({ ...status, open });
    };
    child.once('exit', (exitCode, signal) => {
      status = { exitCode, signal };
      const exitedAt = performance.now();
      // Timers come before pipes are read: on a busy machine what the command wrote is still to come when this fires.
      const look = (): void => {
        const seen = bytesRead(child);
        setImmediate(() => setImmediate(() => (bytesRead(child) === seen || performance.now() - exitedAt > mostDrainMs ? finish(true) : look())));
      };
      timer = setTimeout(look, drainMs);
    });
    child.once('close', () => finish(false));
  });
}

function bytesRead({ stdout, stderr }: ChildProcess): number {
  return [stdout, stderr].reduce((sum, pipe) => sum + (pipe instanceof Socket ? pipe.bytesRead : 0), 0);
}

function endGroup(pid: number): void {
  if (process.platform === 'win32') {
    spawn('taskkill', ['/pid', String(pid), '/t', '/f'], { windowsHide: true, stdio: 'ignore' }).on('error', () => signalGroup(pid, 'SIGKILL'));
    return;
  }
  if (!signalGroup(pid, 'SIGTERM')) return;
  setTimeout(() => signalGroup(pid, 'SIGKILL'), killAfterMs).unref();
}

/** What has left the group of a command that is stopped. On systems without /proc nothing tells. */
function endMarked(mark: string): void {
  const signalAll = (signal: NodeJS.Signals): number => {
    const ids = markedProcesses(mark);
    for (const id of ids) signalProcess(id, signal);
    return ids.length;
  };
  if (signalAll('SIGTERM') > 0) setTimeout(() => signalAll('SIGKILL'), killAfterMs).unref();
}

/** The gate would report these as its own failures, in words nobody can act on. */
function startProblem(spec: ProcessSpec): string | undefined {
  if (!statSync(spec.cwd, { throwIfNoEntry: false })?.isDirectory()) return `The folder ${spec.cwd} does not exist, so nothing can be run there.`;
  const bare = !/[\\/]/.test(spec.command);
  if (process.platform === 'win32' && bare) return undefined;
  const places = bare ? (spec.env['PATH'] ?? '/usr/bin:/bin').split(delimiter).map((dir) => join(dir, spec.command)) : [spec.command];
  return places.some(isExecutable) ? undefined : `The program ${spec.command} was not found${bare ? ' on PATH' : ''}.`;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function spawnText(spec: ProcessSpec, thrown: unknown): string {
  const text = errorText(thrown);
  if (text.includes('E2BIG')) return `The arguments of ${spec.command} are longer than the system allows. Put the long part into a file and pass its path.`;
  return `${spec.command} could not be started: ${text}`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
