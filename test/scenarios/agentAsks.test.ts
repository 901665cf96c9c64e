import { expect } from 'vitest';
import type { PermissionRequest } from '../../extension/protocol/permission';
import type { PendingAsk } from '../../extension/protocol/view';
import { agent, agentNamed, bash, requestsOf, resultOf, stop, untilAsked } from '../support/agentScripts';
import { hold, reply, say, when } from '../support/script';
import { caller, once, openEngine, playSession, startEngine, startModel, type TestSession } from '../support/startEngine';
import { startStdio } from '../support/spawnHeadless';
import { createTempRepo } from '../support/tempRepo';
import { verifies } from '../support/verifies';

const request = (ask: PendingAsk | undefined): PermissionRequest => {
  if (ask?.kind !== 'permission') throw new Error('no permission ask');
  return ask.request;
};
const commands = (asks: readonly PendingAsk[]): readonly (string | undefined)[] => asks.map((ask) => request(ask).subject.command);

/** The window closes and another opens on the same session. */
async function reload(session: TestSession): Promise<TestSession> {
  await session.engine.dispose();
  const engine = await openEngine(session);
  await engine.handlers['session/resume']({ sessionId: session.sessionId }, caller);
  return playSession({ engine, server: session.server, repo: session.repo, complaints: [] }, session.sessionId);
}

verifies('subagents:ask:path', async () => {
  const session = await startEngine({
    script: [when({ first: 'INNER' }, [bash('touch deep.txt', 'i1'), say('made')]), when({ first: 'OUTER' }, [agent('INNER', 'o1'), say('made below')]), agent('OUTER', 'm1'), say('done')],
  });
  await session.submit('go');
  const [ask] = await session.asks(1);
  const view = await session.view();
  const [outer, inner] = [agentNamed(view, 'OUTER'), agentNamed(view, 'INNER')];
  expect(request(ask)).toMatchObject({ agentPath: ['main', outer.agentId, inner.agentId], callId: 'i1' });
  expect([view.agents['main']?.status, outer.status, inner.status]).toEqual(['working', 'working', 'waiting']);
  expect(await session.answer(request(ask) && ask!, once)).toBe(true);
  expect(await session.answer(ask!, once)).toBe(false);
  expect(await session.settled()).toMatchObject({ stop: 'done' });
  expect(session.repo.read('deep.txt')).toBe('');
});

verifies('subagents:ask:queue', async () => {
  const session = await startEngine({
    script: [
      ...['A', 'B', 'C', 'D'].map((n) => when({ first: `TASK-${n}` }, [reply(hold(n), bash(`touch ${n}.txt`, `${n}1`)), say(`${n} is done`)])),
      reply(...['A', 'B', 'C', 'D'].map((n) => agent(`TASK-${n}`, `m${n}`))),
      say('three of four'),
    ],
  });
  await session.submit('go');
  for (const [i, n] of ['B', 'A', 'D', 'C'].entries()) {
    await untilAsked(session, `TASK-${n}`);
    session.server.release(n);
    await session.asks(i + 1);
  }
  expect(commands(await session.asks(4))).toEqual(['touch B.txt', 'touch A.txt', 'touch D.txt', 'touch C.txt']);
  await stop(session, agentNamed(await session.view(), 'TASK-A').agentId);
  const three = await session.asks(3);
  expect(commands(three)).toEqual(['touch B.txt', 'touch D.txt', 'touch C.txt']);

  const after = await reload(session);
  const again = await after.asks(3);
  expect(again.map((ask) => ask.request.requestId)).toEqual(three.map((ask) => ask.request.requestId));
  for (const ask of again) {
    expect(await after.answer(ask, once)).toBe(true);
    expect(await after.answer(ask, once)).toBe(false);
  }
  await after.event('turn/completed', (event) => event.agentId === 'main');
  const view = await after.view();
  expect(['A', 'B', 'C', 'D'].map((n) => agentNamed(view, `TASK-${n}`).status)).toEqual(['stopped', 'done', 'done', 'done']);
  for (const n of ['B', 'C', 'D']) {
    expect(requestsOf(after, `TASK-${n}`)).toHaveLength(2);
    expect(after.repo.read(`${n}.txt`)).toBe('');
  }
  expect(requestsOf(after, 'three of four')).toEqual([]);
  expect(requestsOf(after, 'go')).toHaveLength(2);
  expect(view.pendingAsks).toEqual([]);
});

