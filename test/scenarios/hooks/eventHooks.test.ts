import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { hookScript, type HookScript, hookSettingsFile, seenBy } from '../../support/hookScripts';
import { callTool, say, type ScriptEntry, when } from '../../support/script';
import { processesWith, runHeadless } from '../../support/spawnHeadless';
import { once, startEngine, startModel, type EngineStart, type TestSession } from '../../support/startEngine';
import { createTempRepo, type TempRepo } from '../../support/tempRepo';
import { verifies } from '../../support/verifies';
import { small } from '../mcp/mcpKit';

const bash = (command: string, id: string) => callTool('Bash', { command }, { id });
const specific = (hookEventName: string, more: object): object => ({ hookSpecificOutput: { hookEventName, ...more } });
const bodies = (session: TestSession): readonly string[] => session.server.messageRequests().map((request) => JSON.stringify(request.body));
const seenOnce = async (repo: TempRepo, name: string, count = 1) => {
  await expect.poll(() => seenBy(repo, name).length, { interval: 50 }).toBeGreaterThanOrEqual(count);
  return seenBy(repo, name);
};

async function withHook(event: string, script: HookScript, more: Partial<EngineStart> & { readonly steps?: readonly ScriptEntry[]; readonly matcher?: string; readonly settings?: object; readonly files?: Readonly<Record<string, string>>; readonly handler?: object } = {}) {
  const repo = createTempRepo(more.files);
  repo.write('.claude/settings.json', hookSettingsFile({ [event]: [more.matcher ?? '', { ...hookScript(repo, 'hook', 'bash', script), ...more.handler }] }, more.settings));
  const session = await startEngine({ ...more, repo, script: more.steps ?? [say('done')] });
  return { repo, session };
}

verifies('hooks:events', async () => {
  const { repo, session } = await withHook('UserPromptSubmit', { err: 'no secrets in prompts', exit: 2 }, { steps: [] });
  expect(await session.prompt('my password is x')).toMatchObject({ stop: 'error', problem: { code: 'notSent', message: expect.stringContaining('no secrets in prompts') } });
  expect([session.server.messageRequests().length, seenBy(repo, 'hook')[0]]).toEqual([0, expect.objectContaining({ prompt: 'my password is x' })]);
}, { case: 'UserPromptSubmit refuses with exit 2' });

verifies('hooks:events', async () => {
  const { session } = await withHook('UserPromptSubmit', { out: '[1]' });
  await session.prompt('hi');
  expect(bodies(session)[0]).toContain('<hook-context event=\\"UserPromptSubmit\\">\\n[1]\\n');
  const json = await withHook('UserPromptSubmit', { out: { ...specific('UserPromptSubmit', { additionalContext: 'it is Friday', sessionTitle: 'Friday work' }) } });
  await json.session.prompt('hi');
  expect([bodies(json.session)[0], (await json.session.view()).session.title]).toEqual([expect.stringContaining('it is Friday'), 'Friday work']);
}, { case: 'UserPromptSubmit adds context and a title' });

verifies('hooks:events', async () => {
  const files = { '.claude/skills/deploy/SKILL.md': '---\ndescription: Deploys.\n---\nDeploy it now.\n' };
  const { repo, session } = await withHook('UserPromptExpansion', { out: { decision: 'block', reason: 'not today' } }, { files, steps: [], matcher: 'deploy' });
  expect(await session.prompt('/deploy fast')).toMatchObject({ problem: { message: expect.stringContaining('not today') } });
  expect(seenBy(repo, 'hook')).toMatchObject([{ expansion_type: 'slash_command', command_name: 'deploy', command_args: 'fast', command_source: 'project', prompt: '/deploy fast' }]);
}, { case: 'UserPromptExpansion' });

