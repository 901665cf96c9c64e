import { expect } from 'vitest';
import type { UiEvent } from '../../../extension/protocol/events';
import { type HookLanguage, type HookScript, hookScript, hookSettingsFile, seenBy } from '../../support/hookScripts';
import { callTool, reply, say } from '../../support/script';
import { once, startEngine, type TestSession } from '../../support/startEngine';
import { createTempRepo } from '../../support/tempRepo';
import { verifies } from '../../support/verifies';

const bash = (command: string, id: string) => callTool('Bash', { command }, { id });
const sent = (session: TestSession): string => JSON.stringify(session.server.messageRequests().at(-1)?.body);
const runs = (session: TestSession): readonly string[] => session.log().filter((event): event is Extract<UiEvent, { type: 'hook/ran' }> => event.type === 'hook/ran').map((event) => `${event.event} ${event.outcome}`);
const specific = (hookEventName: string, more: object): object => ({ hookSpecificOutput: { hookEventName, ...more } });

/** One hook on one event, one Bash call; a person who answers yes. */
async function withHook(event: string, script: HookScript, language: HookLanguage = 'bash', command = 'echo hi > made.txt') {
  const repo = createTempRepo();
  repo.write('.claude/settings.json', hookSettingsFile({ [event]: ['', hookScript(repo, 'hook', language, script)] }));
  const session = await startEngine({ repo, script: [bash(command, 't1'), say('done')] });
  const asked = session.autoAnswer(() => once);
  const end = await session.prompt('go');
  return { repo, session, asked, end, seen: seenBy(repo, 'hook'), call: (await session.call('t1')).call };
}

verifies('hooks:exit-codes', async () => {
  const { seen, call, repo, session } = await withHook('PreToolUse', {});
  expect(call.status).toBe('completed');
  expect(seen).toEqual([
    {
      session_id: session.sessionId, prompt_id: expect.any(String), transcript_path: expect.stringContaining('transcript.jsonl'), cwd: repo.root, permission_mode: 'default',
      hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'echo hi > made.txt' }, tool_use_id: 't1',
    },
  ]);
  expect((await session.call('t1')).hooks).toMatchObject([{ event: 'PreToolUse', source: 'project', outcome: 'ok', output: '' }]);
}, { case: 'what it reads, exit 0' });

verifies('hooks:exit-codes', async () => {
  const { call, session, asked } = await withHook('PreToolUse', { err: 'not on Fridays', exit: 2 });
  expect(asked).toEqual([]);
  expect(call).toMatchObject({ status: 'denied', decidedBy: 'hook', text: expect.stringContaining('not on Fridays') });
  expect(runs(session)).toEqual(['PreToolUse blocked']);
}, { case: 'PreToolUse, exit 2 needs no person' });

verifies('hooks:exit-codes', async () => {
  const { call, session } = await withHook('PreToolUse', { err: 'oops', exit: 1 });
  expect(call.status).toBe('completed');
  expect((await session.call('t1')).hooks).toMatchObject([{ outcome: 'failed', output: expect.stringContaining('exit code 1: oops') }]);
}, { case: 'PreToolUse, exit 1' });

verifies('hooks:exit-codes', async () => {
  const { session, call } = await withHook('PostToolUse', { err: 'run the formatter', exit: 2 });
  expect(call.status).toBe('completed');
  expect(sent(session)).toContain('run the formatter');
}, { case: 'PostToolUse, exit 2' });

