import { existsSync, rmSync } from 'node:fs';
import { expect } from 'vitest';
import { agent, bash } from '../support/agentScripts';
import { callTool, reply, say, when } from '../support/script';
import { caller, once, openEngine, playSession, startEngine, type TestSession } from '../support/startEngine';
import { verifies } from '../support/verifies';

const write = (path: string, content: string, id: string) => callTool('Write', { file_path: path, content }, { id });
const turnIds = (session: TestSession): string[] => session.log().flatMap((event) => (event.type === 'turn/started' && event.agentId === 'main' ? [event.turnId] : []));
const undo = async (session: TestSession, turnId = turnIds(session)[0] ?? '') => session.engine.handlers['turn/undo']({ sessionId: session.sessionId, turnId }, caller);
const refs = (session: TestSession): string[] => session.repo.git('for-each-ref', '--format=%(refname)', 'refs/troupe/snapshots').split('\n').filter(Boolean);
const rules = { allow: ['Bash(*)', 'Write', 'Edit'] };

verifies('undo:engine:turn', async () => {
  const session = await startEngine({
    mode: 'acceptEdits',
    rules,
    files: { 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n', 'mine.txt': 'm\n' },
    script: [
      when({ first: 'HELP' }, [bash('echo helped > helped.txt; echo helped >> c.txt', 'h1'), say('helped')]),
      reply(callTool('Read', { file_path: 'a.txt' }), callTool('Read', { file_path: 'mine.txt' })),
      reply(callTool('Edit', { file_path: 'a.txt', old_string: 'a', new_string: 'A' }), write('new.txt', 'n\n', 'w1'), bash('rm b.txt && mkdir d && echo x > "d/odd name.txt"', 'b1'), agent('HELP', 'm1')),
      say('done'),
    ],
  });
  session.repo.write('loose.txt', 'not committed\n');
  session.repo.write('mine.txt', 'edited before\n');
  await session.prompt('go');
  expect(session.repo.read('c.txt')).toBe('c\nhelped\n');
  const [turnId = ''] = turnIds(session);
  expect((await session.view()).undo[turnId]).toEqual({ state: 'ready' });
  session.repo.write('new.txt', 'by hand\n');
  const report = await undo(session);
  expect({ ...report, restored: [...report.restored].sort() }).toEqual({ restored: ['a.txt', 'b.txt', 'c.txt', 'd/odd name.txt', 'helped.txt'], skipped: [{ path: 'new.txt', reason: 'edited-since' }], backup: expect.stringContaining('/undo-'), commitsStay: false });
  expect(['a.txt', 'b.txt', 'c.txt', 'loose.txt', 'mine.txt', 'new.txt'].map((path) => session.repo.read(path))).toEqual(['a\n', 'b\n', 'c\n', 'not committed\n', 'edited before\n', 'by hand\n']);
  expect([existsSync(session.repo.path('helped.txt')), existsSync(session.repo.path('d'))]).toEqual([false, false]);
  expect((await session.view()).undo[turnId]).toEqual({ state: 'undone', report });

  // Taken back, then undone again.
  const { sessionId } = session;
  const redone = await session.engine.handlers['turn/redo']({ sessionId, turnId, backup: report.backup ?? '' }, caller);
  expect([...redone.restored].sort()).toEqual(['a.txt', 'b.txt', 'c.txt', 'd/odd name.txt', 'helped.txt']);
  expect([session.repo.read('a.txt'), existsSync(session.repo.path('b.txt')), session.repo.read('c.txt'), session.repo.read('new.txt')]).toEqual(['A\n', false, 'c\nhelped\n', 'by hand\n']);
  expect((await session.view()).undo[turnId]).toEqual({ state: 'ready' });
  expect(await session.engine.handlers['turn/redo']({ sessionId, turnId, backup: 'refs/heads/main' }, caller)).toMatchObject({ restored: [], problem: expect.stringContaining('unknown') });
  expect((await undo(session)).restored).toHaveLength(5);
  expect((await undo(session)).problem).toMatch(/every file of this turn has changed since/);
});

verifies('undo:engine:told', async () => {
  const session = await startEngine({ mode: 'acceptEdits', script: [write('new.txt', 'n\n', 'w1'), say('done'), say('I see')] });
  await session.prompt('go');
  await undo(session);
  await session.prompt('and now?');
  expect(JSON.stringify(session.server.messageRequests().at(-1)?.body)).toMatch(/The person has undone what one of your turns did to files\. As before that turn are: new\.txt\./);
});

verifies('undo:engine:idle', async () => {
  const session = await startEngine({ script: [callTool('Read', { file_path: 'README.md' }), say('a shop')] });
  await session.prompt('look');
  expect(session.log().some((event) => event.type === 'turn/snapshotTaken')).toBe(false);
  expect(refs(session)).toEqual([]);
  expect((await undo(session)).problem).toMatch(/no tool that could change files/);
});

verifies('undo:engine:off', async () => {
  const session = await startEngine({ rules, mode: 'acceptEdits', script: [write('1.txt', '1\n', 'w1'), say('done'), write('2.txt', '2\n', 'w2'), say('done')] });
  session.repo.git('config', 'core.bare', 'true');
  await session.prompt('one');
  await session.prompt('two');
  const taken = session.log().filter((event) => event.type === 'turn/snapshotTaken');
  expect(taken).toHaveLength(1);
  expect(taken[0]).toMatchObject({ off: expect.stringContaining('without files (bare)') });
  expect((await undo(session)).problem).toContain('without files (bare)');
  expect(session.repo.read('2.txt')).toBe('2\n');
});

verifies('undo:engine:turn', async () => {
  const session = await startEngine({ rules, mode: 'acceptEdits', script: [bash('echo new > a.txt; rm b.txt', 'b1'), say('done')] });
  rmSync(session.repo.path('.git'), { recursive: true });
  session.repo.write('a.txt', 'a\n');
  session.repo.write('b.txt', 'b\n');
  await session.prompt('go');
  expect([...(await undo(session)).restored].sort()).toEqual(['a.txt', 'b.txt']);
  expect([session.repo.read('a.txt'), session.repo.read('b.txt'), existsSync(session.repo.path('.git'))]).toEqual(['a\n', 'b\n', false]);
}, { case: 'in a folder without git' });

verifies('undo:engine:busy', async () => {
  const session = await startEngine({ mode: 'acceptEdits', script: [write('new.txt', 'n\n', 'w1'), say('done'), bash('node -e 0', 'b1'), say('done')] });
  await session.prompt('one');
  await session.submit('two');
  const [ask] = await session.asks(1);
  expect(await undo(session)).toMatchObject({ restored: [], problem: expect.stringContaining('at work') });
  expect(session.repo.read('new.txt')).toBe('n\n');
  if (ask) await session.answer(ask, once);
  await session.settled();
  expect((await undo(session)).restored).toEqual(['new.txt']);
});

verifies('undo:engine:reload', async () => {
  const session = await startEngine({ mode: 'acceptEdits', rules: { allow: ['Bash(*)'] }, script: [write('new.txt', 'n\n', 'w1'), bash('echo more > more.txt; sleep 60', 'b1')] });
  await session.submit('go');
  await session.event('tool/started', (event) => event.callId === 'b1');
  await expect.poll(() => existsSync(session.repo.path('more.txt'))).toBe(true);
  await session.engine.dispose();
  // As a crash leaves it: the end of the turn was never kept.
  const [turnId = ''] = turnIds(session);
  session.repo.git('update-ref', '-d', `refs/troupe/snapshots/${session.sessionId}/${turnId}-after`);
  const engine = await openEngine(session);
  await engine.handlers['session/resume']({ sessionId: session.sessionId }, caller);
  const after = playSession({ ...session, engine }, session.sessionId);
  expect([...(await undo(after, turnId)).restored].sort()).toEqual(['more.txt', 'new.txt']);
});

verifies('undo:engine:forgotten', async () => {
  const session = await startEngine({ mode: 'acceptEdits', script: [write('new.txt', 'n\n', 'w1'), say('done')] });
  await session.prompt('go');
  await session.engine.handlers['session/start']({}, caller);
  await session.engine.handlers['session/delete']({ sessionId: session.sessionId }, caller);
  await expect.poll(() => refs(session)).toEqual([]);
});
