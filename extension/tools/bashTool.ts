import { join } from 'node:path';
import * as z from 'zod';
import { mainAgentId } from '../base/ids';
import type { ConfinedCommand } from '../platform/sandboxRunner';
import { fileShownBy, mayMoveToBackground } from './bashHints';
import { bashResult } from './bashResult';
import { bashScript } from './bashScript';
import type { CommandPlace, CommandSandbox } from './commandSandbox';
import { headOf } from './cutText';
import { defineTool, failure, type Tool, type ToolContext, type ToolEffect, type ToolResult } from './defineTool';
import { noteSeen } from './knownFiles';
import { runShell, shellProblem, type ShellEnd, type ShellPorts, timeoutOf } from './shellRun';
import { absolutePath, isInside } from './toolPaths';

export interface BashPorts extends ShellPorts {
  /** The shell: a path, or a name on PATH. */
  readonly shell: string;
  /** A file of aliases and functions to read first. @see createShellSnapshot */
  readonly snapshot?: (() => Promise<string | undefined>) | undefined;
  /** Files of `export` lines that hooks have written. */
  readonly envFiles?: ((ctx: ToolContext) => readonly string[]) | undefined;
  readonly sandbox?: CommandSandbox | undefined;
}

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
  readonly cwdFile: string;
  readonly confined: ConfinedCommand | undefined;
}

async function runBash(call: Input, ctx: ToolContext, ports: BashPorts): Promise<ToolResult> {
  const problem = shellProblem(call, ports.limits);
  if (problem !== undefined) return failure(problem);
  const dir = ports.outputsDir(ctx);
  const cwdFile = join(dir, `.${ctx.callId}.cwd`);
  await ports.store.makeFolder(dir);
  const script = bashScript({ command: call.command, snapshot: await ports.snapshot?.(), envFiles: ports.envFiles?.(ctx) ?? [], cwdFile: carriesCwd(ctx, ports) && !call.run_in_background ? cwdFile : undefined });
  const place = await placeOf(call, ctx, ports);
  if (place.kind === 'refused') return failure(place.why);
  const over = new AbortController();
  const made = place.kind === 'confined' && ports.sandbox ? await ports.sandbox.confine(script, ports.shell, ctx, over.signal) : undefined;
  if (made && !made.ok) return failure(`The command could not be put into the sandbox, so it did not run: ${made.problem}.`);
  const confined = made?.value;
  const started: Started = { call, ctx, ports, cwdFile, confined };
  return runShell(
    {
      call,
      ctx,
      ports,
      program: confined ? { command: confined.command, args: confined.args } : { command: ports.shell, args: [], script },
      mayMove: mayMoveToBackground(call.command),
      over: () => {
        over.abort();
        confined?.release();
      },
    },
    (end) => finished(started, end),
  );
}

async function finished(started: Started, { process, end }: ShellEnd): Promise<ToolResult> {
  const { call, ctx, ports, confined } = started;
  const moved = await movedTo(started);
  const shown = fileShownBy(call.command);
  if (shown && end.exitCode === 0 && end.reason === 'exit') {
    const real = await ports.store.realPath(absolutePath(shown.path, ctx.cwd));
    const known = ctx.files.get(real);
    if (!known || known.partial || shown.whole) await noteSeen(ports.store, ctx.files, real, !shown.whole || end.stdout.totalBytes > 30_000);
  }
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