const answers: readonly (readonly [string, HookScript, string, (found: Awaited<ReturnType<typeof withHook>>) => void])[] = [
  ['exit 1 with a JSON deny is denied', { exit: 1, out: specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'no' }) }, 'PreToolUse', ({ call }) => expect(call).toMatchObject({ status: 'denied', text: expect.stringContaining('no') })],
  ['exit 2 with a JSON allow is denied', { exit: 2, err: 'stop', out: specific('PreToolUse', { permissionDecision: 'allow' }) }, 'PreToolUse', ({ call }) => expect(call.status).toBe('denied')],
  ['half a JSON is words', { out: '{"hookSpecificOutput": {"permissionDecision": "de' }, 'PreToolUse', ({ call }) => expect(call.status).toBe('completed')],
  ['JSON that does not fit fails and refuses nothing', { out: specific('PreToolUse', { permissionDecision: 'never' }) }, 'PreToolUse', ({ call, session }) => expect([call.status, ...runs(session)]).toEqual(['completed', 'PreToolUse failed'])],
  ['JSON that does not fit still refuses with exit 2', { exit: 2, err: 'no', out: { continue: 7 } }, 'PreToolUse', ({ call }) => expect(call.status).toBe('denied')],
  ['allow needs no person', { out: specific('PreToolUse', { permissionDecision: 'allow', permissionDecisionReason: 'fine' }) }, 'PreToolUse', ({ call, asked }) => expect([call.status, asked.length]).toEqual(['completed', 0])],
  ['an old approve is an allow', { out: { decision: 'approve' } }, 'PreToolUse', ({ asked }) => expect(asked).toEqual([])],
  ['an old block is a deny', { out: { decision: 'block', reason: 'old no' } }, 'PreToolUse', ({ call }) => expect(call).toMatchObject({ status: 'denied', text: expect.stringContaining('old no') })],
  ['the input is replaced as a whole', { out: specific('PreToolUse', { permissionDecision: 'allow', updatedInput: { command: 'echo other > made.txt' } }) }, 'PreToolUse', ({ repo }) => expect(repo.read('made.txt')).toBe('other\n')],
  ['an input that lacks a field fails', { out: specific('PreToolUse', { updatedInput: { description: 'x' } }) }, 'PreToolUse', ({ call }) => expect(call).toMatchObject({ status: 'failed', text: expect.stringContaining('A hook changed the input') })],
  ['context goes to the model', { out: specific('PreToolUse', { additionalContext: 'mind the gap' }) }, 'PreToolUse', ({ session }) => expect(sent(session)).toContain('mind the gap')],
  ['continue: false ends the turn', { out: { continue: false, stopReason: 'enough for today' } }, 'PreToolUse', ({ call, end }) => expect([call.status, end?.stop, end?.problem?.message]).toEqual(['denied', 'error', 'A hook ended the turn: enough for today'])],
  ['a system message goes to the person', { out: { systemMessage: 'budget is low' } }, 'PreToolUse', async ({ session }) => expect((await session.view()).notices).toMatchObject([{ title: 'budget is low' }])],
  ['a result is put in other words', { out: specific('PostToolUse', { updatedToolOutput: 'nothing to see' }) }, 'PostToolUse', ({ session }) => expect([session.result('t1'), sent(session).includes('nothing to see')]).toEqual(['"nothing to see"', true])],
  ['a block after the call is told to the model', { out: { decision: 'block', reason: 'tests are missing' } }, 'PostToolUse', ({ session, call }) => expect([call.status, sent(session).includes('tests are missing')]).toEqual(['completed', true])],
  ['the result has fields', {}, 'PostToolUse', ({ seen }) => expect(seen).toMatchObject([{ tool_response: { stdout: '', exitCode: 0 }, tool_use_id: 't1', duration_ms: expect.any(Number) }])],
  ['a batch is told once', {}, 'PostToolBatch', ({ seen }) => expect(seen).toMatchObject([{ tool_calls: [{ tool_name: 'Bash', tool_use_id: 't1', tool_response: expect.stringContaining('stdout') }] }])],
  ['a batch that is refused ends the turn', { exit: 2, err: 'that will do' }, 'PostToolBatch', ({ end, session }) => expect([end?.problem?.message, session.server.messageRequests().length]).toEqual(['A hook ended the turn: that will do', 1])],
];
for (const [name, script, event, check] of answers) {
  verifies('hooks:answers', async () => check(await withHook(event, script)), { case: name });
}

