import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { cleanWorktrees, finishWorktree, listRecorded } from '../../../extension/worktree/finishWorktreeRunner';
import { reconcileWorktrees } from '../../../extension/worktree/reconcileRunner';
import { discardWorktree, listTrash, restoreWorktree } from '../../../extension/worktree/trashRunner';
import { summarise } from '../../../extension/worktree/worktreeChangesRunner';
import { readWorktrees, withWorktrees } from '../../../extension/worktree/worktreeStore';
import { verifies } from '../../support/verifies';
import { make, makeContext, makeRepo, must, problemOf, tempDir } from './worktreeKit';

verifies('worktree:trash:round-trip', async () => {
  const repo = makeRepo();
  repo.write({ 'node_modules/x.js': 'x' });
  const context = await makeContext();
  const { tree } = await make(context, repo);
  const head = tree.commit({ 'c.txt': 'c\n' });
  tree.write({ 'a.txt': 'staged\n' });
  tree.git('add', 'a.txt');
  tree.write({ 'a.txt': 'uncommitted\n', 'u v.txt': 'untracked\n' });
  const status = tree.status();
  const entry = must(await discardWorktree(context, { repoRoot: repo.root, name: 'fix' }));
  expect([existsSync(tree.root), repo.refs('refs/heads'), must(await listRecorded(context, repo.root)), repo.read('node_modules/x.js')]).toEqual([false, ['refs/heads/main'], [], 'x']);
  expect(await listTrash(context, repo.root)).toEqual([entry]);
  expect(entry).toMatchObject({ name: 'fix', agentId: 'agent-00000001', ref: `refs/troupe/trash/${entry.id}` });
  await make(context, repo, 'fix');
  const back = must(await restoreWorktree(context, { repoRoot: repo.root, id: entry.id }, {}));
  expect(back).toMatchObject({ name: 'fix-2', branch: 'worktree-fix-2', state: 'ready', setupPaths: ['node_modules'] });
  const again = repo.at(back.path);
  expect([again.git('rev-parse', 'HEAD'), again.status(), again.read('a.txt'), again.git('show', ':a.txt'), again.read('u v.txt'), again.read('node_modules')]).toEqual([head, status, 'uncommitted\n', 'staged', 'untracked\n', `-> ${repo.root}/node_modules`]);
  expect(problemOf(await restoreWorktree(context, { repoRoot: repo.root, id: 'nope' }, {}))).toBe('no-such-trash');
  const plain = must(await discardWorktree(context, { repoRoot: repo.root, name: 'fix' }));
  expect(must(await restoreWorktree(context, { repoRoot: repo.root, id: plain.ref }, {})).name).toBe('fix');
  expect((await listTrash(context, repo.root)).map((each) => each.id)).toEqual([entry.id]);
});

verifies('worktree:trash:follows-no-link', async () => {
  const repo = makeRepo();
  const outside = repo.at(tempDir()).write({ 'precious/x': 'x' });
  repo.write({ 'node_modules/x.js': 'x' });
  const context = await makeContext();
  const { tree } = await make(context, repo);
  symlinkSync(join(outside.root, 'precious'), join(tree.root, 'link'));
  tree.write({ 'd/f': 'f' });
  symlinkSync(outside.root, join(tree.root, 'd/up'));
  must(await discardWorktree(context, { repoRoot: repo.root, name: 'fix' }));
  expect([outside.read('precious/x'), repo.read('node_modules/x.js'), existsSync(tree.root)]).toEqual(['x', 'x', false]);
});

verifies('worktree:clean:safe', async () => {
  const repo = makeRepo();
  const stateDir = tempDir();
  const [mine, other] = [await makeContext(stateDir), await makeContext(stateDir)];
  const names = ['clean', 'dirty', 'ahead', 'busy', 'elsewhere'];
  for (const name of names) await make(mine, repo, name);
  await make(other, repo, 'others');
  await make(mine, repo, 'personal', { isPersonal: true });
  const at = (name: string): ReturnType<typeof repo.at> => repo.at(join(repo.root, '.claude/worktrees', name));
  at('dirty').write({ 'u.txt': 'u' });
  at('ahead').commit({ 'c.txt': 'c' });
  repo.git('branch', 'keeps', at('elsewhere').commit({ 'e.txt': 'e' }));
  for (const name of ['dirty', 'ahead', 'elsewhere', 'personal']) await finishWorktree(mine, { repoRoot: repo.root, name });
  await withWorktrees(stateDir, join(repo.root, '.git'), async (records) => {
    const clean = records.find('clean');
    if (clean) await records.put({ ...clean, state: 'ready' });
  });
  const cleaned = must(await cleanWorktrees(mine, { repoRoot: repo.root }));
  expect([...cleaned.removed].sort()).toEqual(['clean', 'elsewhere']);
  expect(Object.fromEntries(cleaned.kept.map(({ name, reason }) => [name, reason]))).toEqual({ dirty: expect.stringContaining('in no commit'), ahead: expect.stringContaining('no other branch'), busy: 'an agent works in it', others: expect.stringContaining('Another window') });
  expect([repo.refs('refs/heads/keeps'), existsSync(at('dirty').root), problemOf(await discardWorktree(mine, { repoRoot: repo.root, name: 'others' }))]).toEqual([['refs/heads/keeps'], true, 'in-use']);
}, { timeoutMs: 40_000 });

