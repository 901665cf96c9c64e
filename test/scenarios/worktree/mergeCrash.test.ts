import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect } from 'vitest';
import { verifies } from '../../support/verifies';
import type { CrashJob } from './crashChild';
import { blobsOf, crashRunner, lostBlobs, recover, scene, spread, stride } from './crashKit';
import type { Repo } from './worktreeKit';

let run: (job: CrashJob) => Promise<boolean>;
beforeAll(async () => {
  run = await crashRunner();
});

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