verifies('hooks:answers', async () => {
  const failed = await withHook('PostToolUseFailure', { err: 'look at the log', exit: 2 }, 'node', 'ls /nowhere-at-all');
  expect(failed.seen).toMatchObject([{ error: expect.stringContaining('Exit code 2'), is_interrupt: false, tool_use_id: 't1' }]);
  expect(sent(failed.session)).toContain('look at the log');
}, { case: 'a call that failed' });

verifies('hooks:answers', async () => {
  const { call, asked } = await withHook('PreToolUse', { out: specific('PreToolUse', { permissionDecision: 'defer', permissionDecisionReason: 'somebody should look' }) }, 'python', 'echo hi');
  expect([call.status, asked.map((ask) => (ask.kind === 'permission' ? ask.request.explanation.reason : ''))]).toEqual(['completed', [expect.stringContaining('somebody should look')]]);
}, { case: 'defer puts a call before the person that nobody would be asked about' });

verifies('hooks:rules-stand', async () => {
  const repo = createTempRepo();
  const allow = hookScript(repo, 'allow', 'bash', { out: specific('PreToolUse', { permissionDecision: 'allow' }) });
  const deny = hookScript(repo, 'deny', 'python', { out: specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'the stricter one' }) });
  repo.write('.claude/settings.json', JSON.stringify({ permissions: { ask: ['Bash(touch *)'], deny: ['Bash(rm *)'] }, hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [allow, { ...deny, if: 'Bash(mkdir *)' }] }] } }));
  const session = await startEngine({ repo, script: [reply(bash('touch a', 't1'), bash('rm a', 't2'), bash('mkdir d', 't3')), say('done')] });
  const asked = session.autoAnswer(() => once);
  await session.prompt('go');
  expect(asked.map((ask) => ask.request.callId)).toEqual(['t1']);
  expect(await Promise.all(['t1', 't2', 't3'].map(async (id) => (await session.call(id)).call.status))).toEqual(['completed', 'denied', 'denied']);
  expect(session.result('t3')).toContain('the stricter one');
});

verifies('hooks:if', async () => {
  const repo = createTempRepo({ 'src/a.ts': 'a\n', 'lib/src/b.ts': 'b\n' });
  const seenOf = (name: string, rule: string) => ({ ...hookScript(repo, name, 'bash'), if: rule });
  repo.write('.claude/settings.json', hookSettingsFile({ PreToolUse: ['', seenOf('rm', 'Bash(rm *)'), seenOf('push', 'Bash(git push *)'), seenOf('edit', 'Edit(src/**)')], Stop: ['', seenOf('stop', 'Bash(rm *)')] }));
  const read = (path: string) => callTool('Read', { file_path: path });
  const edit = (path: string, id: string) => callTool('Edit', { file_path: path, old_string: 'a', new_string: 'c', replace_all: true }, { id });
  const session = await startEngine({
    repo, mode: 'acceptEdits', rules: { deny: ['Bash'] },
    script: [read('src/a.ts'), read('lib/src/b.ts'), reply(edit('src/a.ts', 'e1'), callTool('Edit', { file_path: 'lib/src/b.ts', old_string: 'b', new_string: 'c' }, { id: 'e2' })), say('done')],
  });
  await session.prompt('go');
  expect(seenBy(repo, 'edit').map((seen) => seen['tool_use_id'])).toEqual(['e1']);
  const shell = await startEngine({ repo, script: [reply(bash('echo $(rm -rf x)', 't1'), bash('A=1 rm y', 't2'), bash('echo rm', 't3'), bash('git status "$X"', 't4'), bash('if then', 't5')), say('done')], interactive: false });
  await shell.prompt('go');
  expect(seenBy(repo, 'rm').map((seen) => seen['tool_use_id'])).toEqual(['t1', 't2', 't5']);
  expect(seenBy(repo, 'push').map((seen) => seen['tool_use_id'])).toEqual(['t1', 't4', 't5']);
  expect(seenBy(repo, 'stop')).toEqual([]);
});
