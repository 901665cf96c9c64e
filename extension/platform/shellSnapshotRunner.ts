import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { ProcessRunner } from './processRunner';

export interface ShellSnapshot {
  /** A bash file with the person's aliases and functions; undefined when there are none or their rc takes too long. */
  readonly path: () => Promise<string | undefined>;
}

const limitMs = 4_000;
const mark = '__TROUPE_SNAPSHOT__';

/** Reads the person's rc files once, at the first call. Takes as long as opening a terminal does: start it early, in the background. */
export function createShellSnapshot(options: { readonly processes: ProcessRunner; readonly env: Readonly<Record<string, string>>; readonly cwd: string }): ShellSnapshot {
  let taken: Promise<string | undefined> | undefined;
  return {
    path: () => {
      taken ??= take(options);
      return taken;
    },
  };
}

async function take({ processes, env, cwd }: { readonly processes: ProcessRunner; readonly env: Readonly<Record<string, string>>; readonly cwd: string }): Promise<string | undefined> {
  if (process.platform === 'win32') return undefined;
  const shell = env['SHELL'] ?? '/bin/bash';
  const name = basename(shell);
  if (name !== 'bash' && name !== 'zsh') return undefined;
  const list = name === 'zsh' ? 'alias -L' : 'alias -p; declare -f';
  const run = await processes.run({ command: shell, args: ['-i', '-c', `echo ${mark}; ${list}`], cwd, env, output: { keepBytes: 4 * 1024 * 1024 } }, { timeoutMs: limitMs });
  if (!run.ok || run.value.reason !== 'exit') return undefined;
  const text = run.value.stdout.head.split(`${mark}\n`)[1]?.trim();
  if (!text) return undefined;
  const path = join(await mkdtemp(join(tmpdir(), 'troupe-shell-')), 'snapshot.sh');
  await writeFile(path, `shopt -s expand_aliases\n${text}\n`, { mode: 0o600 });
  return path;
}
