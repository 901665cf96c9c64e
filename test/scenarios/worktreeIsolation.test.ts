import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { PermissionRequest } from '../../extension/protocol/permission';
import type { PendingAsk } from '../../extension/protocol/view';
import { agent, agentNamed, bash, requestsOf, resultOf, stop } from '../support/agentScripts';
import { callTool, hold, reply, say, when } from '../support/script';
import { caller, once, openEngine, playSession, startEngine } from '../support/startEngine';
import { verifies } from '../support/verifies';

const write = (path: string, content: string, id: string) => callTool('Write', { file_path: path, content }, { id });
const isolated = { isolation: 'worktree' };
const request = (ask: PendingAsk | undefined): PermissionRequest => {
  if (ask?.kind !== 'permission') throw new Error('no permission ask');
  return ask.request;
};

verifies('worktree:engine:isolation', async () => {
  const calls = [
    (root: string) => bash(`git -C ${root} commit --allow-empty -m stolen`, 'x1'),
    (root: string) => bash(`git --git-dir=${root}/.git update-ref refs/heads/stolen HEAD`, 'x2'),
    (root: string) => bash(`GIT_DIR=${root}/.git git branch stolen`, 'x3'),
    (root: string) => bash(`cd ${root} && touch stolen.txt`, 'x4'),
    () => bash('cd ../../.. && touch stolen.txt', 'x5'),
    () => bash('bash -c "cd ../../..; touch stolen.txt"', 'x6'),
    () => bash('cp README.md ../../../stolen.txt', 'x7'),
    () => write('../../../stolen.txt', 'x', 'x8'),
    (root: string) => bash(`ln -s ${root} up && echo made`, 'x9'),
    () => write('up/stolen.txt', 'x', 'x10'),
    () => bash('cd up && touch taken.txt', 'x11'),
    () => bash('echo mine > kept.txt', 'x12'),
  ];
  const session = await startEngine({ rules: { allow: ['Bash', 'Write', 'Edit'] }, script: [] });
  session.server.script(when({ first: 'APART' }, [...calls.map((call) => call(session.repo.root)), say('tried')]), agent('APART', 'm1', { ...isolated, name: 'fix' }), say('done'));
  const asked = session.autoAnswer(() => ({ behavior: 'deny' }));
  expect(await session.prompt('go')).toMatchObject({ stop: 'done' });
  const { agentId } = agentNamed(await session.view(), 'APART');
  const outcomes = session.log().flatMap((event) => (event.type === 'tool/completed' && event.agentId === agentId ? [`${event.callId} ${event.outcome}`] : []));
  expect(outcomes).toEqual(calls.map((_, i) => `x${i + 1} ${i === 8 || i === 11 ? 'completed' : 'denied'}`));
  expect(asked.map((ask) => request(ask).callId)).toEqual(['x10', 'x11']);
  expect([existsSync(session.repo.path('stolen.txt')) || existsSync(session.repo.path('taken.txt')), session.repo.git('branch', '--list', 'stolen'), session.repo.git('rev-list', '--count', 'main').trim()]).toEqual([false, '', '1']);
  expect(await resultOf(session, 'x1', agentId)).toContain('works in');
});

verifies('worktree:engine:fold', async () => {
  const session = await startEngine({
    files: { '.claude/agents/middle.md': '---\nname: middle\ndescription: x\ndisallowedTools: Bash(curl *)\n---\nYou hand work on.\n', '.claude/settings.json': '{"permissions":{"ask":["Bash(git push *)"]}}' },
    rules: { deny: ['Bash(rm *)'], allow: ['Bash(*)'] },
    script: [
      when({ first: 'LEAF' }, [bash('rm README.md', 'l1'), bash('git push origin', 'l2'), bash('curl http://127.0.0.1:9', 'l3'), bash('touch one.txt', 'l4'), say('leaf')]),
      when({ first: 'MIDDLE' }, [agent('LEAF', 'n1', { ...isolated, name: 'leaf' }), say('middle')]),
      agent('MIDDLE', 'm1', { ...isolated, name: 'middle', subagent_type: 'middle' }),
      say('done'),
    ],
  });
  const asked = session.autoAnswer(() => ({ behavior: 'deny' }));
  await session.prompt('go');
  const view = await session.view();
  const [middle, leaf] = [agentNamed(view, 'MIDDLE'), agentNamed(view, 'LEAF')];
  const outcomes = session.log().flatMap((event) => (event.type === 'tool/completed' && event.agentId === leaf.agentId ? [`${event.callId} ${event.outcome}`] : []));
  expect(outcomes).toEqual(['l1 denied', 'l2 denied', 'l3 denied', 'l4 completed']);
  expect(asked.map(request)).toMatchObject([{ callId: 'l2', agentPath: ['main', middle.agentId, leaf.agentId], worktree: leaf.worktree }]);
  expect(existsSync(session.repo.path(`.claude/worktrees/${leaf.worktree}/one.txt`))).toBe(true);
});

