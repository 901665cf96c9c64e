import { closeSync, ftruncateSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { callTool, hold, reply, say } from '../support/script';
import { processesWith, runHeadless, sleepsFor, uniqueSeconds } from '../support/spawnHeadless';
import { startEngine, startModel } from '../support/startEngine';
import { createTempRepo } from '../support/tempRepo';
import { verifies } from '../support/verifies';

verifies('scenarios:bad:files', async () => {
  const repo = createTempRepo();
  repo.write('picture.bin', Uint8Array.from({ length: 4096 }, (_, i) => i % 256));
  const big = openSync(repo.path('big.log'), 'w');
  ftruncateSync(big, 2 ** 30);
  closeSync(big);
  const read = (file_path: string, id: string) => callTool('Read', { file_path }, { id });
  const session = await startEngine({ repo, script: [reply(read('picture.bin', 't1'), read('big.log', 't2'), read('src', 't3'), read('nothing.txt', 't4'), read('README.md', 't5')), say('I see')] });
  repo.write('src/a.ts', 'a\n');
  expect(await session.prompt('read')).toMatchObject({ stop: 'done' });
  const calls = await Promise.all(['t1', 't2', 't3', 't4', 't5'].map((id) => session.call(id)));
  expect(calls.map(({ call }) => call.status)).toEqual(['failed', 'failed', 'failed', 'failed', 'completed']);
  expect(session.result('t1')).toContain('binary');
  expect(session.result('t2')).toMatch(/big\.log.*(binary|1\.0 GB|1 GB)/);
  expect(JSON.stringify(session.server.messageRequests()[1]?.body).length).toBeLessThan(100_000);
});

verifies('scenarios:bad:tool-input', async () => {
  const session = await startEngine({
    rules: { allow: ['Bash'] },
    script: [reply(callTool('Read', { path: 'README.md' }, { id: 't1' }), callTool('Bash', { command: 7 }, { id: 't2' }), callTool('Raed', { file_path: 'README.md' }, { id: 't3' }), callTool('Bash', { command: 'if then', timeout: -1 }, { id: 't4' })), say('sorry')],
  });
  expect(await session.prompt('go')).toMatchObject({ stop: 'done' });
  const texts = await Promise.all(['t1', 't2', 't3', 't4'].map(async (id) => (await session.call(id)).call));
  expect(texts).toMatchObject([
    { status: 'failed', text: expect.stringContaining('file_path') },
    { status: 'failed', text: expect.stringContaining('command') },
    { status: 'failed', text: expect.stringContaining('Read') },
    { status: 'failed', text: expect.stringContaining('timeout') },
  ]);
});

verifies('scenarios:bad:endless-tool', async () => {
  const seconds = uniqueSeconds();
  const session = await startEngine({ rules: { allow: ['Bash'] }, script: [callTool('Bash', { command: `echo begun; (sleep ${seconds} & wait); sleep ${seconds}` }, { id: 't1' }), say('going on')] });
  await session.submit('go');
  await session.event('tool/updated', (event) => event.text.includes('begun'));
  await expect.poll(() => sleepsFor(seconds)).toBe(true);
  await session.interrupt();
  expect(await session.settled()).toMatchObject({ stop: 'interrupted' });
  expect(processesWith(`sleep ${seconds}`)).toEqual([]);
  const { call } = await session.call('t1');
  expect(call.status).toBe('cancelled');
  expect(JSON.stringify(call)).toContain('begun');
  expect(await session.prompt('and now?')).toMatchObject({ stop: 'done' });
});

verifies('scenarios:bad:huge-output', async () => {
  const session = await startEngine({ rules: { allow: ['Bash'] }, script: [callTool('Bash', { command: 'yes 0123456789abcdef | head -c 104857600' }, { id: 't1' }), say('much')] });
  expect(await session.prompt('go')).toMatchObject({ stop: 'done' });
  expect((await session.call('t1')).call).toMatchObject({ status: 'completed', display: { cutBytes: expect.any(Number) } });
  expect(session.result('t1')).toMatch(/100(\.0)? MB/);
  expect(JSON.stringify(session.server.messageRequests()[1]?.body).length).toBeLessThan(100_000);
  expect(JSON.stringify(session.events).length).toBeLessThan(600_000);
});

verifies('scenarios:bad:full-disk', async () => {
  const repo = createTempRepo({ 'big.txt': `${'words and more words\n'.repeat(400)}` });
  const server = await startModel([callTool('Read', { file_path: 'big.txt' }), callTool('Read', { file_path: 'big.txt', offset: 2 }), say('all the same')]);
  const run = await runHeadless(['-p', 'go', '--output-format', 'json'], { repo, server, before: 'ulimit -f 8;' });
  expect(run).toMatchObject({ exitCode: 0, result: { subtype: 'success', result: 'all the same' } });
  expect(run.stderr).toMatch(/can.t be saved/);
  expect(server.messageRequests()).toHaveLength(3);
});

verifies(
  'scenarios:bad:full-disk',
  async () => {
    const session = await startEngine({ script: [reply(say('half'), hold('away')), say('still here')] });
    await session.submit('go');
    await session.event('message/delta');
    const sessions = join(session.repo.configRoot, 'troupe', 'sessions');
    rmSync(sessions, { recursive: true });
    writeFileSync(sessions, 'no folder any more');
    session.server.release('away');
    expect(await session.settled()).toMatchObject({ stop: 'done' });
    expect(await session.prompt('and now?')).toMatchObject({ stop: 'done' });
    expect(session.complaints.join('\n')).toContain(session.sessionId);
    await session.engine.dispose();
  },
  { case: 'the folder of the sessions is gone' },
);
