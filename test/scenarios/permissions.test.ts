import { symlinkSync } from 'node:fs';
import { expect } from 'vitest';
import { callTool, reply, say } from '../support/script';
import { once, startEngine } from '../support/startEngine';
import { createTempRepo } from '../support/tempRepo';
import { verifies } from '../support/verifies';

const bash = (command: string, id: string) => callTool('Bash', { command }, { id });
const settings = (permissions: object): string => JSON.stringify({ permissions });
const lastSent = (session: { readonly server: { readonly messageRequests: () => readonly { readonly body: unknown }[] } }): string => JSON.stringify(session.server.messageRequests().at(-1)?.body);

verifies('scenarios:rules:settings-files', async () => {
  const session = await startEngine({
    files: {
      '~/.claude/settings.json': settings({ allow: ['Bash(touch user.txt)'] }),
      '.claude/settings.json': settings({ allow: ['Bash(touch project.txt)'], ask: ['Bash(touch asked*)'], deny: ['Bash(touch denied*)'] }),
      '.claude/settings.local.json': settings({ allow: ['Bash(touch *)'] }),
    },
    script: [reply(bash('touch user.txt', 't1'), bash('touch project.txt', 't2'), bash('touch local.txt', 't3'), bash('touch asked.txt', 't4'), bash('touch ok.txt && touch denied.txt', 't5')), say('done')],
  });
  const asked = session.autoAnswer(() => once);
  expect(await session.prompt('go')).toMatchObject({ stop: 'done' });
  expect(asked.map((ask) => ask.request.callId)).toEqual(['t4']);
  expect(asked[0]).toMatchObject({ request: { explanation: { rule: 'Bash(touch asked*)', path: session.repo.path('.claude/settings.json') } } });
  for (const file of ['user.txt', 'project.txt', 'local.txt', 'asked.txt']) expect(session.repo.read(file)).toBe('');
  for (const file of ['ok.txt', 'denied.txt']) expect(() => session.repo.read(file)).toThrow('ENOENT');
  expect((await session.call('t5')).call).toMatchObject({ status: 'denied', text: expect.stringContaining('Bash(touch denied*)') });
});

verifies(
  'scenarios:rules:settings-files',
  async () => {
    const session = await startEngine({ files: { '.claude/settings.json': settings({ allow: ['Bash'] }) }, trusted: false, interactive: false, script: [bash('touch made.txt', 't1'), say('no')] });
    await session.prompt('go');
    expect((await session.call('t1')).call.status).toBe('denied');
  },
  { case: 'an untrusted repository allows itself nothing' },
);

verifies(
  'scenarios:rules:settings-files',
  async () => {
    const session = await startEngine({ script: [bash('touch a.txt', 't1'), bash('touch b.txt', 't2'), say('done')], interactive: false });
    session.repo.write('.claude/settings.json', settings({ allow: ['Bash(touch *)'] }));
    await session.prompt('go');
    expect((await session.call('t1')).call.status).toBe('denied');
  },
  { case: 'a headless run keeps the rules it started with' },
);

verifies('scenarios:asks:once', async () => {
  const session = await startEngine({ script: [bash('touch a.txt', 't1'), bash('touch a.txt', 't2'), say('done')] });
  const asked = session.autoAnswer(() => once);
  await session.prompt('go');
  expect(asked).toHaveLength(2);
});

verifies('scenarios:asks:always-session', async () => {
  const session = await startEngine({ script: [bash('npm test', 't1'), bash('npm test', 't2'), say('done'), bash('npm test', 't3'), say('done')], files: { 'package.json': '{"scripts":{"test":"echo tested >> ran.txt"}}' } });
  const asked = session.autoAnswer((ask) => {
    const suggestion = ask.kind === 'permission' ? ask.request.suggestions.find((one) => one.scopes.includes('session')) : undefined;
    return { behavior: 'allow', scope: 'session', rules: suggestion?.rules ?? [] };
  });
  await session.prompt('go');
  await session.prompt('again');
  expect(asked).toHaveLength(1);
  expect(session.repo.read('ran.txt')).toBe('tested\n'.repeat(3));
  expect(session.repo.git('status', '--porcelain')).toBe('?? ran.txt\n');
});