verifies('hooks:events', async () => {
  const repo = createTempRepo();
  const script = repo.write('hooks/start.sh', 'cat > /dev/null\necho "export SHOP=open" > "$CLAUDE_ENV_FILE"\necho "the shop is $CLAUDE_PROJECT_DIR"\n');
  repo.write('.claude/settings.json', hookSettingsFile({ SessionStart: ['startup', { type: 'command', command: 'sh', args: [script] }, hookScript(repo, 'two', 'node', { out: specific('SessionStart', { additionalContext: 'mind the step', initialUserMessage: 'first of all', sessionTitle: 'Shop' }) })] }));
  const session = await startEngine({ repo, interactive: false, rules: { allow: ['Bash'] }, script: [bash('echo "is $SHOP"', 't1'), say('done')] });
  await session.prompt('go');
  expect(bodies(session)[0]).toContain(`the shop is ${repo.root}`);
  expect(bodies(session)[0]).toMatch(/mind the step.*first of all.*go/);
  expect([session.result('t1'), (await session.view()).session.title]).toEqual(['"is open"', 'Shop']);
  expect(seenBy(repo, 'two')).toMatchObject([{ source: 'startup' }]);
}, { case: 'SessionStart: context, words, title, and variables for later shells' });

verifies('hooks:events', async () => {
  const repo = createTempRepo();
  repo.write('.claude/settings.json', hookSettingsFile({ Setup: ['init', hookScript(repo, 'setup', 'python')], SessionEnd: ['', hookScript(repo, 'end', 'bash')], InstructionsLoaded: ['session_start', hookScript(repo, 'loaded', 'bash')], Stop: ['', hookScript(repo, 'stop', 'node')] }));
  repo.write('CLAUDE.md', 'Be brief.\n');
  const server = await startModel([say('done')]);
  const run = await runHeadless(['-p', 'go', '--init', '--trust', '--output-format', 'json'], { repo, server });
  expect([run.exitCode, seenBy(repo, 'setup'), seenBy(repo, 'end')]).toMatchObject([0, [{ trigger: 'init' }], [{ reason: 'other', hook_event_name: 'SessionEnd' }]]);
  expect(seenBy(repo, 'loaded')).toMatchObject([{ file_path: repo.path('CLAUDE.md'), memory_type: 'Project', load_reason: 'session_start' }]);
  const [stop] = seenBy(repo, 'stop');
  expect(stop).toMatchObject({ stop_hook_active: false, last_assistant_message: 'done', background_tasks: [], session_crons: [] });
  const lines = readFileSync(String(stop?.['transcript_path']), 'utf8').trim().split('\n').map((line) => JSON.parse(line) as { type: string; session_id: string });
  expect([lines[0]?.type, lines.at(-1)?.type, lines.at(-1)?.session_id]).toEqual(['user', 'assistant', stop?.['session_id']]);
}, { case: 'Setup, InstructionsLoaded, Stop, SessionEnd and the transcript of a headless run' });

verifies('hooks:events', async () => {
  const { repo, session } = await withHook('Stop', { err: 'the tests are not green', exit: 2 }, { steps: Array.from({ length: 9 }, (_, i) => say(`try ${i}`)) });
  expect(await session.prompt('go')).toMatchObject({ stop: 'done' });
  expect(session.server.messageRequests()).toHaveLength(9);
  expect(seenBy(repo, 'hook').map((seen) => seen['stop_hook_active'])).toEqual([false, ...Array<boolean>(7).fill(true)]);
  expect(bodies(session)[1]).toContain('You are not done yet: the tests are not green');
  expect((await session.view()).notices).toMatchObject([{ code: 'stopHook' }]);
}, { case: 'a Stop hook keeps the agent going, eight times at most' });

