import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { callTool, hold, reply, say } from '../../support/script';
import { processesWith, uniqueSeconds } from '../../support/spawnHeadless';
import { once } from '../../support/startEngine';
import { createTempRepo } from '../../support/tempRepo';
import { verifies } from '../../support/verifies';
import { everything, filesystem, requestsOf, small, untilConnected, withServers } from './mcpKit';

verifies('mcp:tools:used', async () => {
  const session = await withServers(
    { 'my.srv': small() },
    {
      interactive: false,
      rules: { allow: ['mcp__my_srv'] },
      script: [
        reply(
          callTool('mcp__my_srv__echo', { text: 'hello' }, { id: 'c1' }),
          callTool('mcp__my_srv__picture', {}, { id: 'c2' }),
          callTool('mcp__my_srv__fail', {}, { id: 'c3' }),
          callTool('mcp__my_srv__structured', {}, { id: 'c4' }),
          callTool('mcp__my_srv__roots', {}, { id: 'c5' }),
          callTool('mcp__my_srv__env', { text: 'CLAUDE_PROJECT_DIR' }, { id: 'c6' }),
          callTool('mcp__my_srv__env', { text: 'ANTHROPIC_API_KEY' }, { id: 'c7' }),
        ),
        say('done'),
      ],
    },
  );
  await untilConnected(session);
  await session.prompt('go');
  expect(requestsOf(session)[0]?.toolNames).toEqual(expect.arrayContaining(['ToolSearch', 'mcp__my_srv__echo', 'ListMcpResourcesTool']));
  expect(session.result('c1')).toBe('"echo: hello"');
  const [, picture] = JSON.parse(session.result('c2')) as { type: string }[];
  expect(picture).toMatchObject({ type: 'image', source: { media_type: 'image/png' } });
  expect(session.result('c2')).toMatch(/audio\/wav, 4 bytes: saved as .*audio-3\.wav/);
  expect(await session.call('c3')).toMatchObject({ call: { status: 'failed' } });
  expect(session.result('c3')).toContain('it did not work');
  expect(session.result('c4')).toContain('42');
  expect(session.result('c5')).toContain(`file://${session.repo.root}`);
  expect(session.result('c6')).toContain(`CLAUDE_PROJECT_DIR=${session.repo.root} cwd=${session.repo.root}`);
  expect(session.result('c7')).toContain('ANTHROPIC_API_KEY= ');
});

verifies('mcp:tools:asks', async () => {
  const session = await withServers({ a: small() }, { script: [reply(callTool('mcp__a__fail', { text: 'x' }, { id: 'c1' })), say('done')] });
  await session.submit('go');
  const [ask] = await session.asks(1);
  expect(ask).toMatchObject({ kind: 'permission', request: { subject: { tool: 'mcp__a__fail', kind: 'mcp', title: 'use fail of a', risks: [expect.stringContaining('may change or delete')] }, suggestions: [{ rules: ['mcp__a__fail'] }, { rules: ['mcp__a'] }] } });
  if (ask) await session.answer(ask, once);
  await session.settled();
  expect(session.result('c1')).toContain('it did not work');
});

verifies('mcp:server:killed-in-call', async () => {
  const session = await withServers(
    { a: small() },
    { interactive: false, rules: { allow: ['mcp__a'] }, script: [reply(callTool('mcp__a__die', {}, { id: 'c1' })), reply(callTool('mcp__a__echo', { text: 'again' }, { id: 'c2' })), say('done')] },
  );
  await session.prompt('go');
  expect(session.result('c1')).toMatch(/The connection to the MCP server a broke off during the call.*may have done part of it/);
  expect(session.result('c2')).toBe('"echo: again"');
});

