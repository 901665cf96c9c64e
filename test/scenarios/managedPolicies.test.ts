import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { hookScript, seenBy } from '../support/hookScripts';
import { callTool, say } from '../support/script';
import { type EngineStart, once, startEngine } from '../support/startEngine';
import { createTempRepo, type TempRepo } from '../support/tempRepo';
import { verifies } from '../support/verifies';
import { small } from './mcp/mcpKit';

const bash = (command: string, id: string) => callTool('Bash', { command }, { id });
const preTool = (handler: object): object => ({ PreToolUse: [{ hooks: [handler] }] });

/** An engine under the settings of an organisation, and what the person and the repository say beside. */
function under(repo: TempRepo, settings: object, start: Omit<EngineStart, 'repo'>, files: Readonly<Record<string, unknown>> = {}) {
  const dir = join(repo.tempDir, 'managed');
  for (const [name, value] of Object.entries({ 'managed-settings.json': settings, ...files })) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), JSON.stringify(value));
  }
  return startEngine({ ...start, repo, options: { managedDir: dir, ...start.options } });
}

interface Report {
  readonly loaded: readonly { readonly name: string; readonly status: string; readonly source: string }[];
  readonly disabled: readonly { readonly name: string; readonly reason: string }[];
}

verifies('scenarios:policy:managed', async () => {
  const repo = createTempRepo();
  const own = hookScript(repo, 'own', 'bash');
  const theirs = hookScript(repo, 'theirs', 'bash');
  repo.write('.claude/settings.json', JSON.stringify({ hooks: preTool(own), disableAllHooks: true }));
  repo.write('~/.claude/settings.json', JSON.stringify({ hooks: preTool(own) }));
  repo.write('.claude/skills/careful/SKILL.md', `---\ndescription: Care.\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: cat >> ${repo.path('own.seen')}\n---\nBe careful.\n`);
  const play = async (settings: object): Promise<readonly number[]> => {
    const session = await under(repo, { hooks: preTool(theirs), ...settings }, { rules: { allow: ['Bash'] }, script: [bash('echo 1', 't1'), say('done')] });
    await session.prompt('/careful');
    return [seenBy(repo, 'own').length, seenBy(repo, 'theirs').length];
  };
  // A person's off switch does not reach the organisation's hooks.
  expect(await play({})).toEqual([0, 1]);
  repo.write('.claude/settings.json', JSON.stringify({ hooks: preTool(own) }));
  expect(await play({ allowManagedHooksOnly: true })).toEqual([0, 2]);
  expect(await play({ strictPluginOnlyCustomization: ['hooks'] })).toEqual([0, 3]);
  expect(await play({ strictPluginOnlyCustomization: ['agents'], disableAllHooks: true })).toEqual([0, 3]);
}, { case: 'hooks: allowManagedHooksOnly, strictPluginOnlyCustomization, disableAllHooks' });

verifies('scenarios:policy:managed', async () => {
  const repo = createTempRepo({ '.mcp.json': JSON.stringify({ mcpServers: { project: small(), banned: small('--x') } }), 'plug/.claude-plugin/plugin.json': '{"name":"plug"}', 'plug/.mcp.json': JSON.stringify({ mcpServers: { own: small() } }) });
  const servers = async (settings: object): Promise<Readonly<Record<string, string>>> => {
    const session = await under(repo, settings, { script: [], options: { flagSettings: [{ enableAllProjectMcpServers: true, allowedMcpServers: [{ serverName: 'project' }, { serverName: 'banned' }, { serverName: 'own' }], troupe: { pluginDirs: [repo.path('plug')] } }] } });
    const { loaded, disabled } = (await session.engine.inspect('mcp')) as unknown as Report;
    const why = new Map(disabled.map(({ name, reason }) => [name, reason.split(/[ :]/)[0] ?? '']));
    await session.engine.dispose();
    return Object.fromEntries(loaded.map(({ name, status }) => [name, status === 'refused' ? `refused by ${why.get(name.split(':').at(-1) ?? '')}` : 'may start']));
  };
  expect(await servers({})).toEqual({ project: 'may start', banned: 'may start', 'plugin:plug:own': 'may start' });
  expect(await servers({ strictPluginOnlyCustomization: ['mcp'] })).toEqual({ project: 'refused by strictPluginOnlyCustomization', banned: 'refused by strictPluginOnlyCustomization', 'plugin:plug:own': 'may start' });
  expect(await servers({ strictPluginOnlyCustomization: true })).toMatchObject({ project: 'refused by strictPluginOnlyCustomization', 'plugin:plug:own': 'may start' });
  expect(await servers({ deniedMcpServers: [{ serverName: 'banned' }] })).toMatchObject({ project: 'may start', banned: 'refused by deniedMcpServers' });
  expect(await servers({ allowManagedMcpServersOnly: true, allowedMcpServers: [{ serverName: 'own' }] })).toEqual({ project: 'refused by allowedMcpServers', banned: 'refused by allowedMcpServers', 'plugin:plug:own': 'may start' });
}, { case: 'MCP servers: plugin only, denied, an allow list nobody adds to' });