verifies('subagents:ask:own-grant', async () => {
  const session = await startEngine({
    script: [
      when({ first: 'TASK-A' }, [bash('touch a1', 'a1'), bash('touch a2', 'a2'), say('a')]),
      when({ first: 'TASK-B' }, [bash('touch b1', 'b1'), say('b')]),
      agent('TASK-A', 'm1'),
      agent('TASK-B', 'm2'),
      say('done'),
    ],
  });
  const asked = session.autoAnswer((ask) => (request(ask).callId === 'a1' ? { behavior: 'allow', scope: 'agent', rules: ['Bash(touch *)'] } : once));
  await session.prompt('go');
  expect(asked.map((ask) => ask.request.callId)).toEqual(['a1', 'b1']);
});

verifies('subagents:ask:fold', async () => {
  const session = await startEngine({
    files: { '.claude/agents/middle.md': '---\nname: middle\ndescription: x\ndisallowedTools: Bash(curl *)\n---\nYou hand work on.\n' },
    rules: { deny: ['Bash(rm *)'], ask: ['Bash(git push *)'] },
    script: [
      when({ first: 'LEAF' }, [bash('touch one', 'l1'), bash('rm one', 'l2'), bash('git push origin', 'l3'), bash('curl http://127.0.0.1:9', 'l4'), bash('touch two', 'l5'), say('leaf')]),
      when({ first: 'MIDDLE' }, [agent('LEAF', 'n1'), say('middle')]),
      agent('MIDDLE', 'm1', { subagent_type: 'middle' }),
      say('done'),
    ],
  });
  const asked = session.autoAnswer((ask) => (request(ask).callId === 'l1' ? { behavior: 'allow', scope: 'agent', rules: ['Bash'] } : { behavior: 'deny', feedback: 'not now' }));
  await session.prompt('go');
  const { agentId } = agentNamed(await session.view(), 'LEAF');
  const outcomes = session.log().flatMap((event) => (event.type === 'tool/completed' && event.agentId === agentId ? [[event.callId, event.outcome]] : []));
  expect(outcomes).toEqual([['l1', 'completed'], ['l2', 'denied'], ['l3', 'denied'], ['l4', 'denied'], ['l5', 'completed']]);
  expect(asked.map((ask) => ask.request.callId)).toEqual(['l1', 'l3']);
  expect(await resultOf(session, 'l2', agentId)).toContain('Bash(rm *)');
  expect(await resultOf(session, 'l4', agentId)).toContain(agentNamed(await session.view(), 'MIDDLE').agentId);
});

verifies('subagents:reload:mid-ask', async () => {
  const session = await startEngine({
    script: [
      when({ first: 'INNER' }, [bash('echo x >> deep.txt', 'i1'), say('inner made it')]),
      when({ first: 'OUTER' }, [agent('INNER', 'o1'), say('outer saw it')]),
      reply(say('I hand it on.'), agent('OUTER', 'm1')),
      say('all done'),
    ],
  });
  await session.submit('go');
  const [before] = await session.asks(1);
  const after = await reload(session);
  const [ask] = await after.asks(1);
  expect(ask).toEqual(before);
  expect(after.events).toEqual([]);
  expect(await after.answer(ask!, once)).toBe(true);
  await after.event('turn/completed', (event) => event.agentId === 'main');
  const view = await after.view();
  expect(after.repo.read('deep.txt')).toBe('x\n');
  expect(['OUTER', 'INNER'].map((brief) => agentNamed(view, brief).status)).toEqual(['done', 'done']);
  expect(Object.keys(view.agents)).toHaveLength(3);
  expect([requestsOf(after, 'INNER').length, requestsOf(after, 'OUTER').length, requestsOf(after, 'go').length]).toEqual([2, 2, 2]);
  expect(requestsOf(after, 'go')[1]?.lastText).toContain('outer saw it');
});