verifies('hooks:events', async () => {
  const repo = createTempRepo();
  repo.write('.claude/agents/helper.md', `---\nname: helper\ndescription: Helps.\ntools: Read\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: cat >> ${repo.path('own.seen')}; echo >> ${repo.path('own.seen')}\n---\nHelp.\n`);
  repo.write('.claude/settings.json', hookSettingsFile({ SubagentStart: ['helper', hookScript(repo, 'start', 'bash', { out: specific('SubagentStart', { additionalContext: 'welcome aboard' }) })], SubagentStop: ['', hookScript(repo, 'stop', 'bash')], Stop: ['', hookScript(repo, 'main', 'bash')] }));
  const session = await startEngine({ repo, script: [when({ first: '<brief>' }, [say('helped')]), callTool('Agent', { description: 'help', prompt: 'help me', subagent_type: 'helper' }, { id: 't1' }), say('done')] });
  await session.prompt('go');
  const agent_id = expect.stringMatching(/^agent-/) as string;
  expect(seenBy(repo, 'start')).toMatchObject([{ agent_id, agent_type: 'helper' }]);
  expect(seenBy(repo, 'stop')).toMatchObject([{ agent_id, agent_type: 'helper', last_assistant_message: 'helped', agent_transcript_path: expect.stringContaining('/agents/agent-') }]);
  expect(seenBy(repo, 'own')).toMatchObject([{ hook_event_name: 'SubagentStop' }]);
  expect(seenBy(repo, 'main')).toHaveLength(1);
  expect(bodies(session)[1]).toContain('welcome aboard');
}, { case: 'SubagentStart and SubagentStop, and the Stop of an agent’s own file' });

verifies('hooks:events', async () => {
  const { repo, session } = await withHook('PermissionRequest', { out: specific('PermissionRequest', { decision: { behavior: 'allow', updatedInput: { command: 'touch other.txt' } } }) }, { steps: [bash('touch made.txt', 't1'), say('done')] });
  await session.prompt('go');
  expect([existsSync(repo.path('made.txt')), existsSync(repo.path('other.txt'))]).toEqual([false, true]);
  expect(seenBy(repo, 'hook')).toMatchObject([{ tool_name: 'Bash', tool_input: { command: 'touch made.txt' }, permission_suggestions: expect.arrayContaining([{ type: 'addRules', behavior: 'allow', destination: 'session', rules: [{ toolName: 'Bash', ruleContent: 'touch made.txt' }] }]) }]);
  expect(seenBy(repo, 'hook')[0]).not.toHaveProperty('tool_use_id');
  const denied = await withHook('PermissionRequest', { out: specific('PermissionRequest', { decision: { behavior: 'deny', message: 'ask Ada first' } }) }, { steps: [bash('touch made.txt', 't1'), say('done')] });
  await denied.session.prompt('go');
  expect([(await denied.session.call('t1')).call.status, denied.session.result('t1')]).toEqual(['denied', expect.stringContaining('ask Ada first')]);
}, { case: 'PermissionRequest answers an open dialog' });

verifies('hooks:events', async () => {
  const repo = createTempRepo();
  repo.write('.claude/settings.json', hookSettingsFile({ PermissionRequest: ['', { type: 'command', command: `cat > /dev/null; touch ${repo.path('begun')}; sleep 600` }], Notification: ['permission_prompt', hookScript(repo, 'note', 'bash')] }));
  const session = await startEngine({ repo, script: [bash('touch made.txt', 't1'), say('done')] });
  await session.submit('go');
  const [ask] = await session.asks(1);
  await expect.poll(() => existsSync(repo.path('begun')), { interval: 50 }).toBe(true);
  expect(ask && (await session.answer(ask, once))).toBe(true);
  await session.settled();
  expect(existsSync(repo.path('made.txt'))).toBe(true);
  await session.event('hook/ran', (event) => event.event === 'PermissionRequest' && event.outcome === 'stopped');
  expect(await seenOnce(repo, 'note')).toMatchObject([{ notification_type: 'permission_prompt', message: expect.stringContaining('run a command') }]);
}, { case: 'the person answers first; Notification' });

