import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { View } from '../../extension/protocol/view';
import { callTool, reply, say } from '../support/script';
import { processesWith, runHeadless, sleepsFor, spawnHeadless, startStdio, uniqueSeconds } from '../support/spawnHeadless';
import { once, startModel } from '../support/startEngine';
import { createTempRepo } from '../support/tempRepo';
import { verifies } from '../support/verifies';

const main = (view: View) => view.conversations['main'] ?? [];
const texts = (view: View): readonly string[] => main(view).flatMap((entry) => (entry.kind === 'assistant' || entry.kind === 'user' ? [entry.text] : []));

verifies('scenarios:stdio:ask', async () => {
  const server = await startModel([reply(say('I will make it.'), callTool('Bash', { command: 'echo made > made.txt' }, { id: 'toolu_make' })), say('Made.')]);
  const repo = createTempRepo();
  const client = startStdio({ repo, server });
  const { sessionId } = await client.call('session/start', {});
  await client.call('view/subscribe', { sessionId });
  await client.call('turn/submit', { sessionId, text: 'make it', attachments: [] });
  const { request } = await client.event('permission/requested');
  expect(request.subject).toMatchObject({ tool: 'Bash', kind: 'command', command: 'echo made > made.txt', cwd: repo.root });
  expect(() => repo.read('made.txt')).toThrow('ENOENT');
  expect(await client.call('permission/reply', { sessionId, requestId: request.requestId, decision: once })).toEqual({ accepted: true });
  await client.event('turn/completed');
  expect(repo.read('made.txt')).toBe('made\n');
  expect(await client.call('permission/reply', { sessionId, requestId: request.requestId, decision: once })).toEqual({ accepted: false });
  await expect(client.call('session/resume', { sessionId: 'nowhere' })).rejects.toMatchObject({ code: 'notFound' });
  expect(await client.end()).toBe(0);
  expect(client.stderr()).toBe('');
});

verifies('scenarios:crash:mid-call', async () => {
  const seconds = uniqueSeconds();
  const server = await startModel([
    reply(say('First I look.'), callTool('Read', { file_path: 'README.md' }, { id: 'toolu_read' })),
    reply(say('Now I wait.'), callTool('Bash', { command: `echo ran >> ran.txt; sleep ${seconds}` }, { id: 'toolu_wait' })),
    say('I see it was cut off.'),
  ]);
  const repo = createTempRepo();
  const running = spawnHeadless(['-p', 'wait for it', '--allowedTools', 'Bash'], { repo, server });
  await expect.poll(() => sleepsFor(seconds)).toBe(true);
  running.child.kill('SIGKILL');
  await running.done;
  await expect.poll(() => processesWith(`sleep ${seconds}`)).toEqual([]);

  const client = startStdio({ repo, server });
  const { sessionId, view } = await client.call('session/current', {});
  expect(texts(view)).toEqual(['wait for it', 'First I look.', 'Now I wait.']);
  const calls = main(view).filter((entry) => entry.kind === 'tool');
  expect(calls.map(({ id, call }) => [id, call.status])).toEqual([
    ['toolu_read', 'completed'],
    ['toolu_wait', 'interrupted'],
  ]);
  expect(main(view).at(-1)).toMatchObject({ kind: 'turnEnd', stop: 'interrupted', problem: { retryable: true } });
  await client.call('view/subscribe', { sessionId });
  await client.call('turn/resume', { sessionId });
  await client.event('turn/completed');
  expect(repo.read('ran.txt')).toBe('ran\n');
  expect(JSON.stringify(server.messageRequests()[2]?.body)).toContain('toolu_wait');
  expect(processesWith(seconds)).toEqual([]);
  expect(await client.end()).toBe(0);
});

verifies(
  'scenarios:crash:mid-call',
  async () => {
    const seconds = uniqueSeconds();
    const server = await startModel([callTool('Bash', { command: `sleep ${seconds}` }), say('Then not.')]);
    const repo = createTempRepo();
    const first = startStdio({ repo, server }, ['--allowedTools', 'Bash']);
    const started = await first.call('session/start', {});
    await first.call('turn/submit', { sessionId: started.sessionId, text: 'wait', attachments: [] });
    await expect.poll(() => sleepsFor(seconds)).toBe(true);
    await first.kill();
    await expect.poll(() => processesWith(`sleep ${seconds}`)).toEqual([]);
    const second = startStdio({ repo, server });
    const { sessionId, view } = await second.call('session/current', {});
    expect(sessionId).toBe(started.sessionId);
    expect(view.agents['main']?.status).not.toBe('working');
    await second.call('view/subscribe', { sessionId });
    await second.call('turn/submit', { sessionId, text: 'and now?', attachments: [] });
    await second.event('turn/completed');
    const sent = JSON.stringify(server.messageRequests()[1]?.body);
    expect(sent).toContain('and now?');
    expect(sent).toContain('not run again');
  },
  { case: 'a next message goes on after it' },
);

