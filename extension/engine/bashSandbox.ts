import { join } from 'node:path';
import { compileCommandPattern } from '../permissions/commandPattern';
import type { SplitCommand } from '../permissions/commandTypes';
import type { PolicyRule } from '../permissions/permissionTypes';
import type { FileStore } from '../platform/fileStore';
import type { GitRunner } from '../platform/gitRunner';
import type { SandboxRunner } from '../platform/sandboxRunner';
import type { Settings } from '../settings/settingsSchema';
import type { CommandPlace, CommandSandbox } from '../tools/commandSandbox';
import type { ToolContext } from '../tools/defineTool';
import { isInside } from '../tools/toolPaths';
import { guarded, guardedFolder, sandboxChoice, sandboxLimits, type SandboxPlace } from './sandboxLimits';

export interface BashSandboxPorts {
  readonly runner: SandboxRunner;
  readonly settings: () => Pick<Settings, 'sandbox'>;
  readonly rules: () => readonly PolicyRule[];
  readonly split: SplitCommand;
  readonly git: GitRunner;
  readonly store: Pick<FileStore, 'info' | 'makeFolder'>;
  readonly homeDir: string;
  readonly configRoot: string;
  /** Folders of ours a command writes to: its output, where it stood at its end. */
  readonly ownDirs: (ctx: ToolContext) => readonly string[];
  /** Commands run unconfined after all: told once. */
  readonly onUnavailable: (why: string) => void;
}

const blocked = /Read-only file system|Operation not permitted|bwrap: |sandbox-exec: /;

/** The settings' `sandbox` for shell commands: which run in it, what they may touch there, who is asked about hosts. */
export function createBashSandbox(ports: BashSandboxPorts): CommandSandbox {
  let isTold = false;
  const gitDirs = new Map<string, Promise<string | undefined>>();
  const placeOf = async ({ command, wantsOut }: { readonly command: string; readonly wantsOut: boolean }): Promise<CommandPlace> => {
    const choice = sandboxChoice(ports.settings());
    if (!choice.isOn) return { kind: 'open' };
    const problem = await ports.runner.problem();
    if (problem !== undefined) {
      if (choice.isRequired) return { kind: 'refused', why: `The settings require a sandbox for commands (sandbox.failIfUnavailable), and there is none: ${problem}. Nothing was run.` };
      if (!isTold && ports.runner.missing === undefined) ports.onUnavailable(problem); // what is missing is told with the settings
      isTold = true;
      return { kind: 'open' };
    }
    if (choice.excluded.length > 0 && (await isExcluded(command, choice.excluded, ports.split))) return { kind: 'outside' };
    if (wantsOut && choice.mayLeave) return { kind: 'outside', why: 'It asks to run outside the sandbox, where it can write and reach anything you can' };
    return { kind: 'confined' };
  };
  const gitDirOf = (ctx: ToolContext): Promise<string | undefined> => {
    const known = gitDirs.get(ctx.cwd) ?? commonGitDir(ports.git, ctx.cwd);
    gitDirs.set(ctx.cwd, known);
    return known;
  };
  const limitsFor = async (ctx: ToolContext) => {
    const gitDir = await gitDirOf(ctx);
    const isElsewhere = gitDir !== undefined && !ctx.workingDirs.some((dir) => isInside(gitDir, dir));
    const place: SandboxPlace = { projectRoot: ctx.projectRoot, homeDir: ports.homeDir, configRoot: ports.configRoot, workingDirs: ctx.workingDirs, ownDirs: ports.ownDirs(ctx), guarded: await guardedIn(ctx.workingDirs, ports.store), ...(isElsewhere ? { gitDir } : {}) };
    return sandboxLimits(ports.settings(), ports.rules(), place);
  };
  return {
    placeOf,
    confine: async (script, shell, ctx, over) =>
      ports.runner.confine({ id: ctx.callId, owner: ctx.agentId, shell, script, cwd: ctx.cwd, limits: await limitsFor(ctx), askHost: (host, port) => askHost(ctx, { host, port, signal: over }) }),
    explain: (output, refusals) => {
      const asked = sandboxChoice(ports.settings()).mayLeave ? ' If the task needs more than that, call it again with dangerouslyDisableSandbox: true, which asks the person.' : '';
      const hosts = refusals.length === 0 ? '' : ` Refused: ${refusals.slice(0, 5).join('; ')}.`;
      if (refusals.length === 0 && !blocked.test(output)) return '';
      return `The command ran in a sandbox: it can write to the working folders and temporary files only, and reach only hosts that were allowed.${hosts}${asked}`;
    },
  };
}

/** Each part of the line must be one of them: what stands beside it is not meant. */
async function isExcluded(command: string, patterns: readonly string[], split: SplitCommand): Promise<boolean> {
  const parsed = await split(command);
  if (!parsed.ok || parsed.parts.length === 0) return false;
  const compiled = patterns.map(compileCommandPattern);
  return parsed.parts.every((part) => part.kind === 'command' && compiled.some((pattern) => pattern.matchesWords(part.words)));
}

/** An empty `.claude` is made where there is none: a command must not make one with settings of its own in it. */
async function guardedIn(dirs: readonly string[], store: BashSandboxPorts['store']): Promise<readonly string[]> {
  const found = dirs.flatMap((dir) => guarded.map((name) => join(dir, name))).map(async (path) => ((await store.info(path)) ? [path] : []));
  const folders = dirs.map((dir) => join(dir, guardedFolder));
  await Promise.all(folders.map((path) => store.makeFolder(path).catch(() => undefined)));
  return [...folders, ...(await Promise.all(found)).flat()];
}

async function commonGitDir(git: GitRunner, cwd: string): Promise<string | undefined> {
  const found = await git.run(['rev-parse', '--path-format=absolute', '--git-common-dir'], { cwd });
  return found.exitCode === 0 ? found.stdout.trim() : undefined;
}

/** Judged and asked like a fetch from that host, so that a rule for it can be saved; a command in nobody's sight reaches nothing. */
async function askHost(ctx: ToolContext, { host, port, signal }: { readonly host: string; readonly port: number; readonly signal: AbortSignal }): Promise<boolean> {
  if (!ctx.ask || signal.aborted) return false;
  const name = host.includes(':') ? `[${host}]` : host;
  const url = `${port === 443 ? 'https' : 'http'}://${name}${port === 80 || port === 443 ? '' : `:${port}`}/`;
  return ctx.ask({ tool: 'WebFetch', kind: 'fetch', title: `let a command reach ${host}${port === 80 || port === 443 ? '' : `:${port}`}`, input: { url }, url, cwd: ctx.cwd, readOnly: true, sandboxed: true }, signal);
}