verifies('hooks:events', async () => {
  const repo = createTempRepo({ 'sub/x.txt': 'x\n', '.env': 'A=1\n' });
  repo.write('.claude/settings.json', hookSettingsFile({ CwdChanged: ['', hookScript(repo, 'cwd', 'bash')], FileChanged: ['.env', hookScript(repo, 'file', 'bash')], ConfigChange: ['user_settings', hookScript(repo, 'config', 'bash', { exit: 2, err: 'settings are frozen' })] }));
  const session = await startEngine({ repo, rules: { allow: ['Bash'] }, script: [bash('echo B=2 >> .env; cd sub', 't1'), say('done')] });
  await session.prompt('go');
  expect(await seenOnce(repo, 'cwd')).toMatchObject([{ old_cwd: repo.root, new_cwd: repo.path('sub') }]);
  expect(await seenOnce(repo, 'file')).toMatchObject([{ file_path: repo.path('.env'), event: 'change' }]);
  repo.write('~/.claude/settings.json', JSON.stringify({ permissions: { deny: ['Bash(ls *)'] } }));
  expect((await seenOnce(repo, 'config'))[0]).toMatchObject({ source: 'user_settings', file_path: `${repo.configRoot}/settings.json` });
  const explained = await session.engine.explainPermission({ tool: 'Bash', input: { command: 'ls x' } });
  expect(explained).toMatchObject({ ok: true, value: { decision: 'allow' } });
}, { case: 'CwdChanged, FileChanged, ConfigChange' });

verifies('hooks:events', async () => {
  const { repo, session } = await withHook('MessageDisplay', { out: specific('MessageDisplay', { displayContent: 'the word is [hidden]' }) }, { steps: [say('the word is swordfish')] });
  await session.prompt('go');
  expect(seenBy(repo, 'hook')).toMatchObject([{ delta: 'the word is swordfish', final: true, index: 0 }]);
  const view = await session.view();
  expect(view.conversations['main']?.find((entry) => entry.kind === 'assistant')).toMatchObject({ text: 'the word is [hidden]' });
  expect(session.events.filter((event) => event.type === 'message/delta')).toEqual([]);
}, { case: 'MessageDisplay' });

verifies('hooks:events', async () => {
  const { repo, session } = await withHook('StopFailure', {}, { steps: [{ kind: 'status', status: 400 }] });
  expect(await session.prompt('go')).toMatchObject({ stop: 'error' });
  expect(await seenOnce(repo, 'hook')).toMatchObject([{ error: 'invalid_request', error_details: expect.any(String) }]);
}, { case: 'StopFailure' });

verifies('hooks:handlers', async () => {
  const got: { headers: Record<string, unknown>; body: string }[] = [];
  const web = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk)).on('end', () => {
      got.push({ headers: request.headers, body });
      response.statusCode = request.url === '/broken' ? 500 : 200;
      response.end(request.url === '/deny' ? JSON.stringify(specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'the server says no' })) : '');
    });
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void web.close());
  const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  const handler = (path: string) => ({ type: 'http', url: `${url}${path}`, headers: { 'x-token': 'Bearer $TOKEN ${OTHER}' }, allowedEnvVars: ['TOKEN'] });
  const run = async (path: string, more: object = {}) => {
    const repo = createTempRepo({ '.claude/settings.json': hookSettingsFile({ PreToolUse: ['Bash', handler(path)] }, more) });
    const session = await startEngine({ repo, env: { TOKEN: 'tk', OTHER: 'secret' }, rules: { allow: ['Bash'] }, script: [bash('echo hi', 't1'), say('done')] });
    await session.prompt('go');
    return session.call('t1');
  };
  expect((await run('/deny')).call).toMatchObject({ status: 'denied', text: expect.stringContaining('the server says no') });
  expect([got[0]?.headers['x-token'], JSON.parse(got[0]?.body ?? '')]).toEqual(['Bearer tk', expect.objectContaining({ tool_name: 'Bash' })]);
  expect(await run('/broken')).toMatchObject({ call: { status: 'completed' }, hooks: [{ outcome: 'failed', output: 'the server answered 500' }] });
  expect((await run('/empty')).hooks).toMatchObject([{ outcome: 'ok' }]);
  const sent = got.length;
  expect(await run('/deny', { allowedHttpHookUrls: ['https://hooks.example.org/*'] })).toMatchObject({ call: { status: 'completed' }, hooks: [{ outcome: 'failed', output: expect.stringContaining('allowedHttpHookUrls') }] });
  expect(got).toHaveLength(sent);
}, { case: 'http' });