/** Only what this test started has its text among its arguments. */
const pidsWith = (text: string): readonly number[] =>
  execFileSync('ps', ['-A', '-o', 'pid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(text))
    .map((line) => Number.parseInt(line, 10));

verifies('mcp:server:everything', async () => {
  const repo = createTempRepo();
  const marker = `marker-${process.pid}-${Date.now()}`;
  const session = await withServers(
    { all: { ...everything, args: [...everything.args, 'stdio', marker] }, files: filesystem(repo.root) },
    {
      repo,
      interactive: false,
      rules: { allow: ['mcp__all', 'mcp__files'] },
      env: { MCP_TIMEOUT: '60000' },
      script: [
        reply(callTool('mcp__all__echo', { message: 'hi' }, { id: 'c1' }), callTool('mcp__all__get-tiny-image', {}, { id: 'c2' }), callTool('mcp__all__get-sum', { a: 2, b: 3 }, { id: 'c3' }), callTool('mcp__files__write_file', { path: `${repo.root}/made.txt`, content: 'by a server' }, { id: 'c4' }), callTool('mcp__files__list_directory', { path: repo.root }, { id: 'c5' })),
        reply(callTool('mcp__all__trigger-long-running-operation', { duration: 60, steps: 60 }, { id: 'c6' })),
        reply(callTool('mcp__all__get-sum', { a: 4, b: 5 }, { id: 'c7' })),
        say('done'),
      ],
    },
  );
  await session.submit('go');
  await session.event('tool/updated', (event) => event.callId === 'c6');
  for (const pid of pidsWith(marker)) process.kill(pid, 'SIGKILL');
  await session.settled();
  expect(session.result('c1')).toContain('Echo: hi');
  expect(session.result('c2')).toContain('image/png');
  expect(session.result('c3')).toContain('5');
  expect(readFileSync(`${repo.root}/made.txt`, 'utf8')).toBe('by a server');
  expect(session.result('c5')).toContain('made.txt');
  expect(session.result('c6')).toContain('broke off during the call');
  expect(session.result('c7')).toContain('9');
});

verifies('mcp:server:bad', async () => {
  const session = await withServers(
    { loud: small('--garbage'), mute: small('--silent'), dead: small('--dies-at-start'), missing: { command: 'no-such-program-here' } },
    { interactive: false, rules: { allow: ['mcp__*', 'mcp__loud', 'mcp__mute', 'mcp__dead', 'mcp__missing'] }, env: { MCP_TIMEOUT: '3000' }, script: [reply(callTool('mcp__loud__echo', { text: 'fine' }, { id: 'c1' }), callTool('mcp__mute__echo', {}, { id: 'c2' }), callTool('mcp__dead__echo', {}, { id: 'c3' })), say('done')] },
  );
  const begun = Date.now();
  await session.submit('go');
  await session.server.waitFor((requests) => requests.length > 0);
  expect(Date.now() - begun).toBeLessThan(20_000);
  await session.settled();
  expect(session.result('c1')).toBe('"echo: fine"');
  expect(session.result('c2')).toMatch(/mute/);
  const { loaded } = (await session.engine.inspect('mcp')) as { loaded: { name: string; status: string }[] };
  expect(loaded.map(({ name, status }) => `${name} ${status}`)).toEqual(['loud connected', 'mute failed', 'dead failed', 'missing failed']);
});

verifies('mcp:result:huge', async () => {
  const session = await withServers(
    { a: small() },
    { interactive: false, rules: { allow: ['mcp__a'] }, env: { MAX_MCP_OUTPUT_TOKENS: '1000' }, script: [reply(callTool('mcp__a__huge', { ms: 200 }, { id: 'c1' })), reply(callTool('mcp__a__huge', { ms: 2 }, { id: 'c2' }), callTool('mcp__a__flood', {}, { id: 'c3' }), callTool('mcp__a__echo', { text: 'still here' }, { id: 'c4' })), say('done')] },
  );
  await session.prompt('go');
  expect(session.result('c1')).toMatch(/too large \(200 MB\) and was dropped; ask for less/);
  const [, path = ''] = /All of it is in (\S+?):/.exec(session.result('c2')) ?? [];
  expect(readFileSync(path, 'utf8')).toHaveLength(2 * 1024 * 1024);
  expect(session.result('c2').length).toBeLessThan(6_000);
  expect(session.result('c3')).toContain('flooded');
  expect(session.result('c4')).toContain('still here');
});

verifies('mcp:tools:renamed', async () => {
  const session = await withServers(
    { a: small() },
    { interactive: false, rules: { allow: ['mcp__a'] }, script: [reply(callTool('mcp__a__rename', {}, { id: 'c1' })), reply(callTool('ToolSearch', { query: 'select:mcp__a__echo_two' }, { id: 'c2' })), reply(callTool('mcp__a__echo', { text: '1' }, { id: 'c3' }), callTool('mcp__a__echo_two', { text: '2' }, { id: 'c4' })), say('done'), say('more')] },
  );
  await session.prompt('go');
  expect(session.result('c3')).toMatch(/no longer has a tool echo\. Its tools are now: .*echo_two/);
  expect(session.result('c4')).toContain('echo two: 2');
  await session.prompt('again');
  const bytes = requestsOf(session).map(({ body }) => JSON.stringify((body['tools'] as { defer_loading?: boolean }[]).filter((tool) => !tool.defer_loading)));
  expect(new Set(bytes).size).toBe(1);
});

verifies('mcp:tools:many', async () => {
  const session = await withServers(
    { big: small('--tools=2000') },
    { interactive: false, options: { model: 'claude-sonnet-4-5', flagSettings: [{ enableAllProjectMcpServers: true, permissions: { allow: ['mcp__big'] } }] }, script: [reply(callTool('ToolSearch', { query: 'bulk 1234' }, { id: 'c1' })), reply(callTool('mcp__big__bulk_1234', { text: 'found' }, { id: 'c2' })), say('done')] },
  );
  await untilConnected(session);
  await session.prompt('go');
  const [first] = requestsOf(session);
  const tools = first?.body['tools'] as { name: string; defer_loading?: boolean }[];
  expect(tools.filter((tool) => tool.name.startsWith('mcp__big__'))).toHaveLength(2_000);
  expect(tools.every((tool) => tool.defer_loading === true || !tool.name.startsWith('mcp__'))).toBe(true);
  expect(first?.lastText).toContain('2000 tools');
  expect(session.result('c1')).toContain('{"type":"tool_reference","tool_name":"mcp__big__bulk_1234"}');
  expect(session.result('c2')).toContain('echo: found');
}, { case: 'a model that takes deferred tools' });

verifies('mcp:tools:many', async () => {
  const session = await withServers(
    { big: small('--tools=2000') },
    { interactive: false, options: { model: 'claude-haiku-4-5', flagSettings: [{ enableAllProjectMcpServers: true, permissions: { allow: ['mcp__big'] } }] }, script: [reply(callTool('ToolSearch', { query: 'select:mcp__big__bulk_7,mcp__big__bulk_8' }, { id: 'c1' })), reply(callTool('ToolSearch', { query: 'select:mcp__big__bulk_9' }, { id: 'c2' })), reply(callTool('mcp__big__bulk_9', { text: 'found' }, { id: 'c3' })), say('done')] },
  );
  await untilConnected(session);
  await session.prompt('go');
  const names = requestsOf(session).map(({ toolNames }) => toolNames.filter((name) => name.startsWith('mcp__')));
  expect(names[0]).toEqual([]);
  expect(names[1]).toEqual(['mcp__big__bulk_7', 'mcp__big__bulk_8']);
  expect(names[3]).toEqual(names[1]);
  expect(session.result('c2')).toContain('mcp__big__bulk_9');
  expect(session.result('c3')).toContain('echo: found');
}, { case: 'any other model: added at the end, once per turn' });

verifies('mcp:call:stopped', async () => {
  const repo = createTempRepo();
  const log = `${repo.outside}/log.txt`;
  const session = await withServers({ a: small(`--log=${log}`) }, { rules: { allow: ['mcp__a'] }, script: [reply(callTool('mcp__a__slow', { ms: 90_000 }, { id: 'c1' }))] });
  await session.submit('go');
  const { text } = await session.event('tool/updated', (event) => event.callId === 'c1');
  expect(text).toBe('1/3 step 1\n');
  await session.interrupt();
  await session.settled();
  expect(await session.call('c1')).toMatchObject({ call: { status: 'cancelled' } });
  await expect.poll(() => readFileSync(log, 'utf8')).toContain('cancelled');
});

verifies('mcp:server:ends-with-window', async () => {
  const seconds = uniqueSeconds();
  const session = await withServers({ a: small('--stays') }, { interactive: false, rules: { allow: ['mcp__a'] }, script: [reply(callTool('mcp__a__grandchild', { text: seconds }, { id: 'c1' })), say('done')] });
  await session.prompt('go');
  expect(processesWith(seconds)).toHaveLength(1);
  await session.engine.dispose();
  await expect.poll(() => processesWith(seconds)).toEqual([]);
});

verifies('mcp:start:no-wait', async () => {
  const session = await withServers({ slow: small('--silent') }, { script: [hold('first'), say('done')] });
  const begun = Date.now();
  await session.submit('go');
  await session.server.waitFor((requests) => requests.length > 0);
  expect(Date.now() - begun).toBeLessThan(10_000);
  expect(requestsOf(session)[0]?.toolNames).toContain('ToolSearch');
  session.server.release('first');
  await session.settled();
  expect(existsSync(session.repo.path('.mcp.json'))).toBe(true);
});
