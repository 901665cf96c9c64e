import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { expect } from 'vitest';
import { agent, agentNamed, bash, requestsOf, resultOf } from '../support/agentScripts';
import { callTool, hold, reply, say, when } from '../support/script';
import { once, startEngine } from '../support/startEngine';
import { createTempRepo } from '../support/tempRepo';
import { verifies } from '../support/verifies';

const file = (fields: string, body = 'You look after it.'): string => `---\n${fields}\n---\n${body}\n`;

verifies('subagents:definitions:files', async () => {
  const session = await startEngine({
    files: {
      '.claude/agents/reviewer.md': file('name: reviewer\ndescription: Reviews changes\ntools: Read, Grep\nskills: [style]', 'You review with care.'),
      '.claude/agents/broken.md': '---\nname: broken\n---\nno description\n',
      '.claude/skills/style/SKILL.md': '---\nname: style\ndescription: House style\n---\nAlways use tabs.\n',
    },
    script: [when({ first: 'REVIEW' }, [say('looks fine')]), reply(agent('REVIEW', 'm1', { subagent_type: 'reviewer' }), agent('NOTHING', 'm2', { subagent_type: 'broken' })), say('done')],
  });
  await session.prompt('go');
  expect((await session.view()).notices).toMatchObject([{ code: 'agentFiles', detail: expect.stringContaining('broken.md') }]);
  const [request] = requestsOf(session, 'REVIEW');
  expect(request?.systemText).toContain('You review with care.');
  expect(request?.firstText).toContain('Always use tabs.');
  expect(request?.toolNames).toEqual(['Read', 'Grep']);
  expect(agentNamed(await session.view(), 'REVIEW')).toMatchObject({ agentType: 'reviewer', name: 'reviewer', status: 'done' });
  expect(requestsOf(session, 'go')[0]?.firstText).toContain('- reviewer: Reviews changes');
  expect(await resultOf(session, 'm2')).toMatch(/There is no agent "broken"[\s\S]*general-purpose, reviewer[\s\S]*broken\.md/);
  const inspected = (await session.engine.inspect('agents')) as { loaded: { name: string; source: string }[]; problems: { path: string }[] };
  expect(inspected.loaded.map(({ name, source }) => `${source}:${name}`).sort()).toEqual(['builtin:general-purpose', 'project:reviewer']);
  expect(inspected.problems).toMatchObject([{ path: session.repo.path('.claude/agents/broken.md') }]);
  expect((await session.engine.describe(session.sessionId)).agents).toEqual(['general-purpose', 'reviewer']);
});

verifies('subagents:definitions:tools', async () => {
  const session = await startEngine({
    files: { '.claude/agents/quiet.md': file('name: quiet\ndescription: No edits\ndisallowedTools: Edit, Write, NotebookEdit, Bash(git push *)') },
    script: [
      when({ first: 'BELOW' }, [bash('git push origin main', 'b1'), say('refused')]),
      when({ first: 'QUIET' }, [agent('BELOW', 'q1'), say('ok')]),
      when({ first: 'PLAIN' }, [say('ok')]),
      reply(agent('QUIET', 'm1', { subagent_type: 'quiet' }), agent('PLAIN', 'm2', { run_in_background: false })),
      say('done'),
    ],
    rules: { allow: ['Bash(git *)'] },
  });
  await session.prompt('go');
  const main = requestsOf(session, 'go')[0]?.toolNames ?? [];
  const lost = ['TaskOutput', 'AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode'];
  expect(requestsOf(session, 'PLAIN')[0]?.toolNames).toEqual(main.filter((name) => !lost.includes(name)));
  expect(requestsOf(session, 'QUIET')[0]?.toolNames).toEqual(main.filter((name) => ![...lost, 'Edit', 'Write', 'NotebookEdit'].includes(name)));
  expect(requestsOf(session, 'BELOW')[1]?.lastText).toContain('git push');
  expect(session.log().find((event) => event.type === 'tool/completed' && event.callId === 'b1')).toMatchObject({ outcome: 'denied' });
});

