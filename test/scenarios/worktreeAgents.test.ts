import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { Engine } from '../../extension/engine';
import type { WorkspaceView } from '../../extension/protocol/view';
import { agent, agentNamed, bash, resultOf } from '../support/agentScripts';
import { callTool, reply, say, when } from '../support/script';
import { caller, once, openEngine, playSession, startEngine } from '../support/startEngine';
import { verifies } from '../support/verifies';

const write = (path: string, content: string, id: string) => callTool('Write', { file_path: path, content }, { id });

/** Resolves with the first workspace that fits. */
function untilWorkspace(engine: Engine, fits: (workspace: WorkspaceView) => boolean): Promise<WorkspaceView> {
  return new Promise((resolve) => {
    const look = (workspace: WorkspaceView): boolean => {
      if (!fits(workspace)) return false;
      listening.dispose();
      resolve(workspace);
      return true;
    };
    const listening = engine.onDidChangeWorkspace(look);
    look(engine.workspace());
  });
}

verifies('worktree:engine:agent', async () => {
  const session = await startEngine({
    files: { 'src/a.txt': 'a\n' },
    script: [when({ first: 'APART' }, [write('src/new.txt', 'one\ntwo\n', 'w1'), bash('git rev-parse --abbrev-ref HEAD && git status --porcelain', 'w2'), say('made it')]), agent('APART', 'm1', { isolation: 'worktree' }), say('done')],
  });
  session.repo.write('loose.txt', 'not committed\n');
  const head = session.repo.git('rev-parse', 'HEAD').trim();
  expect(await session.prompt('go')).toMatchObject({ stop: 'done' });
  const worker = agentNamed(await session.view(), 'APART');
  expect(worker).toMatchObject({ worktree: 'does-apart', status: 'done' });
  expect(await resultOf(session, 'w2', worker.agentId)).toMatch(/worktree-does-apart\n\?\? src\/new.txt/);
  const first = JSON.stringify(session.server.messageRequests().map((r) => r.body).find((body) => JSON.stringify(body).includes('APART') && JSON.stringify(body).includes('worktree of your own')));
  expect(first).toContain(head.slice(0, 12));
  expect(await resultOf(session, 'm1')).toMatch(/made it[\s\S]*Its changes \(1 file, \+2 −0\) are in the worktree does-apart on the branch worktree-does-apart/);
  expect(existsSync(session.repo.path('src/new.txt'))).toBe(false);
  expect(session.repo.git('status', '--porcelain').trim()).toBe('?? loose.txt');
  expect(session.log().filter((event) => event.type === 'permission/requested')).toEqual([]);
});

verifies('worktree:carry:agent', async () => {
  const looks = (id: string) => bash('cat loose.txt', id);
  const session = await startEngine({
    script: [
      when({ first: 'CARRIED' }, [looks('w1'), say('seen')]),
      when({ first: 'PLAIN' }, [looks('w2'), say('not seen')]),
      reply(callTool('Agent', { description: 'does CARRIED', prompt: 'Look CARRIED.', isolation: 'worktree', include_uncommitted: true }, { id: 'm1' }), callTool('Agent', { description: 'does PLAIN', prompt: 'Look PLAIN.', isolation: 'worktree' }, { id: 'm2' }), callTool('Agent', { description: 'here', prompt: 'Look HERE.', include_uncommitted: true }, { id: 'm3' })),
      say('done'),
    ],
  });
  session.repo.write('loose.txt', 'not committed\n');
  await session.prompt('go');
  const view = await session.view();
  expect(await resultOf(session, 'w1', agentNamed(view, 'CARRIED').agentId)).toContain('not committed');
  expect(await resultOf(session, 'w2', agentNamed(view, 'PLAIN').agentId)).toContain('No such file');
  expect(await resultOf(session, 'm3')).toMatch(/include_uncommitted belongs to isolation: worktree/);
  const briefs = session.server.messageRequests().map((r) => JSON.stringify(r.body));
  expect(briefs.find((body) => body.includes('Look CARRIED') && body.includes('worktree of your own'))).toMatch(/and what the person had not committed in/);
  expect(briefs.find((body) => body.includes('Look PLAIN') && body.includes('worktree of your own'))).toMatch(/is not in it/);
});

