import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { finishWorktree } from '../../../extension/worktree/finishWorktreeRunner';
import { baseContent, summarise, unifiedDiff } from '../../../extension/worktree/worktreeChangesRunner';
import { readWorktrees } from '../../../extension/worktree/worktreeStore';
import { verifies } from '../../support/verifies';
import { make, makeContext, makeRepo, must, problemOf } from './worktreeKit';

const long = `${Array.from({ length: 40 }, (_, i) => `line ${i}`).join('\n')}\n`;

verifies('worktree:summary:all-work', async () => {
  const repo = makeRepo({ 'keep.txt': 'k\n', 'edit.txt': 'a\nb\n', 'gone.txt': 'g\n', 'old.txt': long, 'bin': '\0\u0001', 'run.sh': 'r\n', 'type': 't\n' });
  const context = await makeContext();
  const { worktree, tree } = await make(context, repo);
  expect(must(await summarise(context, worktree))).toMatchObject({ files: [], commits: 0, isUnchanged: true });
  tree.commit({ 'committed.txt': 'one\ntwo\n', 'edit.txt': 'a\nB\n' });
  renameSync(join(tree.root, 'old.txt'), join(tree.root, 'new.txt'));
  tree.write({ 'untracked/x.txt': 'x\n', 'edit.txt': 'a\nB\nc\n', 'bin': '\0\u0002' });
  tree.git('rm', '-q', 'gone.txt');
  chmodSync(join(tree.root, 'run.sh'), 0o755);
  execFileSync('ln', ['-sf', 'keep.txt', join(tree.root, 'type')]);
  const summary = must(await summarise(context, worktree));
  const file = (path: string, kind: string, added: number, removed: number, more: object = {}): object => ({ path, kind, added, removed, isBinary: false, isUncommitted: true, ...more });
  expect(summary.files).toEqual([
    file('bin', 'modified', 0, 0, { isBinary: true }),
    file('committed.txt', 'added', 2, 0, { isUncommitted: false }),
    file('edit.txt', 'modified', 2, 1),
    file('gone.txt', 'deleted', 0, 1),
    file('new.txt', 'renamed', 0, 0, { oldPath: 'old.txt' }),
    file('run.sh', 'modified', 0, 0),
    file('type', 'typeChanged', 1, 1),
    file('untracked/x.txt', 'added', 1, 0),
  ]);
  expect([summary.commits, summary.isUnchanged, summary.added, summary.removed]).toEqual([1, false, 6, 3]);
});

verifies('worktree:summary:odd-names', async () => {
  const context = await makeContext();
  const { worktree, tree } = await make(context, makeRepo());
  const names = [' lead', '-dash', '--help', 'a\nb', 'a\tb', 'it\'s "q"', 'ünï', ':(top)x', '*', 'trail '];
  tree.write(Object.fromEntries(names.map((name) => [name, 'x\n'])));
  writeFileSync(Buffer.concat([Buffer.from(`${tree.root}/`), Buffer.from([0x62, 0xff, 0x63])]), 'bytes\n');
  const summary = must(await summarise(context, worktree));
  expect(summary.files.map((file) => file.path).sort()).toEqual([...names, 'b\ufffdc'].sort());
  expect(must(await unifiedDiff(context, worktree, { maxBytes: 1e6, path: '-dash' })).text).toContain('+x');
  expect(must(await unifiedDiff(context, worktree, { maxBytes: 1e6, path: '*' })).text.match(/^diff /gm)).toHaveLength(1);
});

verifies('worktree:summary:set-up-left-out', async () => {
  const repo = makeRepo();
  repo.write({ 'node_modules/x.js': 'x', '.claude/settings.local.json': '{}' });
  const context = await makeContext();
  const { worktree, tree } = await make(context, repo);
  expect(must(await summarise(context, worktree)).isUnchanged).toBe(true);
  tree.commit({ 'work.txt': 'w\n' });
  expect(tree.git('ls-files')).toContain('node_modules');
  expect(must(await summarise(context, worktree)).files.map((file) => file.path)).toEqual(['work.txt']);
});

verifies('worktree:summary:diff', async () => {
  const repo = makeRepo({ 'a.txt': 'one\n', '.gitattributes': '*.crlf text eol=crlf\n', 'win.crlf': 'w\n' });
  const context = await makeContext();
  const { worktree, tree } = await make(context, repo);
  tree.write({ 'a.txt': 'two\n', 'new.txt': 'n\n' });
  expect(must(await unifiedDiff(context, worktree, { maxBytes: 1e6 }))).toEqual({ isCut: false, text: expect.stringMatching(/-one\n\+two\n[\s\S]*new file[\s\S]*\+n\n$/) });
  expect(must(await unifiedDiff(context, worktree, { maxBytes: 10 }))).toMatchObject({ isCut: true, text: 'diff --git' });
  const textOf = async (path: string): Promise<string | undefined> => {
    const bytes = must(await baseContent(context, worktree, path));
    return bytes && Buffer.from(bytes).toString();
  };
  expect([await textOf('a.txt'), await textOf('new.txt'), await textOf('win.crlf')]).toEqual(['one\n', undefined, 'w\r\n']);
});

verifies('worktree:finish:unchanged', async () => {
  const repo = makeRepo();
  repo.write({ 'node_modules/x.js': 'x', '.claude/settings.local.json': '{}' });
  const context = await makeContext();
  const { worktree } = await make(context, repo);
  expect(must(await finishWorktree(context, { repoRoot: repo.root, name: 'fix' }))).toEqual({ removed: true });
  expect([existsSync(worktree.path), repo.refs('refs/heads'), await readWorktrees(context.stateDir, join(repo.root, '.git')), repo.read('node_modules/x.js'), repo.git('worktree', 'list').split('\n').length]).toEqual([false, ['refs/heads/main'], [], 'x', 1]);
});

verifies('worktree:finish:kept', async () => {
  const repo = makeRepo();
  const context = await makeContext();
  const [one, two] = [await make(context, repo, 'one'), await make(context, repo, 'two')];
  one.tree.write({ 'u.txt': 'u' });
  two.tree.commit({});
  for (const name of ['one', 'two']) expect(must(await finishWorktree(context, { repoRoot: repo.root, name }))).toMatchObject({ removed: false, worktree: { state: 'ready' } });
  expect([one.tree.read('u.txt'), existsSync(two.tree.root), (await readWorktrees(context.stateDir, join(repo.root, '.git'))).map((w) => w.lease)]).toEqual(['u', true, [undefined, undefined]]);
  expect(problemOf(await finishWorktree(context, { repoRoot: repo.root, name: 'oen' }))).toBe('no-such-worktree');
  symlinkSync('a.txt', join(one.tree.root, 'l'));
});
