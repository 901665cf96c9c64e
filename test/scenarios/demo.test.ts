import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { PermissionDecision } from '../../extension/protocol/permission';
import type { PermissionRequest } from '../../extension/protocol/permission';
import type { PendingAsk, WorkspaceView } from '../../extension/protocol/view';
import { teaShop as teaShopFacts } from '../../extension/model/demo/teaShop';
import { ensureSample } from '../start/sampleRepository.mjs';
import { runHeadless } from '../support/spawnHeadless';
import { say } from '../support/script';
import { caller, once, openEngine, playSession, startEngine, startModel, type TestSession } from '../support/startEngine';
import { createTempRepo, type TempRepo } from '../support/tempRepo';
import { verifies } from '../support/verifies';

const noKey = { ANTHROPIC_API_KEY: '', ANTHROPIC_BASE_URL: '' };
/** No words are waited for. */
const demo = { env: noKey, options: { model: 'demo', startsAtOnce: true } } as const;
const no: PermissionDecision = { behavior: 'deny' };

/** The same machine with another folder open. */
function at(repo: TempRepo, root: string): TempRepo {
  const path = (relative: string): string => join(root, relative);
  const git = (...args: readonly string[]): string => execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  return { ...repo, root, path, git, read: (name) => readFileSync(path(name), 'utf8') };
}

/** The sample repository as `npm start` makes it. */
async function teaShop(): Promise<TempRepo> {
  const repo = createTempRepo();
  return at(repo, (await ensureSample(join(repo.tempDir, 'tea shop'))).folder);
}

const lastWords = async (session: TestSession): Promise<string> => {
  const entries = (await session.view()).conversations['main'] ?? [];
  return entries.flatMap((entry) => (entry.kind === 'assistant' ? [entry.text] : [])).at(-1) ?? '';
};

/** Sends and waits. @returns the script's last words */
async function play(session: TestSession, words: string): Promise<string> {
  expect(await session.prompt(words)).toMatchObject({ stop: 'done' });
  return lastWords(session);
}

function worktrees(session: TestSession, fits: (view: WorkspaceView['worktrees']) => boolean): Promise<WorkspaceView['worktrees']> {
  return new Promise((resolve) => {
    const look = ({ worktrees: now }: WorkspaceView): void => {
      if (!fits(now)) return;
      listening.dispose();
      resolve(now);
    };
    const listening = session.engine.onDidChangeWorkspace(look);
    look(session.engine.workspace());
  });
}

const subject = (ask: PendingAsk): PermissionRequest['subject'] => {
  if (ask.kind !== 'permission') throw new Error(`a ${ask.kind} was asked`);
  return ask.request.subject;
};
const nodeTests = (repo: TempRepo): number => {
  try {
    execFileSync(process.execPath, ['--test'], { cwd: repo.root, stdio: 'ignore', env: { PATH: process.env['PATH'] } });
    return 0;
  } catch {
    return 1;
  }
};

verifies('demo:sample:repository', async () => {
  const repo = await teaShop();
  expect(nodeTests(repo)).toBe(1);
  expect([repo.git('status', '--porcelain'), repo.git('log', '--oneline').trim().split('\n').length]).toEqual(['', 1]);
  for (const file of ['CLAUDE.md', '.claude/agents/price-checker.md', '.claude/skills/release-note/SKILL.md', '.gitignore']) expect(existsSync(repo.path(file)), file).toBe(true);
  writeFileSync(repo.path('src/money.js'), repo.read('src/money.js').replace('Math.floor((cents', 'Math.round((cents'));
  expect(nodeTests(repo)).toBe(0);
  expect((await ensureSample(repo.root)).isNew).toBe(false);
});

