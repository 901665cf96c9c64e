import { expect } from 'vitest';
import { callTool, hold, reply, say } from '../support/script';
import { processesWith, runHeadless, sleepsFor, spawnHeadless, uniqueSeconds } from '../support/spawnHeadless';
import { startModel } from '../support/startEngine';
import { createTempRepo } from '../support/tempRepo';
import { verifies } from '../support/verifies';

const work = () => [
  reply(say('Reading.'), callTool('Read', { file_path: 'src/money.js' }, { id: 'toolu_read' })),
  reply(callTool('Bash', { command: 'node --version' }, { id: 'toolu_ok' }), callTool('Bash', { command: 'touch made.txt' }, { id: 'toolu_no' })),
  reply(say('All looked at.')),
];
const files = { 'src/money.js': 'export const cents = (n) => n * 100;\n' };
const allowed = ['--allowedTools', 'Bash(node --version)'];

verifies(
  'scenarios:print:formats',
  async () => {
    const server = await startModel(work());
    const run = await runHeadless(['-p', 'look', ...allowed], { repo: createTempRepo(files), server });
    expect(run).toMatchObject({ exitCode: 0, stdout: 'All looked at.\n', stderr: '' });
  },
  { case: 'text' },
);

verifies(
  'scenarios:print:formats',
  async () => {
    const server = await startModel(work());
    const repo = createTempRepo(files);
    const run = await runHeadless(['-p', 'look', '--output-format', 'json', ...allowed], { repo, server });
    expect(run.exitCode).toBe(0);
    expect(run.lines).toHaveLength(1);
    expect(run.result).toMatchObject({ type: 'result', subtype: 'success', is_error: false, result: 'All looked at.', num_turns: 3, usage: { output_tokens: expect.any(Number) } });
    expect(run.result['permission_denials']).toEqual([{ tool_name: 'Bash', tool_use_id: 'toolu_no', tool_input: { command: 'touch made.txt' }, reason: expect.stringContaining('--allowedTools') }]);
    expect(run.result['duration_ms']).toBeGreaterThanOrEqual(Number(run.result['duration_api_ms']));
    expect(() => repo.read('made.txt')).toThrow('ENOENT');
    const results = JSON.stringify(server.messageRequests().at(-1)?.body);
    expect(results).toContain(process.version);
    expect(results).toContain('cents = (n)');
  },
  { case: 'json' },
);

