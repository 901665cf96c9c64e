import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, expect } from 'vitest';
import { inspectAgent, type AgentDefinition } from '../../../extension/agents/agentDefinition';
import { loadAgentDefinitions, type AgentPlaces } from '../../../extension/agents/agentDefinitionLoader';
import { readPluginFolder } from '../../support/pluginFolder';
import { verifies } from '../../support/verifies';

const roots: string[] = [];
afterAll(() => {
  for (const root of roots) rmSync(root, { recursive: true, force: true });
});

const agent = (name: string, description: string, more = ''): string => `---\nname: ${name}\ndescription: ${description}\n${more}---\nYou are ${description}.\n`;

function tree(files: Readonly<Record<string, string>>, more: Partial<AgentPlaces> = {}): { root: string; places: AgentPlaces } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-agents-')));
  roots.push(root);
  for (const dir of ['repo/.git', 'repo/app']) mkdirSync(join(root, dir), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return { root, places: { configRoot: join(root, 'home/.claude'), managedDir: join(root, 'managed'), cwd: join(root, 'repo/app'), addDirs: [join(root, 'added')], plugins: [], builtin: [], isTrusted: true, ...more } };
}

verifies('agent:definition:order', async () => {
  const dirs = ['managed/.claude', 'repo/app/.claude', 'repo/.claude', 'added/.claude', 'home/.claude'];
  const { root, places } = tree(Object.fromEntries(dirs.map((dir) => [`${dir}/agents/x.md`, agent('explore', dir)])));
  const flagJson = JSON.stringify({ explore: { description: 'flag', prompt: 'p' }, lone: { description: 'only here', prompt: 'Prompt.', tools: ['Read'], maxTurns: 3, unknown: 1 } });
  const builtin: AgentDefinition = { name: 'explore', qualified: 'explore', source: 'builtin', isTrusted: true, description: 'b', tools: null, disallowedTools: [], skills: [], mcpServers: [], prompt: '', hides: [] };
  const all = (await loadAgentDefinitions({ ...places, flagJson, builtin: [builtin] })).loaded;
  expect(all.map((item) => [item.name, item.source])).toEqual([['explore', 'managed'], ['lone', 'flag']]);
  expect(all[0]?.hides.map((path) => (path.startsWith('/') ? relative(root, path) : path))).toEqual(['flag:explore', ...dirs.slice(1).map((dir) => `${dir}/agents/x.md`), 'builtin:explore']);
  expect(all[1]).toEqual({ name: 'lone', qualified: 'lone', source: 'flag', isTrusted: true, description: 'only here', tools: ['Read'], disallowedTools: [], maxTurns: 3, skills: [], mcpServers: [], prompt: 'Prompt.', hides: [] });
});

verifies('agent:definition:flag-errors', async () => {
  const codes = async (flagJson: string): Promise<string[]> => (await loadAgentDefinitions(tree({}, { flagJson }).places)).problems.map((problem) => problem.code);
  expect([await codes('{oops'), await codes('{"a":{"prompt":"p"}}'), await codes('{"a:b":{"description":"d","prompt":"p"}}')]).toEqual([['agents-flag-invalid'], ['agents-flag-invalid'], ['agent-skipped']]);
});

verifies('agent:definition:fields', async () => {
  const front = 'tools: Read, Agent(a, b), Bash(git diff *)\ndisallowedTools: [Write]\nmodel: inherit\npermissionMode: manual\nmaxTurns: 20\nskills: [sql-style, p:x]\nmcpServers:\n  - gh\n  - pw:\n      command: npx\n      args: [x]\nhooks:\n  Stop: []\nmemory:\n  scope: project\nbackground: yes\nisolation: worktree\ncolor: cyan\neffort: high\ninitialPrompt: /go\n';
  const { root, places } = tree({ 'repo/.claude/agents/full.md': agent('full', 'd', front), 'repo/.claude/agents/odd.md': agent('odd', 'o', 'maxTurns: many\nmemory: planet\ncolor: beige\nisolation: moon\npermissionMode: lax\n') });
  const { loaded, problems } = await loadAgentDefinitions(places);
  expect(loaded[0]).toEqual({
    name: 'full', qualified: 'full', source: 'project', path: join(root, 'repo/.claude/agents/full.md'), isTrusted: true, description: 'd', tools: ['Read', 'Agent(a, b)', 'Bash(git diff *)'], disallowedTools: ['Write'],
    model: 'inherit', permissionMode: 'default', maxTurns: 20, skills: ['sql-style', 'p:x'], mcpServers: [{ name: 'gh' }, { name: 'pw', config: { command: 'npx', args: ['x'] } }], hooks: { Stop: [] },
    memory: 'project', background: true, isolation: 'worktree', color: 'cyan', effort: 'high', initialPrompt: '/go', prompt: 'You are d.', hides: [],
  });
  expect(inspectAgent(loaded[0]!)).toMatchObject({ name: 'full', qualified: undefined, mcpServers: ['gh', 'pw'], hides: undefined });
  expect(problems.map((problem) => [problem.code, problem.field, problem.line])).toEqual([['bad-value', 'permissionMode', 8], ['bad-value', 'maxTurns', 4], ['bad-value', 'memory', 5], ['bad-value', 'isolation', 7], ['bad-value', 'color', 6]]);
  expect(loaded[1]).not.toHaveProperty('maxTurns');
});

verifies('agent:definition:plugin', async () => {
  const { root, places } = tree({
    'plug/.claude-plugin/plugin.json': '{"name":"p"}',
    'plug/agents/r/s.md': '---\ndescription: d\nhooks:\n  Stop: []\npermissionMode: plan\nmcpServers: [x]\nmodel: haiku\n---\nIn ${CLAUDE_PLUGIN_ROOT} and ${OTHER}.',
    'plug/agents/bare.md': 'First words.\n',
    'plug/agents/README.md': '# Notes\n',
  });
  const { plugin } = await readPluginFolder(join(root, 'plug'));
  const { loaded, problems } = await loadAgentDefinitions({ ...places, plugins: [plugin] });
  expect(loaded.map((item) => [item.qualified, item.name, item.description, item.prompt])).toEqual([['p:bare', 'bare', 'First words.', 'First words.'], ['p:r:s', 's', 'd', `In ${join(root, 'plug')} and \${OTHER}.`]]);
  expect(loaded[1]).toMatchObject({ model: 'haiku', mcpServers: [] });
  expect(['hooks', 'permissionMode'].some((key) => key in loaded[1]!)).toBe(false);
  expect(problems.map((problem) => [problem.code, problem.field])).toEqual([['agent-field-ignored', 'permissionMode'], ['agent-field-ignored', 'mcpServers'], ['agent-field-ignored', 'hooks']]);
});

verifies('agent:definition:unreadable', async () => {
  const { places } = tree({ 'repo/.claude/agents/bad.md': '---\n!!! ??\n---\nbody', 'repo/.claude/agents/good.md': agent('good', 'g') }, { isTrusted: false });
  const { loaded, problems } = await loadAgentDefinitions(places);
  expect(loaded.map((item) => [item.name, item.isTrusted])).toEqual([['good', false]]);
  expect(problems.map((problem) => problem.code)).toEqual(['yaml-unreadable', 'agent-skipped']);
});
