import { chmodSync, existsSync, lstatSync, mkdirSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { finishWorktree } from '../../../extension/worktree/finishWorktreeRunner';
import { previewMerge, takeWorktree } from '../../../extension/worktree/mergeWorktreeRunner';
import type { WorktreeContext } from '../../../extension/worktree/worktreeContext';
import { readWorktrees } from '../../../extension/worktree/worktreeStore';
import { verifies } from '../../support/verifies';
import { make, makeContext, makeRepo, must, problemOf, type Repo } from './worktreeKit';

const lines = (edit: Readonly<Record<number, string>> = {}): string => `${Array.from({ length: 20 }, (_, i) => edit[i] ?? `line ${i}`).join('\n')}\n`;

async function started(files?: Readonly<Record<string, string>>): Promise<{ repo: Repo; context: WorktreeContext; tree: Repo; at: { repoRoot: string; name: string }; finish: () => Promise<unknown> }> {
  const repo = makeRepo(files);
  const context = await makeContext();
  const { tree } = await make(context, repo);
  const at = { repoRoot: repo.root, name: 'fix' };
  return { repo, context, tree, at, finish: () => finishWorktree(context, at) };
}

verifies('worktree:merge:whole', async () => {
  const { repo, context, tree, at, finish } = await started();
  tree.commit({ 'c.txt': 'committed\n' }, 'agent commit');
  tree.write({ 'a.txt': 'two\n', 'new dir/u.txt': 'untracked\n' });
  await finish();
  expect(must(await previewMerge(context, at, { kind: 'merge' }))).toEqual({ branch: 'main', files: ['a.txt', 'c.txt', 'new dir/u.txt'], isDirty: false, isFastForward: true });
  expect([repo.read('a.txt'), repo.status()]).toEqual(['one\n', '']);
  const done = must(await takeWorktree(context, at, { kind: 'merge', message: 'Take it' }));
  expect(done).toEqual({ commit: repo.git('rev-parse', 'main'), files: ['a.txt', 'c.txt', 'new dir/u.txt'], backupRef: undefined, removed: true });
  expect([repo.read('a.txt'), repo.read('c.txt'), repo.read('new dir/u.txt'), repo.status()]).toEqual(['two\n', 'committed\n', 'untracked\n', '']);
  expect([repo.git('log', '--format=%s', '-3').split('\n'), repo.git('log', '-1', '--format=%an|%b').trim()]).toEqual([['Take it', 'agent commit', 'start'], 'Ada|Troupe-Agent: agent-00000001']);
  expect([repo.refs('refs/heads'), repo.refs('refs/troupe'), existsSync(tree.root), await readWorktrees(context.stateDir, join(repo.root, '.git'))]).toEqual([['refs/heads/main'], [], false, []]);
});

verifies('worktree:merge:whole', async () => {
  const { repo, context, tree, at, finish } = await started({ 'f.txt': lines() });
  repo.write({ 'node_modules/x': 'x' });
  tree.write({ 'f.txt': lines({ 2: 'agent' }) });
  await finish();
  const mine = repo.commit({ 'f.txt': lines({ 17: 'person' }), '.gitignore': 'node_modules\n' });
  const done = must(await takeWorktree(context, at, { kind: 'merge' }));
  expect([repo.read('f.txt'), repo.git('rev-parse', `${done.commit}^1`), repo.git('log', '-1', '--format=%s'), repo.status()]).toEqual([lines({ 2: 'agent', 17: 'person' }), mine, 'Merge worktree fix', '']);
}, { case: 'the target has moved on' });

verifies('worktree:merge:dirty', async () => {
  const { repo, context, tree, at, finish } = await started({ 'both.txt': lines(), 'mine.txt': 'm\n', 'theirs.txt': 't\n', 'staged.txt': lines() });
  tree.write({ 'both.txt': lines({ 1: 'agent' }), 'theirs.txt': 'T\n', 'staged.txt': lines({ 1: 'agent' }), 'same.txt': 'same\n' });
  await finish();
  repo.write({ 'both.txt': lines({ 18: 'person' }), 'mine.txt': 'M\n', 'staged.txt': lines({ 18: 'staged' }), 'same.txt': 'same\n', 'own.txt': 'own\n' });
  repo.git('add', 'staged.txt');
  repo.write({ 'staged.txt': lines({ 18: 'staged', 10: 'unstaged' }) });
  const done = must(await takeWorktree(context, at, { kind: 'merge' }));
  expect([repo.read('both.txt'), repo.read('mine.txt'), repo.read('theirs.txt'), repo.read('own.txt')]).toEqual([lines({ 1: 'agent', 18: 'person' }), 'M\n', 'T\n', 'own\n']);
  expect(repo.status().split('\n').sort()).toEqual([' M both.txt', ' M mine.txt', '?? own.txt', 'MM staged.txt']);
  expect([repo.git('show', ':staged.txt'), repo.read('staged.txt'), repo.git('show', 'HEAD:both.txt')]).toEqual([lines({ 1: 'agent', 18: 'staged' }).trimEnd(), lines({ 1: 'agent', 10: 'unstaged', 18: 'staged' }), lines({ 1: 'agent' }).trimEnd()]);
  expect([done.backupRef, repo.git('show', `${done.backupRef}:both.txt`), repo.git('show', `${done.backupRef}:own.txt`), repo.git('show', `${done.backupRef}^2:staged.txt`)]).toEqual([expect.stringMatching(/^refs\/troupe\/backup\/fix-/), lines({ 18: 'person' }).trimEnd(), 'own', lines({ 18: 'staged' }).trimEnd()]);
});

async function expectUntouched(repo: Repo, work: () => Promise<void>): Promise<void> {
  const look = (): unknown => [repo.status(), repo.git('rev-parse', 'HEAD'), repo.git('write-tree'), repo.refs('refs')];
  const before = look();
  await work();
  expect(look()).toEqual(before);
}

verifies('worktree:merge:conflict-first', async () => {
  const { repo, context, tree, at, finish } = await started({ 'a.txt': 'one\n', 's.txt': 'one\n', 'd.txt': 'one\n', 'bin': '\0a' });
  tree.write({ 'a.txt': 'agent\n', 's.txt': 'agent\n', 'new.txt': 'agent\n', 'bin': '\0b' });
  unlinkSync(join(tree.root, 'd.txt'));
  await finish();
  repo.write({ 'a.txt': 'person\n', 'new.txt': 'person\n', 'd.txt': 'person\n', 'bin': '\0c' });
  await expectUntouched(repo, async () => {
    const conflicts = ['a.txt', 'bin', 'd.txt', 'new.txt'].map((path) => ({ path, reason: 'uncommitted' }));
    expect(await takeWorktree(context, at, { kind: 'merge' })).toMatchObject({ problem: { code: 'conflict', conflicts } });
    expect(await previewMerge(context, at, { kind: 'merge' })).toMatchObject({ problem: { code: 'conflict', conflicts, message: expect.stringContaining('Nothing was changed: a.txt (overlaps with your uncommitted change)') } });
  });
  expect((await readWorktrees(context.stateDir, join(repo.root, '.git')))[0]).toMatchObject({ state: 'conflicted', conflicts: ['a.txt', 'bin', 'd.txt', 'new.txt'].map((path) => ({ path, reason: 'uncommitted' })) });
  repo.git('checkout', '-q', '.');
  unlinkSync(join(repo.root, 'new.txt'));
  repo.write({ 's.txt': 'person\n' });
  repo.git('add', 's.txt');
  repo.write({ 's.txt': 'one\n' });
  await expectUntouched(repo, async () => expect(await takeWorktree(context, at, { kind: 'merge' })).toMatchObject({ problem: { conflicts: [{ path: 's.txt', reason: 'staged' }] } }));
  repo.commit({ 's.txt': 'person\n' });
  await expectUntouched(repo, async () => expect(await takeWorktree(context, at, { kind: 'merge' })).toMatchObject({ problem: { conflicts: [{ path: 's.txt', reason: 'branch' }] } }));
  tree.write({ 's.txt': 'person\n' });
  expect(must(await takeWorktree(context, at, { kind: 'merge' })).removed).toBe(true);
});

verifies('worktree:merge:in-the-way', async () => {
  const { repo, context, tree, at, finish } = await started({ 'a.txt': 'one\n', '.gitignore': 'build/\n*.secret\n' });
  tree.git('add', '-f', '.');
  tree.write({ 'build/out': 'agent', 'x.secret': 'agent', 'folder/f': 'agent', 'file': 'agent' });
  tree.git('add', '-f', 'build/out', 'x.secret');
  await finish();
  repo.write({ 'build/out': 'mine', 'x.secret': 'mine', 'file/inside.secret': 'mine' });
  symlinkSync('/tmp', join(repo.root, 'folder'));
  await expectUntouched(repo, async () => {
    const preview = await previewMerge(context, at, { kind: 'merge' });
    expect(preview.ok ? [] : preview.problem.conflicts?.map((c) => c.path)).toEqual(expect.arrayContaining(['folder']));
  });
  unlinkSync(join(repo.root, 'folder'));
  await expectUntouched(repo, async () => expect(await takeWorktree(context, at, { kind: 'merge' })).toMatchObject({ problem: { conflicts: ['build/out', 'file', 'x.secret'].map((path) => ({ path, reason: 'in-the-way' })) } }));
  expect([repo.read('build/out'), repo.read('file/inside.secret')]).toEqual(['mine', 'mine']);
});

verifies('worktree:merge:branch-elsewhere', async () => {
  const { repo, context, tree, at, finish } = await started();
  tree.write({ 'n.txt': 'n\n' });
  await finish();
  repo.git('branch', 'dev');
  repo.git('branch', 'rel');
  const other = repo.at(join(repo.root, '../', `other-${process.pid}-${Date.now()}`));
  repo.git('worktree', 'add', '-q', other.root, 'dev');
  other.write({ 'a.txt': 'dirty\n' });
  const rel = must(await takeWorktree(context, at, { kind: 'merge', into: 'rel' }));
  expect([rel.files, rel.removed, repo.git('show', 'rel:n.txt'), repo.read('n.txt')]).toEqual([[], true, 'n', undefined]);
  const { tree: second } = await make(context, repo, 'second');
  second.write({ 'm.txt': 'm\n' });
  await finishWorktree(context, { repoRoot: repo.root, name: 'second' });
  must(await takeWorktree(context, { repoRoot: repo.root, name: 'second' }, { kind: 'merge', into: 'dev' }));
  expect([other.read('m.txt'), other.status(), repo.read('m.txt'), repo.status()]).toEqual(['m\n', ' M a.txt', undefined, '']);
  rmSync(other.root, { recursive: true });
});

verifies('worktree:merge:refusals', async () => {
  const { repo, context, tree, at } = await started();
  tree.write({ 'n.txt': 'n\n' });
  const refusal = async (request: Parameters<typeof takeWorktree>[2]): Promise<string> => problemOf(await takeWorktree(context, at, request));
  expect([await refusal({ kind: 'merge', into: 'nope' }), await refusal({ kind: 'merge', into: '--force' }), await refusal({ kind: 'merge', into: 'worktree-fix' }), problemOf(await takeWorktree(context, { ...at, name: 'fxi' }, { kind: 'merge' }))]).toEqual(['no-such-branch', 'no-such-branch', 'no-such-branch', 'no-such-worktree']);
  writeFileSync(join(repo.root, '.git/index.lock'), '');
  expect(await takeWorktree(context, at, { kind: 'merge' })).toMatchObject({ problem: { code: 'locked', path: join(repo.root, '.git/index.lock') } });
  unlinkSync(join(repo.root, '.git/index.lock'));
  repo.git('checkout', '-q', '-b', 'side');
  repo.commit({ 'a.txt': 'side\n' });
  repo.git('checkout', '-q', 'main');
  repo.commit({ 'a.txt': 'main\n' });
  expect(() => repo.git('merge', 'side')).toThrow();
  expect(await refusal({ kind: 'merge' })).toBe('merge-in-progress');
  repo.git('merge', '--abort');
  repo.git('checkout', '-q', '--detach');
  expect([await refusal({ kind: 'merge' }), await refusal({ kind: 'apply' })]).toEqual(['detached-head', 'ok']);
  rmSync(tree.root, { recursive: true });
  expect(await refusal({ kind: 'merge' })).toBe('folder-missing');
});

verifies('worktree:merge:apply', async () => {
  const { repo, context, tree, at, finish } = await started({ 'a.txt': lines(), 'b.txt': 'b\n' });
  tree.commit({ 'a.txt': lines({ 1: 'agent' }) });
  tree.write({ 'new.txt': 'n\n' });
  await finish();
  repo.write({ 'a.txt': lines({ 18: 'person' }), 'b.txt': 'staged\n' });
  repo.git('add', 'b.txt');
  const head = repo.git('rev-parse', 'HEAD');
  const done = must(await takeWorktree(context, at, { kind: 'apply' }));
  expect([done.commit, done.removed, repo.git('rev-parse', 'HEAD'), repo.read('a.txt'), repo.status().split('\n').sort()]).toEqual([head, false, head, lines({ 1: 'agent', 18: 'person' }), [' M a.txt', '?? new.txt', 'M  b.txt']]);
  expect(await readWorktrees(context.stateDir, join(repo.root, '.git'))).toMatchObject([{ state: 'ready', appliedAtMs: expect.any(Number) }]);
  expect(must(await takeWorktree(context, at, { kind: 'apply' })).files).toEqual([]);
});

verifies('worktree:merge:shapes', async () => {
  const { repo, context, tree, at, finish } = await started({ 'becomes-folder': 'f\n', 'becomes-file/in': 'i\n', 'link': 'l\n', 'run.sh': '#!/bin/sh\n', 'deep/er/gone': 'g\n', '-dash': 'd\n', 'win.crlf': 'a\n', '.gitattributes': '*.crlf text eol=crlf\n' });
  unlinkSync(join(tree.root, 'becomes-folder'));
  rmSync(join(tree.root, 'becomes-file'), { recursive: true });
  rmSync(join(tree.root, 'deep'), { recursive: true });
  unlinkSync(join(tree.root, 'link'));
  symlinkSync('run.sh', join(tree.root, 'link'));
  chmodSync(join(tree.root, 'run.sh'), 0o755);
  mkdirSync(join(tree.root, 'becomes-folder'));
  tree.write({ 'becomes-folder/x': 'x\n', 'becomes-file': 'file\n', '-dash': 'D\n', ' a\n"b"': 'odd\n', 'win.crlf': 'b\r\n' });
  writeFileSync(Buffer.concat([Buffer.from(`${tree.root}/`), Buffer.from([0x62, 0xff, 0x63])]), 'bytes\n');
  await finish();
  must(await takeWorktree(context, at, { kind: 'merge' }));
  expect([repo.read('becomes-folder/x'), repo.read('becomes-file'), repo.read('link'), lstatSync(join(repo.root, 'run.sh')).mode & 0o111, existsSync(join(repo.root, 'deep')), repo.read('-dash'), repo.read(' a\n"b"'), repo.read('win.crlf')]).toEqual(['x\n', 'file\n', '-> run.sh', 0o111, false, 'D\n', 'odd\n', 'b\r\n']);
  expect(existsSync(Buffer.concat([Buffer.from(`${repo.root}/`), Buffer.from([0x62, 0xff, 0x63])]))).toBe(true);
  expect(repo.status()).toBe('');
});
