// Creating a worktree, set-up included, against raw `git worktree add` in a repository of 5,000 files.
// Prints the medians and their ratio; both kinds alternate, so that whatever else runs hits both.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const rounds = Number(process.argv[2] ?? 15);
const dir = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-bench-wt-')));
const repo = join(dir, 'repo');
const git = (...args) => execFileSync('git', args, { cwd: repo, stdio: 'pipe' });
mkdirSync(repo);
git('init', '-q', '-b', 'main');
git('config', 'user.name', 'Ada');
git('config', 'user.email', 'ada@example.org');
for (let i = 0; i < 5000; i++) {
  const path = join(repo, `src/d${i % 50}/e${i % 7}/file${i}.ts`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `export const value${i} = ${i};\n`.repeat(30));
}
writeFileSync(join(repo, '.gitignore'), 'node_modules\n.env*\n');
writeFileSync(join(repo, '.worktreeinclude'), '.env*\n');
git('add', '-A');
git('commit', '-q', '-m', 'start');
mkdirSync(join(repo, 'node_modules/x'), { recursive: true });
writeFileSync(join(repo, 'node_modules/x/index.js'), 'x');
writeFileSync(join(repo, '.env'), 'KEY=1\n');
mkdirSync(join(repo, '.claude'));
writeFileSync(join(repo, '.claude/settings.local.json'), '{}');
git('config', 'core.hooksPath', '.husky/_');

const out = join(dir, 'worktree.mjs');
const source = `export { createWorktree } from './extension/worktree/createWorktreeRunner';
export { cleanWorktrees, finishWorktree } from './extension/worktree/finishWorktreeRunner';
export { makeLease } from './extension/worktree/leaseLoader';
export { takeSnapshot } from './extension/worktree/snapshotRunner';
export { createGitRunner } from './extension/platform/gitRunner';`;
await build({ stdin: { contents: source, resolveDir: process.cwd(), loader: 'ts' }, bundle: true, platform: 'node', format: 'esm', outfile: out, logLevel: 'error', banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" } });
const troupe = await import(pathToFileURL(out).href);
const context = { git: troupe.createGitRunner(repo), stateDir: join(dir, 'state'), nowMs: Date.now, random: Math.random, self: await troupe.makeLease() };
const settings = { symlinkDirectories: ['node_modules'] };

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const raw = [];
const ours = [];
// One of each first: file cache, modules, the exclude line.
for (let i = -1; i < rounds; i++) {
  const rawOnce = async () => {
    const path = join(repo, '.claude/worktrees', `raw${i + 1}`);
    const from = performance.now();
    await new Promise((resolve, reject) => import('node:child_process').then(({ execFile }) => execFile('git', ['worktree', 'add', '-q', '-b', `raw${i + 1}`, path], { cwd: repo }, (e) => (e ? reject(e) : resolve()))));
    if (i >= 0) raw.push(performance.now() - from);
    spawnSync('git', ['worktree', 'remove', '--force', path], { cwd: repo });
  };
  const oursOnce = async () => {
    const from = performance.now();
    const made = await troupe.createWorktree(context, { repoRoot: repo, slug: `ours${i + 1}`, baseRef: 'head', owner: { agentId: 'agent-1', sessionId: 's' }, settings });
    if (i >= 0) ours.push(performance.now() - from);
    if (!made.ok) throw new Error(JSON.stringify(made.problem));
    if (made.value.worktree.setupPaths.length !== 3) throw new Error(`set-up: ${made.value.worktree.setupPaths}`);
    await troupe.finishWorktree(context, { repoRoot: repo, name: made.value.worktree.name });
  };
  for (const once of i % 2 === 0 ? [rawOnce, oursOnce] : [oursOnce, rawOnce]) await once();
}
const snaps = [];
for (let i = 0; i < rounds; i++) {
  const from = performance.now();
  const snap = await troupe.takeSnapshot(context, { folder: repo, sessionId: 's', label: `t${i}` });
  if (!snap.ok) throw new Error(JSON.stringify(snap.problem));
  if (i > 0) snaps.push(performance.now() - from);
}
rmSync(dir, { recursive: true, force: true });
const result = { rounds, rawMs: Math.round(median(raw)), oursMs: Math.round(median(ours)), ratio: Number((median(ours) / median(raw)).toFixed(3)), snapshotMs: Math.round(median(snaps)) };
console.log(JSON.stringify(result));
