import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createGitRunner } from '../../../extension/platform/gitRunner';
import { createWorktree } from '../../../extension/worktree/createWorktreeRunner';
import { attempt, git } from '../../../extension/worktree/gitCall';
import { ok } from '../../../extension/base/result';
import { worktreeName } from '../../../extension/worktree/worktreeName';
import { readWorktrees } from '../../../extension/worktree/worktreeStore';
import { summarise } from '../../../extension/worktree/worktreeChangesRunner';
import { verifies } from '../../support/verifies';
import { createRequest, make, makeContext, makeRepo, must, problemOf, Repo, tempDir } from './worktreeKit';

verifies('worktree:create:place', async () => {
  const repo = makeRepo();
  const context = await makeContext();
  const { worktree, tree } = await make(context, repo, 'feature/auth');
  expect(worktree).toMatchObject({ name: 'feature+auth', path: join(repo.root, '.claude/worktrees/feature+auth'), branch: 'worktree-feature+auth', baseSha: repo.git('rev-parse', 'HEAD'), state: 'active', ownerAgentId: 'agent-00000001' });
  expect([tree.git('branch', '--show-current'), tree.read('src/b.ts'), repo.status()]).toEqual(['worktree-feature+auth', 'b\n', '']);
  expect(await readWorktrees(context.stateDir, join(repo.root, '.git'))).toEqual([worktree]);
});

verifies('worktree:create:place', async () => {
  const repo = makeRepo();
  const context = await makeContext();
  const outer = await make(context, repo, 'outer');
  const inner = outer.tree.commit({ 'inner.txt': 'x' });
  const nested = must(await createWorktree(context, createRequest(outer.tree, 'nested')));
  expect([nested.worktree.path, nested.worktree.baseSha]).toEqual([join(repo.root, '.claude/worktrees/nested'), inner]);
}, { case: 'asked for from inside a worktree' });

verifies('worktree:create:names', () => {
  const refused = ['', '..', 'a..b', '-x', 'a b', 'a\nb', '\u0007', '.hidden', '/abs', 'a//b', 'x.lock', 'a~1', 'a:b', 'a*', 'con', 'x'.repeat(200), 'a\\b', '@{u}', 'end/'];
  expect(refused.map((name) => problemOf(worktreeName(name)))).toEqual(refused.map(() => 'bad-name'));
  expect(['feature/auth', 'fix-1', 'Ünïcode', 'a.b'].map((name) => must(worktreeName(name)))).toEqual(['feature+auth', 'fix-1', 'Ünïcode', 'a.b']);
});

verifies('worktree:create:auto-name', async () => {
  const { worktree } = await make(await makeContext(), makeRepo(), undefined).catch(async () => ({ worktree: must(await createWorktree(await makeContext(), createRequest(makeRepo(), undefined))).worktree }));
  expect(worktree.name).toBe('fix');
  const made = must(await createWorktree(await makeContext(), createRequest(makeRepo(), undefined)));
  expect(made.worktree.name).toMatch(/^[a-z]+-[a-z]+-[a-z]+$/);
});

verifies('worktree:create:base', async () => {
  const repo = makeRepo();
  const context = await makeContext();
  const noRemote = must(await createWorktree(context, createRequest(repo, 'none', { baseRef: 'fresh' })));
  expect(noRemote.worktree.baseSha).toBe(repo.git('rev-parse', 'HEAD'));
  const origin = makeRepo({ 'a.txt': 'origin\n' });
  repo.git('remote', 'add', 'origin', origin.root);
  repo.git('fetch', '-q');
  repo.git('remote', 'set-head', 'origin', 'main');
  const newer = origin.commit({ 'new.txt': 'n' });
  const fetched = join(repo.root, '.git/FETCH_HEAD');
  const cached = must(await createWorktree({ ...context, nowMs: Date.now }, createRequest(repo, 'cached', { baseRef: 'fresh' })));
  expect(cached.worktree.baseSha).not.toBe(newer);
  utimesSync(fetched, new Date(Date.now() - 2 * 86_400_000), new Date(Date.now() - 2 * 86_400_000));
  const fresh = must(await createWorktree({ ...context, nowMs: Date.now }, createRequest(repo, 'fresh', { baseRef: 'fresh' })));
  expect(fresh.worktree.baseSha).toBe(newer);
  rmSync(origin.root, { recursive: true });
  utimesSync(fetched, 0, 0);
  const offline = must(await createWorktree({ ...context, nowMs: Date.now }, createRequest(repo, 'offline', { baseRef: 'fresh' })));
  expect(offline.worktree.baseSha).toBe(newer);
});

function setUpRepo(): Repo {
  const repo = makeRepo({ '.gitignore': 'node_modules/\n.env\nsecrets/\n.husky/_\n', '.worktreeinclude': '.env*\nsecrets/*\n!secrets/skip\n', '.env.example': 'E', 'a.txt': 'one\n' });
  repo.write({ 'node_modules/x/i.js': 'x', '.env': 'KEY', 'secrets/a "b" é': 'S', 'secrets/skip': 'no', '.claude/settings.local.json': '{"l":1}', '.husky/_/pre-commit': '#!/bin/sh\necho hook-ran >&2\n', '.env.untracked': 'u' });
  chmodSync(join(repo.root, '.husky/_/pre-commit'), 0o755);
  repo.git('config', 'core.hooksPath', '.husky/_');
  return repo;
}

