import { join } from 'node:path';
import * as z from 'zod';
import { mainAgentId, newId } from '../base/ids';
import type { FileStore } from '../platform/fileStore';
import type { ConfinedCommand } from '../platform/sandboxRunner';
import type { ProcessEnd, ProcessRunner, ProcessSpec, RunningProcess } from '../platform/processRunner';
import type { BackgroundTasks, TaskStatus } from './backgroundTasks';
import { fileShownBy, mayMoveToBackground } from './bashHints';
import type { BashLimits } from './bashLimits';
import { bashResult } from './bashResult';
import { bashScript } from './bashScript';
import type { CommandPlace, CommandSandbox } from './commandSandbox';
import { headOf } from './cutText';
import { defineTool, failure, text, type Tool, type ToolContext, type ToolEffect, type ToolResult } from './defineTool';
import { noteSeen } from './knownFiles';
import { absolutePath, isInside } from './toolPaths';

export interface BashPorts {
  readonly processes: ProcessRunner;
  readonly store: FileStore;
  readonly tasks: BackgroundTasks;
  /** The shell: a path, or a name on PATH. */
  readonly shell: string;
  /** Already without keys. @see childEnv. Read at each call, so that settings and plugins can change it. */
  readonly env: (ctx: ToolContext) => Readonly<Record<string, string>>;
  /** Folder for long outputs of this session; made when needed. */
  readonly outputsDir: (ctx: ToolContext) => string;
  /** A file of aliases and functions to read first. @see createShellSnapshot */
  readonly snapshot?: (() => Promise<string | undefined>) | undefined;
  /** Files of `export` lines that hooks have written. */
  readonly envFiles?: ((ctx: ToolContext) => readonly string[]) | undefined;
  readonly limits?: BashLimits | undefined;
  readonly sandbox?: CommandSandbox | undefined;
}

const fileBytes = 64 * 1024 * 1024;
const subagentShellMs = 60 * 60_000;

const input = z.object({
  command: z.string().min(1).describe('The command line for bash'),
  timeout: z.coerce.number().positive().optional().describe('Time limit in ms. Default 120000, at most 600000'),
  description: z.string().optional().describe('What the command does, in 5 to 10 words'),
  run_in_background: z.boolean().optional().describe('Return at once and let it go on; you are told when it ends'),
  dangerouslyDisableSandbox: z.boolean().optional().describe('Where commands run in a sandbox: run this one outside, which asks the person'),
});
type Input = z.infer<typeof input>;

export function createBashTool(ports: BashPorts): Tool {
  return defineTool({
    name: 'Bash',
    description:
      'Runs a bash command and returns its output. Each call is a new shell: variables do not carry over; a cd does, inside the working folders. For files prefer Read, Edit, Write, Glob and Grep. Quote paths with blanks. Nothing can answer prompts, so pass flags like --yes. Long output is cut and kept in a file. A command over its time goes on in the background where that makes sense; use run_in_background for servers and long builds instead of &.',
    kind: 'command',
    input,
    readOnly: false,
    maxResultChars: Number.POSITIVE_INFINITY,
    title: (call) => headOf(call.command.trim().split('\n')[0] ?? '', 200),
    describe: async (call, ctx) => {
      const place = await placeOf(call, ctx, ports);
      const why = place.kind === 'outside' ? place.why : undefined;
      return { title: 'run a command', command: call.command, ...(place.kind === 'confined' ? { sandboxed: true } : {}), ...(why === undefined ? {} : { alwaysAsk: why, risks: [why] }) };
    },
    check: async (call, ctx) => {
      const place = await placeOf(call, ctx, ports);
      return place.kind === 'refused' ? place.why : undefined;
    },
    run: (call, ctx) => runBash(call, ctx, ports),
  });
}

async function placeOf(call: Input, ctx: ToolContext, { sandbox }: BashPorts): Promise<CommandPlace> {
  return sandbox ? sandbox.placeOf({ command: call.command, wantsOut: call.dangerouslyDisableSandbox === true }, ctx) : { kind: 'open' };
}

interface Started {
  readonly call: Input;
  readonly ctx: ToolContext;
  readonly ports: BashPorts;
  readonly process: RunningProcess;
  readonly cwdFile: string;
  readonly confined: ConfinedCommand | undefined;
}