verifies(
  'scenarios:print:formats',
  async () => {
    const server = await startModel(work());
    const repo = createTempRepo(files);
    const run = await runHeadless(['-p', 'look', '--output-format', 'stream-json', '--model', 'claude-sonnet-4-5', ...allowed], { repo, server });
    expect(run.exitCode).toBe(0);
    expect(run.lines[0]).toMatchObject({ type: 'system', subtype: 'init', cwd: repo.root, model: 'claude-sonnet-4-5', permissionMode: 'default', mcp_servers: [], plugins: [] });
    expect(run.lines[0]?.['tools']).toEqual(expect.arrayContaining(['Read', 'Write', 'Edit', 'Bash', 'Skill']));
    expect(run.lines.map((line) => line['type'])).toEqual(['system', 'assistant', 'user', 'assistant', 'user', 'user', 'assistant', 'result']);
    expect(new Set(run.lines.map((line) => line['session_id'])).size).toBe(1);
    expect(run.lines.slice(1, -1).every((line) => line['parent_tool_use_id'] === null)).toBe(true);
    expect(run.lines[5]).toMatchObject({ message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_no', is_error: true }] } });
    expect(run.result['total_cost_usd']).toBeGreaterThan(0);
  },
  { case: 'stream-json' },
);

verifies('scenarios:print:exit-codes', async () => {
  const repo = createTempRepo();
  const badArguments: readonly (readonly [readonly string[], string])[] = [
    [['-p', 'hi', '--output-fromat', 'json'], '--output-format'],
    [['-p', 'hi', '--output-format', 'xml'], '--output-format'],
    [['-p', 'hi', '--max-turns', '0'], '--max-turns'],
    [['-p', 'hi', '--permission-mode', 'plna'], '--permission-mode'],
    [['-p', 'hi', '--session-id', 'abc'], '--session-id'],
    [['-p', 'hi', '--cwd', '/nowhere/at/all'], '--cwd'],
    [['-p', 'hi', '--settings', '{"permissions":'], '--settings'],
    [['inspekt'], 'inspect'],
  ];
  const runs = await Promise.all(badArguments.map(([args]) => runHeadless(args, { repo })));
  for (const [i, run] of runs.entries()) {
    const [args, named] = badArguments[i] ?? [[], ''];
    expect(run, args.join(' ')).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr, args.join(' ')).toContain(named);
  }
});

verifies(
  'scenarios:print:exit-codes',
  async () => {
    const server = await startModel([reply(say('thinking about'), hold('never'))]);
    const { child, done } = spawnHeadless(['-p', 'go', '--output-format', 'json'], { repo: createTempRepo(), server });
    await server.waitFor(([first]) => (first?.replied?.events ?? 0) > 2);
    child.kill('SIGINT');
    const run = await done;
    expect(run.exitCode).toBe(130);
    expect(run.result).toMatchObject({ subtype: 'error_during_execution', is_error: true });
  },
  { case: 'interrupted while the model talks' },
);

verifies(
  'scenarios:print:exit-codes',
  async () => {
    const seconds = uniqueSeconds();
    const server = await startModel([reply(callTool('Bash', { command: `echo started > started.txt; sleep ${seconds}` }))]);
    const repo = createTempRepo();
    const { child, done } = spawnHeadless(['-p', 'go', '--allowedTools', 'Bash'], { repo, server });
    await expect.poll(() => sleepsFor(seconds)).toBe(true);
    child.kill('SIGINT');
    expect(await done).toMatchObject({ exitCode: 130, stdout: '' });
    expect(processesWith(`sleep ${seconds}`)).toEqual([]);
  },
  { case: 'interrupted while a command runs, which ends too' },
);

verifies('scenarios:print:sessions', async () => {
  const repo = createTempRepo();
  const server = await startModel([say('one'), say('two'), say('three'), say('four')]);
  const id = '11111111-2222-4333-8444-555555555555';
  const first = await runHeadless(['-p', 'first words', '--session-id', id, '--output-format', 'json'], { repo, server });
  expect(first).toMatchObject({ exitCode: 0, result: { session_id: id } });
  const again = await runHeadless(['-p', 'hi', '--session-id', id], { repo, server });
  expect(again.exitCode).toBe(1);
  expect(again.stderr).toContain('--resume');
  const second = await runHeadless(['-p', 'second words', '--continue', '--output-format', 'json'], { repo, server });
  expect(second).toMatchObject({ exitCode: 0, result: { session_id: id, result: 'two', num_turns: 1 } });
  const sent = JSON.stringify(server.messageRequests()[1]?.body);
  for (const words of ['first words', 'one', 'second words']) expect(sent).toContain(words);
  const other = await runHeadless(['-p', 'unrelated words', '--output-format', 'json'], { repo, server });
  expect(other.result['session_id']).not.toBe(id);
  const resumed = await runHeadless(['-p', 'third words', '--resume', id, '--output-format', 'json'], { repo, server });
  expect(resumed).toMatchObject({ exitCode: 0, result: { session_id: id, result: 'four' } });
  expect(JSON.stringify(server.messageRequests()[3]?.body)).not.toContain('unrelated words');
  const listed = await runHeadless(['session', 'list', '--json'], { repo });
  expect(JSON.parse(listed.stdout)).toHaveLength(2);
});

verifies(
  'scenarios:print:sessions',
  async () => {
    const repo = createTempRepo();
    const server = await startModel([]);
    const unknown = await runHeadless(['-p', 'hi', '--resume', '99999999-2222-4333-8444-555555555555', '--output-format', 'json'], { repo, server });
    expect(unknown.exitCode).toBe(1);
    expect(unknown.stderr).toContain('99999999-2222-4333-8444-555555555555');
    const none = await runHeadless(['-p', 'hi', '--continue'], { repo, server });
    expect(none).toMatchObject({ exitCode: 1, stdout: '' });
    expect(none.stderr).toContain('no session');
    expect(server.requests).toEqual([]);
  },
  { case: 'what is not there' },
);

verifies('scenarios:resume:known-files', async () => {
  const repo = createTempRepo({ 'same.txt': 'one\n', 'changed.txt': 'one\n' });
  const edit = (file: string) => callTool('Edit', { file_path: file, old_string: 'one', new_string: 'two' }, { id: `toolu_${file.slice(0, 4)}` });
  const server = await startModel([reply(callTool('Read', { file_path: 'same.txt' }), callTool('Read', { file_path: 'changed.txt' })), say('read'), reply(edit('same.txt'), edit('changed.txt')), say('tried')]);
  await runHeadless(['-p', 'read both'], { repo, server });
  repo.write('changed.txt', 'one, by hand\n');
  await runHeadless(['-p', 'edit both', '--continue', '--permission-mode', 'acceptEdits'], { repo, server });
  expect([repo.read('same.txt'), repo.read('changed.txt')]).toEqual(['two\n', 'one, by hand\n']);
  expect(JSON.stringify(server.messageRequests()[3]?.body)).toMatch(/toolu_chan[\s\S]*[Rr]ead/);
});

verifies('scenarios:print:input', async () => {
  const repo = createTempRepo();
  const server = await startModel([say('from stdin')]);
  const run = await runHeadless(['-p'], { repo, server, stdin: 'words on stdin\n' });
  expect(run).toMatchObject({ exitCode: 0, stdout: 'from stdin\n' });
  expect(JSON.stringify(server.messageRequests()[0]?.body)).toContain('words on stdin');
});

verifies(
  'scenarios:print:input',
  async () => {
    const repo = createTempRepo();
    const server = await startModel([say('one'), say('two')]);
    const stdin = ['first', 'second'].map((text) => `${JSON.stringify({ type: 'user', message: { role: 'user', content: [{ type: 'text', text }] } })}\n`).join('');
    const run = await runHeadless(['-p', '--input-format', 'stream-json', '--output-format', 'stream-json'], { repo, server, stdin });
    expect(run.exitCode).toBe(0);
    expect(run.lines.filter((line) => line['type'] === 'result').map((line) => line['result'])).toEqual(['one', 'two']);
    const broken = await runHeadless(['-p', '--input-format', 'stream-json'], { repo, server, stdin: '{"type":"user"}\n' });
    expect(broken.exitCode).toBe(1);
    expect(broken.stderr).toContain('stdin');
  },
  { case: 'two prompts as lines, and a line that is none' },
);

verifies(
  'scenarios:print:input',
  async () => {
    const server = await startModel([]);
    const run = await runHeadless(['-p'], { repo: createTempRepo(), server, stdin: '' });
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain('prompt');
  },
  { case: 'no prompt at all' },
);

verifies('scenarios:print:max-turns', async () => {
  const repo = createTempRepo({ 'a.txt': 'a\n' });
  const server = await startModel([1, 2, 3].map((n) => reply(callTool('Read', { file_path: 'a.txt' }, { id: `toolu_${n}` }))));
  const run = await runHeadless(['-p', 'go on', '--max-turns', '2', '--output-format', 'json'], { repo, server });
  expect(run.exitCode).toBe(1);
  expect(run.result).toMatchObject({ subtype: 'error_max_turns', is_error: true, num_turns: 2 });
  expect(server.messageRequests()).toHaveLength(2);
});