verifies('worktree:create:set-up', async () => {
  const repo = setUpRepo();
  const context = await makeContext();
  const { worktree, tree } = await make(context, repo);
  expect([...worktree.setupPaths].sort()).toEqual(['.claude/settings.local.json', '.env', '.husky/_', 'node_modules', 'secrets/a "b" é']);
  expect([tree.read('node_modules'), tree.read('.husky/_'), tree.read('.env'), tree.read('secrets/a "b" é'), tree.read('secrets/skip'), tree.read('.claude/settings.local.json')]).toEqual([`-> ${repo.root}/node_modules`, `-> ${repo.root}/.husky/_`, 'KEY', 'S', undefined, '{"l":1}']);
  expect(readFileSync(join(repo.root, '.git/info/exclude'), 'utf8').split('\n').filter((line) => line === '/.claude/worktrees/')).toHaveLength(1);
  expect(must(await summarise(context, worktree))).toMatchObject({ files: [], isUnchanged: true });
  tree.write({ 'a.txt': 'two\n' });
  expect(execFileSync('git', ['commit', '-qam', 'x'], { cwd: tree.root, stdio: ['ignore', 'ignore', 'pipe'] })).toBeNull();
});

verifies('worktree:create:include-tracked', async () => {
  const { worktree, tree } = await make(await makeContext(), setUpRepo());
  expect([tree.read('.env.example'), worktree.setupPaths.includes('.env.example'), tree.read('.env.untracked')]).toEqual(['E', false, undefined]);
});

verifies('worktree:create:set-up', async () => {
  const repo = makeRepo({ 'node_modules/kept.js': 'tracked', '.claude/settings.local.json': '{}' });
  const { worktree, tree } = await make(await makeContext(), repo, 'fix', { settings: { symlinkDirectories: ['node_modules', '../..', '/etc', '.git', 'missing', 'packages/a/node_modules'] } });
  expect([worktree.setupPaths, tree.read('node_modules/kept.js')]).toEqual([[], 'tracked']);
}, { case: 'what is tracked, missing or outside is not linked' });

verifies('worktree:create:refusals', async () => {
  const context = await makeContext();
  const empty = tempDir();
  expect(await createWorktree(context, createRequest(new Repo(empty), 'x'))).toMatchObject({ problem: { code: 'not-a-repository', path: empty, message: expect.stringContaining('git init') } });
  execFileSync('git', ['init', '-q'], { cwd: empty });
  expect(await createWorktree(context, createRequest(new Repo(empty), 'x'))).toMatchObject({ problem: { code: 'no-commits', message: expect.stringContaining('Commit once') } });
  const bare = tempDir();
  execFileSync('git', ['init', '-q', '--bare'], { cwd: bare });
  expect(problemOf(await createWorktree(context, createRequest(new Repo(bare), 'x')))).toBe('bare-repository');
  expect(problemOf(await createWorktree(context, createRequest(new Repo(join(empty, 'gone')), 'x')))).toBe('not-a-repository');
  for (const link of ['.claude', '.claude/worktrees', '.claude/worktrees/x']) {
    const repo = makeRepo();
    mkdirSync(join(repo.root, link, '..'), { recursive: true });
    symlinkSync(tempDir(), join(repo.root, link));
    expect(await createWorktree(context, createRequest(repo, 'x'))).toMatchObject({ problem: { code: 'linked-folder', path: join(repo.root, link) } });
  }
  const repo = makeRepo();
  repo.git('branch', 'worktree-taken');
  repo.write({ '.claude/worktrees/plain/f': 'x' });
  expect(await Promise.all(['taken', 'plain', 'a..b'].map(async (slug) => problemOf(await createWorktree(context, createRequest(repo, slug)))))).toEqual(['name-taken', 'name-taken', 'bad-name']);
  expect(repo.refs('refs/heads')).toEqual(['refs/heads/main', 'refs/heads/worktree-taken']);
});

verifies('worktree:create:detached', async () => {
  const repo = makeRepo();
  const first = repo.git('rev-parse', 'HEAD');
  repo.commit({ 'a.txt': 'two\n' });
  repo.git('checkout', '-q', '--detach', first);
  const { worktree, tree } = await make(await makeContext(), repo);
  expect([worktree.baseSha, tree.read('a.txt')]).toEqual([first, 'one\n']);
});

