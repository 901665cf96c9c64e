import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { errorText } from '../base/errorText';
import { err, ok, type Result } from '../base/result';
import { isProgram, missingForSandbox } from './sandboxNeeds';

/** What commands may touch. Paths are absolute. */
export interface SandboxLimits {
  readonly allowWrite: readonly string[];
  readonly denyWrite: readonly string[];
  readonly denyRead: readonly string[];
  readonly allowRead: readonly string[];
  /** Names like `example.org`, `*.example.org`, `example.org:443`. */
  readonly allowedDomains: readonly string[];
  readonly deniedDomains: readonly string[];
  /** Nobody is asked about a host that is not listed. */
  readonly isListFinal: boolean;
  readonly allowUnixSockets: readonly string[];
  readonly allowAllUnixSockets: boolean;
  readonly allowLocalBinding: boolean;
  /** For a machine that is itself a container without its own /proc. */
  readonly weakerNested: boolean;
}

export interface ConfineRequest {
  /** Of the call; no two at once have the same. */
  readonly id: string;
  readonly shell: string;
  readonly script: string;
  readonly cwd: string;
  readonly limits: SandboxLimits;
  /** Of the agent whose command it is: those of other agents are asked, too, while their commands run. */
  readonly owner: string;
  /** A host that is in neither list. Never rejects. */
  readonly askHost: (host: string, port: number) => Promise<boolean>;
}

export interface ConfinedCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Connections that were refused so far, in words. */
  readonly refusals: () => readonly string[];
  /** It has ended. */
  readonly release: () => void;
}

/** Commands that can write and reach only what they may. One per engine; the runtime behind it serves one at a time. */
export interface SandboxRunner {
  /** Why it can't be had on this system, as far as that shows without trying. */
  readonly missing: string | undefined;
  /** The same after a first try; asked once. */
  readonly problem: () => Promise<string | undefined>;
  readonly confine: (request: ConfineRequest) => Promise<Result<ConfinedCommand, string>>;
  readonly close: () => Promise<void>;
}

type Manager = typeof import('./sandboxRuntime').SandboxManager;

const probeMs = 15_000;

/** @param options.assetsDir folder of the bundle, where the runtime's helper lies below `seccomp/` */
export function createSandboxRunner(options: { readonly env: Readonly<Record<string, string | undefined>>; readonly assetsDir: string; readonly ripgrepPath: string | undefined; readonly platform?: NodeJS.Platform }): SandboxRunner {
  const { env, platform = process.platform } = options;
  const missing = missingForSandbox(platform, env['PATH'] ?? '');
  const running = new Map<string, ConfineRequest>();
  let opening: Promise<Manager> | undefined;
  let probing: Promise<string | undefined> | undefined;

  const askAll = async ({ host, port }: { host: string; port: number | undefined }): Promise<boolean> => {
    const byOwner = new Map([...running.values()].map((request) => [request.owner, request]));
    if (byOwner.size === 0) return false;
    for (const request of byOwner.values()) if (!(await request.askHost(host, port ?? 0))) return false;
    return true;
  };
  const open = (limits: SandboxLimits): Promise<Manager> => {
    opening ??= (async () => {
      const { SandboxManager } = await import('./sandboxRuntime');
      if (SandboxManager.getProxyPort() !== undefined) throw new Error('another engine of this process confines commands already');
      makeTempDir();
      await SandboxManager.initialize(config(limits, options), askAll);
      return SandboxManager;
    })();
    opening.catch(() => {
      opening = undefined;
    });
    return opening;
  };
  const wrap = async (manager: Manager, request: ConfineRequest): Promise<Result<{ readonly command: string; readonly args: readonly string[] }, string>> => {
    const { filesystem } = config(request.limits, options);
    const { argv } = await manager.wrapWithSandboxArgv(request.script, request.shell, { filesystem }, undefined, request.cwd, { commandId: request.id, commandText: request.id });
    const [command, ...args] = argv;
    return command === undefined ? err('the sandbox gave no command') : ok({ command, args });
  };
  const probe = async (): Promise<string | undefined> => {
    if (missing !== undefined) return missing;
    try {
      const cwd = process.cwd();
      const limits: SandboxLimits = { allowWrite: [], denyWrite: [], denyRead: [], allowRead: [], allowedDomains: [], deniedDomains: [], isListFinal: false, allowUnixSockets: [], allowAllUnixSockets: false, allowLocalBinding: false, weakerNested: false };
      const manager = await open(limits);
      const wrapped = await wrap(manager, { id: 'probe', shell: '/bin/sh', script: 'true', cwd, limits, owner: '', askHost: async () => false });
      if (!wrapped.ok) return wrapped.problem;
      return await tried(wrapped.value.command, wrapped.value.args, env);
    } catch (thrown) {
      return errorText(thrown);
    }
  };
  return {
    missing,
    problem: () => (probing ??= probe()),
    confine: async (request) => {
      try {
        const manager = await open(request.limits);
        manager.updateConfig(config(request.limits, options));
        const wrapped = await wrap(manager, request);
        if (!wrapped.ok) return wrapped;
        running.set(request.id, request);
        const refusals = (): readonly string[] => manager.getSandboxViolationStore().getViolationsForCommand(request.id).map(({ line }) => line);
        const release = (): void => {
          if (running.delete(request.id)) manager.cleanupAfterCommand();
        };
        return ok({ ...wrapped.value, refusals, release });
      } catch (thrown) {
        return err(errorText(thrown));
      }
    },
    close: async () => {
      running.clear();
      await opening?.then((manager) => manager.reset()).catch(() => undefined);
    },
  };
}

