// A small MCP server on stdin and stdout that also misbehaves when it is told to.
//   node mcpServer.mjs [--garbage] [--silent] [--tools=N] [--dies-at-start] [--skills] [--name=NAME] [--instructions=TEXT]
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const flags = new Map(process.argv.slice(2).map((arg) => [arg.replace(/^--/, '').split('=')[0], arg.includes('=') ? arg.slice(arg.indexOf('=') + 1) : '']));
const out = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const note = (method, params) => out({ jsonrpc: '2.0', method, ...(params ? { params } : {}) });
const text = (value, more = {}) => ({ content: [{ type: 'text', text: value }], ...more });
if (flags.has('log')) appendFileSync(flags.get('log'), `started ${process.pid}\n`);
if (flags.has('dies-at-start')) {
  process.stderr.write('cannot find my database\n');
  process.exit(3);
}
if (flags.has('garbage')) process.stdout.write('Welcome to the server!\n{"half":\n\u0000\u0001 binary \n');

let renamed = false;
let asked = 0;
const waiting = new Map();
const ask = (method, params) =>
  new Promise((resolve) => {
    const id = `own-${++asked}`;
    waiting.set(id, resolve);
    out({ jsonrpc: '2.0', id, method, params });
  });

const schema = { type: 'object', properties: { text: { type: 'string' }, ms: { type: 'number' } } };
const tool = (name, more = {}) => ({ name, description: `The tool ${name}.`, inputSchema: schema, ...more });
const many = Array.from({ length: Number(flags.get('tools') ?? 0) }, (_, i) => tool(`bulk_${i}`, { description: `Does thing number ${i} with great care and at length. ${'x'.repeat(200)}` }));
const plain = ['echo', 'picture', 'slow', 'die', 'huge', 'rename', 'flood', 'ask', 'page', 'sample', 'roots', 'grandchild', 'fail', 'structured', 'env'];

const tools = () => [
  ...(flags.has('tools') ? [] : plain.map((name) => (name === 'echo' ? tool('echo', { annotations: { readOnlyHint: true } }) : name === 'fail' ? tool('fail', { annotations: { destructiveHint: true } }) : tool(name)))),
  ...(renamed ? [tool('echo_two')] : []),
  ...many,
].filter((one) => !(renamed && one.name === 'echo'));

