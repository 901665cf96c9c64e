import { existsSync } from 'node:fs';
import { expect } from 'vitest';
import { finishWorktree } from '../../../extension/worktree/finishWorktreeRunner';
import { previewMerge, takeWorktree } from '../../../extension/worktree/mergeWorktreeRunner';
import { summarise } from '../../../extension/worktree/worktreeChangesRunner';
import { verifies } from '../../support/verifies';
import { make, makeContext, makeRepo, must, problemOf } from './worktreeKit';

/** A person in the middle of something: an edit, a new file, something staged. */
async function started() {
  const repo = makeRepo({ 'a.txt': 'one\ntwo\nthree\nfour\nfive\n', 'b.txt': 'b\n', '.gitignore': 'built\n' });
  repo.write({ 'a.txt': 'ONE\ntwo\nthree\nfour\nfive\n', 'new.txt': 'mine\n', 'built/x.js': 'x\n' });
  repo.git('add', 'a.txt');
  const context = await makeContext();
  const before = { status: repo.status(), head: repo.git('rev-parse', 'HEAD') };
  const { worktree, tree } = await make(context, repo, 'fix', { carryUncommitted: true });
  return { repo, context, before, worktree, tree, at: { repoRoot: repo.root, name: 'fix' } };
}

verifies('worktree:carry:start', async () => {
  const { repo, context, before, worktree, tree } = await started();
  expect([tree.read('a.txt'), tree.read('new.txt'), tree.read('built/x.js'), tree.status()]).toEqual(['ONE\ntwo\nthree\nfour\nfive\n', 'mine\n', undefined, '']);
  expect({ status: repo.status(), head: repo.git('rev-parse', 'HEAD') }, 'the person’s files, index and branch are only read').toEqual(before);
  expect(worktree.carriedFrom).toBe(before.head);
  tree.write({ 'b.txt': 'agent\n' });
  expect(must(await summarise(context, worktree)), 'what was carried over is not the agent’s').toMatchObject({ files: [{ path: 'b.txt' }], added: 1, removed: 1, commits: 0 });
});

verifies('worktree:carry:start', async () => {
  const { repo, context, worktree, at } = await started();
  expect(must(await finishWorktree(context, at))).toEqual({ removed: true });
  expect([existsSync(worktree.path), repo.refs('refs/heads'), repo.refs('refs/troupe/backup')]).toEqual([false, ['refs/heads/main'], [expect.stringMatching(/fix-carried-/)]]);
}, { case: 'nothing changed: it goes by itself, a ref of ours keeps what was carried' });

verifies('worktree:carry:start', async () => {
  const repo = makeRepo();
  const { worktree } = await make(await makeContext(), repo, 'fix', { carryUncommitted: true });
  expect([worktree.carriedFrom, worktree.baseSha]).toEqual([undefined, repo.git('rev-parse', 'HEAD')]);
}, { case: 'nothing is uncommitted: it starts from the commit' });

verifies('worktree:carry:take', async () => {
  const { repo, context, before, worktree, tree, at } = await started();
  tree.write({ 'a.txt': 'ONE\ntwo\nthree\nfour\nFIVE\n', 'new.txt': 'mine\nand more\n' });
  await finishWorktree(context, at);
  expect(must(await previewMerge(context, at, { kind: 'apply' })).files).toEqual(['a.txt', 'new.txt']);
  must(await takeWorktree(context, at, { kind: 'apply' }));
  expect([repo.read('a.txt'), repo.read('new.txt'), repo.git('rev-parse', 'HEAD')]).toEqual(['ONE\ntwo\nthree\nfour\nFIVE\n', 'mine\nand more\n', before.head]);
  expect(worktree.carriedFrom).toBe(before.head);
}, { case: 'applied onto the uncommitted work it was made from' });

verifies('worktree:carry:take', async () => {
  const { repo, context, before, tree, at } = await started();
  tree.write({ 'a.txt': 'ONE\ntwo\nthree\nfour\nFIVE\n', 'c.txt': 'agent\n' });
  await finishWorktree(context, at);
  const done = must(await takeWorktree(context, at, { kind: 'merge', message: 'Take it' }));
  expect([done.removed, repo.git('log', '--format=%s|%P', '-1'), repo.refs('refs/heads')]).toEqual([true, `Take it|${before.head}`, ['refs/heads/main']]);
  expect(repo.git('show', 'HEAD:a.txt'), 'the commit holds the agent’s change without the person’s').toBe('one\ntwo\nthree\nfour\nFIVE');
  expect([repo.read('a.txt'), repo.read('c.txt'), repo.read('new.txt')]).toEqual(['ONE\ntwo\nthree\nfour\nFIVE\n', 'agent\n', 'mine\n']);
  expect(repo.status().split('\n').sort()).toEqual(['?? new.txt', 'M  a.txt']);
}, { case: 'merged: one commit without it, and it stays uncommitted' });

verifies('worktree:carry:take', async () => {
  const { repo, context, before, tree, at } = await started();
  tree.write({ 'a.txt': 'ONE!\ntwo\nthree\nfour\nfive\n' });
  await finishWorktree(context, at);
  const merged = await takeWorktree(context, at, { kind: 'merge' });
  expect([problemOf(merged), merged.ok ? [] : merged.problem.conflicts]).toEqual(['conflict', [{ path: 'a.txt', reason: 'uncommitted' }]]);
  expect([repo.status(), repo.git('rev-parse', 'HEAD')], 'nothing was touched').toEqual([before.status, before.head]);
  must(await takeWorktree(context, at, { kind: 'apply' }));
  expect(repo.read('a.txt')).toBe('ONE!\ntwo\nthree\nfour\nfive\n');
}, { case: 'a change of a carried line can’t be merged without it, but applied' });