function config(limits: SandboxLimits, { assetsDir, ripgrepPath }: { readonly assetsDir: string; readonly ripgrepPath: string | undefined }): Parameters<Manager['initialize']>[0] {
  const helper = seccompHelper(assetsDir);
  return {
    network: {
      allowedDomains: [...limits.allowedDomains],
      deniedDomains: [...limits.deniedDomains],
      strictAllowlist: limits.isListFinal,
      allowUnixSockets: [...limits.allowUnixSockets],
      allowAllUnixSockets: limits.allowAllUnixSockets,
      allowLocalBinding: limits.allowLocalBinding,
    },
    filesystem: { allowWrite: [...limits.allowWrite], denyWrite: [...limits.denyWrite], denyRead: [...limits.denyRead], allowRead: [...limits.allowRead] },
    enableWeakerNestedSandbox: limits.weakerNested,
    ...(helper === undefined ? {} : { seccomp: { applyPath: helper } }),
    ...(ripgrepPath === undefined ? {} : { ripgrep: { command: ripgrepPath } }),
  };
}

/** Keeps commands from local sockets. Packing may have taken its right to run. */
function seccompHelper(assetsDir: string): string | undefined {
  const path = join(assetsDir, 'seccomp', process.arch, 'apply-seccomp');
  try {
    if (!isProgram(path)) chmodSync(path, 0o755);
    return path;
  } catch {
    return undefined; // the runtime looks beside itself
  }
}

/** The runtime points TMPDIR there; it makes nothing itself. */
function makeTempDir(): void {
  try {
    mkdirSync('/tmp/claude', { recursive: true, mode: 0o1777 });
  } catch {
    // commands then have no folder for temporary files, and say so themselves
  }
}

/** @returns why a command that does nothing could not be run in it */
function tried(command: string, args: readonly string[], env: Readonly<Record<string, string | undefined>>): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(command, [...args], { timeout: probeMs, env: { PATH: env['PATH'] ?? '' } }, (error, _out, stderr) => resolve(error ? `it does not start here: ${stderr.trim().split('\n').at(-1) || errorText(error)}` : undefined));
  });
}
