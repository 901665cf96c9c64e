import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect } from 'vitest';
import { isPrivateAddress } from '../../../extension/platform/privateAddress';
import { systemClock } from '../../../extension/platform/systemClock';
import { createWebClient, type WebClient, type WebReply } from '../../../extension/platform/webClient';
import { createWebFetchTool } from '../../../extension/tools/webFetchTool';
import { verifies } from '../../support/verifies';
import { createToolBench, textOf } from './toolBench';

const bench = createToolBench();
const hits: string[] = [];
const pages: Record<string, (res: ServerResponse, req: IncomingMessage) => void> = {
  '/page': (res) => res.setHeader('content-type', 'text/html; charset=utf-8').end('<html><head><title>T</title><style>x{}</style><script>bad()</script></head><body><h1>Töp</h1><p>A <a href="/x">link</a></p></body></html>'),
  '/same': (res) => res.writeHead(302, { location: '/page' }).end(),
  '/loop': (res) => res.writeHead(302, { location: '/loop' }).end(),
  '/other': (res) => res.writeHead(301, { location: 'https://elsewhere.example/x' }).end(),
  '/missing': (res) => res.writeHead(404).end('no'),
  '/bin': (res) => res.setHeader('content-type', 'application/pdf').end('x'),
  '/endless': (res) => {
    res.setHeader('content-type', 'text/plain');
    const chunk = 'y'.repeat(256 * 1024);
    const more = (): void => {
      while (!res.destroyed && res.write(chunk)) {}
    };
    res.on('drain', more);
    more();
  },
  '/hang': () => undefined,
};
const server = createServer((req, res) => {
  hits.push(req.url ?? '');
  pages[req.url ?? '']?.(res, req);
});
let base = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  bench.dispose();
});
let nowMs = 1_000_000;
const asked: string[] = [];
const askSmallModel = async (prompt: string, content: string) => {
  asked.push(content);
  return { ok: true as const, value: `${prompt} -> ${content.slice(0, 60)}` };
};
const clock = { ...systemClock, nowMs: () => nowMs };
const real = createWebClient({ env: {}, userAgent: 'test' });
const fetchTool = createWebFetchTool({ web: real, clock, askSmallModel });
const get = (url: string, ctx = {}) => bench.call(fetchTool, { url, prompt: 'Q' }, ctx);

/** Names and answers as given; a stand-in for the public internet. */
function fakeWeb(names: Record<string, string>, replies: Record<string, Partial<WebReply>>): WebClient & { readonly got: [string, boolean][] } {
  const got: [string, boolean][] = [];
  return {
    got,
    addresses: async (host) => (names[host] ? [names[host]] : isPrivateAddress(host) ? [host] : []),
    get: async ({ url, allowPrivate }) => {
      got.push([url, allowPrivate]);
      return { ok: true, value: { status: 200, contentType: 'text/plain', location: undefined, body: Buffer.from('hello'), cut: false, ...replies[url] } };
    },
  };
}

verifies('webfetch:page', async () => {
  expect(textOf(await get(`${base}/page`))).toBe('Q -> T\n\n# Töp\n\nA [link](/x)');
  await get(`${base}/page#part`);
  expect(hits.filter((path) => path === '/page').length).toBe(1);
  nowMs += 15 * 60_000 + 1;
  await get(`${base}/page`);
  expect(hits.filter((path) => path === '/page').length).toBe(2);
  const web = fakeWeb({ 'docs.example.org': '93.184.216.34' }, {});
  await bench.call(createWebFetchTool({ web, clock, askSmallModel }), { url: 'http://docs.example.org/a', prompt: 'Q' });
  expect(web.got).toEqual([['https://docs.example.org/a', false]]);
});

verifies('webfetch:redirect', async () => {
  expect(textOf(await get(`${base}/same`))).toContain('Töp');
  expect(await get(`${base}/other`)).toMatchObject({ content: expect.stringContaining('redirects to another host: https://elsewhere.example/x'), note: 'redirect' });
  expect(textOf(await get(`${base}/loop`))).toContain('redirects more than 10 times');
});

verifies('webfetch:private', async () => {
  const say = { input: 'x', prompt: 'Q' };
  for (const url of ['http://localhost:1/', 'http://127.1/', 'http://0x7f000001/', 'http://[::1]:80/', 'http://[::ffff:10.0.0.1]/', 'http://169.254.169.254/latest', 'https://192.168.0.1/']) {
    expect([url, (await bench.describe(fetchTool, { url, ...say })).alwaysAsk]).toEqual([url, expect.stringContaining('private address')]);
  }
  const web = fakeWeb({ 'in.example': '10.1.2.3', 'ok.example': '93.184.216.34' }, { 'https://ok.example/go': { status: 302, location: 'https://www.ok.example/in' } });
  const tool = createWebFetchTool({ web, clock, askSmallModel });
  expect((await bench.describe(tool, { url: 'https://in.example/', prompt: 'Q' })).alwaysAsk).toContain('in.example is a private address (10.1.2.3)');
  expect((await bench.describe(tool, { url: 'https://ok.example/', prompt: 'Q' })).alwaysAsk).toBeUndefined();
  const ran = tool.prepare({ url: 'https://in.example/', prompt: 'Q' });
  expect(ran.ok && textOf(await ran.value.run(bench.context()))).toContain('leads to the private address 10.1.2.3, which was not asked for');
  const sneaky = fakeWeb({ 'ok.example': '93.184.216.34', 'www.ok.example': '127.0.0.1' }, { 'https://ok.example/go': { status: 302, location: 'https://www.ok.example/in' } });
  expect(textOf(await bench.call(createWebFetchTool({ web: sneaky, clock, askSmallModel }), { url: 'https://ok.example/go', prompt: 'Q' }))).toContain('leads to the private address 127.0.0.1');
  expect(sneaky.got).toEqual([['https://ok.example/go', false]]);
  // The last check is made while connecting.
  expect(await real.get({ url: `http://localhost:${new URL(base).port}/page`, allowPrivate: false, timeoutMs: 1_000, maxBytes: 10, signal: new AbortController().signal })).toMatchObject({ ok: false, problem: expect.stringMatching(/resolves to the private address/) });
});

verifies('webfetch:problems', async () => {
  expect(textOf(await get('not a url'))).toContain('is no web address');
  expect(textOf(await get('file:///etc/passwd'))).toContain('not file: ones');
  expect(textOf(await get('https://me:pw@x.org/'))).toContain('name or password');
  expect(textOf(await get(`${base}/missing`))).toContain('answered 404 (no such page)');
  expect(textOf(await get(`${base}/bin`))).toContain('is no text (application/pdf). Download it with curl');
  expect(textOf(await get('http://127.0.0.1:1/'))).toContain('connection refused');
  expect(textOf(await get(`${base}/endless`))).toContain('The page was longer; only its beginning was read.');
  expect(asked.at(-1)?.length).toBe(100_000);
  const stop = new AbortController();
  const hanging = get(`${base}/hang`, { signal: stop.signal });
  while (!hits.includes('/hang')) await new Promise((resolve) => setTimeout(resolve, 5));
  stop.abort();
  expect(textOf(await hanging)).toBe('The request was stopped.');
  expect(await real.get({ url: `${base}/hang`, allowPrivate: true, timeoutMs: 100, maxBytes: 10, signal: new AbortController().signal })).toMatchObject({ problem: expect.stringContaining('did not answer within 0.1 s') });
});