verifies('worktree:engine:unchanged', async () => {
  const session = await startEngine({ script: [when({ first: 'LOOK' }, [callTool('Read', { file_path: 'README.md' }, { id: 'w1' }), say('a shop')]), agent('LOOK', 'm1', { isolation: 'worktree', name: 'look' }), say('done')] });
  await session.prompt('go');
  expect(await resultOf(session, 'm1')).toMatch(/a shop[\s\S]*It changed no file, so its worktree is gone\./);
  expect(await resultOf(session, 'm1')).not.toContain('worktrees/look');
  expect(existsSync(session.repo.path('.claude/worktrees/look'))).toBe(false);
  expect(session.repo.git('branch', '--list').trim()).toBe('* main');
});

verifies('worktree:engine:names', async () => {
  const session = await startEngine({
    script: [
      when({ first: 'ONE' }, [write('one.txt', '1\n', 'w1'), say('one')]),
      when({ first: 'TWO' }, [write('two.txt', '2\n', 'w2'), say('two')]),
      reply(callTool('Agent', { description: 'Same words!', prompt: 'Please do ONE.', isolation: 'worktree' }, { id: 'm1' }), callTool('Agent', { description: 'Same words!', prompt: 'Please do TWO.', isolation: 'worktree' }, { id: 'm2' })),
      say('done'),
    ],
  });
  await session.prompt('go');
  expect(Object.values((await session.view()).agents).flatMap((one) => one.worktree ?? []).sort()).toEqual(['same-words', 'same-words-2']);
});

verifies('worktree:engine:view', async () => {
  const session = await startEngine({
    rules: { allow: ['Bash(node *)'] },
    script: [when({ first: 'APART' }, [write('new.txt', 'one\n', 'w1'), bash('node wait.js', 'w2'), say('made it')]), agent('APART', 'm1', { isolation: 'worktree', name: 'fix' }), say('done')],
    files: { 'wait.js': "const fs = require('fs'); const at = setInterval(() => fs.existsSync('go') && clearInterval(at), 20);\n" },
  });
  await session.submit('go');
  const during = await untilWorkspace(session.engine, ({ worktrees }) => worktrees.worktrees[0]?.added === 1);
  expect(during.worktrees.worktrees).toMatchObject([{ name: 'fix', branch: 'worktree-fix', state: 'active', added: 1, removed: 0, commits: 0, files: [{ path: 'new.txt', kind: 'added', isUncommitted: true }], conflicts: [], skipped: [] }]);
  session.repo.write('.claude/worktrees/fix/go', '');
  await session.settled();
  const after = await untilWorkspace(session.engine, ({ worktrees }) => worktrees.worktrees[0]?.state === 'ready');
  expect(after.worktrees.worktrees[0]?.files.map((file) => file.path)).toEqual(['go', 'new.txt']);
});

async function withWork(name = 'fix') {
  const session = await startEngine({
    files: { 'a.txt': 'a\n', 'b.txt': 'b\n' },
    script: [when({ first: 'APART' }, [callTool('Read', { file_path: 'a.txt' }), callTool('Edit', { file_path: 'a.txt', old_string: 'a', new_string: 'A' }), bash('rm b.txt', 'w2'), write('c.txt', 'c\n', 'w3'), say('made it')]), agent('APART', 'm1', { isolation: 'worktree', name }), say('done')],
  });
  session.autoAnswer(() => once);
  await session.prompt('go');
  return session;
}