verifies('worktree:create:parallel', async () => {
  const repo = makeRepo();
  const stateDir = tempDir();
  const [one, two] = [await makeContext(stateDir), await makeContext(stateDir)];
  const made = await Promise.all(Array.from({ length: 8 }, (_, i) => createWorktree(i % 2 ? one : two, createRequest(repo, i < 4 ? `w${i}` : undefined))));
  expect(new Set(made.map((result) => must(result).worktree.path)).size).toBe(8);
  expect(await readWorktrees(stateDir, join(repo.root, '.git'))).toHaveLength(8);
}, { timeoutMs: 40_000 });

verifies('worktree:create:reopen', async () => {
  const repo = makeRepo();
  const context = await makeContext();
  const { tree } = await make(context, repo, 'again');
  tree.write({ 'mine.txt': 'kept' });
  const next = repo.commit({ 'a.txt': 'two\n' });
  const opened = must(await createWorktree(context, createRequest(repo, 'again', { baseRef: 'fresh' })));
  expect([opened.reopened, opened.worktree.baseSha, tree.read('mine.txt'), tree.read('a.txt')]).toEqual([true, next, 'kept', 'two\n']);
  const own = tree.commit({ 'own.txt': 'o' });
  repo.commit({ 'a.txt': 'three\n' });
  const kept = must(await createWorktree(context, createRequest(repo, 'again', { baseRef: 'fresh' })));
  expect([kept.worktree.baseSha, tree.git('rev-parse', 'HEAD')]).toEqual([next, own]);
  expect(problemOf(await createWorktree(context, createRequest(repo, 'again', { owner: { agentId: 'agent-2', sessionId: 's' } })))).toBe('in-use');
});

verifies('worktree:create:leaves-nothing', async () => {
  const repo = makeRepo();
  const context = await makeContext();
  const stop = new AbortController();
  const git = { ...context.git, run: (args: readonly string[], options?: Parameters<typeof context.git.run>[1]) => {
    const running = context.git.run(args, options);
    if (args.includes('add')) stop.abort();
    return running;
  } };
  expect(problemOf(await createWorktree({ ...context, git }, createRequest(repo, 'x', { signal: stop.signal })))).toBe('stopped');
  expect([existsSync(join(repo.root, '.claude/worktrees/x')), repo.refs('refs/heads'), await readWorktrees(context.stateDir, join(repo.root, '.git')), repo.git('worktree', 'list').split('\n').length]).toEqual([false, ['refs/heads/main'], [], 1]);
  expect(must(await createWorktree(context, createRequest(repo, 'x'))).worktree.name).toBe('x');
});

verifies('worktree:create:set-up', async () => {
  const repo = makeRepo();
  writeFileSync(join(repo.root, '.git/hooks/post-checkout'), '#!/bin/sh\nexit 3\n', { mode: 0o755 });
  const made = must(await createWorktree(await makeContext(), createRequest(repo, 'x')));
  expect([made.notices, existsSync(join(made.worktree.path, 'a.txt'))]).toEqual([[expect.stringContaining('post-checkout hook failed')], true]);
}, { case: 'a failing post-checkout hook is told' });

verifies('worktree:create:sparse', async () => {
  const repo = makeRepo({ 'top.txt': 't', 'in/a.txt': 'a', 'out/b.txt': 'b' });
  const { tree } = await make(await makeContext(), repo, 'x', { settings: { sparsePaths: ['in'] } });
  expect([tree.read('top.txt'), tree.read('in/a.txt'), tree.read('out/b.txt'), tree.status()]).toEqual(['t', 'a', undefined, '']);
});

verifies('worktree:create:locked', async () => {
  const repo = makeRepo();
  const { worktree } = await make(await makeContext(), repo);
  expect(() => repo.git('worktree', 'remove', worktree.path)).toThrow(/an agent works here/);
});

verifies('worktree:git:environment', async () => {
  const [repo, other] = [makeRepo(), makeRepo({ 'other.txt': 'o' })];
  process.env['GIT_DIR'] = join(other.root, '.git');
  try {
    const out = await createGitRunner(repo.root).run(['ls-files', '-z']);
    expect(out.stdout).toBe('a.txt\0src/b.ts\0');
  } finally {
    delete process.env['GIT_DIR'];
  }
  expect(await createGitRunner('/no/such').run(['status'])).toMatchObject({ exitCode: 128, stderr: expect.stringContaining('/no/such') });
  expect(await createGitRunner(repo.root).run(['log'], { signal: AbortSignal.abort() })).toMatchObject({ exitCode: 130 });
  expect(await createGitRunner(repo.root).runRemote(['fetch', '--upload-pack=touch /tmp/x', 'origin'])).toMatchObject({ exitCode: 128 });
});

verifies('worktree:git:lock-named', async () => {
  const repo = makeRepo();
  const lock = join(repo.root, '.git/index.lock');
  writeFileSync(lock, '');
  const runner = createGitRunner(repo.root);
  const add = (): Promise<unknown> => attempt(async () => ok((await git(runner, ['add', '-A'])).exitCode));
  expect(await add()).toMatchObject({ problem: { code: 'locked', path: lock, message: expect.stringContaining('delete that file') } });
  const waiting = add();
  rmSync(lock);
  expect(await waiting).toEqual({ ok: true, value: 0 });
});