verifies('hooks:handlers', async () => {
  const files = { 'notes.txt': 'nothing is green\n' };
  const asking = (hooks: object, script: readonly ScriptEntry[]) => startEngine({ repo: createTempRepo({ ...files, '.claude/settings.json': JSON.stringify({ hooks }) }), rules: { allow: ['Bash'] }, script });
  const prompt = await asking({ PreToolUse: [{ hooks: [{ type: 'prompt', prompt: 'Is this harmless? $ARGUMENTS', continueOnBlock: true }] }] }, [when({ first: 'Is this harmless?' }, [say('{"ok": false, "reason": "it is not"}')]), bash('echo hi', 't1'), say('done')]);
  await prompt.prompt('go');
  expect((await prompt.call('t1')).call).toMatchObject({ status: 'denied', text: expect.stringContaining('it is not') });
  const ending = await asking({ PreToolUse: [{ hooks: [{ type: 'prompt', prompt: 'Is this harmless?' }] }] }, [when({ first: 'Is this harmless?' }, [say('{"ok": false, "reason": "it is not"}')]), bash('echo hi', 't1')]);
  expect(await ending.prompt('go')).toMatchObject({ problem: { code: 'stoppedByHook' } });
  const agent = await asking({ Stop: [{ hooks: [{ type: 'agent', prompt: 'Are all checks green?' }] }] }, [
    when({ first: 'Are all checks green?' }, [callTool('Read', { file_path: 'notes.txt' }), say('I looked. {"ok": false, "reason": "nothing is green"}'), say('{"ok": true}')]),
    say('first'),
    say('second'),
  ]);
  expect(await agent.prompt('go')).toMatchObject({ stop: 'done' });
  expect(bodies(agent).some((body) => body.includes('You are not done yet: nothing is green'))).toBe(true);
  // What the hook's model took counts with the rest.
  const spends = agent.log().flatMap((event) => (event.type === 'hook/ran' && event.spent ? [event.spent] : []));
  expect(spends).toHaveLength(2);
  const replies = agent.log().flatMap((event) => (event.type === 'message/completed' ? [event.usage] : []));
  const sum = (key: 'inputTokens' | 'outputTokens') => [...replies, ...spends.map((one) => one.usage)].reduce((all, usage) => all + (usage[key] ?? 0), 0);
  expect((await agent.view()).usage).toMatchObject({ inputTokens: sum('inputTokens'), outputTokens: sum('outputTokens') });
  expect(prompt.log().filter((event) => event.type === 'hook/ran')).toMatchObject([{ spent: { costUsd: expect.any(Number), usage: { outputTokens: expect.any(Number) } } }]);
}, { case: 'prompt and agent' });

verifies('hooks:handlers', async () => {
  const repo = createTempRepo();
  const late = repo.write('hooks/late.sh', `cat > /dev/null\nwhile [ ! -e ${repo.path('go')} ]; do sleep 0.05; done\necho "wake up" >&2\nexit 2\n`);
  const same = hookScript(repo, 'same', 'bash');
  repo.write('.claude/settings.json', JSON.stringify({ hooks: { PreToolUse: [{ hooks: [same, { type: 'command', command: 'sh', args: [late], asyncRewake: true }] }] } }));
  repo.write('.claude/settings.local.json', JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [same] }] } }));
  const session = await startEngine({ repo, rules: { allow: ['Bash'] }, script: [bash('echo hi', 't1'), say('done'), say('awake')] });
  await session.prompt('go');
  expect(seenBy(repo, 'same')).toHaveLength(1);
  repo.write('go', '');
  await session.event('message/completed', (event) => JSON.stringify(event.content).includes('awake'));
  expect(bodies(session).at(-1)).toContain('wake up');
}, { case: 'the same handler of two files runs once; one in the background wakes the agent' });