verifies('worktree:engine:take', async () => {
  const session = await withWork();
  const { handlers } = session.engine;
  session.repo.write('mine.txt', 'mine\n');
  expect(await handlers['worktree/branches']({}, caller)).toEqual({ current: 'main', branches: ['main'] });
  expect(await handlers['worktree/preview']({ name: 'fix', kind: 'merge' }, caller)).toEqual({ branch: 'main', files: ['a.txt', 'b.txt', 'c.txt'], isDirty: true, isFastForward: true, conflicts: [] });
  const { trashId = '' } = await handlers['worktree/discard']({ name: 'fix' }, caller);
  expect(session.engine.workspace().worktrees).toMatchObject({ worktrees: [], trash: [{ id: trashId, name: 'fix', branch: 'worktree-fix', files: 3 }] });
  expect(await handlers['worktree/restore']({ trashId }, caller)).toEqual({ name: 'fix' });
  expect(session.engine.workspace().worktrees).toMatchObject({ worktrees: [{ name: 'fix', state: 'ready' }], trash: [] });
  session.repo.write('c.txt', 'in the way\n');
  expect(await handlers['worktree/take']({ name: 'fix', kind: 'merge' }, caller)).toMatchObject({ removed: false, conflicts: [{ path: 'c.txt' }], problem: expect.stringContaining('Nothing was changed') });
  expect(session.engine.workspace().worktrees.worktrees).toMatchObject([{ state: 'conflicted', conflicts: [{ path: 'c.txt' }] }]);
  session.repo.git('clean', '-qf', 'c.txt');
  const taken = await handlers['worktree/take']({ name: 'fix', kind: 'merge', message: 'Fix it' }, caller);
  expect(taken).toMatchObject({ files: ['a.txt', 'b.txt', 'c.txt'], commit: session.repo.git('rev-parse', 'main').trim(), removed: true, conflicts: [] });
  expect(session.engine.workspace().worktrees).toEqual({ worktrees: [], trash: [] });
  expect([session.repo.read('a.txt'), existsSync(session.repo.path('b.txt')), session.repo.read('mine.txt')]).toEqual(['A\n', false, 'mine\n']);
  expect(session.repo.git('log', '-1', '--format=%s')).toBe('Fix it\n');
  expect(await handlers['worktree/discard']({ name: 'fix' }, caller)).toEqual({ problem: expect.stringContaining('There is no worktree fix') });
});

verifies('worktree:engine:off', async () => {
  const session = await startEngine({ script: [agent('APART', 'm1', { isolation: 'worktree' }), say('done')] });
  session.repo.git('update-ref', '-d', 'refs/heads/main');
  await session.engine.handlers['worktree/refresh']({}, caller);
  expect(session.engine.workspace().worktrees.off).toContain('no commit yet');
  await session.prompt('go');
  expect(await resultOf(session, 'm1')).toMatch(/not started: The repository .* has no commit yet/);
  const outside = await openEngine({ ...session, options: { cwd: session.repo.outside } });
  await outside.handlers['worktree/refresh']({}, caller);
  expect(outside.workspace().worktrees).toMatchObject({ off: expect.stringContaining('no git repository'), worktrees: [] });
});

verifies('worktree:engine:review', async () => {
  const session = await withWork();
  expect(String(await session.engine.worktreeBase('fix', 'a.txt'))).toBeDefined();
  expect(Buffer.from((await session.engine.worktreeBase('fix', 'a.txt')) ?? []).toString()).toBe('a\n');
  expect(await session.engine.worktreeBase('fix', 'c.txt')).toBeUndefined();
  expect(await session.engine.worktreeBase('gone', 'a.txt')).toBeUndefined();
  await expect(session.engine.handlers['worktree/openDiff']({ name: 'fix' }, caller)).rejects.toThrow('no editor');
});

verifies('worktree:engine:nested', async () => {
  const session = await startEngine({
    script: [
      when({ first: 'INNER' }, [bash('cat outer.txt', 'i1'), write('inner.txt', 'i\n', 'i2'), say('inner made')]),
      when({ first: 'OUTER' }, [write('outer.txt', 'from outer\n', 'o1'), bash('git add -A && git -c user.name=A -c user.email=a@b.c commit -qm outer', 'o2'), agent('INNER', 'o3', { isolation: 'worktree', name: 'inner' }), say('outer made')]),
      agent('OUTER', 'm1', { isolation: 'worktree', name: 'outer' }),
      say('done'),
    ],
  });
  session.autoAnswer(() => once);
  expect(await session.prompt('go')).toMatchObject({ stop: 'done' });
  expect(await resultOf(session, 'i1', agentNamed(await session.view(), 'INNER').agentId)).toContain('from outer');
  expect(existsSync(session.repo.path('.claude/worktrees/inner/inner.txt'))).toBe(true);
});