async function runBash(call: Input, ctx: ToolContext, ports: BashPorts): Promise<ToolResult> {
  if (call.command.includes('\0')) return failure('The command has a NUL byte. Remove it.');
  const background = call.run_in_background === true;
  if (background && ports.limits?.noBackground) return failure('Background commands are turned off here. Run it in the foreground, with a timeout if it is long.');
  const dir = ports.outputsDir(ctx);
  const cwdFile = join(dir, `.${ctx.callId}.cwd`);
  const live = liveOutput(ctx);
  await ports.store.makeFolder(dir);
  const script = bashScript({ command: call.command, snapshot: await ports.snapshot?.(), envFiles: ports.envFiles?.(ctx) ?? [], cwdFile: carriesCwd(ctx, ports) && !background ? cwdFile : undefined });
  const place = await placeOf(call, ctx, ports);
  if (place.kind === 'refused') return failure(place.why);
  const over = new AbortController();
  const confined = place.kind === 'confined' && ports.sandbox ? await ports.sandbox.confine(script, ports.shell, ctx, over.signal) : undefined;
  if (confined && !confined.ok) return failure(`The command could not be put into the sandbox, so it did not run: ${confined.problem}.`);
  const spec: ProcessSpec = {
    ...(confined ? { command: confined.value.command, args: confined.value.args } : { command: ports.shell, args: [], script }),
    cwd: ctx.cwd,
    env: { ...ports.env(ctx), PWD: ctx.cwd },
    merge: true,
    output: { keepBytes: 640 * 1024, spill: { path: join(dir, `${ctx.callId}.output`), maxBytes: fileBytes } },
    spawned: ctx.spawned,
    onOutput: live,
  };
  const started = await ports.processes.start(spec);
  if (!started.ok) {
    confined?.value.release();
    return failure(started.problem);
  }
  const all: Started = { call, ctx, ports, process: started.value, cwdFile, confined: confined?.value };
  void started.value.ended.then(() => {
    over.abort();
    confined?.value.release();
  });
  if (background) return intoBackground(all, 'Running in the background');
  const end = await endOrTime(all);
  if (end === 'timeout') return intoBackground(all, `Still running after ${timeoutOf(call, ports)} ms, so it was moved to the background`);
  return finished(all, end);
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

function timeoutOf(call: Input, { limits }: BashPorts): number {
  const usual = limits?.defaultTimeoutMs ?? 120_000;
  return Math.min(call.timeout ?? usual, Math.max(usual, limits?.maxTimeoutMs ?? 600_000));
}

/** Over its time a command either goes on (`timeout`) or is ended. */
function endOrTime({ call, ctx, ports, process }: Started): Promise<ProcessEnd | 'timeout'> {
  return new Promise((resolve) => {
    const onAbort = (): void => process.stop('stopped');
    const done = (value: ProcessEnd | 'timeout'): void => {
      clearTimeout(timer);
      ctx.signal.removeEventListener('abort', onAbort);
      resolve(value);
    };
    const timer = setTimeout(() => {
      if (!ports.limits?.noBackground && mayMoveToBackground(call.command)) done('timeout');
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

async function finished(started: Started, end: ProcessEnd): Promise<ToolResult> {
  const { call, ctx, ports, process, confined } = started;
  const moved = await movedTo(started);
  const shown = fileShownBy(call.command);
  if (shown && end.exitCode === 0 && end.reason === 'exit') {
    const real = await ports.store.realPath(absolutePath(shown.path, ctx.cwd));
    const known = ctx.files.get(real);
    if (!known || known.partial || shown.whole) await noteSeen(ports.store, ctx.files, real, !shown.whole || end.stdout.totalBytes > 30_000);
  }
  if (end.leftover) ports.tasks.addLeftover({ sessionId: ctx.sessionId, agentId: ctx.agentId, end: () => ports.processes.endGroup(process.pid) });
  const result = await bashResult({ command: call.command, end, timeoutMs: timeoutOf(call, ports), maxChars: ports.limits?.maxOutputChars, store: ports.store, pid: process.pid });
  const limits = confined && (end.exitCode !== 0 || confined.refusals().length > 0) ? (ports.sandbox?.explain(process.captured().tail, confined.refusals()) ?? '') : '';
  const notices = [...(moved.reset ? [`Shell cwd was reset to ${ctx.cwd}`] : []), limits];
  const content = [result.content, ...notices].filter((part) => part !== '').join('\n\n');
  return { ...result, content, effects: [...(result.effects ?? []), ...moved.effects] };
}

function carriesCwd(ctx: ToolContext, ports: BashPorts): boolean {
  return ctx.agentId === mainAgentId && !ports.limits?.stayInProject;
}

/** Where the shell stood at its end, if that is a place the agent may work in. */
async function movedTo({ ctx, ports, cwdFile }: Started): Promise<{ readonly effects: readonly ToolEffect[]; readonly reset: boolean }> {
  if (!carriesCwd(ctx, ports)) return { effects: [], reset: false };
  const file = await ports.store.takeText(cwdFile);
  const cwd = file?.replace(/\n$/, '');
  if (!cwd || cwd === ctx.cwd || cwd === (await ports.store.realPath(ctx.cwd))) return { effects: [], reset: false };
  const dirs = await Promise.all(ctx.workingDirs.map((dir) => ports.store.realPath(dir)));
  if (dirs.some((dir) => isInside(cwd, dir))) return { effects: [{ kind: 'cwd', cwd }], reset: false };
  return { effects: [], reset: true };
}