verifies('demo:walk:sample', async () => {
  const repo = await teaShop();
  const session = await startEngine({ ...demo, repo, script: [] });
  session.autoAnswer((ask) => (ask.kind === 'plan' ? { behavior: 'approve', mode: 'default' } : once));
  expect(await play(session, 'Start the demo')).toMatch(/src\/money\.js:8` cuts half a cent[\s\S]*go on/);
  expect(repo.git('status', '--porcelain')).toBe('');
  expect(await play(session, 'go on')).toMatch(/all 5 tests pass/);
  expect(repo.git('diff', '--stat')).toContain('src/money.js');

  expect(await play(session, 'go on')).toMatch(/You saved|says what was saved[\s\S]*\*\*Review\*\*/);
  const { worktrees: [tree] } = await worktrees(session, (now) => now.worktrees.some((one) => one.state === 'ready'));
  expect(tree).toMatchObject({ name: 'saving', files: [expect.objectContaining({ path: 'src/receipt.js' }), expect.objectContaining({ path: 'test/saving.test.js', kind: 'added' })] });
  expect(existsSync(repo.path('test/saving.test.js'))).toBe(false);
  expect(await session.engine.handlers['worktree/take']({ name: 'saving', kind: 'merge' }, caller)).toMatchObject({ conflicts: [] });
  expect(await play(session, 'go on')).toMatch(/^Merged/);
  expect(repo.read('src/receipt.js')).toContain('You saved');
  expect(repo.git('status', '--porcelain')).toContain(' M src/money.js');

  expect(await play(session, 'go on')).toMatch(/made-by-the-shell\.txt` is there/);
  expect(existsSync(repo.path('troupe-demo/made-by-the-shell.txt'))).toBe(true);
  expect(await play(session, 'go on')).toMatch(/notes\/1\.3\.0\.md` is written/);
  expect(repo.read('notes/1.3.0.md')).toMatch(/^# 1\.3\.0\n\n\*\*Mended/);
  expect(await play(session, '/release-note 2.0.0')).toMatch(/notes\/2\.0\.0\.md` is written/);
  expect(await play(session, 'go on')).toMatch(/Done as planned\. 8 tests pass, 0 fail/);
  expect(existsSync(repo.path('test/empty.test.js'))).toBe(true);
  expect(await play(session, 'go on')).toMatch(/That was the demo[\s\S]*Set up/);
  expect(nodeTests(repo)).toBe(0);
  const failed = session.log().filter((event) => event.type === 'tool/completed' && event.outcome !== 'completed');
  expect(failed).toEqual([]);
});

verifies('demo:walk:depth', async () => {
  const repo = await teaShop();
  const session = await startEngine({ ...demo, repo, script: [] });
  await session.submit('agents');
  const asks = await session.asks(2);
  const view = await session.view();
  const named = (name: string) => Object.values(view.agents).find((agent) => agent.name === name);
  const [saving, prices, checker] = [named('saving'), named('prices'), named('price-checker')];
  expect([saving, prices, checker]).toEqual([expect.objectContaining({ worktree: 'saving', parentId: 'main' }), expect.objectContaining({ parentId: 'main' }), expect.objectContaining({ parentId: prices?.agentId })]);
  const asked = asks.map((ask) => (ask.kind === 'permission' ? [ask.request.agentPath, ask.request.worktree, ask.request.subject.command] : [])).sort((a, b) => String(a[2]).localeCompare(String(b[2])));
  expect(asked).toEqual([
    [['main', saving?.agentId], 'saving', 'node --test test/saving.test.js test/receipt.test.js'],
    [['main', prices?.agentId, checker?.agentId], undefined, 'node src/receipt.js'],
  ]);
  for (const ask of asks) expect(await session.answer(ask, once)).toBe(true);
  expect(await session.settled()).toMatchObject({ stop: 'done' });
  expect(await lastWords(session)).toMatch(/says what was saved[\s\S]*4 tests pass, 0 fail[\s\S]*the receipt says 11\.20\. Half a cent is lost[\s\S]*\*\*Review\*\*/);
  expect(repo.git('status', '--porcelain')).toBe('');
  expect(repo.git('log', '--oneline', '--branches').trim().split('\n')).toHaveLength(1);
});