verifies('worktree:reconcile:by-hand', async () => {
  const repo = makeRepo();
  const stateDir = tempDir();
  const first = await makeContext(stateDir);
  const names = ['gone-empty', 'gone-commits', 'moved', 'renamed', 'reset', 'broken', 'branchless'];
  const trees = Object.fromEntries(await Promise.all(names.map(async (name) => [name, (await make(first, repo, name)).tree])));
  const at = (name: string): ReturnType<typeof repo.at> => trees[name] ?? repo;
  for (const name of names.slice(1)) at(name).commit({ [`${name}.txt`]: 'x\n' });
  for (const name of names) await finishWorktree(first, { repoRoot: repo.root, name });
  await make({ ...first, self: { ...first.self, pid: 4_194_303, nonce: 'dead' } }, repo, 'gone-empty');
  rmSync(at('gone-empty').root, { recursive: true, force: true });
  rmSync(at('gone-commits').root, { recursive: true });
  const elsewhere = join(tempDir(), 'new place');
  repo.git('worktree', 'move', at('moved').root, elsewhere);
  at('renamed').git('branch', '-m', 'mine');
  const orphan = repo.git('commit-tree', 'HEAD^{tree}', '-m', 'other root');
  at('reset').git('reset', '-q', '--hard', orphan);
  rmSync(join(at('broken').root, '.git'));
  const listed = (): string[] => repo.git('worktree', 'list', '--porcelain').split('\n').filter((line) => line.startsWith('worktree ')).map((line) => line.slice(9));
  const report = must(await reconcileWorktrees(await makeContext(stateDir), { repoRoot: repo.root, settings: {} }));
  const byName = Object.fromEntries(report.worktrees.map((w) => [w.name, w]));
  expect(Object.keys(byName).sort()).toEqual(['branchless', 'broken', 'gone-commits', 'moved', 'renamed', 'reset']);
  expect([at('gone-commits').read('gone-commits.txt'), byName['moved']?.path, byName['renamed']?.branch, at('broken').git('rev-parse', '--show-toplevel'), listed().length]).toEqual(['x\n', elsewhere, 'mine', at('broken').root, 7]);
  expect([...report.notices].sort()).toEqual([expect.stringContaining('The branch of reset was moved by hand'), expect.stringContaining('folder of gone-commits was deleted by hand; the commits'), expect.stringContaining('folder of gone-empty'), expect.stringContaining('moved was moved to'), 'renamed is on the branch mine now.'].sort());
  expect(repo.refs('refs/heads').filter((ref) => ref.includes('gone-empty'))).toEqual([]);
}, { timeoutMs: 60_000 });

verifies('worktree:reconcile:others', async () => {
  const repo = makeRepo();
  const stateDir = tempDir();
  const other = await makeContext(stateDir);
  await make(other, repo, 'held');
  const foreign = join(repo.root, '.claude/worktrees/foreign');
  repo.git('worktree', 'add', '-q', '-b', 'worktree-foreign', foreign);
  const before = await readWorktrees(stateDir, join(repo.root, '.git'));
  const report = must(await reconcileWorktrees(await makeContext(stateDir), { repoRoot: repo.root, settings: {} }));
  expect([report.worktrees, report.notices, existsSync(join(foreign, 'a.txt'))]).toEqual([before, [], true]);
});

verifies('worktree:reconcile:dead-lease', async () => {
  const repo = makeRepo();
  const stateDir = tempDir();
  const dead = await makeContext(stateDir);
  const died = { ...dead, self: { ...dead.self, pid: 4_194_303, nonce: 'dead' } };
  const reused = { ...dead, self: { ...dead.self, processStartedAtMs: dead.self.processStartedAtMs - 60_000, nonce: 'reused' } };
  const one = await make(died, repo, 'one');
  await make(reused, repo, 'two');
  one.tree.write({ 'u.txt': 'u' });
  const context = await makeContext(stateDir);
  const report = must(await reconcileWorktrees(context, { repoRoot: repo.root, settings: {} }));
  expect(report.worktrees).toMatchObject([{ name: 'one', state: 'ready' }]);
  expect([report.worktrees[0]?.lease, must(await summarise(context, report.worktrees[0] ?? one.worktree)).files.map((f) => f.path), repo.git('worktree', 'list', '--porcelain').includes('locked')]).toEqual([undefined, ['u.txt'], false]);
});
