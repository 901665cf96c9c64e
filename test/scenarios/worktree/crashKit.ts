import { execFileSync, spawn } from 'node:child_process';
import { cpSync, lstatSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { finishWorktree } from '../../../extension/worktree/finishWorktreeRunner';
import { reconcileWorktrees } from '../../../extension/worktree/reconcileRunner';
import type { CrashJob } from './crashChild';
import { make, makeContext, makeRepo, must, type Repo, tempDir } from './worktreeKit';

/** Bundles the child once per test file. @returns runs a job in a process of its own; true when it died on the way */
export async function crashRunner(): Promise<(job: CrashJob) => Promise<boolean>> {
  const outfile = join(tempDir('crash'), 'child.mjs');
  await build({ entryPoints: [join(import.meta.dirname, 'crashChild.ts')], bundle: true, platform: 'node', format: 'esm', outfile, logLevel: 'error', banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" } });
  return (job) =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [outfile, JSON.stringify(job)], { stdio: ['ignore', 'ignore', 'pipe'] });
      const errors: Buffer[] = [];
      child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
      child.once('close', (code, signal) => {
        if (signal === 'SIGKILL') resolve(true);
        else if (code === 0) resolve(false);
        else reject(new Error(Buffer.concat(errors).toString()));
      });
    });
}

/** Every blob a person or an agent would miss: staged, and in each file of each checkout that git does not ignore. */
export function blobsOf(repo: Repo): Map<string, string> {
  const blobs = new Map<string, string>();
  const roots = repo.git('worktree', 'list', '--porcelain').split('\n').filter((line) => line.startsWith('worktree ')).map((line) => line.slice(9));
  for (const root of roots) {
    if (!lstatSync(root, { throwIfNoEntry: false })) continue;
    const at = repo.at(root);
    for (const line of at.git('ls-files', '-s', '-z').split('\0').filter(Boolean)) blobs.set(line.split(/[ \t]/)[1] ?? '', `${root} staged ${line.split('\t')[1]}`);
    const files = at.git('ls-files', '-z', '-c', '-o', '--exclude-standard').split('\0').filter((path) => path !== '' && !path.endsWith('/'));
    const there = files.filter((path) => lstatSync(join(root, path), { throwIfNoEntry: false })?.isFile());
    const ids = there.length === 0 ? [] : execFileSync('git', ['hash-object', '--stdin-paths'], { cwd: root, input: `${there.join('\n')}\n`, encoding: 'utf8' }).trim().split('\n');
    for (const [i, id] of ids.entries()) blobs.set(id, `${root} ${there[i]}`);
  }
  return blobs;
}

/** Blobs that no ref, index or file of a checkout has any more. */
export function lostBlobs(repo: Repo, before: ReadonlyMap<string, string>): string[] {
  const kept = new Set([...repo.git('rev-list', '--objects', '--all').split('\n').map((line) => line.split(' ')[0]), ...blobsOf(repo).keys()]);
  return [...before].filter(([id]) => !kept.has(id)).map(([id, where]) => `${id} ${where}`);
}

export function textOf(path: string): string | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return undefined;
  return stat.isSymbolicLink() ? `-> ${readlinkSync(path)}` : readFileSync(path, 'utf8');
}

/** Every step with TROUPE_CRASH_ALL=1 (minutes); else a spread of them, another one for each case. */
export const stride = process.env['TROUPE_CRASH_ALL'] === '1' ? 1 : 6;
export const spread = (first: number): number => (stride === 1 ? 0 : first);

export interface Scene {
  readonly repo: Repo;
  readonly stateDir: string;
  readonly reset: () => void;
}

export const lines = (edit: Readonly<Record<number, string>> = {}): string => `${Array.from({ length: 20 }, (_, i) => edit[i] ?? `line ${i}`).join('\n')}\n`;

/** A worktree with every kind of work beside a dirty main tree, to come back to at the same place. */
export async function scene(): Promise<Scene> {
  const repo = makeRepo({ 'a.txt': lines(), 'b.txt': 'b\n', 'gone.txt': 'g\n', 's.txt': lines() });
  const stateDir = tempDir('state');
  const context = await makeContext(stateDir);
  const { tree } = await make(context, repo);
  tree.commit({ 'c.txt': 'committed\n' });
  tree.git('rm', '-q', 'gone.txt');
  tree.write({ 'a.txt': lines({ 1: 'agent' }), 'u.txt': 'untracked\n', 's.txt': lines({ 1: 'agent' }), 'staged.txt': 'staged\n' });
  tree.git('add', 'staged.txt');
  tree.write({ 'staged.txt': 'edited\n' });
  await finishWorktree(context, { repoRoot: repo.root, name: 'fix' });
  repo.write({ 'a.txt': lines({ 18: 'person' }), 'own.txt': 'own\n', 's.txt': lines({ 18: 'person' }) });
  repo.git('add', 's.txt');
  const copy = tempDir('copy');
  const places = [[repo.root, join(copy, 'repo')], [stateDir, join(copy, 'state')]] as const;
  const opts = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true };
  for (const [from, to] of places) cpSync(from, to, opts);
  const reset = (): void => {
    for (const [to, from] of places) {
      rmSync(to, { recursive: true });
      cpSync(from, to, opts);
    }
  };
  return { repo, stateDir, reset };
}

export async function recover({ repo, stateDir }: Scene): Promise<readonly string[]> {
  return must(await reconcileWorktrees(await makeContext(stateDir), { repoRoot: repo.root, settings: {} })).notices;
}
