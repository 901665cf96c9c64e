import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { loadAgentDefinitions } from '../../../extension/agents/agentDefinitionLoader';
import { loadPlugins } from '../../../extension/plugins/pluginLoader';
import { loadSkills } from '../../../extension/skills/skillLoader';
import { readPlugin } from '../../support/pluginFolder';
import { verifies } from '../../support/verifies';

const roots: string[] = [];
afterAll(() => {
  for (const root of roots) rmSync(root, { recursive: true, force: true });
});

function tree(files: Readonly<Record<string, string | object>>): string {
  const root = mkdtempSync(join(tmpdir(), 'troupe-plugin-'));
  roots.push(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof text === 'string' ? text : JSON.stringify(text, null, 2));
  }
  return root;
}

const skill = (more = ''): string => `---\ndescription: d\n${more}---\nBody\n`;

async function parts(root: string) {
  const { plugin, problems } = await readPlugin(root);
  if (!plugin) return { names: [], plugin, problems: problems.map(({ code }) => code) };
  const places = { configRoot: join(root, '..', 'no-config'), cwd: join(root, '..'), addDirs: [], plugins: [plugin.folder], bundled: [], builtin: [], isTrusted: true };
  const [skills, agents] = [await loadSkills(places), await loadAgentDefinitions(places)];
  return { names: [...skills.loaded, ...agents.loaded].map((item) => item.qualified).sort(), plugin, problems: problems.filter(({ severity }) => severity !== 'info').map(({ code }) => code) };
}

verifies('plugin:load:without-manifest', async () => {
  const root = tree({ 'foo/skills/a/SKILL.md': skill() });
  expect((await parts(join(root, 'foo'))).names).toEqual(['foo:a']);
  expect((await readPlugin(join(root, 'nowhere'))).problems).toMatchObject([{ code: 'plugin-missing' }]);
  expect((await readPlugin(root)).problems).toMatchObject([{ code: 'plugin-empty' }]);
});

verifies('plugin:load:component-paths', async () => {
  const files = { 'extra/x.md': skill(), 'commands/y.md': skill(), 'skills/a/SKILL.md': skill(), 'more/b/SKILL.md': skill(), 'agents/one.md': skill(), 'agents/two.md': skill() };
  const root = tree({ ...files, '.claude-plugin/plugin.json': { name: 'p', commands: ['./extra/x.md'], skills: './more/', agents: ['./agents/one.md'] } });
  const read = await parts(root);
  expect(read.names).toEqual(['p:a', 'p:b', 'p:one', 'p:x']);
  expect(read.problems).toEqual(['folder-ignored']);
});

verifies('plugin:load:command-map', async () => {
  const root = tree({ 'texts/go.md': skill('model: haiku\n'), '.claude-plugin/plugin.json': { name: 'p', commands: { go: { source: './texts/go.md', description: 'stated' }, hi: { content: 'Say hi', allowedTools: ['Read'] }, none: {} } } });
  const { plugin, problems } = await readPlugin(root);
  const { loaded } = await loadSkills({ configRoot: '/nowhere', cwd: root, addDirs: [], plugins: plugin ? [plugin.folder] : [], bundled: [], isTrusted: true });
  expect(loaded).toMatchObject([{ qualified: 'p:go', description: 'stated', model: 'haiku' }, { qualified: 'p:hi', body: 'Say hi', allowedTools: ['Read'] }]);
  expect(problems).toMatchObject([{ code: 'manifest-invalid', field: 'commands.none' }]);
});

verifies('plugin:load:bad-manifest', async () => {
  const manifest = (text: string | object) => tree({ '.claude-plugin/plugin.json': text, 'commands/c.md': skill() });
  expect(await parts(manifest({ name: 'p', keywords: 'a' }))).toMatchObject({ names: [], problems: ['manifest-invalid'] });
  expect(await parts(manifest('{"name": "p",}'))).toMatchObject({ names: [], problems: ['json-invalid'] });
  expect(await parts(manifest({ name: 'p', engines: {}, metadata: 3 }))).toMatchObject({ names: ['p:c'], problems: ['manifest-unknown-field', 'manifest-field-ignored'] });
  expect(await parts(manifest({ name: 'p', agents: '../x.md', commands: '/abs' }))).toMatchObject({ names: [], problems: expect.arrayContaining(['path-leaves-plugin', 'folder-ignored']) });
  expect((await readPlugin(manifest('{\n  "name": "p",\n  "skills": "more"\n}'))).problems).toMatchObject([{ code: 'path-without-dot-slash', line: 3 }, { code: 'path-missing', line: 3 }]);
});

verifies('plugin:load:json-parts', async () => {
  const events = { PostToolUse: [{ matcher: 'Edit', hooks: [{ type: 'command', command: 'true' }] }] };
  const root = tree({
    '.claude-plugin/plugin.json': { name: 'p', hooks: ['./hooks/hooks.json', events], mcpServers: { db: { command: 'node' } }, settings: { agent: 'lead', model: 'x' }, userConfig: { style: { type: 'string', title: 'Style', description: 's', default: 'std' }, key: { type: 'string', title: 'Key', description: 'k', sensitive: true, default: 'shh' } } },
    'hooks/hooks.json': { hooks: events },
    '.mcp.json': { flat: { command: 'node' } },
    'bin/tool': '',
  });
  const { plugin, problems } = await readPlugin(root);
  expect(plugin).toMatchObject({
    hooks: [{ raw: events, origin: { keys: ['hooks'], path: join(root, 'hooks/hooks.json'), plugin: { name: 'p', root } } }, { raw: events, origin: { keys: ['hooks', '1'] } }],
    mcpServers: [{ raw: { flat: { command: 'node' } }, keys: [] }, { raw: { db: { command: 'node' } }, keys: ['mcpServers'] }],
    binDir: join(root, 'bin'),
    agent: 'lead',
  });
  expect(plugin?.folder.options).toEqual({ style: 'std' });
  expect(problems.map(({ code }) => code).sort()).toEqual(['duplicate-file', 'plugin-setting-ignored']);
});

verifies('plugin:load:order', async () => {
  const root = tree({ 'a/.claude-plugin/plugin.json': { name: 'p' }, 'b/.claude-plugin/plugin.json': { name: 'p' }, 'built/q/.claude-plugin/plugin.json': { name: 'q' }, 'built/r/.claude-plugin/plugin.json': { name: 'p' } });
  const { loaded, disabled } = await loadPlugins({ configRoot: root, sessionDirs: [join(root, 'a'), join(root, 'b')], builtinDir: join(root, 'built'), optionsOf: () => ({}) });
  expect(loaded.map(({ id, root: at }) => [id, at])).toEqual([['p@inline', join(root, 'a')], ['q@builtin', join(root, 'built/q')]]);
  expect(disabled.map(({ path }) => path)).toEqual([join(root, 'b'), join(root, 'built/r')]);
  expect(loaded[0]?.dataDir).toBe(join(root, 'plugins/data/p-inline'));
});

verifies('plugin:builtin:ships', async () => {
  const { names, problems } = await parts(join(process.cwd(), 'extension/plugins/builtin/plugin-kit'));
  expect(names).toEqual(['plugin-kit:extension-checker', 'plugin-kit:new-plugin', 'plugin-kit:new-skill']);
  expect(problems).toEqual([]);
});