verifies('scenarios:policy:managed', async () => {
  const got: Record<string, unknown>[] = [];
  const web = createServer((request, response) => {
    got.push({ url: request.url, token: request.headers['x-token'] });
    response.end();
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void web.close());
  const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  const to = (path: string): object => ({ type: 'http', url: `${url}${path}`, headers: { 'x-token': '$TOKEN $OTHER' }, allowedEnvVars: ['TOKEN', 'OTHER'] });
  const repo = createTempRepo({ '.claude/settings.json': JSON.stringify({ hooks: { PreToolUse: [{ hooks: [to('/ok'), to('/no')] }] } }), 'CLAUDE.md': 'Be brief.\n' });
  const session = await under(repo, { allowedHttpHookUrls: [`${url}/ok`], httpHookAllowedEnvVars: ['TOKEN'], claudeMd: 'Write no secrets into code.', model: 'claude-opus-4-5', env: { SHOP: 'open' } }, { env: { TOKEN: 'tk', OTHER: 'secret' }, rules: { allow: ['Bash'] }, script: [bash('echo "is $SHOP"', 't1'), say('done')] });
  await session.prompt('go');
  expect(got).toEqual([{ url: '/ok', token: 'tk' }]);
  expect(session.result('t1')).toBe('"is open"');
  const [first] = session.server.messageRequests().map((request) => JSON.stringify(request.body));
  expect(first).toMatch(/Write no secrets into code.*Be brief/);
  expect(first).toContain('"model":"claude-opus-4-5"');
}, { case: 'addresses and variables of http hooks, standing instructions, model, environment' });

verifies('scenarios:policy:managed', async () => {
  const repo = createTempRepo({ 'a.txt': 'a\n', '~/.claude/settings.json': JSON.stringify({ allowManagedHooksOnly: true, strictPluginOnlyCustomization: true, claudeMd: 'mine', permissions: { allow: ['Bash(rm *)'] } }), '.claude/skills/run/SKILL.md': '---\ndescription: Runs.\n---\nIt says !`echo hello`.\n' });
  const session = await under(repo, { permissions: { deny: ['Bash(rm *)'], defaultMode: 'acceptEdits', disableBypassPermissionsMode: 'disable' }, disableSkillShellExecution: true, disableBundledSkills: true }, { options: { skipPermissions: true, flagSettings: [{ permissions: { allow: ['Bash(rm *)'] } }] }, script: [bash('rm a.txt', 't1'), bash('mkdir made', 't2'), say('done')] });
  const asked = session.autoAnswer(() => once);
  await session.prompt('/run');
  expect(asked).toEqual([]);
  expect((await session.call('t1')).decision).toMatchObject({ behavior: 'deny', source: 'managed' });
  expect((await session.call('t2')).call.status).toBe('completed');
  await expect(session.setMode('bypassPermissions')).rejects.toThrow('bypassPermissions');
  expect(JSON.stringify(session.server.messageRequests()[0]?.body)).not.toMatch(/It says hello|"mine/);
  expect((await session.engine.describe(session.sessionId)).skills).toEqual(['run']);
  const { problems } = (await session.engine.inspect('settings')) as unknown as { problems: { message: string }[] };
  expect(problems.map(({ message }) => message).sort()).toEqual(['allowManagedHooksOnly counts in managed settings only', 'claudeMd counts in managed settings only', 'strictPluginOnlyCustomization counts in managed settings only']);
}, { case: 'rules, modes and skills; what only an organisation may say has no effect in other files' });
