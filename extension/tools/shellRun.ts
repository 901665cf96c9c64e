import { join } from 'node:path';
import { mainAgentId, newId } from '../base/ids';
import type { FileStore } from '../platform/fileStore';
import type { ProcessEnd, ProcessRunner, ProcessSpec, RunningProcess } from '../platform/processRunner';
import type { BackgroundTasks, TaskStatus } from './backgroundTasks';
import type { BashLimits } from './bashLimits';
import { headOf } from './cutText';
import { failure, text, type ToolContext, type ToolResult } from './defineTool';

/** What every shell tool works with. */
export interface ShellPorts {
  readonly processes: ProcessRunner;
  readonly store: FileStore;
  readonly tasks: BackgroundTasks;
  /** Already without keys. @see childEnv. Read at each call, so that settings and plugins can change it. */
  readonly env: (ctx: ToolContext) => Readonly<Record<string, string>>;
  /** Folder for long outputs of this session; made when needed. */
  readonly outputsDir: (ctx: ToolContext) => string;
  readonly limits?: BashLimits | undefined;
}

export interface ShellCall {
  readonly command: string;
  readonly timeout?: number | undefined;
  readonly run_in_background?: boolean | undefined;
}

/** One command to run, in whatever shell. */
export interface ShellStart {
  readonly call: ShellCall;
  readonly ctx: ToolContext;
  readonly ports: ShellPorts;
  readonly program: Pick<ProcessSpec, 'command' | 'args' | 'script'>;
  /** Over its time it goes on in the background; else it is ended. */
  readonly mayMove: boolean;
  /** It has ended, or did not start. */
  readonly over?: () => void;
}

export interface ShellEnd {
  readonly process: RunningProcess;
  readonly end: ProcessEnd;
}

interface Started extends ShellStart {
  readonly process: RunningProcess;
}

const fileBytes = 64 * 1024 * 1024;
const subagentShellMs = 60 * 60_000;

/** Why a call can't run at all. */
export function shellProblem({ command, run_in_background }: ShellCall, limits: BashLimits | undefined): string | undefined {
  if (command.includes('\0')) return 'The command has a NUL byte. Remove it.';
  if (run_in_background && limits?.noBackground) return 'Background commands are turned off here. Run it in the foreground, with a timeout if it is long.';
  return undefined;
}

/** Runs it to its end, its time limit or the background. `finished` makes the result of one that has ended. */
export async function runShell(start: ShellStart, finished: (end: ShellEnd) => Promise<ToolResult>): Promise<ToolResult> {
  const { call, ctx, ports, program, over } = start;
  const dir = ports.outputsDir(ctx);
  const spec: ProcessSpec = {
    ...program,
    cwd: ctx.cwd,
    env: { ...ports.env(ctx), PWD: ctx.cwd },
    merge: true,
    output: { keepBytes: 640 * 1024, spill: { path: join(dir, `${ctx.callId}.output`), maxBytes: fileBytes } },
    spawned: ctx.spawned,
    onOutput: liveOutput(ctx),
  };
  const started = await ports.processes.start(spec);
  if (!started.ok) {
    over?.();
    return failure(started.problem);
  }
  const all: Started = { ...start, process: started.value };
  void started.value.ended.then(over);
  if (call.run_in_background) return intoBackground(all, 'Running in the background');
  const end = await endOrTime(all);
  if (end === 'timeout') return intoBackground(all, `Still running after ${timeoutOf(call, ports)} ms, so it was moved to the background`);
  if (end.leftover) ports.tasks.addLeftover({ sessionId: ctx.sessionId, agentId: ctx.agentId, end: () => ports.processes.endGroup(started.value.pid) });
  return finished({ process: started.value, end });
}

/** At most 64 KB at a time to the front end; it shows the end of it anyway. */
function liveOutput(ctx: ToolContext): (chunk: Buffer) => void {
  const decoder = new TextDecoder('utf-8');
  let sent = 0;
  return (chunk) => {
    if (sent > 1024 * 1024) return;
    sent += chunk.length;
    ctx.output(decoder.decode(chunk, { stream: true }));
  };
}

/** In ms. */
export function timeoutOf(call: ShellCall, { limits }: Pick<ShellPorts, 'limits'>): number {
  const usual = limits?.defaultTimeoutMs ?? 120_000;
  return Math.min(call.timeout ?? usual, Math.max(usual, limits?.maxTimeoutMs ?? 600_000));
}

/** Over its time a command either goes on (`timeout`) or is ended. */
function endOrTime({ call, ctx, ports, process, mayMove }: Started): Promise<ProcessEnd | 'timeout'> {
  return new Promise((resolve) => {
    const onAbort = (): void => process.stop('stopped');
    const done = (value: ProcessEnd | 'timeout'): void => {
      clearTimeout(timer);
      ctx.signal.removeEventListener('abort', onAbort);
      resolve(value);
    };
    const timer = setTimeout(() => {
      if (!ports.limits?.noBackground && mayMove) done('timeout');
      else process.stop('timeout');
    }, timeoutOf(call, ports));
    ctx.signal.addEventListener('abort', onAbort, { once: true });
    if (ctx.signal.aborted) onAbort();
    void process.ended.then(done);
  });
}

function intoBackground({ call, ctx, ports, process }: Started, how: string): ToolResult {
  const id = newId('bash');
  const outputFile = process.toFile() ?? '';
  let end: ProcessEnd | undefined;
  const status = (): TaskStatus => (end === undefined ? 'running' : end.reason !== 'exit' ? 'killed' : end.exitCode === 0 ? 'completed' : 'failed');
  const cap = ctx.agentId === mainAgentId ? undefined : setTimeout(() => process.stop('timeout'), subagentShellMs);
  cap?.unref();
  const ended = process.ended.then((value) => {
    clearTimeout(cap);
    end = value;
  });
  const title = headOf(call.command.trim().split('\n')[0] ?? '', 120);
  const summary = (): string => (end?.reason === 'exit' ? (end.signal ? `ended by ${end.signal}` : `exit code ${end.exitCode}`) : 'stopped');
  ports.tasks.add({ id, kind: 'shell', sessionId: ctx.sessionId, agentId: ctx.agentId, callId: ctx.callId, title, outputFile, status, summary, stop: () => process.stop('stopped'), ended });
  return text(`${how}. Task id: ${id}. Its output goes to ${outputFile}: Read that file to look at it, TaskStop with the id ends it. You are told when it ends.`, {
    note: 'in background',
    display: { kind: 'output', text: process.captured().tail.slice(-4_000), fullPath: outputFile, background: true },
  });
}