verifies('demo:walk:denied', async () => {
  const repo = await teaShop();
  const session = await startEngine({ ...demo, repo, script: [] });
  const asked = session.autoAnswer((ask) => (ask.kind === 'plan' ? { behavior: 'sendBack', feedback: 'not like this' } : no));
  expect(await play(session, 'fix')).toMatch(/Nothing was changed\. The tests did not run, since that was not allowed/);
  expect(await play(session, 'agents')).toMatch(/the tests did not run: it was not allowed[\s\S]*sums are not checked/);
  expect(await play(session, 'undo')).toMatch(/No file was made: it was not allowed/);
  expect(await play(session, 'skills')).toMatch(/note is not written: it was not allowed/);
  expect(asked.map(subject).map(({ tool }) => tool)).toEqual(['Edit', 'Bash', ...['Bash', 'Bash'], 'Bash', 'Bash', 'Write']);
  expect(repo.git('status', '--porcelain')).toBe('');
  const headless = await startEngine({ ...demo, repo, script: [], interactive: false });
  expect(await play(headless, 'fix')).toMatch(/Nothing was changed/);
  expect(await play(headless, 'plan')).toMatch(/Nobody decided on the plan/);
  expect(repo.git('status', '--porcelain')).toBe('');
});

verifies('demo:walk:plan-mode', async () => {
  const repo = await teaShop();
  const session = await startEngine({ ...demo, repo, script: [], mode: 'plan' });
  const plans: string[] = [];
  session.autoAnswer((ask) => {
    if (ask.kind !== 'plan') return once;
    plans.push(ask.request.plan);
    return plans.length === 1 ? { behavior: 'sendBack', feedback: 'Mind the zero.' } : { behavior: 'approve', mode: 'acceptEdits' };
  });
  expect(await play(session, 'Start the demo')).toContain('half a cent');
  expect(plans).toEqual([]);
  expect(await play(session, 'fix')).toMatch(/Done as planned/);
  expect(plans).toEqual([expect.stringContaining('test/empty.test.js'), expect.stringContaining('- Mind the zero.')]);
  expect(repo.git('status', '--porcelain').trim()).toBe('?? test/empty.test.js');
  expect(await play(session, 'fix')).toMatch(/all 6 tests pass/);
});