verifies('subagents:reload:cut-off', async () => {
  const repo = createTempRepo();
  const server = await startModel([
    when({ first: 'CUT' }, [reply(say('I had begun.'), bash('sleep 600', 'c1')), say('never')]),
    when({ first: 'ASKS' }, [bash('touch asked.txt', 'a1'), say('asked and done')]),
    reply(agent('CUT', 'm1'), agent('ASKS', 'm2')),
    say('one of two'),
  ]);
  const start = { rules: { allow: ['Bash(sleep *)'] } };
  const engine = await openEngine({ ...start, repo, server });
  const { sessionId } = await engine.handlers['session/start']({}, caller);
  const session = playSession({ engine, server, repo, complaints: [] }, sessionId);
  await session.submit('go');
  await session.asks(1);
  await session.event('tool/spawned');
  const after = await reload(session);
  const view = await after.view();
  expect(agentNamed(view, 'CUT')).toMatchObject({ status: 'stopped', summary: expect.stringContaining('Interrupted') });
  expect(agentNamed(view, 'ASKS').status).toBe('waiting');
  const [ask] = await after.asks(1);
  await after.answer(ask!, once);
  await after.event('turn/completed', (event) => event.agentId === 'main');
  expect(requestsOf(after, 'CUT')).toHaveLength(1);
  const { lastText } = requestsOf(after, 'go').at(-1) ?? { lastText: '' };
  expect(lastText).toMatch(/closed or crashed while the agent general-purpose worked[\s\S]*I had begun\./);
  expect(lastText).toContain('asked and done');
});

verifies(
  'subagents:reload:cut-off',
  async () => {
    const session = await startEngine({ script: [when({ first: 'BACK' }, [reply(hold('never'), say('x'))]), agent('BACK', 'm1', { run_in_background: true }), say('waiting'), say('I see.')] });
    await session.prompt('go');
    await untilAsked(session, 'BACK');
    const after = await reload(session);
    expect(agentNamed(await after.view(), 'BACK').status).toBe('stopped');
    await after.prompt('and now?');
    const { lastText } = requestsOf(after, 'go').at(-1) ?? { lastText: '' };
    expect(lastText).toContain('<status>killed</status>');
    expect(lastText).toContain('and now?');
  },
  { case: 'in the background' },
);

verifies(
  'subagents:reload:mid-ask',
  async () => {
    const repo = createTempRepo();
    const server = await startModel([
      when({ first: 'INNER' }, [bash('echo x >> deep.txt', 'i1'), say('inner made it')]),
      when({ first: 'OUTER' }, [agent('INNER', 'o1'), say('outer saw it')]),
      agent('OUTER', 'm1', { run_in_background: true }),
      when({ last: 'task-notification' }, [say('told')]),
      say('going on'),
    ]);
    const first = startStdio({ repo, server });
    const { sessionId } = await first.call('session/start', {});
    await first.call('view/subscribe', { sessionId });
    await first.call('turn/submit', { sessionId, text: 'go', attachments: [] });
    const { request: asked } = await first.event('permission/requested');
    await first.event('turn/completed', (event) => event.agentId === 'main');
    await first.kill();

    const second = startStdio({ repo, server });
    const { view } = await second.call('session/resume', { sessionId });
    expect(view.pendingAsks).toMatchObject([{ request: { requestId: asked.requestId, agentPath: asked.agentPath } }]);
    await second.call('view/subscribe', { sessionId });
    expect(await second.call('permission/reply', { sessionId, requestId: asked.requestId, decision: once })).toEqual({ accepted: true });
    await second.event('turn/completed', (event) => event.agentId === 'main');
    expect(repo.read('deep.txt')).toBe('x\n');
    const after = (await second.call('session/snapshot', { sessionId })).view;
    expect(['OUTER', 'INNER'].map((brief) => agentNamed(after, brief).status)).toEqual(['done', 'done']);
    expect(after.conversations['main']?.flatMap((entry) => (entry.kind === 'assistant' ? [entry.text] : []))).toEqual(['going on', 'told']);
    expect(requestsOf({ server }, 'INNER')).toHaveLength(2);
  },
  { case: 'killed, below one in the background' },
);