verifies('worktree:engine:asks', async () => {
  const tasks = ['A', 'B', 'C', 'D'];
  const session = await startEngine({
    script: [...tasks.map((n) => when({ first: `TASK-${n}` }, [reply(hold(n), bash(`touch ${n}.txt`, `${n}1`)), say(`${n} is done`)])), reply(...tasks.map((n) => agent(`TASK-${n}`, `m${n}`, { ...isolated, name: n }))), say('three of four')],
  });
  await session.submit('go');
  for (const [i, n] of ['B', 'A', 'D', 'C'].entries()) {
    await session.server.waitFor(() => requestsOf(session, `TASK-${n}`).length >= 1);
    session.server.release(n);
    await session.asks(i + 1);
  }
  const four = await session.asks(4);
  expect(four.map((ask) => [request(ask).subject.command, request(ask).worktree])).toEqual(['B', 'A', 'D', 'C'].map((n) => [`touch ${n}.txt`, n.toLowerCase()]));
  await stop(session, agentNamed(await session.view(), 'TASK-A').agentId);
  const three = await session.asks(3);
  await session.engine.dispose();
  const engine = await openEngine(session);
  await engine.handlers['session/resume']({ sessionId: session.sessionId }, caller);
  const after = playSession({ ...session, engine }, session.sessionId);
  const again = await after.asks(3);
  expect(again.map((ask) => ask.request.requestId)).toEqual(three.map((ask) => ask.request.requestId));
  for (const ask of again) expect([await after.answer(ask, once), await after.answer(ask, once)]).toEqual([true, false]);
  await after.event('turn/completed', (event) => event.agentId === 'main');
  const view = await after.view();
  expect(tasks.map((n) => agentNamed(view, `TASK-${n}`).status)).toEqual(['stopped', 'done', 'done', 'done']);
  expect(['b', 'c', 'd'].map((n) => existsSync(session.repo.path(`.claude/worktrees/${n}/${n.toUpperCase()}.txt`)))).toEqual([true, true, true]);
  await expect.poll(() => existsSync(session.repo.path('.claude/worktrees/a'))).toBe(false);
  expect(session.repo.git('status', '--porcelain')).toBe('');
  for (const n of ['B', 'C', 'D']) expect(requestsOf(after, `TASK-${n}`)).toHaveLength(2);
});

verifies('worktree:engine:rules', async () => {
  const session = await startEngine({
    files: { 'work.js': '' },
    script: [
      when({ first: 'APART' }, [bash('node work.js one', 'a1'), bash('node work.js two', 'a2'), write('x.txt', 'x\n', 'a3'), say('apart')]),
      agent('APART', 'm1', { ...isolated, name: 'fix' }),
      reply(bash('node work.js one', 'm2'), bash('node work.js two', 'm3')),
      say('done'),
    ],
  });
  const asked = session.autoAnswer((ask) => {
    const { callId, subject } = request(ask);
    return callId.startsWith('a') ? { behavior: 'allow', scope: 'local', rules: [`Bash(${subject.command})`], ...(callId === 'a2' ? { inMainToo: true } : {}) } : { behavior: 'deny' };
  });
  await session.prompt('go');
  expect(asked.map((ask) => request(ask).callId)).toEqual(['a1', 'a2', 'm2']);
  expect(JSON.parse(readFileSync(session.repo.path('.claude/settings.local.json'), 'utf8'))).toMatchObject({ permissions: { allow: ['Bash(node work.js two)'] }, troupe: { permissions: { worktreeAllow: ['Bash(node work.js one)'] } } });
});

verifies('worktree:engine:diagnostics', async () => {
  const looked: string[] = [];
  const diagnostics = async (paths: readonly string[]): Promise<string> => {
    looked.push(...paths);
    return paths.map((path) => `${path}:1 error: x is not defined`).join('\n');
  };
  const session = await startEngine({
    mode: 'acceptEdits',
    files: { 'a.js': 'a\n' },
    ports: { language: { diagnostics } },
    script: [
      when({ first: 'APART' }, [callTool('Read', { file_path: 'a.js' }), callTool('Edit', { file_path: 'a.js', old_string: 'a', new_string: 'x' }, { id: 'a1' }), say('apart')]),
      agent('APART', 'm1', { ...isolated, name: 'fix' }),
      write('b.js', 'x\n', 'm2'),
      say('done'),
    ],
  });
  await session.prompt('go');
  const inWorktree = session.repo.path('.claude/worktrees/fix/a.js');
  expect(looked).toEqual([inWorktree, session.repo.path('b.js')]);
  expect(await resultOf(session, 'a1', agentNamed(await session.view(), 'APART').agentId)).toContain(`Errors and warnings in the file now:\n${inWorktree}:1 error: x is not defined`);
  expect(await resultOf(session, 'm2')).toContain('b.js:1 error: x is not defined');
});
