import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { agent } from '../support/agentScripts';
import { callTool, reply, say, when } from '../support/script';
import { caller, once, startEngine } from '../support/startEngine';
import { createTempRepo } from '../support/tempRepo';
import { verifies } from '../support/verifies';

const bash = (command: string, id: string) => callTool('Bash', { command }, { id });
const settings = (permissions: object): string => JSON.stringify({ permissions });

verifies('scenarios:policy:provenance', async () => {
  const session = await startEngine({
    files: { '.claude/settings.json': settings({ allow: ['Bash(touch *)'], deny: ['Bash(rm *)'] }) },
    script: [reply(bash('touch a.txt', 't1'), bash('rm a.txt', 't2'), bash('mkdir made', 't3')), say('done')],
  });
  session.autoAnswer(() => once);
  await session.prompt('go');
  const path = session.repo.path('.claude/settings.json');
  const decisions = session.log().flatMap((event) => (event.type === 'tool/completed' ? [[event.callId, event.decision]] : []));
  expect(decisions).toEqual([
    ['t1', { behavior: 'allow', by: 'rule', reason: 'allowed by the rule Bash(touch *)', rule: 'Bash(touch *)', source: 'project', path, agentPath: ['main'], atMs: expect.any(Number) }],
    ['t2', { behavior: 'deny', by: 'rule', reason: 'denied by the rule Bash(rm *)', rule: 'Bash(rm *)', source: 'project', path, agentPath: ['main'], atMs: expect.any(Number) }],
    ['t3', { behavior: 'allow', by: 'person', reason: 'the person allowed it', agentPath: ['main'], atMs: expect.any(Number) }],
  ]);
  expect((await session.call('t1')).decision).toMatchObject({ rule: 'Bash(touch *)' });
});

verifies('scenarios:policy:revoke', async () => {
  const session = await startEngine({
    files: { '.claude/settings.json': '{\n    "permissions": {\n        "allow": [\n            "Bash(touch *)",\n            "Bash(mkdir *)"\n        ]\n    },\n    "kept": 1\n}\n' },
    script: [bash('touch a.txt', 't1'), bash('npm test', 't2'), say('one'), bash('touch b.txt', 't3'), bash('npm test', 't4'), say('two')],
  });
  const asked = session.autoAnswer((ask) => (ask.request.callId === 't2' ? { behavior: 'allow', scope: 'session', rules: ['Bash(npm test *)'] } : once));
  await session.prompt('go');
  expect(asked.map((ask) => ask.request.callId)).toEqual(['t2']);
  const { sessionId, engine } = session;
  const { grants } = await engine.handlers['permission/grants']({ sessionId }, caller);
  expect(grants.map(({ scope, rule, revocable }) => [scope, rule, revocable])).toEqual([['session', 'Bash(npm test *)', true], ['project', 'Bash(touch *)', true], ['project', 'Bash(mkdir *)', true]]);
  const replayed = await engine.handlers['permission/replay']({ sessionId, rule: 'Bash(npm *)', behavior: 'allow' }, caller);
  expect([replayed.total, replayed.matched, replayed.calls.map((call) => [call.callId, call.matched, call.outcome])]).toEqual([2, 1, [['t1', false, 'completed'], ['t2', true, expect.any(String)]]]);
  expect((await engine.handlers['permission/replay']({ sessionId, rule: 'Write(x)', behavior: 'deny' }, caller)).problem).toContain('Edit(x)');
  for (const grant of grants.slice(0, 2)) expect(await engine.handlers['permission/revoke']({ sessionId, grantId: grant.id }, caller)).toEqual({});
  expect(session.repo.read('.claude/settings.json')).toBe('{\n    "permissions": {\n        "allow": [\n            "Bash(mkdir *)"\n        ]\n    },\n    "kept": 1\n}\n');
  await session.prompt('again');
  expect(asked.map((ask) => ask.request.callId)).toEqual(['t2', 't3', 't4']);
  expect(session.log().flatMap((event) => (event.type === 'permission/revoked' ? [event.grant.rule] : []))).toEqual(['Bash(npm test *)', 'Bash(touch *)']);
});