verifies('demo:walk:elsewhere', async () => {
  const repo = createTempRepo({ 'README.md': '# Harbour\n', 'src/money.js': 'mine\n' });
  const session = await startEngine({ ...demo, repo, script: [] });
  session.autoAnswer((ask) => (ask.kind === 'plan' ? { behavior: 'approve', mode: 'default' } : once));
  expect(await play(session, 'hi')).toMatch(/begins: “Harbour”/);
  for (const words of ['go on', 'agents', 'review', 'undo', 'skills', 'plan', 'model', 'fix']) expect(await play(session, words)).toContain('*Demo: a fixed script, no model.*');
  const { worktrees: [tree] } = await worktrees(session, (now) => now.worktrees.some((one) => one.state === 'ready'));
  expect(tree?.files.map((file) => file.path)).toEqual(['troupe-demo/from-an-agent.md']);
  expect(repo.git('status', '--porcelain', '--untracked-files=all').trim().split('\n').filter((line) => !/ troupe-demo\//.test(line))).toEqual([]);
  expect(readdirSync(repo.path('troupe-demo')).sort()).toEqual(['hello.md', 'log.txt', 'made-by-the-shell.txt', 'planned.md']);
  expect(repo.read('troupe-demo/hello.md')).toMatch(/- and again\n$|Delete the folder/);

  const bare = at(repo, join(repo.outside, 'bare'));
  mkdirSync(bare.root);
  const plain = await startEngine({ ...demo, repo: bare, script: [] });
  plain.autoAnswer(() => once);
  expect(await play(plain, 'hi')).toContain('no text at the top');
  expect(await play(plain, 'agents')).toMatch(/from-an-agent\.md` is written/);
  expect(await play(plain, 'review')).toMatch(/no git repository/);
  expect(readdirSync(bare.root)).toEqual(['troupe-demo']);
});

verifies('demo:walk:again', async () => {
  const repo = await teaShop();
  const { rounding, total, totalAndSaved } = teaShopFacts;
  repo.write(repo.path('src/money.js'), repo.read('src/money.js').replace(rounding.wrong, rounding.right));
  repo.write(repo.path('src/receipt.js'), repo.read('src/receipt.js').replace(total, totalAndSaved));
  for (const file of ['notes/1.3.0.md', 'troupe-demo/hello.md', 'test/empty.test.js']) repo.write(repo.path(file), '// from before\n');
  const session = await startEngine({ ...demo, repo, script: [] });
  session.autoAnswer((ask) => (ask.kind === 'plan' ? { behavior: 'approve', mode: 'default' } : once));
  expect(await play(session, 'fix')).toMatch(/note is in `troupe-demo\/hello\.md`\. All \d tests pass/);
  expect(await play(session, 'agents')).toMatch(/from-an-agent\.md` is written[\s\S]*\*\*Review\*\*/);
  expect(await play(session, 'skills')).toContain('notes/1.3.0.md` is written');
  expect(await play(session, 'plan')).toContain('Done as planned');
  expect([repo.read('troupe-demo/hello.md'), repo.read('notes/1.3.0.md'), repo.read('test/empty.test.js')]).toEqual([expect.stringMatching(/^.. from before\n- and again\n$/), expect.stringContaining('Read again'), expect.stringContaining('once more')]);
});

verifies('demo:walk:reload', async () => {
  const repo = await teaShop();
  const session = await startEngine({ ...demo, repo, script: [] });
  await play(session, 'Start the demo');
  await session.submit('go on');
  const [ask] = await session.asks(1);
  await session.engine.dispose();
  const engine = await openEngine({ ...demo, repo, server: session.server });
  await engine.handlers['session/resume']({ sessionId: session.sessionId }, caller);
  const after = playSession({ engine, server: session.server, repo, complaints: [] }, session.sessionId);
  const [again] = await after.asks(1);
  expect(again).toEqual(ask);
  after.autoAnswer(() => once);
  expect(again && (await after.answer(again, once))).toBe(true);
  await after.event('turn/completed', (event) => event.agentId === 'main');
  expect(await lastWords(after)).toMatch(/all 5 tests pass/);
  expect(await play(after, 'go on')).toContain('**Review**');
});

verifies('demo:access:goes-on', async () => {
  const server = await startModel([say('I am a model now.')]);
  const repo = await teaShop();
  const engine = await openEngine({ repo, server, env: noKey, options: { startsAtOnce: true } });
  expect(engine.workspace().model).toMatchObject({ state: 'none', ways: expect.arrayContaining(['demo']) });
  expect(await engine.handlers['model/setup']({ way: 'demo' }, caller)).toEqual({});
  expect(engine.workspace().model).toMatchObject({ provider: 'demo', label: 'Demo (scripted, no model)' });
  const { sessionId } = await engine.handlers['session/start']({}, caller);
  const session = playSession({ engine, server, repo, complaints: [] }, sessionId);
  await play(session, 'Start the demo');
  await engine.handlers['session/setModel']({ sessionId, model: 'only-there' }, caller);
  expect(await engine.handlers['model/setup']({ way: 'baseUrl', baseUrl: server.url, model: 'claude-sonnet-5-5', key: 'test-key' }, caller)).toEqual({});
  expect(await play(session, 'And you?')).toBe('I am a model now.');
  expect(server.messageRequests().at(-1)?.body).toMatchObject({ model: 'claude-sonnet-5-5' });
  await engine.dispose();
  const later = await openEngine({ repo, server, env: noKey });
  expect(later.workspace().model).toMatchObject({ provider: 'compatible', model: 'claude-sonnet-5-5' });
});

verifies('demo:headless:no-key', async () => {
  const repo = await teaShop();
  const text = await runHeadless(['-p', 'hello', '--model', 'demo'], { repo });
  expect(text).toMatchObject({ exitCode: 0, stderr: '' });
  expect(text.stdout).toMatch(/src\/money\.js:8[\s\S]*Demo: a fixed script, no model/);
  const json = await runHeadless(['-p', 'fix', '--model', 'demo', '--output-format', 'stream-json', '--allowedTools', 'Edit', 'Bash(npm test)'], { repo });
  expect(json.lines[0]).toMatchObject({ subtype: 'init', model: 'demo' });
  expect(json.result).toMatchObject({ is_error: false, total_cost_usd: 0, result: expect.stringContaining('all 5 tests pass') });
  expect(repo.read('src/money.js')).toContain('Math.round((cents');
  const without = await runHeadless(['-p', 'hello'], { repo });
  expect([without.exitCode, without.stderr]).toEqual([1, expect.stringContaining('--model demo')]);
});
