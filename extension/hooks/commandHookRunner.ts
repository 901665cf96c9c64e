import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ProcessRunner, ProcessSpec } from '../platform/processRunner';
import { shellPath } from '../platform/shellPath';
import type { Hook } from './hook';
import { keptOutputBytes } from './hookLimits';
import type { RawRun } from './hookReply';
import type { CommandHandler } from './hookSchema';

export interface CommandHookPorts {
  readonly processes: ProcessRunner;
  /** Already without keys. */
  readonly env: () => Readonly<Record<string, string>>;
  readonly projectRoot: string;
}

export interface CommandHookCall {
  readonly hook: Hook;
  readonly handler: CommandHandler;
  readonly stdin: string;
  readonly cwd: string;
  readonly effort?: string | undefined;
  /** Where it may write `export` lines. */
  readonly envFile?: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Runs a command hook. Its process group ends with it: what it left running does not go on. */
export async function runCommandHook(call: CommandHookCall, ports: CommandHookPorts): Promise<RawRun> {
  const begun = performance.now();
  if (call.envFile !== undefined) prepareEnvFile(call.envFile);
  const variables = hookVariables(call, ports.projectRoot);
  let group: number | undefined;
  const spawned = (pid: number): void => {
    group = pid;
  };
  const started = await ports.processes.run(
    { ...program(call, variables, ports), cwd: call.cwd, env: hookEnv(call, variables, ports.env()), stdin: call.stdin, spawned, output: { keepBytes: keptOutputBytes } },
    { timeoutMs: call.timeoutMs, signal: call.signal },
  );
  const durationMs = Math.round(performance.now() - begun);
  if (!started.ok) return { end: call.signal.aborted ? 'stopped' : 'failed', stdout: '', isWhole: true, stderr: started.problem, durationMs };
  const { exitCode, reason, stdout, stderr, leftover } = started.value;
  if (leftover && group !== undefined) ports.processes.endGroup(group);
  const end = reason === 'timeout' ? 'timeout' : reason === 'stopped' ? 'stopped' : 'exit';
  return { end, exitCode, stdout: stdout.head, isWhole: stdout.whole, stderr: stderr.head, durationMs };
}

/** The file of `export` lines a hook has written; undefined when it wrote none. */
export function commandEnvFile(path: string): string | undefined {
  return existsSync(path) && statSync(path).size > 0 ? path : undefined;
}

function prepareEnvFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  rmSync(path, { force: true });
}

type Variables = Readonly<Record<string, string>>;

function hookVariables({ hook }: CommandHookCall, projectRoot: string): Variables {
  const { plugin } = hook.origin;
  return { CLAUDE_PROJECT_DIR: projectRoot, ...(plugin ? { CLAUDE_PLUGIN_ROOT: plugin.root, ...(plugin.dataDir === undefined ? {} : { CLAUDE_PLUGIN_DATA: plugin.dataDir }) } : {}) };
}

function hookEnv(call: CommandHookCall, variables: Variables, inherited: Variables): Record<string, string> {
  const options = Object.entries(call.hook.origin.plugin?.options ?? {}).map(([key, value]) => [`CLAUDE_PLUGIN_OPTION_${key.toUpperCase().replace(/[^A-Z0-9_]/g, '_')}`, value]);
  const kept = Object.entries(inherited).filter(([name]) => !name.startsWith('OTEL_') && name !== 'CLAUDE_ENV_FILE');
  return {
    ...Object.fromEntries(kept),
    ...Object.fromEntries(options),
    ...variables,
    ...(call.effort === undefined ? {} : { CLAUDE_EFFORT: call.effort }),
    ...(call.envFile === undefined ? {} : { CLAUDE_ENV_FILE: call.envFile }),
  };
}

/** With `args` each is one argument, as it is; without, the line is the shell's. */
function program({ handler, hook }: CommandHookCall, variables: Variables, ports: CommandHookPorts): Pick<ProcessSpec, 'command' | 'args' | 'script'> {
  if (handler.args) {
    const options = Object.fromEntries(Object.entries(hook.origin.plugin?.options ?? {}).map(([key, value]) => [`user_config.${key}`, value]));
    const filled = (text: string): string => text.replace(/\$\{([\w.]+)\}/g, (written, name: string) => ({ ...options, ...variables })[name] ?? written);
    return { command: filled(handler.command), args: handler.args.map(filled) };
  }
  if (handler.shell === 'powershell') {
    const line = handler.command.replace(/\$\{(CLAUDE_PROJECT_DIR|CLAUDE_PLUGIN_ROOT|CLAUDE_PLUGIN_DATA)\}/g, '$${env:$1}');
    return { command: process.platform === 'win32' ? 'powershell.exe' : 'pwsh', args: ['-NoProfile', '-NonInteractive', '-Command', line] };
  }
  const shell = process.platform === 'win32' || handler.shell === 'bash' ? shellPath(ports.env()) : '/bin/sh';
  return { command: shell, args: [], script: handler.command };
}