verifies('scenarios:policy:refused-road', async () => {
  const session = await startEngine({
    files: { 'a.txt': 'one\n', '.claude/settings.json': settings({ allow: ['Bash(sed *)'] }) },
    script: [callTool('Read', { file_path: 'a.txt' }, { id: 't0' }), callTool('Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' }, { id: 't1' }), bash('sed -i s/one/two/ a.txt', 't2'), say('stopped'), bash('sed -i s/one/two/ a.txt', 't3'), say('done')],
  });
  const asked = session.autoAnswer(() => ({ behavior: 'deny' }));
  await session.prompt('change it');
  expect(asked.map((ask) => ask.request.callId)).toEqual(['t1']);
  expect(session.result('t2')).toContain('the person refused');
  expect(session.repo.read('a.txt')).toBe('one\n');
  await session.prompt('all right, do it');
  expect(session.repo.read('a.txt')).toBe('two\n');
});

verifies('scenarios:policy:auto', async () => {
  const session = await startEngine({ mode: 'auto', script: [bash('mkdir made', 't1'), say('{"verdict":"allow","reason":"a folder of the project"}'), bash('mkdir other', 't2'), say('Sure, go ahead!'), say('done')] });
  const asked = session.autoAnswer(() => ({ behavior: 'deny' }));
  await session.prompt('make a folder');
  expect(asked.map((ask) => ask.request.callId)).toEqual(['t2']);
  expect((await session.call('t1')).decision).toMatchObject({ by: 'model', reason: expect.stringContaining('a folder of the project') });
  const classified = session.log().flatMap((event) => (event.type === 'permission/classified' ? [event] : []));
  expect(classified.map(({ callId, verdict }) => [callId, verdict])).toEqual([['t1', 'allow'], ['t2', 'ask']]);
  const replies = session.log().flatMap((event) => (event.type === 'message/completed' ? [event.usage.outputTokens ?? 0] : []));
  const all = [...replies, ...classified.map((event) => event.usage.outputTokens ?? 0)].reduce((sum, n) => sum + n, 0);
  expect((await session.view()).usage.outputTokens).toBe(all);
  await expect((await startEngine({ rules: {}, options: { flagSettings: [{ permissions: { disableAutoMode: 'disable' } }] }, script: [] })).setMode('auto')).rejects.toThrow('turned off');
});

/** A managed folder of its own beside the repository. */
function managed(files: Readonly<Record<string, string>>) {
  const repo = createTempRepo({ '.claude/settings.json': settings({ allow: ['Bash(touch *)'] }), '.claude/skills/own/SKILL.md': '---\ndescription: Own.\n---\nOwn.\n', '.claude/agents/own.md': '---\nname: own\ndescription: Own.\n---\nOwn.\n' });
  const dir = join(repo.tempDir, 'managed');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(dir, name, '..'), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  return { repo, options: { managedDir: dir } };
}

verifies('scenarios:policy:managed', async () => {
  const place = managed({ 'managed-settings.json': JSON.stringify({ allowManagedPermissionRulesOnly: true, permissions: { allow: ['Bash(mkdir *)'], disableBypassPermissionsMode: 'disable', disableAutoMode: 'disable' } }) });
  const session = await startEngine({ ...place, script: [bash('touch a.txt', 't1'), bash('mkdir b', 't2'), say('done')] });
  const asked = session.autoAnswer(() => once);
  await session.prompt('go');
  expect(asked.map((ask) => ask.request.callId)).toEqual(['t1']);
  await expect(session.setMode('auto')).rejects.toThrow('turned off');
  await expect(session.setMode('bypassPermissions')).rejects.toThrow('bypassPermissions');
  const { grants } = await session.engine.handlers['permission/grants']({ sessionId: session.sessionId }, caller);
  expect(grants.map(({ scope, rule, revocable }) => [scope, rule, revocable])).toEqual([['managed', 'Bash(mkdir *)', false]]);
  expect((await session.engine.handlers['permission/revoke']({ sessionId: session.sessionId, grantId: grants[0]?.id ?? '' }, caller)).problem).toContain('managed-settings.json');
});