verifies('worktree:engine:reload', async () => {
  const session = await startEngine({
    script: [
      when({ first: 'ASKS' }, [write('asked.txt', '1\n', 'a1'), bash('node -e 0', 'a2'), say('asked and told')]),
      when({ first: 'RUNS' }, [write('ran.txt', '1\n', 'r1'), bash('sleep 60', 'r2')]),
      agent('RUNS', 'm1', { isolation: 'worktree', name: 'runs', run_in_background: true }),
      agent('ASKS', 'm2', { isolation: 'worktree', name: 'asks' }),
      say('done'),
    ],
    rules: { allow: ['Bash(sleep *)'] },
  });
  await session.submit('go');
  await session.asks(1);
  await session.event('tool/started', (event) => event.callId === 'r2');
  await session.engine.dispose();
  const engine = await openEngine({ ...session, rules: { allow: ['Bash(sleep *)'] } });
  await engine.handlers['worktree/refresh']({}, caller);
  expect(existsSync(session.repo.path('.claude/worktrees/asks/asked.txt'))).toBe(true);
  await engine.handlers['session/resume']({ sessionId: session.sessionId }, caller);
  const after = playSession({ ...session, engine }, session.sessionId);
  const workspace = await untilWorkspace(engine, ({ worktrees }) => worktrees.worktrees.find((one) => one.name === 'runs')?.state === 'ready' && worktrees.worktrees.find((one) => one.name === 'asks')?.state === 'active');
  expect(workspace.worktrees.worktrees.map(({ name }) => name).sort()).toEqual(['asks', 'runs']);
  const [ask] = await after.asks(1);
  if (ask) await after.answer(ask, once);
  expect(await after.settled()).toMatchObject({ stop: 'done' });
  expect(await resultOf(after, 'm2')).toMatch(/asked and told[\s\S]*worktree asks/);
  expect(readFileSync(session.repo.path('.claude/worktrees/runs/ran.txt'), 'utf8')).toBe('1\n');
});

verifies('worktree:engine:busy', async () => {
  const session = await startEngine({ script: [when({ first: 'APART' }, [write('new.txt', 'one\n', 'w1'), bash('node -e 0', 'w2'), say('made it')]), agent('APART', 'm1', { isolation: 'worktree', name: 'fix' }), say('done')] });
  await session.submit('go');
  const [ask] = await session.asks(1);
  expect(await session.engine.handlers['worktree/discard']({ name: 'fix' }, caller)).toEqual({ problem: expect.stringMatching(/^The agent agent-\w+ works in the worktree fix\. Stop it first\.$/) });
  if (ask) await session.answer(ask, once);
  expect(await session.settled()).toMatchObject({ stop: 'done' });
});

verifies('worktree:engine:woken', async () => {
  const session = await startEngine({
    script: [when({ first: 'LOOK' }, [say('nothing to do'), write('more.txt', 'more\n', 'w2'), say('did more')]), agent('LOOK', 'm1', { isolation: 'worktree', name: 'look' }), say('done'), say('heard')],
  });
  await session.prompt('go');
  const { agentId } = agentNamed(await session.view(), 'LOOK');
  expect(existsSync(session.repo.path('.claude/worktrees/look'))).toBe(false);
  await session.engine.handlers['turn/submit']({ sessionId: session.sessionId, agentId, text: 'do more', attachments: [] }, caller);
  await session.event('agent/finished', (event) => event.agentId === agentId && event.summary === 'did more');
  expect(readFileSync(session.repo.path('.claude/worktrees/look/more.txt'), 'utf8')).toBe('more\n');
});