const calls = {
  echo: async ({ text: value }) => text(`echo: ${value}`),
  echo_two: async ({ text: value }) => text(`echo two: ${value}`),
  picture: async () => ({ content: [{ type: 'text', text: 'a picture' }, { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==' }, { type: 'audio', mimeType: 'audio/wav', data: 'UklGRg==' }] }),
  slow: async ({ ms = 60_000 }, meta, signal) => {
    for (let step = 1; step <= 3; step++) {
      if (meta?.progressToken !== undefined) note('notifications/progress', { progressToken: meta.progressToken, progress: step, total: 3, message: `step ${step}` });
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, ms / 3);
        signal.addEventListener('abort', () => {
          clearTimeout(timer);
          resolve();
        });
      });
      if (signal.aborted) {
        if (flags.has('log')) appendFileSync(flags.get('log'), 'cancelled\n');
        return undefined;
      }
    }
    return text('slow is done');
  },
  die: async () => process.exit(9),
  huge: async ({ ms = 200 }) => {
    // Not JSON.stringify: the text shall be written in pieces.
    process.stdout.write(`{"jsonrpc":"2.0","id":${currentId},"result":{"content":[{"type":"text","text":"`);
    const piece = 'y'.repeat(1024 * 1024);
    for (let i = 0; i < ms; i++) if (!process.stdout.write(piece)) await new Promise((resolve) => process.stdout.once('drain', resolve));
    process.stdout.write('"}]}}\n');
    return undefined;
  },
  rename: async () => {
    renamed = true;
    note('notifications/tools/list_changed');
    return text('renamed echo to echo_two');
  },
  flood: async () => {
    for (let i = 0; i < 2_000; i++) note('notifications/message', { level: 'info', data: 'z'.repeat(5_000) });
    note('notifications/message', { level: 'info', data: 'w'.repeat(3_000_000) });
    return text('flooded');
  },
  ask: async () => {
    const answer = await ask('elicitation/create', {
      message: 'Where to?',
      requestedSchema: { type: 'object', properties: { city: { type: 'string', title: 'City' }, nights: { type: 'integer', title: 'Nights', minimum: 1, default: 2 }, smoking: { type: 'boolean', title: 'Smoking' }, size: { type: 'string', title: 'Size', enum: ['s', 'l'], enumNames: ['Small', 'Large'] } }, required: ['city', 'smoking'] },
    });
    return text(`answer: ${JSON.stringify(answer)}`);
  },
  page: async () => text(`answer: ${JSON.stringify(await ask('elicitation/create', { mode: 'url', message: 'Please sign', url: 'https://example.org/sign', elicitationId: 'e1' }))}`),
  sample: async ({ text: value = 'Say hello' }) => text(`model: ${JSON.stringify(await ask('sampling/createMessage', { messages: [{ role: 'user', content: { type: 'text', text: value } }], maxTokens: 100 }))}`),
  roots: async () => text(`roots: ${JSON.stringify(await ask('roots/list', {}))}`),
  grandchild: async ({ text: seconds }) => {
    const child = spawn('sleep', [seconds], { stdio: 'ignore' });
    return text(`pid ${child.pid}`);
  },
  fail: async () => text('it did not work', { isError: true }),
  structured: async () => ({ content: [], structuredContent: { answer: 42 } }),
  env: async ({ text: name }) => text(`${name}=${process.env[name] ?? ''} cwd=${process.cwd()}`),
};

const resources = [
  { uri: 'demo://notes/1', name: 'First note', mimeType: 'text/plain', description: 'A note' },
  ...(flags.has('skills') ? [{ uri: 'skill://tidy', name: 'tidy', description: 'Tidies up' }] : []),
];
const skillText = '---\nname: tidy\ndescription: Tidies up the desk\n---\nTidy $ARGUMENTS now. !`touch made-by-skill`\n';
const prompts = [{ name: 'greet person', description: 'Greets', arguments: [{ name: 'who', required: true }, { name: 'how' }] }];

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true }, logging: {}, ...(flags.has('tools') ? {} : { resources: {}, prompts: {} }) },
    serverInfo: { name: flags.get('name') ?? 'small', version: '1' },
    ...(flags.has('instructions') ? { instructions: flags.get('instructions') } : {}),
  }),
  ping: () => ({}),
  'logging/setLevel': () => ({}),
  'tools/list': ({ cursor } = {}) => {
    const from = Number(cursor ?? 0);
    const page = tools().slice(from, from + 500);
    return { tools: page, ...(from + 500 < tools().length ? { nextCursor: String(from + 500) } : {}) };
  },
  'resources/list': () => ({ resources }),
  'resources/read': ({ uri }) => ({ contents: [{ uri, mimeType: 'text/plain', text: uri === 'skill://tidy' ? skillText : `text of ${uri}` }] }),
  'prompts/list': () => ({ prompts }),
  'prompts/get': ({ name, arguments: args }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Prompt ${name}: greet ${args?.who} ${args?.how ?? 'kindly'}` } }] }),
};

const running = new Map();
let currentId;
createInterface({ input: process.stdin }).on('line', async (line) => {
  if (flags.has('silent')) return;
  const message = JSON.parse(line);
  if (message.method === 'notifications/cancelled') return running.get(message.params.requestId)?.abort();
  if (message.method === undefined) return waiting.get(message.id)?.(message.result ?? { error: message.error });
  if (message.id === undefined) return;
  if (message.method === 'tools/call') {
    const abort = new AbortController();
    running.set(message.id, abort);
    currentId = message.id;
    const result = await calls[message.params.name.startsWith('bulk_') ? 'echo' : message.params.name]?.(message.params.arguments ?? {}, message.params._meta, abort.signal);
    running.delete(message.id);
    if (result) out({ jsonrpc: '2.0', id: message.id, result });
    return;
  }
  const handler = methods[message.method];
  out({ jsonrpc: '2.0', id: message.id, ...(handler ? { result: handler(message.params ?? {}) } : { error: { code: -32601, message: 'unknown' } }) });
}).on('close', () => {
  if (!flags.has('stays')) process.exit(0);
});