verifies('scenarios:asks:always-saved', async () => {
  const repo = createTempRepo();
  const session = await startEngine({ repo, script: [bash('touch a.txt', 't1'), say('done')] });
  session.autoAnswer(() => ({ behavior: 'allow', scope: 'local', rules: ['Bash(touch a.txt)'] }));
  await session.prompt('go');
  expect(session.complaints).toEqual([]);
  expect(JSON.parse(repo.read('.claude/settings.local.json'))).toEqual({ permissions: { allow: ['Bash(touch a.txt)'] } });
  const next = await startEngine({ repo, interactive: false, script: [bash('touch a.txt', 't2'), bash('touch b.txt', 't3'), say('done')] });
  await next.prompt('go');
  expect([(await next.call('t2')).call.status, (await next.call('t3')).call.status]).toEqual(['completed', 'denied']);
});

verifies('scenarios:asks:deny-feedback', async () => {
  const session = await startEngine({ script: [bash('npm install left-pad', 't1'), say('I use what is there.')] });
  session.autoAnswer(() => ({ behavior: 'deny', feedback: 'use padStart instead' }));
  expect(await session.prompt('go')).toMatchObject({ stop: 'done' });
  expect((await session.call('t1')).call.status).toBe('denied');
  expect(lastSent(session)).toContain('use padStart instead');
});

verifies('scenarios:asks:four-at-once', async () => {
  const repo = createTempRepo();
  const paths = [1, 2, 3, 4].map((n) => repo.write(`${repo.outside}/${n}.txt`, `text ${n}\n`));
  const session = await startEngine({ repo, script: [reply(...paths.map((path, i) => callTool('Read', { file_path: path }, { id: `t${i + 1}` }))), say('read')] });
  await session.submit('read them');
  const asks = await session.asks(4);
  expect(asks.map((ask) => ask.request.callId)).toEqual(['t1', 't2', 't3', 't4']);
  const [first, second, third, fourth] = asks;
  if (!first || !second || !third || !fourth) throw new Error('four asks');
  expect(await session.answer(fourth, once)).toBe(true);
  expect(await session.answer(second, { behavior: 'deny' })).toBe(true);
  expect(await session.answer(first, once)).toBe(true);
  expect(await session.answer(third, once)).toBe(true);
  expect(await session.answer(third, { behavior: 'deny' })).toBe(false);
  await session.settled();
  expect((await session.view()).pendingAsks).toEqual([]);
  const statuses = await Promise.all(['t1', 't2', 't3', 't4'].map(async (id) => (await session.call(id)).call.status));
  expect(statuses).toEqual(['completed', 'denied', 'completed', 'completed']);
  const sent = session.server.messageRequests()[1]?.body as { messages: { content: { tool_use_id?: string }[] }[] };
  expect(sent.messages.at(-1)?.content.map((block) => block.tool_use_id)).toEqual(['t1', 't2', 't3', 't4']);
});

verifies('scenarios:asks:interrupt', async () => {
  const session = await startEngine({ script: [bash('touch a.txt', 't1'), say('on we go')] });
  await session.submit('go');
  const [ask] = await session.asks(1);
  await session.interrupt();
  expect(await session.settled()).toMatchObject({ stop: 'interrupted' });
  expect((await session.view()).pendingAsks).toEqual([]);
  expect(ask && (await session.answer(ask, once))).toBe(false);
  expect((await session.call('t1')).call.status).toBe('cancelled');
  expect(await session.prompt('and now?')).toMatchObject({ stop: 'done' });
});

verifies('scenarios:modes:accept-edits', async () => {
  const repo = createTempRepo({ 'a.txt': 'one\n' });
  const session = await startEngine({
    repo,
    mode: 'acceptEdits',
    script: [
      callTool('Read', { file_path: 'a.txt' }),
      reply(callTool('Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' }, { id: 't1' }), callTool('Write', { file_path: `${repo.outside}/b.txt`, content: 'b' }, { id: 't2' }), callTool('Write', { file_path: '.git/hooks/post-commit', content: 'b' }, { id: 't3' }), bash('npm test', 't4')),
      say('done'),
    ],
  });
  const asked = session.autoAnswer(() => ({ behavior: 'deny' }));
  await session.prompt('go');
  expect(repo.read('a.txt')).toBe('two\n');
  expect(asked.map((ask) => ask.request.callId)).toEqual(['t2', 't3', 't4']);
  expect((await session.call('t1')).call).toMatchObject({ status: 'completed', display: { kind: 'diff' } });
});