verifies('subagents:definitions:no-tools', async () => {
  const session = await startEngine({
    files: { '.claude/agents/typo.md': file('name: typo\ndescription: x\ntools: Grpe, Raed'), '.claude/agents/half.md': file('name: half\ndescription: x\ntools: Read, Grpe') },
    script: [when({ first: 'HALF' }, [say('ok')]), reply(agent('TYPO', 'm1', { subagent_type: 'typo' }), agent('HALF', 'm2', { subagent_type: 'half' })), say('done')],
  });
  await session.prompt('go');
  expect(await resultOf(session, 'm1')).toMatch(/was not started: none of its tools exists here \(Grpe, Raed\)/);
  expect(requestsOf(session, 'HALF')[0]?.toolNames).toEqual(['Read']);
});

verifies('subagents:definitions:mode', async () => {
  const session = await startEngine({
    mode: 'acceptEdits',
    files: { '.claude/agents/planner.md': file('name: planner\ndescription: x\npermissionMode: plan'), '.claude/agents/loose.md': file('name: loose\ndescription: x\npermissionMode: bypassPermissions') },
    script: [
      when({ first: 'PLANS' }, [callTool('Write', { file_path: 'p.txt', content: 'p' }, { id: 'p1' }), say('no')]),
      when({ first: 'LOOSE' }, [callTool('Write', { file_path: 'l.txt', content: 'l' }, { id: 'l1' }), bash('touch made.txt && node -e 0', 'l2'), say('yes')]),
      reply(agent('PLANS', 'm1', { subagent_type: 'planner' }), agent('LOOSE', 'm2', { subagent_type: 'loose' })),
      say('done'),
    ],
  });
  const asked = session.autoAnswer(() => once);
  await session.prompt('go');
  const outcome = (callId: string) => session.log().find((event) => event.type === 'tool/completed' && event.callId === callId);
  expect(outcome('p1')).toMatchObject({ outcome: 'denied' });
  expect(outcome('l1')).toMatchObject({ outcome: 'completed' });
  expect(asked.map((ask) => ask.request.callId)).toEqual(['l2']);
});

verifies('subagents:place:cwd', async () => {
  const session = await startEngine({
    files: { 'sub/a.txt': 'a\n' },
    script: [
      when({ first: 'MOVED' }, [bash('pwd', 'w1'), reply(hold('moved'), bash('pwd', 'w2')), say('ok')]),
      reply(agent('OUT', 'm1', { cwd: '..' }), agent('GONE', 'm2', { cwd: 'nowhere' }), agent('LINK', 'm3', { cwd: 'link' })),
      agent('MOVED', 'm4', { cwd: 'sub' }),
      say('done'),
    ],
  });
  symlinkSync(session.repo.outside, session.repo.path('link'));
  await session.submit('go');
  await session.event('tool/completed', (event) => event.callId === 'w1');
  renameSync(session.repo.path('sub'), session.repo.path('sub2'));
  mkdirSync(`${session.repo.outside}/sub`);
  symlinkSync(`${session.repo.outside}/sub`, session.repo.path('sub'));
  session.server.release('moved');
  await session.settled();
  for (const [id, words] of [['m1', 'outside the folders'], ['m2', 'there is no folder'], ['m3', 'outside the folders']] as const) expect(await resultOf(session, id)).toContain(words);
  expect(session.log().find((event) => event.type === 'tool/completed' && event.callId === 'w2')).toMatchObject({ outcome: 'denied', content: expect.stringContaining('now leads to') });
});

verifies('subagents:place:no-worktree', async () => {
  const session = await startEngine({ script: [agent('APART', 'm1', { isolation: 'worktree', cwd: 'sub' }), say('done')] });
  await session.prompt('go');
  expect(await resultOf(session, 'm1')).toContain('can’t be used together');
});

verifies(
  'subagents:place:no-worktree',
  async () => {
    const repo = createTempRepo();
    rmSync(repo.path('.git'), { recursive: true });
    const session = await startEngine({ repo, script: [agent('APART', 'm1', { isolation: 'worktree' }), say('done')] });
    await session.prompt('go');
    expect(await resultOf(session, 'm1')).toContain('no git repository, so worktrees are off');
    expect(Object.keys((await session.view()).agents)).toEqual(['main']);
  },
  { case: 'without git' },
);
