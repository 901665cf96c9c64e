import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { loadHookFile } from '../../../extension/hooks/hookFileLoader';
import { hookEventNames } from '../../../extension/hooks/hookEvents';
import { compileMatcher } from '../../../extension/hooks/hookMatcher';
import { readHooks } from '../../../extension/hooks/readHooks';
import { hookSettings } from '../../../extension/settings/hookLayers';
import { readSettings } from '../../../extension/settings/settingsSchema';
import { verifies } from '../../support/verifies';

const fixture = (name: string): string => join(process.cwd(), 'test/fixtures/loader/29-hooks-shapes/input', name, 'hooks/hooks.json');
const origin = { source: 'plugin' as const, plugin: { name: 'p', root: '/p' } };
const run = (command: string) => ({ type: 'command', command });
const read = (raw: unknown, source: 'user' | 'agent' = 'user') => readHooks(raw, { source });
const codes = (raw: unknown): readonly string[] => read(raw).problems.map((problem) => problem.code);

verifies('hooks:read:shapes', async () => {
  const wrapped = await loadHookFile(fixture('wrapped'), origin);
  expect(wrapped.hooks.map((hook) => hook.event)).toEqual([...Array(6).fill('PreToolUse'), 'SessionStart']);
  expect(wrapped.problems.map(({ code, line }) => [code, line])).toEqual([['hook-bad-matcher', 46], ['hook-bad-matcher', 55], ['hook-unknown-event', 75]]);
  const matched = (matcher: string | undefined, value: string): boolean | undefined => wrapped.hooks.find((hook) => hook.event === 'PreToolUse' && hook.matcher === matcher)?.matches(value);
  expect(['Write', 'Edit', 'NotebookEdit'].map((tool) => matched('Write|Edit', tool))).toEqual([true, true, false]);
  expect([matched('', 'anything'), matched(undefined, 'anything'), matched('^mcp__.*__write$', 'mcp__x__write'), matched('Bash(git push:*)', 'Bash'), matched('[', '[')]).toEqual([true, true, true, false, false]);
  expect(await loadHookFile(fixture('bare'), origin)).toMatchObject({ hooks: [{ event: 'Stop' }], problems: [] });
  expect((await loadHookFile(fixture('list'), origin)).problems).toMatchObject([{ code: 'hook-bad-shape', line: 1 }]);
  expect((await loadHookFile(fixture('flat'), origin)).problems.map((problem) => problem.code)).toEqual(['hook-bad-shape', 'hook-bad-shape']);
  expect(await loadHookFile('/nowhere/hooks.json', origin)).toEqual({ hooks: [], problems: [] });
}, { case: 'the fixture' });

verifies('hooks:read:shapes', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'troupe-hooks-')), 'hooks/hooks.json');
  mkdirSync(dirname(path));
  writeFileSync(path, '{\n  "hooks": {\n    "Stop": [,]\n  }\n}');
  expect((await loadHookFile(path, origin)).problems).toMatchObject([{ severity: 'error', code: 'json-invalid', path, line: 3 }]);
  expect(read({ stop: [{ hooks: [run('x')] }] }).problems[0]?.message).toContain('did you mean Stop');
  expect(read({ Stop: [{ hooks: [run('a'), { type: 'command' }, 7, run('b')] }] })).toMatchObject({ hooks: [{ handler: { command: 'a' } }, { handler: { command: 'b' } }], problems: [{ code: 'hook-bad-shape', field: 'Stop.0.hooks.1.command' }, { code: 'hook-bad-shape' }] });
  expect(read({ Stop: [{ hooks: [run('a')] }] }, 'agent').hooks[0]?.event).toBe('SubagentStop');
}, { case: 'what is wrong is named, the rest counts' });

verifies('hooks:read:handlers', () => {
  const all = [{ type: 'command', command: 'node', args: ['x.js'], async: true, timeout: 5, odd: 1 }, { type: 'http', url: 'https://hooks.example.org/a', headers: { A: '$B' }, allowedEnvVars: ['B'] }, { type: 'mcp_tool', server: 's', tool: 't', input: { a: '${tool_name}' } }, { type: 'prompt', prompt: 'ok?', continueOnBlock: true }, { type: 'agent', prompt: 'look', model: 'haiku' }];
  expect(read({ PreToolUse: [{ hooks: all }] }).hooks.map((hook) => hook.handler)).toEqual(all);
  const kinds = (event: string): readonly string[] => readHooks({ [event]: [{ hooks: all }] }, { source: 'user' }).hooks.map((hook) => hook.handler.type);
  for (const event of ['SessionStart', 'Setup']) expect(kinds(event)).toEqual(['command', 'mcp_tool']);
  for (const event of ['Notification', 'SessionEnd', 'ConfigChange', 'FileChanged', 'MessageDisplay', 'WorktreeCreate']) expect(kinds(event)).toEqual(['command', 'http', 'mcp_tool']);
  for (const event of ['Stop', 'SubagentStop', 'PostToolBatch', 'UserPromptExpansion', 'TeammateIdle']) expect(kinds(event)).toHaveLength(5);
  expect(codes({ SessionStart: [{ hooks: [all[1]] }] })).toEqual(['hook-unsupported-type']);
  expect(codes({ PreToolUse: [{ hooks: [{ ...run('x'), if: 'Bash(' }] }] })).toEqual(['hook-bad-if']);
  expect(read({ Stop: [{ hooks: [{ ...run('x'), if: 'Bash(rm *)' }] }] })).toMatchObject({ hooks: [{ event: 'Stop' }], problems: [{ code: 'hook-if-never' }] });
  expect(codes({ Stop: [{ hooks: [run('x ${user_config.t}'), { ...run('x'), args: ['${user_config.t}'] }] }] })).toEqual(['hook-option-in-shell']);
  expect(hookEventNames).toHaveLength(31);
});

