import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { errorCode, errorText } from '../base/errorText';
import { childEnv } from './childEnv';

export interface GitOutput {
  readonly exitCode: number;
  /** Decoded as UTF-8; for file names and contents that may not be, take `bytes`. */
  readonly stdout: string;
  readonly stderr: string;
  readonly bytes: Buffer;
  /** Set when `maxBytes` ended the call; what came before is there. */
  readonly isCut?: boolean;
}

export interface GitOptions {
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  readonly stdin?: string | Uint8Array;
  /** Added to ours, from which keys and git's own `GIT_DIR` and the like are taken out. */
  readonly env?: Readonly<Record<string, string>>;
  readonly maxBytes?: number;
}

/** Runs git with argument arrays; nothing passes a shell. The only importer of simple-git. */
export interface GitRunner {
  /** Never throws for git's own failures: look at `exitCode`. @throws when git itself is missing */
  readonly run: (args: readonly string[], options?: GitOptions) => Promise<GitOutput>;
  /**
   * Calls that talk to another machine, through simple-git, which refuses options and addresses that run programs
   * (`--upload-pack`, `ext::`). Local calls don't: measured, it adds 46 ms at first and 2 ms per call, and has no bytes.
   */
  readonly runRemote: (args: readonly string[], options?: Pick<GitOptions, 'cwd' | 'signal'>) => Promise<GitOutput>;
}

/** Where a parent (a git hook, say) pinned another repository. */
const pinned = /^GIT_(DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|NAMESPACE|PREFIX|EXTERNAL_DIFF|LITERAL_PATHSPECS|GLOB_PATHSPECS|ICASE_PATHSPECS)$/;
/** A monitor is a program named by the repository: nothing here needs it. */
const always = ['-c', 'core.quotepath=off', '-c', 'core.fsmonitor=false', '-c', 'gc.auto=0'];

export function createGitRunner(defaultCwd: string): GitRunner {
  return {
    run: (args, options = {}) => runGit(args, { ...options, cwd: options.cwd ?? defaultCwd }),
    runRemote: (args, options = {}) => runRemote(args, options.cwd ?? defaultCwd, options.signal),
  };
}

export function gitEnv(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const env = childEnv(process.env);
  for (const name of Object.keys(env)) if (pinned.test(name)) delete env[name];
  return { ...env, GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C', ...more };
}

function runGit(args: readonly string[], options: GitOptions & { readonly cwd: string }): Promise<GitOutput> {
  if (options.signal?.aborted) return Promise.resolve(failed(130, 'stopped'));
  return new Promise((resolve, reject) => {
    const child = spawn('git', [...always, ...args], { cwd: options.cwd, env: gitEnv(options.env), stdio: [options.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'], windowsHide: true });
    const out: Buffer[] = [];
    const errors: Buffer[] = [];
    let size = 0;
    let isCut = false;
    const stop = (): void => void child.kill();
    options.signal?.addEventListener('abort', stop, { once: true });
    child.stdout?.on('data', (chunk: Buffer) => {
      if (isCut) return;
      out.push(chunk);
      size += chunk.length;
      if (options.maxBytes === undefined || size <= options.maxBytes) return;
      isCut = true;
      stop();
    });
    child.stderr?.on('data', (chunk: Buffer) => errors.push(chunk));
    child.stdin?.on('error', () => undefined); // git need not read all it is given; its exit code says how it went
    child.stdin?.end(options.stdin);
    child.once('error', (thrown) => {
      options.signal?.removeEventListener('abort', stop);
      if (!isFolder(options.cwd)) resolve(failed(128, `fatal: the folder ${options.cwd} does not exist`));
      else reject(new Error(errorCode(thrown) === 'ENOENT' ? 'git was not found. Install git and make sure that it is on PATH.' : `git ${args[0] ?? ''} could not run: ${errorText(thrown)}`));
    });
    child.once('close', (code) => {
      options.signal?.removeEventListener('abort', stop);
      const bytes = isCut ? Buffer.concat(out).subarray(0, options.maxBytes) : Buffer.concat(out);
      resolve({ exitCode: isCut ? 0 : (code ?? 130), stdout: bytes.toString('utf8'), stderr: Buffer.concat(errors).toString('utf8'), bytes, ...(isCut ? { isCut } : {}) });
    });
  });
}

function failed(exitCode: number, stderr: string): GitOutput {
  return { exitCode, stdout: '', stderr, bytes: Buffer.alloc(0) };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

async function runRemote(args: readonly string[], cwd: string, signal: AbortSignal | undefined): Promise<GitOutput> {
  if (signal?.aborted) return failed(130, 'stopped');
  const { simpleGit } = await import('simple-git');
  try {
    const env = gitEnv();
    for (const name of Object.keys(env)) if (/^(GIT_(SEQUENCE_)?EDITOR|EDITOR|VISUAL|(GIT_)?PAGER|GIT_TEMPLATE_DIR|GIT_EXEC_PATH)$/i.test(name)) delete env[name];
    // What is left is how the person logs in; it is theirs, not the repository's.
    const unsafe = { allowUnsafeAskPass: true, allowUnsafeSshCommand: true, allowUnsafeGitProxy: true, allowUnsafeConfigEnvCount: true, allowUnsafeConfigPaths: true };
    const stdout = await simpleGit({ baseDir: cwd, abort: signal, trimmed: false, allowEnvironment: Object.keys(env), unsafe }).env(env).raw([...args]);
    return { exitCode: 0, stdout, stderr: '', bytes: Buffer.from(stdout) };
  } catch (thrown) {
    return failed(signal?.aborted ? 130 : 128, errorText(thrown));
  }
}