verifies(
  'scenarios:policy:managed',
  async () => {
    const place = managed({ 'managed-settings.json': JSON.stringify({ strictPluginOnlyCustomization: ['skills', 'agents'] }), '.claude/skills/theirs/SKILL.md': '---\ndescription: Theirs.\n---\nTheirs.\n' });
    const session = await startEngine({ ...place, script: [] });
    const { skills, agents } = await session.engine.describe(session.sessionId);
    expect([skills.includes('own'), skills.includes('theirs'), agents.includes('own')]).toEqual([false, true, false]);
    const open = await startEngine({ repo: place.repo, script: [] });
    expect((await open.engine.describe(open.sessionId)).skills).toContain('own');
  },
  { case: 'skills and agents come from plugins and managed files alone' },
);

verifies(
  'scenarios:policy:managed',
  async () => {
    const place = managed({ 'managed-settings.json': '{"permissions": {"deny": ["Bash(rm *)"],}}' });
    const session = await startEngine({ ...place, script: [bash('touch a.txt', 't1'), say('done')] });
    const asked = session.autoAnswer(() => once);
    await session.prompt('go');
    expect(asked.map((ask) => ask.request.callId)).toEqual(['t1']);
    expect((await session.view()).notices).toMatchObject([{ level: 'error', code: 'managedSettings', detail: expect.stringContaining('managed-settings.json:1') }]);
  },
  { case: 'a broken managed file fails closed and says so' },
);

verifies('scenarios:policy:models', async () => {
  const managed = createTempRepo().tempDir;
  writeFileSync(join(managed, 'managed-settings.json'), JSON.stringify({ availableModels: ['claude-sonnet-5-5', 'haiku'] }));
  const session = await startEngine({
    files: { '.claude/settings.json': JSON.stringify({ availableModels: ['opus'] }) },
    options: { managedDir: managed },
    env: { ANTHROPIC_MODEL: 'claude-sonnet-5-5' },
    script: [when({ first: 'Please do A' }, [say('a')]), when({ first: 'Please do B' }, [say('b')]), reply(agent('A', 'm1', { model: 'opus' }), agent('B', 'm2', { model: 'haiku' })), say('done')],
  });
  await session.prompt('go');
  const models = (brief: string): readonly unknown[] => session.server.messageRequests().filter(({ body }) => JSON.stringify(body).includes(`Please do ${brief}.\\n</brief>`)).map(({ body }) => (body as { model?: unknown }).model);
  expect([models('A'), models('B')], 'an agent whose model is not listed takes that of who starts it').toEqual([['claude-sonnet-5-5'], [expect.stringContaining('haiku')]]);
  await session.engine.handlers['session/setModel']({ sessionId: session.sessionId, model: 'claude-opus-5-5' }, caller);
  expect(await session.prompt('and now?')).toMatchObject({ stop: 'error', problem: { message: expect.stringMatching(/availableModels.*claude-sonnet-5-5, haiku[\s\S]*\/model/) } });
  expect(session.server.messageRequests().some(({ body }) => JSON.stringify(body).includes('and now?'))).toBe(false);
});

verifies('scenarios:policy:broken-files', async () => {
  const repo = createTempRepo({ '~/.claude/settings.json': settings({ allow: ['Bash(touch *)'] }), '.claude/settings.local.json': `{"a":"${'x'.repeat(2 * 1024 * 1024)}"}`, 'big/x': '' });
  mkdirSync(repo.path('.claude/settings.json'));
  const session = await startEngine({ repo, script: [bash('touch a.txt', 't1'), say('done')] });
  const asked = session.autoAnswer(() => once);
  await session.prompt('go');
  expect(asked).toEqual([]);
  const notice = (await session.view()).notices.find((one) => one.code === 'settingsFiles');
  expect(notice?.detail).toContain(repo.path('.claude/settings.json'));
  expect(notice?.detail).toContain(repo.path('.claude/settings.local.json'));
  expect(notice?.detail).toMatch(/too (big|large)|MB/);
  chmodSync(repo.path('.claude/settings.json'), 0o755);
});