verifies('hooks:handlers', async () => {
  const repo = createTempRepo();
  const seen = repo.path('own.seen');
  repo.write('.claude/skills/careful/SKILL.md', `---\ndescription: Care.\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          once: true\n          command: cat >> ${seen}; echo >> ${seen}\n---\nBe careful.\n`);
  const script = [bash('echo 1', 't1'), say('done'), bash('echo 2', 't2'), bash('echo 3', 't3'), say('done')];
  const session = await startEngine({ repo, rules: { allow: ['Bash'] }, script });
  await session.prompt('go');
  expect(seenBy(repo, 'own')).toEqual([]);
  await session.prompt('/careful');
  expect(seenBy(repo, 'own').map((one) => one['tool_use_id'])).toEqual(['t2']);
}, { case: 'a skill’s hooks run from its use on, and those that run once, once' });

verifies('hooks:trust', async () => {
  const repo = createTempRepo();
  const hooks = (name: string): string => hookSettingsFile({ PreToolUse: ['', hookScript(repo, name, 'bash')] });
  repo.write('.claude/settings.json', hooks('project'));
  repo.write('.claude/settings.local.json', hooks('local'));
  repo.write('~/.claude/settings.json', hooks('user'));
  const run = async (trusted: boolean) => {
    const session = await startEngine({ repo, trusted, rules: { allow: ['Bash'] }, script: [bash('echo hi', 't1'), say('done')] });
    await session.prompt('go');
    return ['project', 'local', 'user'].map((name) => seenBy(repo, name).length);
  };
  expect(await run(false)).toEqual([0, 0, 1]);
  expect(await run(true)).toEqual([1, 1, 2]);
});

verifies('hooks:trust', async () => {
  const repo = createTempRepo({ '.claude/skills/shows/SKILL.md': '---\ndescription: Shows.\n---\nIt says !`touch said.txt`.\n', '.mcp.json': JSON.stringify({ mcpServers: { small: small() } }) });
  repo.write('.claude/settings.json', hookSettingsFile({ PreToolUse: ['', hookScript(repo, 'project', 'bash')] }, { permissions: { allow: ['Bash(touch *)'], deny: ['Bash(mkdir *)'] }, enableAllProjectMcpServers: true }));
  let trusted = false;
  const granted: (() => void)[] = [];
  const trust = { isTrusted: () => trusted, onDidGrant: (listener: () => void) => {
    granted.push(listener);
    return { dispose: () => undefined };
  } };
  const session = await startEngine({ repo, ports: { trust }, script: [bash('touch a.txt', 't1'), bash('mkdir b', 't2'), say('done'), bash('touch c.txt', 't3'), bash('mkdir d', 't4'), say('done')] });
  const asked = session.autoAnswer(() => ({ behavior: 'deny' }));
  const servers = async (): Promise<readonly string[]> => ((await session.engine.inspect('mcp')) as { loaded: { status: string }[] }).loaded.map(({ status }) => status);
  expect(await session.prompt('/shows')).toMatchObject({ stop: 'error', problem: { code: 'notSent' } });
  await session.prompt('go');
  // Its allow does not count, its deny does; nothing it brings ran.
  expect([asked.map((ask) => ask.request.callId), (await session.call('t2')).decision?.rule, seenBy(repo, 'project').length, existsSync(repo.path('said.txt')), await servers()]).toEqual([['t1'], 'Bash(mkdir *)', 0, false, ['refused']]);
  trusted = true;
  for (const tell of granted) tell();
  await expect.poll(servers, { interval: 20 }).toEqual(['connected']);
  await session.prompt('/shows');
  expect([asked.length, seenBy(repo, 'project').map((seen) => seen['tool_use_id']), existsSync(repo.path('c.txt')), existsSync(repo.path('d')), existsSync(repo.path('said.txt'))]).toEqual([1, ['t3', 't4'], true, false, true]);
}, { case: 'granted while a session runs: rules, hooks, skill commands and servers count from then on' });

