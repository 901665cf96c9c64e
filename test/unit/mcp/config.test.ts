import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { admit, choose, type McpRules } from '../../../extension/mcp/mcpAdmission';
import { hasMcpConfig, loadMcpConfig, type McpPlaces } from '../../../extension/mcp/mcpConfigLoader';
import { plainName, serverPart, toolName } from '../../../extension/mcp/mcpNames';
import type { McpServer } from '../../../extension/mcp/mcpServer';
import { verifies } from '../../support/verifies';

function world(files: Readonly<Record<string, unknown>>, more: Partial<McpPlaces> = {}): McpPlaces {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-mcp-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  for (const [path, value] of Object.entries(files)) {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), typeof value === 'string' ? value : JSON.stringify(value, null, 1));
  }
  mkdirSync(join(base, 'work'), { recursive: true });
  return { cwd: join(base, 'work'), homeDir: join(base, 'home'), configRoot: join(base, 'home/.claude'), configDirIsSet: false, managedDir: join(base, 'managed'), flagConfigs: [], onlyFlag: false, env: { TOKEN: 'secret', EMPTY: '', ANTHROPIC_API_KEY: 'sk' }, ...more };
}

verifies('mcp:config:entries', async () => {
  const places = world({
    'work/.mcp.json': {
      mcpServers: {
        files: { command: 'npx', args: ['-y', '${NOPE}', '${EMPTY:-e}', 5], env: { LEVEL: '${LOG_LEVEL:-warn}', KEY: '${ANTHROPIC_API_KEY}' }, extra: true },
        tracker: { type: 'streamable-http', url: 'https://x.example', headers: { Authorization: 'Bearer ${TOKEN}' }, timeout: 30_000 },
        old: { type: 'SSE', url: 'https://y.example', timeout: 5, oauth: { clientId: 'me', scopes: ['a', 'b'] } },
        socket: { type: 'ws', url: 'wss://z.example' },
        typeless: { url: 'https://t.example' },
        later: { type: 'http', url: '' },
        broken: { args: [] },
        odd: { type: 'carrier-pigeon' },
        worse: 'text',
        workspace: { command: 'x' },
      },
    },
  });
  expect(await hasMcpConfig(places)).toBe(true);
  const { loaded, disabled, problems } = await loadMcpConfig(places);
  const path = join(places.cwd, '.mcp.json');
  expect(loaded.map(({ name, connect }) => [name, connect])).toEqual([
    ['files', { kind: 'stdio', command: 'npx', args: ['-y', '${NOPE}', 'e', '5'], env: { LEVEL: 'warn', KEY: '${ANTHROPIC_API_KEY}' } }],
    ['tracker', { kind: 'http', url: 'https://x.example', headers: { Authorization: 'Bearer secret' } }],
    ['old', { kind: 'sse', url: 'https://y.example', headers: {}, oauth: { clientId: 'me', scopes: 'a b' } }],
    ['socket', { kind: 'ws', url: 'wss://z.example', headers: {} }],
    ['typeless', { kind: 'http', url: 'https://t.example', headers: {} }],
  ]);
  expect(loaded.map(({ timeoutMs }) => timeoutMs)).toEqual([undefined, 30_000, undefined, undefined, undefined]);
  expect(disabled.map(({ name }) => name)).toEqual(['later', 'broken', 'odd', 'worse', 'workspace']);
  expect(problems.map(({ code, line, field }) => `${code} ${field} ${line}`)).toEqual(['mcp-unset-variable files 3', 'mcp-unset-variable files 3', 'mcp-timeout-ignored old 25', 'mcp-type-missing typeless 41', 'mcp-empty-url later 44', 'mcp-invalid-server broken 48', 'mcp-invalid-server odd 51', 'mcp-invalid-server worse 54', 'mcp-reserved-name workspace 55']);
  expect(problems.every((problem) => problem.path === path)).toBe(true);
});

verifies('mcp:config:entries', async () => {
  const flat = await loadMcpConfig(world({ 'work/.mcp.json': { bare: { command: 'true' } } }));
  expect(flat.loaded.map(({ name }) => name)).toEqual(['bare']);
  const commented = world({ 'work/.mcp.json': '{\n  // a note\n  "mcpServers": { "n": { "command": "true", }, },\n}\n' });
  expect((await loadMcpConfig(commented)).problems).toMatchObject([{ code: 'json-invalid', path: join(commented.cwd, '.mcp.json'), line: 2 }]);
  const list = await loadMcpConfig(world({ 'work/.mcp.json': { mcpServers: [] } }));
  expect(list.problems).toMatchObject([{ code: 'mcp-invalid-file' }]);
  const none = world({});
  expect(await hasMcpConfig(none)).toBe(false);
  expect(await loadMcpConfig(none)).toMatchObject({ loaded: [], problems: [] });
}, { case: 'flat maps, comments, wrong shapes, no file' });

