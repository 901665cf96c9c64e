import { existsSync } from 'node:fs';
import { expect } from 'vitest';
import { parseArgv } from '../../extension/cli/argv';
import { runVerb } from '../../extension/cli/verbs';
import type { Engine } from '../../extension/engine';
import { agent, bash } from '../support/agentScripts';
import { say, when } from '../support/script';
import { runHeadless } from '../support/spawnHeadless';
import { once, openEngine, startEngine } from '../support/startEngine';
import type { TempRepo } from '../support/tempRepo';
import { verifies } from '../support/verifies';

/** A worktree `fix` with an edit, a deletion and a new file, and another window of the same folder, as a script opens it. */
async function withWorktree(): Promise<{ readonly repo: TempRepo; readonly troupe: (...args: string[]) => Promise<Done> }> {
  const session = await startEngine({
    files: { 'a.txt': 'a\n', 'b.txt': 'b\n' },
    script: [when({ first: 'APART' }, [bash('echo A > a.txt; rm b.txt; echo c > "c d.txt"', 'w1'), say('made it')]), agent('APART', 'm1', { isolation: 'worktree', name: 'fix' }), say('done')],
  });
  session.autoAnswer(() => once);
  await session.prompt('go');
  await session.engine.dispose();
  const engine = await openEngine({ ...session, interactive: false });
  return { repo: session.repo, troupe: (...args) => run(engine, args) };
}

interface Done {
  readonly exitCode: number;
  readonly stdout: string;
  readonly problem?: string;
  readonly json?: unknown;
}

async function run(engine: Engine, args: readonly string[]): Promise<Done> {
  const argv = parseArgv(['worktree', ...args]);
  if (!argv.ok) throw new Error(argv.problem);
  const done = await runVerb(engine, argv.value);
  if (!done.ok) return { exitCode: 1, stdout: '', problem: done.problem.message };
  return { ...done.value, ...(args.includes('--json') ? { json: JSON.parse(done.value.stdout) } : {}) };
}

const files = ['a.txt', 'b.txt', 'c d.txt'];

verifies('worktree:cli:work', async () => {
  const { repo, troupe } = await withWorktree();
  expect((await troupe('list', '--json')).json).toEqual([{ name: 'fix', path: repo.path('.claude/worktrees/fix'), branch: 'worktree-fix', baseSha: repo.git('rev-parse', 'HEAD').trim(), state: 'ready', agent: expect.stringMatching(/^agent-/), files: 3, added: 2, removed: 2 }]);
  expect((await troupe('show', 'fix')).stdout).toMatch(/^fix {2}ready {2}3 files \+2 -2, 0 commits\n[\s\S]*deleted {2}b\.txt[\s\S]*added {2}c d\.txt {2}\+1 -0 {2}uncommitted/);
  expect((await troupe('diff', 'fix')).stdout).toMatch(/-a\n\+A\n[\s\S]*-b\n[\s\S]*\+c\n/);
  expect((await troupe('diff', 'fix', 'c d.txt')).stdout).not.toContain('+A');
  expect((await troupe('preview', 'fix', '--json')).json).toEqual({ branch: 'main', files, isDirty: false, isFastForward: true, conflicts: [] });
  const gone = (await troupe('discard', 'fix', '--json')).json as { readonly trashId: string };
  expect((await troupe('restore')).stdout).toContain(gone.trashId);
  expect((await troupe('restore', 'fix', '--json')).json).toEqual({ name: 'fix' });
  expect((await troupe('clean', '--json')).json).toEqual({ removed: [], kept: [{ name: 'fix', reason: expect.stringContaining('changes that are in no commit') }] });
  repo.write('mine.txt', 'mine\n');
  expect((await troupe('apply', 'fix')).stdout).toMatch(/^Applied fix to your files, without a commit\./);
  expect([repo.read('a.txt'), repo.read('mine.txt'), repo.git('log', '--oneline').trim().split('\n').length]).toEqual(['A\n', 'mine\n', 1]);
  repo.git('checkout', '-q', '--', '.');
  repo.git('clean', '-qf', 'c d.txt');
  expect((await troupe('merge', 'fix', '-m', 'Fix it', '--json')).json).toEqual({ files, commit: repo.git('rev-parse', 'main').trim(), backupRef: expect.stringContaining('refs/troupe/backup/fix-'), removed: true, conflicts: [] });
  expect([repo.git('log', '-1', '--format=%s').trim(), existsSync(repo.path('b.txt')), repo.read('mine.txt')]).toEqual(['Fix it', false, 'mine\n']);
  expect((await troupe('list')).stdout).toBe('There are no worktrees.\n');
}, { timeoutMs: 240_000 });

verifies('worktree:cli:conflict', async () => {
  const { repo, troupe } = await withWorktree();
  repo.write('a.txt', 'mine\n');
  const merged = await troupe('merge', 'fix', '--json');
  expect(merged).toMatchObject({ exitCode: 1, json: { files: [], removed: false, conflicts: [{ path: 'a.txt', reason: 'uncommitted' }], problem: expect.stringContaining('a.txt') } });
  expect(await troupe('preview', 'fix')).toMatchObject({ exitCode: 1, stdout: '', problem: expect.stringContaining('Nothing was changed: a.txt') });
  expect([repo.read('a.txt'), repo.read('b.txt')]).toEqual(['mine\n', 'b\n']);
});

verifies('worktree:cli:bad-words', async () => {
  const { repo } = await withWorktree();
  const troupe = (...args: string[]) => runHeadless(['worktree', ...args], { repo });
  expect(await Promise.all([troupe('merg', 'fix'), troupe('merge'), troupe('merge', 'fux'), troupe('list', '--cwd', repo.outside)])).toMatchObject([
    { exitCode: 2, stderr: expect.stringContaining('did you mean merge?') },
    { exitCode: 2, stderr: expect.stringContaining('needs the name') },
    { exitCode: 1, stderr: expect.stringContaining('There is no worktree fux. Did you mean fix?') },
    { exitCode: 1, stderr: expect.stringContaining('no git repository') },
  ]);
});
