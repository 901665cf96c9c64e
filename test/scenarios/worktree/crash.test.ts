import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect } from 'vitest';
import { reconcileWorktrees } from '../../../extension/worktree/reconcileRunner';
import { listTrash } from '../../../extension/worktree/trashRunner';
import { verifies } from '../../support/verifies';
import type { CrashJob } from './crashChild';
import { blobsOf, crashRunner, lostBlobs, recover, scene, spread, stride } from './crashKit';
import { makeContext, makeRepo, must, tempDir } from './worktreeKit';

let run: (job: CrashJob) => Promise<boolean>;
beforeAll(async () => {
  run = await crashRunner();
});

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