verifies('scenarios:crash:pending-ask', async () => {
  const server = await startModel([reply(say('Asking.'), callTool('Bash', { command: 'echo x >> made.txt' }, { id: 'toolu_ask' })), say('Made.')]);
  const repo = createTempRepo();
  const first = startStdio({ repo, server });
  const { sessionId } = await first.call('session/start', {});
  await first.call('view/subscribe', { sessionId });
  await first.call('turn/submit', { sessionId, text: 'make it', attachments: [] });
  const { request } = await first.event('permission/requested');
  await first.kill();

  const second = startStdio({ repo, server });
  const hello = await second.call('hello', { protocolVersion: 1 });
  expect(hello.workspace.sessions).toMatchObject([{ sessionId, group: 'needsYou', pendingAsks: 1 }]);
  const { view } = await second.call('session/current', {});
  expect(view.pendingAsks).toMatchObject([{ kind: 'permission', request: { requestId: request.requestId } }]);
  expect(texts(view)).toEqual(['make it', 'Asking.']);
  await second.call('view/subscribe', { sessionId });
  expect(await second.call('permission/reply', { sessionId, requestId: request.requestId, decision: once })).toEqual({ accepted: true });
  await second.event('turn/completed');
  expect(repo.read('made.txt')).toBe('x\n');
  const after = await second.call('session/snapshot', { sessionId });
  expect(texts(after.view)).toEqual(['make it', 'Asking.', 'Made.']);
  expect(after.view.pendingAsks).toEqual([]);
  expect(server.messageRequests()).toHaveLength(2);
});

verifies(
  'scenarios:crash:pending-ask',
  async () => {
    const question = { question: 'Which colour?', header: 'Colour', multiSelect: false, options: [{ label: 'Red', description: 'warm' }, { label: 'Blue', description: 'cold' }] };
    const server = await startModel([callTool('AskUserQuestion', { questions: [question] }, { id: 'toolu_q' }), say('Blue it is.')]);
    const repo = createTempRepo();
    const first = startStdio({ repo, server });
    const { sessionId } = await first.call('session/start', {});
    await first.call('view/subscribe', { sessionId });
    await first.call('turn/submit', { sessionId, text: 'ask me', attachments: [] });
    const { request } = await first.event('question/asked');
    await first.kill();
    const second = startStdio({ repo, server });
    const { view } = await second.call('session/current', {});
    expect(view.pendingAsks).toMatchObject([{ kind: 'question', request: { requestId: request.requestId } }]);
    await second.call('view/subscribe', { sessionId });
    expect(await second.call('question/reply', { sessionId, requestId: request.requestId, reply: { behavior: 'answer', answers: { 'Which colour?': 'Blue' } } })).toEqual({ accepted: true });
    await second.event('turn/completed');
    expect(JSON.stringify(server.messageRequests()[1]?.body)).toContain('Blue');
  },
  { case: 'a question' },
);

verifies('scenarios:crash:torn-line', async () => {
  const server = await startModel([say('one'), say('two')]);
  const repo = createTempRepo();
  const id = '11111111-2222-4333-8444-555555555555';
  await runHeadless(['-p', 'first', '--session-id', id], { repo, server });
  const sessions = join(repo.configRoot, 'troupe', 'sessions');
  const transcript = readdirSync(sessions, { recursive: true, encoding: 'utf8' }).find((file) => file.includes(id) && file.endsWith('.jsonl')) ?? 'none';
  appendFileSync(join(sessions, transcript), '{"seq":99,"type":"message/comp');
  const run = await runHeadless(['-p', 'second', '--resume', id], { repo, server });
  expect(run).toMatchObject({ exitCode: 0, stdout: 'two\n' });
  expect(JSON.stringify(server.messageRequests()[1]?.body)).toContain('one');
});
