import { chmodSync, mkdirSync, rmSync, statSync, symlinkSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { dropSnapshots, maxSnapshotFileBytes, takeSnapshot, undoTurn } from '../../../extension/worktree/snapshotRunner';
import type { WorktreeContext } from '../../../extension/worktree/worktreeContext';
import { verifies } from '../../support/verifies';
import { makeContext, makeRepo, must, problemOf, Repo, tempDir } from './worktreeKit';

async function turn(context: WorktreeContext, repo: Repo, work: () => void): Promise<void> {
  must(await takeSnapshot(context, { folder: repo.root, sessionId: 's1', label: 'turn-1' }));
  work();
  must(await takeSnapshot(context, { folder: repo.root, sessionId: 's1', label: 'turn-1-after' }));
}

const undo = { sessionId: 's1', before: 'turn-1', after: 'turn-1-after' };

verifies('undo:turn:restores', async () => {
  const repo = makeRepo({ 'a.txt': 'one\n', 'gone.txt': 'g\n', 'd/e/f.txt': 'f\n', 'run.sh': 'r\n', 'to-link': 't\n', 'file-to-folder': 'x\n' });
  repo.write({ 'untracked.txt': 'u\n', 'dirty': 'x' });
  const context = await makeContext();
  await turn(context, repo, () => {
    repo.write({ 'a.txt': 'two\n', 'made/by/turn.txt': 'm\n', 'untracked.txt': 'U\n', '-odd "name"\n': 'o\n' });
    unlinkSync(join(repo.root, 'gone.txt'));
    rmSync(join(repo.root, 'd'), { recursive: true });
    chmodSync(join(repo.root, 'run.sh'), 0o755);
    unlinkSync(join(repo.root, 'to-link'));
    symlinkSync('a.txt', join(repo.root, 'to-link'));
    unlinkSync(join(repo.root, 'file-to-folder'));
    mkdirSync(join(repo.root, 'file-to-folder'));
    repo.write({ 'file-to-folder/in': 'i' });
  });
  const outcome = must(await undoTurn(context, { folder: repo.root, ...undo }));
  expect([outcome.skipped, outcome.commitsStay, outcome.restored.length]).toEqual([[], false, 10]);
  expect(['a.txt', 'gone.txt', 'd/e/f.txt', 'to-link', 'file-to-folder', 'untracked.txt', 'made', '-odd "name"\n'].map((path) => repo.read(path))).toEqual(['one\n', 'g\n', 'f\n', 't\n', 'x\n', 'u\n', undefined, undefined]);
  expect([statSync(join(repo.root, 'run.sh')).mode & 0o111, repo.status().split('\n')]).toEqual([0, ['?? dirty', '?? untracked.txt']]);
  must(await undoTurn(context, { folder: repo.root, sessionId: 's1', before: outcome.backup.ref, after: 'turn-1' }));
  expect([repo.read('a.txt'), repo.read('made/by/turn.txt'), repo.read('gone.txt')]).toEqual(['two\n', 'm\n', undefined]);
});

verifies('undo:turn:later-edits', async () => {
  const repo = makeRepo({ 'a.txt': 'one\n', 'b.txt': 'one\n', 'c.txt': 'one\n', '.gitignore': 'ign\n' });
  const context = await makeContext();
  await turn(context, repo, () => {
    repo.write({ 'a.txt': 'two\n', 'b.txt': 'two\n', 'new.txt': 'n\n' });
    unlinkSync(join(repo.root, 'c.txt'));
  });
  repo.write({ 'b.txt': 'mine\n', 'new.txt': 'mine\n', 'c.txt/ign': 'mine' });
  const outcome = must(await undoTurn(context, { folder: repo.root, ...undo }));
  expect([outcome.restored, outcome.skipped]).toEqual([['a.txt'], [{ path: 'b.txt', reason: 'edited-since' }, { path: 'new.txt', reason: 'edited-since' }, { path: 'c.txt', reason: 'in-the-way' }]]);
  expect(['a.txt', 'b.txt', 'new.txt', 'c.txt/ign'].map((path) => repo.read(path))).toEqual(['one\n', 'mine\n', 'mine\n', 'mine']);
  expect(must(await undoTurn(context, { folder: repo.root, ...undo })).restored).toEqual([]);
  expect(problemOf(await undoTurn(context, { folder: repo.root, ...undo, before: 'turn-9' }))).toBe('no-such-snapshot');
});

verifies('undo:turn:index-untouched', async () => {
  const repo = makeRepo({ 'a.txt': 'one\n', 's.txt': 's\n' });
  repo.write({ 's.txt': 'staged\n' });
  repo.git('add', 's.txt');
  const context = await makeContext();
  const before = [repo.git('ls-files', '-s'), repo.refs('refs/heads')];
  await turn(context, repo, () => repo.write({ 'a.txt': 'two\n' }));
  must(await undoTurn(context, { folder: repo.root, ...undo }));
  expect([[repo.git('ls-files', '-s'), repo.refs('refs/heads')], repo.status()]).toEqual([before, 'M  s.txt']);
  await turn(context, repo, () => repo.commit({ 'a.txt': 'three\n' }));
  expect(must(await undoTurn(context, { folder: join(repo.root), ...undo }))).toMatchObject({ commitsStay: true, restored: ['a.txt'] });
  expect([repo.git('log', '--format=%s'), must(await dropSnapshots(context, { folder: repo.root, sessionId: 's1' })), repo.refs('refs/troupe')]).toEqual(['change\nstart', 4, []]);
});

verifies('undo:snapshot:caps', async () => {
  const repo = makeRepo();
  writeFileSync(join(repo.root, 'big'), '');
  truncateSync(join(repo.root, 'big'), maxSnapshotFileBytes + 1);
  const snapshot = must(await takeSnapshot(await makeContext(), { folder: repo.root, sessionId: 's1', label: 't' }));
  expect([snapshot.skipped, repo.git('ls-tree', '-r', '--name-only', snapshot.commit)]).toEqual([[{ path: 'big', reason: 'too-large' }], 'a.txt\nsrc/b.ts']);
});

verifies('undo:snapshot:ignored', async () => {
  const repo = makeRepo({ 'a.txt': 'one\n' });
  const context = await makeContext();
  const names = async (label: string): Promise<string[]> => repo.git('ls-tree', '-r', '--name-only', must(await takeSnapshot(context, { folder: repo.root, sessionId: 's1', label })).commit).split('\n');
  repo.write({ 'build/x': 'x', '.claude/worktrees/w/f': 'other' });
  expect(await names('t1')).toEqual(['a.txt', 'build/x']);
  repo.write({ '.gitignore': 'build/\nforced\n', 'forced': 'f' });
  expect(await names('t2')).toEqual(['.gitignore', 'a.txt']);
  repo.git('add', '-f', 'forced');
  expect(await names('t3')).toEqual(['.gitignore', 'a.txt', 'forced']);
});

verifies('undo:no-git', async () => {
  const folder = new Repo(tempDir('plain')).write({ 'a.txt': 'one\n', 'node_modules/x': 'x' });
  const context = await makeContext();
  await turn(context, folder, () => folder.write({ 'a.txt': 'two\n', 'b/new.txt': 'n\n' }));
  const outcome = must(await undoTurn(context, { folder: folder.root, ...undo }));
  expect([outcome.restored, folder.read('a.txt'), folder.read('b'), folder.read('.git')]).toEqual([['a.txt', 'b/new.txt'], 'one\n', undefined, undefined]);
  const large = new Repo(tempDir('large')).write({ 'x/sparse': '' });
  truncateSync(join(large.root, 'x/sparse'), 1_000_000_001);
  expect(await takeSnapshot(context, { folder: large.root, sessionId: 's1', label: 't' })).toMatchObject({ problem: { code: 'too-large', message: expect.stringContaining('Undo is off in') } });
  const many = tempDir('many');
  for (let i = 0; i <= 20_000; i++) writeFileSync(join(many, `f${i}`), '');
  expect(await takeSnapshot(context, { folder: many, sessionId: 's1', label: 't' })).toMatchObject({ problem: { code: 'too-large', message: expect.stringContaining('20,001 files') } });
  rmSync(many, { recursive: true });
}, { timeoutMs: 40_000 });