verifies('hooks:bad-input', async () => {
  const repo = createTempRepo();
  const marker = `${700 + (process.pid % 90)}.123456`;
  const fork = repo.write('hooks/fork.sh', `cat > /dev/null\nsleep ${marker} &\nnohup setsid sleep ${marker} > /dev/null 2>&1 &\nsleep ${marker}\n`);
  const daemon = repo.write('hooks/daemon.sh', `cat > /dev/null\nsleep ${marker} &\necho '{"systemMessage": "left something running"}'\n`);
  repo.write('.claude/settings.json', hookSettingsFile({ PreToolUse: ['', { type: 'command', command: 'sh', args: [fork], timeout: 2 }, { type: 'command', command: 'sh', args: [daemon] }] }));
  const session = await startEngine({ repo, rules: { allow: ['Bash'] }, script: [bash('echo hi', 't1'), say('done')] });
  await session.submit('go');
  await session.event('hook/waiting', (event) => event.callId === 't1' && event.labels.some((label) => label.includes('fork.sh')));
  await session.settled();
  const call = await session.call('t1');
  expect(call.call.status).toBe('completed');
  expect(call.hooks?.map((hook) => hook.outcome).sort()).toEqual(['ok', 'timedOut']);
  const left = (): number => processesWith(marker).length;
  await expect.poll(left, { interval: 100 }).toBe(0);
}, { case: 'a hook that forks and hangs ends at its limit with all it started' });

verifies('hooks:bad-input', async () => {
  const repo = createTempRepo();
  repo.write('.claude/settings.json', hookSettingsFile({ PreToolUse: ['', { type: 'command', command: 'cat > /dev/null; head -c 1000000000 /dev/zero' }, { type: 'command', command: `cat > /dev/null; printf '{"hookSpecificOutput": {"permission'` }, { type: 'command', command: '/nowhere/hook', args: [] }], UserPromptSubmit: ['', { type: 'command', command: 'cat > /dev/null; yes word | head -c 50000' }] }));
  const session = await startEngine({ repo, rules: { allow: ['Bash'] }, script: [bash('echo hi', 't1'), say('done')] });
  const before = process.memoryUsage().rss;
  await session.prompt('go');
  expect((await session.call('t1')).call.status).toBe('completed');
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  expect((await session.call('t1')).hooks?.map((hook) => hook.outcome).sort()).toEqual(['failed', 'ok', 'ok']);
  expect(bodies(session)[0]).toMatch(/\[… \d+ characters in all; the whole is in .*hook-[0-9a-f]+\.txt\]/);
  expect(bodies(session)[0]?.length).toBeLessThan(100_000);
}, { case: '1 GB of output, half a JSON, no such program, long words' });

verifies('hooks:bad-input', async () => {
  const repo = createTempRepo();
  const say_ = (name: string, decision: string) => hookScript(repo, name, 'node', { out: specific('PreToolUse', { permissionDecision: decision, permissionDecisionReason: `${name} decides` }) });
  repo.write('.claude/settings.json', hookSettingsFile({ PreToolUse: ['', say_('a', 'allow'), say_('b', 'deny'), say_('c', 'ask')] }));
  const session = await startEngine({ repo, script: [bash('touch x', 't1'), say('done')] });
  await session.prompt('go');
  expect((await session.call('t1')).call).toMatchObject({ status: 'denied', text: expect.stringContaining('b decides') });
}, { case: 'hooks that contradict: the strictest counts' });