verifies('scenarios:modes:plan', async () => {
  const repo = createTempRepo({ 'a.txt': 'one\n' });
  const planFile = (id: string): string => `${repo.configRoot}/plans/plan-${id.slice(0, 8)}.md`;
  const session = await startEngine({ repo, rules: { allow: ['Bash(touch *)', 'Edit', 'Write'] }, script: [] });
  const plan = planFile(session.sessionId);
  session.server.script(
    callTool('EnterPlanMode', {}, { id: 't1' }),
    reply(callTool('Write', { file_path: 'b.txt', content: 'b' }, { id: 't2' }), bash('touch c.txt', 't3'), callTool('Read', { file_path: 'a.txt' }, { id: 't4' })),
    callTool('Write', { file_path: plan, content: '# Plan\n1. Change a.txt\n' }, { id: 't5' }),
    callTool('ExitPlanMode', {}, { id: 't6' }),
    callTool('Edit', { file_path: plan, old_string: 'Change a.txt', new_string: 'Change a.txt and test' }, { id: 't7' }),
    callTool('ExitPlanMode', {}, { id: 't8' }),
    callTool('Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' }, { id: 't9' }),
    say('done'),
  );
  const asked = session.autoAnswer((ask) => {
    if (ask.request.callId === 't6') return { behavior: 'sendBack', feedback: 'add the test' };
    return { behavior: 'approve', mode: 'acceptEdits', plan: '# Plan\n1. Change a.txt only\n' };
  });
  expect(await session.prompt('plan it')).toMatchObject({ stop: 'done' });
  const statuses = await Promise.all(['t1', 't2', 't3', 't4', 't5', 't6', 't7', 't8', 't9'].map(async (id) => `${id} ${(await session.call(id)).call.status}`));
  expect(statuses).toEqual(['t1 completed', 't2 denied', 't3 denied', 't4 completed', 't5 completed', 't6 failed', 't7 completed', 't8 completed', 't9 completed']);
  expect(asked.map((ask) => `${ask.kind} ${ask.request.callId}`)).toEqual(['plan t6', 'plan t8']);
  expect(asked[1]).toMatchObject({ request: { plan: expect.stringContaining('and test'), path: plan } });
  expect(repo.read(plan)).toBe('# Plan\n1. Change a.txt only\n');
  expect(repo.read('a.txt')).toBe('two\n');
  expect((await session.view()).session.mode).toBe('acceptEdits');
  const bodies = session.server.messageRequests().map((request) => JSON.stringify(request.body));
  expect(bodies[4]).toContain('add the test');
  expect(bodies[6]).toContain('Change a.txt only');
});

verifies('scenarios:paths:outside', async () => {
  const repo = createTempRepo();
  const secret = repo.write(`${repo.outside}/secret.txt`, 'hidden words\n');
  const other = repo.write(`${repo.outside}/other.txt`, 'hidden words\n');
  symlinkSync(secret, repo.path('link.txt'));
  symlinkSync(repo.outside, repo.path('out'));
  const session = await startEngine({
    repo,
    mode: 'acceptEdits',
    script: [
      reply(callTool('Read', { file_path: secret }, { id: 't1' }), callTool('Read', { file_path: 'link.txt' }, { id: 't2' }), callTool('Read', { file_path: '../outside/secret.txt' }, { id: 't3' })),
      reply(callTool('Write', { file_path: 'out/new.txt', content: 'x' }, { id: 't4' }), callTool('Glob', { pattern: '*', path: repo.outside }, { id: 't5' }), bash(`cat ${other}`, 't6'), bash(`cat ${secret}`, 't7')),
      say('no'),
    ],
  });
  const asked = session.autoAnswer(() => ({ behavior: 'deny' }));
  await session.prompt('go');
  expect(asked.map((ask) => ask.request.callId)).toEqual(['t1', 't2', 't3', 't4', 't5', 't6']);
  expect(lastSent(session)).not.toContain('hidden words');
  expect(lastSent(session)).toContain('the person refused');
  expect(() => repo.read(`${repo.outside}/new.txt`)).toThrow('ENOENT');
});
