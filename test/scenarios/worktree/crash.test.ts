import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect } from 'vitest';
import { finishWorktree } from '../../../extension/worktree/finishWorktreeRunner';
import { reconcileWorktrees } from '../../../extension/worktree/reconcileRunner';
import { listTrash } from '../../../extension/worktree/trashRunner';
import { verifies } from '../../support/verifies';
import type { CrashJob } from './crashChild';
import { blobsOf, crashRunner, lostBlobs } from './crashKit';
import { make, makeContext, makeRepo, must, type Repo, tempDir } from './worktreeKit';

let run: (job: CrashJob) => Promise<boolean>;
beforeAll(async () => {
  run = await crashRunner();
});

/** Every step with TROUPE_CRASH_ALL=1 (minutes); else a spread of them, another one for each case. */
const stride = process.env['TROUPE_CRASH_ALL'] === '1' ? 1 : 5;
const spread = (first: number): number => (stride === 1 ? 0 : first);

interface Scene {
  readonly repo: Repo;
  readonly stateDir: string;
  readonly reset: () => void;
}

const lines = (edit: Readonly<Record<number, string>> = {}): string => `${Array.from({ length: 20 }, (_, i) => edit[i] ?? `line ${i}`).join('\n')}\n`;

/** A worktree with every kind of work beside a dirty main tree, to come back to at the same place. */
async function scene(): Promise<Scene> {
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

async function recover({ repo, stateDir }: Scene): Promise<readonly string[]> {
  return must(await reconcileWorktrees(await makeContext(stateDir), { repoRoot: repo.root, settings: {} })).notices;
}

const isAt = (repo: Repo): string => `${repo.git('log', '-1', '--format=%s')} ${repo.read('u.txt') ?? '-'} ${repo.read('gone.txt') ?? '-'} ${repo.read('a.txt')?.includes('agent')} ${repo.git('show', ':s.txt').includes('agent')}`.replaceAll('\n', '');
const before = 'start - g false false';
const after = 'Changes from worktree fix untracked - true true';
const person = (repo: Repo): unknown[] => [repo.read('own.txt'), repo.read('a.txt')?.includes('person'), repo.git('show', ':s.txt').includes('person')];

verifies('worktree:merge:crash', async () => {
  const set = await scene();
  const { repo, stateDir } = set;
  const seen: string[] = [];
  for (let crashAt = spread(1); ; crashAt += stride) {
    set.reset();
    const blobs = blobsOf(repo);
    const died = await run({ repoRoot: repo.root, stateDir, op: 'merge', name: 'fix', crashAt });
    if (!died) break;
    await recover(set);
    expect({ crashAt, lost: lostBlobs(repo, blobs), person: person(repo) }).toEqual({ crashAt, lost: [], person: ['own\n', true, true] });
    seen.push(isAt(repo));
    if (seen.at(-1) === before) expect(await run({ repoRoot: repo.root, stateDir, op: 'merge', name: 'fix', crashAt: -1 })).toBe(false);
    expect(isAt(repo)).toBe(after);
    expect(repo.refs('refs/troupe/pending')).toEqual([]);
  }
  expect([new Set(seen), isAt(repo), seen.length > 2]).toEqual([new Set([before, after]), after, true]);
}, { timeoutMs: 600_000 });

verifies('worktree:merge:crash', async () => {
  const set = await scene();
  const { repo, stateDir } = set;
  // The journal is there, and no file is written yet.
  const halfway = { repoRoot: repo.root, stateDir, op: 'merge', name: 'fix', crashAt: -1, crashBefore: 'checkout-index' } as const;
  expect(await run(halfway)).toBe(true);
  repo.write({ 'u.txt': 'untracked\n' });
  rmSync(join(repo.root, 'gone.txt'));
  expect([await recover(set), isAt(repo)]).toEqual([['fix: the merge that was interrupted has been finished.'], after]);
  set.reset();
  await run(halfway);
  repo.write({ 'u.txt': 'untracked\n', 'b.txt': 'my edit\n', 'c.txt': 'in between\n' });
  rmSync(join(repo.root, 'gone.txt'));
  expect([await recover(set), isAt(repo), repo.read('c.txt'), repo.read('b.txt'), person(repo)]).toEqual([[expect.stringContaining('taken back, because c.txt changed while it ran. Left as you have it: c.txt.')], before, 'in between\n', 'my edit\n', ['own\n', true, true]]);
}, { case: 'half of the files were written', timeoutMs: 300_000 });

verifies('worktree:trash:crash', async () => {
  const set = await scene();
  const { repo, stateDir } = set;
  const context = await makeContext(stateDir);
  for (let crashAt = spread(2); ; crashAt += stride) {
    set.reset();
    const blobs = blobsOf(repo);
    if (!(await run({ repoRoot: repo.root, stateDir, op: 'discard', name: 'fix', crashAt }))) break;
    await recover(set);
    expect({ crashAt, lost: lostBlobs(repo, blobs) }).toEqual({ crashAt, lost: [] });
  }
  expect(await listTrash(context, repo.root)).toHaveLength(1);
  const discarded = tempDir('discarded');
  for (const [from, to] of [[repo.root, 'repo'], [stateDir, 'state']] as const) cpSync(from, join(discarded, to), { recursive: true, verbatimSymlinks: true });
  for (let crashAt = spread(3); ; crashAt += stride) {
    for (const [to, from] of [[repo.root, 'repo'], [stateDir, 'state']] as const) {
      rmSync(to, { recursive: true });
      cpSync(join(discarded, from), to, { recursive: true, verbatimSymlinks: true });
    }
    const reachable = new Map(repo.git('rev-list', '--objects', '--all').split('\n').map((line) => [line.split(' ')[0] ?? '', line]));
    if (!(await run({ repoRoot: repo.root, stateDir, op: 'restore', name: 'fix', crashAt }))) break;
    await recover(set);
    const kinds = execFileSync('git', ['cat-file', '--batch-check=%(objectname) %(objecttype)'], { cwd: repo.root, input: [...reachable.keys()].join('\n'), encoding: 'utf8' });
    const blobs = new Map([...reachable].filter(([id]) => kinds.includes(`${id} blob`)));
    expect({ crashAt, lost: lostBlobs(repo, blobs) }).toEqual({ crashAt, lost: [] });
  }
}, { timeoutMs: 600_000 });

verifies('worktree:create:leaves-nothing', async () => {
  const repo = makeRepo();
  const stateDir = tempDir('state');
  for (let crashAt = 0; ; crashAt += Math.ceil(stride / 3)) {
    const died = await run({ repoRoot: repo.root, stateDir, op: 'create', name: `w${crashAt}`, crashAt });
    const report = must(await reconcileWorktrees(await makeContext(stateDir), { repoRoot: repo.root, settings: {} }));
    expect({ crashAt, worktrees: report.worktrees, refs: repo.refs('refs/heads'), list: repo.git('worktree', 'list').split('\n').length }).toEqual({ crashAt, worktrees: [], refs: ['refs/heads/main'], list: 1 });
    if (!died) break;
  }
}, { case: 'nor does one that dies', timeoutMs: 200_000 });