verifies('hooks:matcher:names', () => {
  const rows: readonly (readonly [Parameters<typeof compileMatcher>[0], string | undefined, string, boolean])[] = [
    ['PreToolUse', 'Edit', 'NotebookEdit', false], ['PreToolUse', 'Edit.*', 'NotebookEdit', true], ['PreToolUse', 'Edit, Write', 'Write', true], ['PreToolUse', 'Edit, Write', 'Edit', true],
    ['PreToolUse', 'edit', 'Edit', false], ['PreToolUse', 'mcp__memory', 'mcp__memory__get', false], ['PreToolUse', 'mcp__memory__.*', 'mcp__memory__get', true],
    ['PreToolUse', '*', 'x', true], ['PreToolUse', '', 'x', true], ['PreToolUse', undefined, 'x', true], ['PreToolUse', '[', '[', false],
    ['SubagentStop', 'p:a', 'p:ab', true], ['SubagentStop', '^p:a$', 'p:ab', false], ['SubagentStop', 'my agent', 'my agent', true],
    ['StopFailure', 'rateLimit|server', 'server', true], ['StopFailure', 'rate,server', 'server', false], ['FileChanged', '^\\.env', '/w/.env', false], ['FileChanged', '^\\.env', '/w/^\\.env', true], ['FileChanged', '.env|a.txt', '/w/a.txt', true], ['FileChanged', '.env', '/w/x.env', false],
    ['Stop', 'never', '', true], ['SessionStart', 'startup|clear', 'resume', false],
  ];
  for (const [event, matcher, value, wanted] of rows) expect([event, matcher, value, compileMatcher(event, matcher).matches(value)]).toEqual([event, matcher, value, wanted]);
});

const layer = (source: 'managed' | 'user' | 'project', settings: Record<string, unknown>) => {
  const parsed = readSettings(settings, { path: `/${source}.json`, managed: source === 'managed' });
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return { source, path: `/${source}.json`, settings: parsed.value.settings };
};
const hooks = { Stop: [{ hooks: [run('x')] }] };
const sources = (...layers: readonly ReturnType<typeof layer>[]): readonly string[] => hookSettings(layers).maps.map(({ origin: { source } }) => source);

verifies('hooks:matcher:names', () => {
  const evil = compileMatcher('PreToolUse', '^mcp__((a+)+)+$');
  const begun = performance.now();
  expect([evil.matches('mcp__aaaa'), evil.matches('Bash'), evil.matches(`mcp__${'a'.repeat(100)}!`)]).toEqual([true, false, true]);
  expect(performance.now() - begun).toBeLessThan(2_000);
  expect(compileMatcher('PreToolUse', '(Edit|Write)+').matches('Read')).toBe(false);
}, { case: 'an expression that would never end is stopped, and its hook runs' });

verifies('hooks:settings:switches', () => {
  const [managed, project, user] = [layer('managed', { hooks }), layer('project', { hooks }), layer('user', { hooks })];
  expect(sources(managed, project, user)).toEqual(['managed', 'project', 'user']);
  expect(sources(managed, layer('project', { hooks, disableAllHooks: false }), layer('user', { hooks, disableAllHooks: true }))).toHaveLength(3);
  expect(sources(managed, layer('project', { hooks, disableAllHooks: true }), user)).toEqual(['managed']);
  expect(sources(layer('managed', { hooks, disableAllHooks: true }), project, user)).toEqual([]);
  expect(sources(layer('managed', { hooks, allowManagedHooksOnly: true }), project, user)).toEqual(['managed']);
  expect(sources(managed, layer('project', { hooks, allowManagedHooksOnly: true }), user)).toHaveLength(3);
  const pluginsOnly = hookSettings([layer('managed', { hooks, strictPluginOnlyCustomization: ['hooks'] }), project, user]);
  expect(pluginsOnly).toMatchObject({ maps: [{ origin: { source: 'managed' } }], othersOff: undefined, ownOff: expect.stringContaining('plugins'), disabled: [{ path: '/project.json' }, { path: '/user.json' }] });
  expect(hookSettings([layer('managed', { strictPluginOnlyCustomization: ['skills'] }), user]).maps).toHaveLength(1);
  expect(hookSettings([layer('project', { allowedHttpHookUrls: ['https://a/*'] }), layer('user', { allowedHttpHookUrls: ['https://b/*'], httpHookAllowedEnvVars: [] })])).toMatchObject({ allowedUrls: ['https://a/*', 'https://b/*'], allowedEnvVars: [] });
  expect(hookSettings([user])).toMatchObject({ allowedUrls: undefined, allowedEnvVars: undefined });
});