verifies('mcp:config:scopes', async () => {
  const entry = (command: string) => ({ command });
  const base = world({ 'work/.mcp.json': { mcpServers: { same: entry('project'), p: entry('p') } } });
  const state = { mcpServers: { same: entry('user'), u: entry('u') }, projects: { [base.cwd]: { mcpServers: { same: entry('local') }, disabledMcpServers: ['u'] } } };
  mkdirSync(base.homeDir, { recursive: true });
  writeFileSync(join(base.homeDir, '.claude.json'), JSON.stringify(state));
  const all = await loadMcpConfig(base);
  expect(all.loaded.map(({ name, scope }) => `${scope}:${name}`)).toEqual(['local:same', 'project:same', 'project:p', 'user:same', 'user:u']);
  expect([...all.turnedOff]).toEqual(['u']);
  const flag = await loadMcpConfig({ ...base, flagConfigs: ['{"mcpServers":{"f":{"command":"a,b"}}}', '/nowhere.json'], onlyFlag: true });
  expect(flag.loaded.map(({ name }) => name)).toEqual(['f']);
  expect(flag.problems).toMatchObject([{ path: '/nowhere.json' }]);
  mkdirSync(base.managedDir, { recursive: true });
  writeFileSync(join(base.managedDir, 'managed-mcp.json'), JSON.stringify({ mcpServers: { m: entry('m') } }));
  expect((await loadMcpConfig(base)).loaded.map(({ name, scope }) => `${scope}:${name}`)).toEqual(['managed:m']);
});

const rules: McpRules = { enableAllProject: false, enabledProject: [], disabledProject: [], allowed: undefined, denied: [], pluginsOnly: false };
const server = (more: Partial<McpServer>): McpServer => ({ id: more.name ?? 's', name: 's', scope: 'project', connect: { kind: 'stdio', command: 'npx', args: ['s'], env: {} }, alwaysLoad: false, ...more });
const place = { trusted: true, interactive: true, turnedOff: new Set<string>() };

verifies('mcp:config:admission', () => {
  const verdict = (one: Partial<McpServer>, more: Partial<McpRules> = {}, where: Partial<typeof place> = {}): string => admit(server(one), { ...rules, ...more }, { ...place, ...where }).kind;
  expect(verdict({})).toBe('pending');
  expect(verdict({}, {}, { interactive: false })).toBe('allowed');
  expect(verdict({}, { enableAllProject: true }, { trusted: false })).toBe('refused');
  expect(verdict({ scope: 'user' }, {}, { trusted: false })).toBe('allowed');
  expect(verdict({}, { enabledProject: ['s'] })).toBe('allowed');
  expect(verdict({}, { enabledProject: ['s'], disabledProject: ['s'] })).toBe('refused');
  expect(verdict({ scope: 'user' }, { allowed: [] })).toBe('refused');
  expect(verdict({ scope: 'user' }, { allowed: [{ serverName: 's' }] })).toBe('allowed');
  expect(verdict({ scope: 'user' }, { allowed: [{ serverName: 's' }], denied: [{ serverCommand: ['npx', 's'] }] })).toBe('refused');
  expect(verdict({ scope: 'user' }, { denied: [{ serverName: 's', serverUrl: '*' }] })).toBe('allowed');
  expect(verdict({ scope: 'user', connect: { kind: 'http', url: 'https://a.example.org/mcp', headers: {} } }, { denied: [{ serverUrl: 'https://*.example.org/*' }] })).toBe('refused');
  expect(verdict({ scope: 'user' }, {}, { turnedOff: new Set(['s']) })).toBe('refused');
  const chosen = choose([server({ scope: 'project' }), server({ scope: 'user' })], (one) => admit(one, rules, place));
  expect(chosen).toMatchObject([{ server: { scope: 'user' }, admission: { kind: 'allowed' } }]);
});

verifies('mcp:names:plain', () => {
  expect(plainName('my.srv é')).toBe('my_srv__');
  expect(serverPart({ name: 'my.srv', plugin: 'a b' })).toBe('plugin_a_b_my_srv');
  const taken = new Set<string>();
  const names = ['read.it', 'read it', 'x'.repeat(200), `${'x'.repeat(200)}y`].map((tool) => {
    const name = toolName('s', tool, taken);
    taken.add(name);
    return name;
  });
  expect(names.slice(0, 2)).toEqual(['mcp__s__read_it', 'mcp__s__read_it_2']);
  expect(taken.size).toBe(4);
  expect(names.every((name) => /^[A-Za-z0-9_-]{1,128}$/.test(name))).toBe(true);
});
