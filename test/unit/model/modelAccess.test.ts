import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { build } from 'esbuild';
import { afterEach, expect } from 'vitest';
import { createModelAccess, keyName, type ModelAccessPorts, notSetUpText, type RefreshableModelAccess } from '../../../extension/model/modelAccess';
import { parseModelList } from '../../../extension/model/modelList';
import type { ModelChoiceSaved, ModelSettings } from '../../../extension/model/modelResolution';
import { systemClock } from '../../../extension/platform/systemClock';
import type { HostModels, ModelClient } from '../../../extension/ports';
import { type AnthropicServer, type AnthropicServerOptions, startAnthropicServer } from '../../support/anthropicServer';
import { say } from '../../support/script';
import { verifies } from '../../support/verifies';
import { ask, collect, endOf, never } from './modelFixture';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function strict(options: AnthropicServerOptions = {}): Promise<AnthropicServer> {
  const server = await startAnthropicServer(options);
  closers.push(server.close);
  return server;
}

type Answer = readonly [status: number, body: unknown];
/** Answers by path, like servers that are not Anthropic's. */
async function serve(answers: Readonly<Record<string, Answer | ((request: IncomingMessage) => Answer)>>): Promise<string> {
  const server = createServer((request, response) => {
    const found = answers[(request.url ?? '').split('?')[0] ?? ''] ?? [404, { error: 'not found' }];
    const [status, body] = typeof found === 'function' ? found(request) : found;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const demo: ModelClient = { capabilities: () => ({ contextTokens: 1, maxOutputTokens: 1, images: false, documents: false, systemRole: true, cacheControl: false, reportsUsage: false, thinking: 'none' }), stream: async function* () {} };

interface Opened {
  readonly access: RefreshableModelAccess;
  readonly saved: ModelChoiceSaved[];
  readonly keys: Map<string, string>;
  readonly log: string[];
  changes: number;
}

async function open(more: Partial<ModelAccessPorts> & { readonly settings?: () => ModelSettings } = {}, keys = new Map<string, string>()): Promise<Opened> {
  const saved: ModelChoiceSaved[] = [];
  const log: string[] = [];
  const write = (text: string): void => void log.push(text);
  const access = await createModelAccess({
    env: {},
    secrets: { get: async (name) => keys.get(name), set: async (name, value) => void keys.set(name, value), delete: async (name) => void keys.delete(name) },
    settings: () => ({}),
    saveChoice: async (choice) => void saved.push(choice),
    clock: systemClock,
    log: { debug: write, info: write, warn: write, error: write },
    ...more,
  });
  const opened: Opened = { access, saved, keys, log, changes: 0 };
  access.onDidChange(() => {
    opened.changes += 1;
  });
  return opened;
}

verifies('model:access:order', async () => {
  const status = async (more: Parameters<typeof open>[0], keys: Record<string, string> = {}): Promise<unknown> => {
    const { access } = await open(more, new Map(Object.entries(keys).map(([url, key]) => [keyName(url), key])));
    const now = access.status();
    return now.state === 'ready' ? [now.provider, now.model, now.baseUrl, access.defaultModel(), access.smallModel()] : [now.ways, now.problem, access.client()];
  };
  const official = 'https://api.anthropic.com';
  expect(await status({})).toEqual([['apiKey', 'baseUrl'], undefined, undefined]);
  expect(await status({ demo, hostModels: { list: async () => [], client: async () => undefined, onDidChange: () => ({ dispose: () => undefined }) } })).toEqual([['apiKey', 'baseUrl', 'vscodeModel', 'demo'], undefined, undefined]);
  expect(await status({ env: { ANTHROPIC_API_KEY: 'k' } })).toEqual(['anthropic', 'claude-sonnet-5-5', official, 'claude-sonnet-5-5', 'claude-sonnet-5-5']);
  expect(await status({ env: { ANTHROPIC_AUTH_TOKEN: 't', ANTHROPIC_MODEL: 'opus', ANTHROPIC_SMALL_FAST_MODEL: 'haiku' } })).toEqual(['anthropic', 'claude-opus-5-5', official, 'claude-opus-5-5', 'claude-haiku-5-5']);
  expect(await status({ env: { ANTHROPIC_BASE_URL: 'http://localhost:11434/v1/', ANTHROPIC_MODEL: 'qwen3' }, settings: () => ({ smallModel: 'haiku' }) })).toEqual(['compatible', 'qwen3', 'http://localhost:11434', 'qwen3', 'qwen3']);
  expect(await status({}, { [official]: 'stored' })).toEqual(['anthropic', 'claude-sonnet-5-5', official, 'claude-sonnet-5-5', 'claude-sonnet-5-5']);
  expect(await status({ env: { ANTHROPIC_API_KEY: 'k', ANTHROPIC_MODEL: 'opus' }, settings: () => ({ provider: 'compatible', baseUrl: 'http://gpu:8000', model: 'llama' }) })).toEqual(['compatible', 'llama', 'http://gpu:8000', 'llama', 'llama']);
  expect(await status({ settings: () => ({ provider: 'anthropic' }) })).toEqual([['apiKey', 'baseUrl'], `No key is stored for ${official}. Enter it again.`, undefined]);
  expect(await status({ demo, env: { ANTHROPIC_API_KEY: 'k' }, settings: () => ({ model: 'demo' }) })).toEqual(['demo', 'demo', undefined, 'demo', 'demo']);
  expect(notSetUpText(undefined)).toMatch(/ANTHROPIC_API_KEY[\s\S]*ANTHROPIC_BASE_URL[\s\S]*--model demo/);
});

verifies('model:access:key-binding', async () => {
  const owner = await strict({ script: [say('hello')], keys: ['bound-key'] });
  const other = await strict({ script: [say('hello')], keys: [] });
  const keys = new Map([[keyName(`${owner.url}/`), 'bound-key']]);
  const talk = async (url: string, env: Record<string, string> = {}): Promise<void> => {
    const { access } = await open({ env, settings: () => ({ provider: 'compatible', baseUrl: url, model: 'claude-sonnet-5-5' }) }, keys);
    endOf(await collect((access.client() ?? demo).stream(ask('Go', { model: 'inherit' }), never())));
    expect((await access.list(never())).ok).toBe(true);
  };
  await talk(owner.url);
  await talk(other.url, { ANTHROPIC_API_KEY: 'env-key', ANTHROPIC_BASE_URL: owner.url });
  expect(owner.requests.map((request) => request.headers['x-api-key'])).toEqual(['bound-key', 'bound-key']);
  expect(other.requests.map((request) => [request.headers['x-api-key'], request.headers['authorization']])).toEqual([[undefined, undefined], [undefined, undefined]]);
});

verifies('model:access:setup', async () => {
  const server = await strict({ keys: ['right-key'], script: [say('hello')] });
  const opened = await open({ env: { ANTHROPIC_BASE_URL: server.url } });
  expect(await opened.access.setup({ way: 'apiKey', key: 'wrong-key' })).toEqual({ ok: false, problem: expect.stringContaining('The key was refused by 127.0.0.1') });
  expect([opened.saved, [...opened.keys], opened.changes]).toEqual([[], [], 0]);
  expect(await opened.access.setup({ way: 'apiKey', key: ' right-key ' })).toEqual({ ok: true, value: undefined });
  expect([opened.saved, [...opened.keys], opened.changes]).toEqual([[{ provider: 'anthropic', baseUrl: server.url, model: undefined }], [[keyName(server.url), 'right-key']], 1]);
  expect(endOf(await collect((opened.access.client() ?? demo).stream(ask('Go', { model: 'sonnet' }), never()))).content).toEqual([{ type: 'text', text: 'hello' }]);
  expect(opened.log.join() + JSON.stringify(opened.access.status())).not.toContain('right-key');
});

verifies(
  'model:access:setup',
  async () => {
    const url = await serve({ '/v1/models': [200, { object: 'list', data: [{ id: 'qwen3:8b' }, { id: 'nomic-embed-text' }] }] });
    const opened = await open({ env: { ANTHROPIC_API_KEY: 'k' } });
    expect(await opened.access.setup({ way: 'baseUrl', baseUrl: url, model: 'llama' })).toEqual({ ok: false, problem: `${new URL(url).host} does not have the model "llama". It has: qwen3:8b.` });
    expect(await opened.access.setup({ way: 'baseUrl', baseUrl: `${url}/v1/`, model: 'qwen3:8b' })).toEqual({ ok: true, value: undefined });
    expect(opened.access.status()).toMatchObject({ state: 'ready', provider: 'compatible', model: 'qwen3:8b', baseUrl: url });
    expect(opened.keys.size).toBe(0);
    expect(await opened.access.setup({ way: 'baseUrl', baseUrl: 'ftp://x', model: 'm' })).toMatchObject({ ok: false });
    expect(await opened.access.setup({ way: 'baseUrl', baseUrl: 'http://127.0.0.1:9', model: 'm' })).toEqual({ ok: false, problem: expect.stringMatching(/127\.0\.0\.1:9/) });
  },
  { case: 'a server with a list' },
);

verifies(
  'model:access:setup',
  async () => {
    const check = async (answer: Answer): Promise<unknown> => {
      const { access } = await open();
      const url = await serve({ '/v1/messages': answer });
      const done = await access.setup({ way: 'baseUrl', baseUrl: url, model: 'm', key: 'k' });
      return done.ok ? 'fine' : done.problem.replaceAll(new URL(url).host, 'HOST');
    };
    expect(await check([200, { type: 'message' }])).toBe('fine');
    expect(await check([401, { error: { message: 'no' } }])).toContain('The key was refused by HOST');
    expect(await check([404, { error: { message: 'model not found' } }])).toBe('HOST does not know the model "m". The server says: model not found');
    expect(await check([404, { error: 'no route' }])).toContain('HOST does not speak the Messages API');
    expect(await check([500, {}])).toBe('HOST answered 500.');
  },
  { case: 'a server without a list' },
);

verifies('model:access:list', async () => {
  expect(parseModelList({ data: [{ id: 'claude-opus-5-5', display_name: 'Claude Opus 5.5', max_input_tokens: 1_000_000 }], has_more: false }, 'p')).toEqual([{ id: 'claude-opus-5-5', label: 'Claude Opus 5.5', provider: 'p', contextTokens: 1_000_000 }]);
  expect(parseModelList({ object: 'list', data: [{ id: 'Qwen/Qwen3', object: 'model', max_model_len: 32_768 }, { id: 'Qwen/Qwen3' }] }, 'p')).toEqual([{ id: 'Qwen/Qwen3', label: 'Qwen/Qwen3', provider: 'p', contextTokens: 32_768 }]);
  expect(parseModelList({ models: [{ name: 'llama3:latest', model: 'llama3:latest', size: 1 }] }, 'p')).toEqual([{ id: 'llama3:latest', label: 'llama3:latest', provider: 'p' }]);
  expect([parseModelList({ data: 'x' }, 'p'), parseModelList('<html>', 'p')]).toEqual([undefined, undefined]);
  const { access } = await open();
  const ollama = await serve({ '/api/tags': [200, { models: [{ name: 'llama3:latest' }] }] });
  expect(await access.probe({ baseUrl: ollama, key: undefined }, never())).toEqual({ ok: true, value: [{ id: 'llama3:latest', label: 'llama3:latest', provider: new URL(ollama).host }] });
  const guarded = await serve({ '/v1/models': (request) => (request.headers['authorization'] === 'Bearer k' ? [200, { data: [{ id: 'm' }] }] : [401, {}]) });
  expect(await access.probe({ baseUrl: guarded, key: 'k' }, never())).toMatchObject({ ok: true, value: [{ id: 'm' }] });
  expect(await access.probe({ baseUrl: guarded, key: undefined }, never())).toMatchObject({ ok: false, problem: expect.stringContaining('asks for a key (401)') });
  const silent = await serve({});
  expect(await access.probe({ baseUrl: silent, key: undefined }, never())).toMatchObject({ ok: false, problem: expect.stringContaining('has no list of models') });
  const official = await strict();
  const listed = await (await open({ env: { ANTHROPIC_BASE_URL: official.url, ANTHROPIC_API_KEY: 'test-key' } })).access.list(never());
  expect(listed.ok && listed.value.find((choice) => choice.id === 'claude-opus-5-5')).toMatchObject({ label: 'Claude Opus 5.5', contextTokens: 1_000_000 });
});

verifies('model:access:host-models', async () => {
  let offered = ['copilot/gpt'];
  const listeners: (() => void)[] = [];
  const hostModels: HostModels = {
    list: async () => offered.map((id) => ({ id, label: id, provider: 'vscode' })),
    client: async (model) => (offered.includes(model) ? demo : undefined),
    onDidChange: (listener) => {
      listeners.push(listener);
      return { dispose: () => undefined };
    },
  };
  const opened = await open({ hostModels });
  expect(await opened.access.setup({ way: 'vscodeModel', model: 'other' })).toEqual({ ok: false, problem: 'The editor does not offer the model "other".' });
  expect(await opened.access.setup({ way: 'vscodeModel', model: 'copilot/gpt' })).toEqual({ ok: true, value: undefined });
  expect([opened.access.client(), opened.access.status()]).toEqual([demo, expect.objectContaining({ provider: 'vscode', model: 'copilot/gpt' })]);
  expect(await opened.access.list(never())).toMatchObject({ ok: true, value: [{ id: 'copilot/gpt' }] });
  offered = [];
  const changed = new Promise<void>((resolve) => void opened.access.onDidChange(resolve));
  for (const listener of listeners) listener();
  await changed;
  expect(opened.access.status()).toMatchObject({ state: 'none', problem: 'The editor does not offer the model "copilot/gpt" any more. Pick another one.' });
});

verifies('model:access:lean', async () => {
  // What is reached by static imports loads at start; with splitting on, esbuild keeps the rest in other outputs.
  const { metafile } = await build({ entryPoints: ['extension/model/modelAccess.ts'], bundle: true, splitting: true, format: 'esm', platform: 'node', outdir: 'out', write: false, metafile: true, logLevel: 'silent' });
  const loaded = new Set<string>();
  const visit = (name: string): void => {
    for (const input of Object.keys(metafile.outputs[name]?.inputs ?? {})) loaded.add(input);
    for (const { path, kind } of metafile.outputs[name]?.imports ?? []) if (kind === 'import-statement') visit(path);
  };
  visit(Object.keys(metafile.outputs).find((name) => metafile.outputs[name]?.entryPoint === 'extension/model/modelAccess.ts') ?? '');
  expect([...loaded].filter((input) => /node_modules\/(@anthropic-ai|undici)/.test(input))).toEqual([]);
  expect([...loaded]).toContain('extension/model/modelAccess.ts');
});

verifies(
  'model:access:list',
  async () => {
    const offered = [{ id: 'copilot/gpt', label: 'GPT', provider: 'vscode' }];
    const hostModels = { list: async () => offered, client: async () => undefined, onDidChange: () => ({ dispose: () => undefined }) };
    const { access } = await open({ hostModels });
    expect(await access.list(never())).toEqual({ ok: true, value: offered });
  },
  { case: "the editor's models are offered before any set-up" },
);
