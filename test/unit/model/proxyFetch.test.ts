import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect } from 'vitest';
import type { FetchLike } from '../../../extension/model/fetchLike';
import { createProxyFetch } from '../../../extension/model/proxyFetch';
import { startAnthropicServer } from '../../support/anthropicServer';
import { say } from '../../support/script';
import { verifies } from '../../support/verifies';
import { ask, clientOf, collect, endOf, failureOf, never, run, silent } from './modelFixture';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return (server.address() as AddressInfo).port;
}

/** A proxy that knows one name and sends everything to one port. */
async function startProxy(targetPort: number): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const sockets = new Set<{ destroy: () => void }>();
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(502).end();
  });
  server.on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    const target = connect(targetPort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(target).pipe(socket);
    });
    for (const end of [socket, target]) {
      sockets.add(end);
      end.on('error', () => undefined);
    }
  });
  closers.push(async () => {
    for (const socket of sockets) socket.destroy();
  });
  return { url: `http://127.0.0.1:${await listen(server)}`, asked };
}

const fetchOf = (env: Record<string, string>, proxy?: string): Promise<FetchLike> => createProxyFetch({ env, log: silent, ...(proxy ? { proxy } : {}) });

verifies('model:proxy:used', async () => {
  const server = await startAnthropicServer({ script: [say('one'), say('two'), say('three')] });
  closers.push(server.close);
  const port = Number(new URL(server.url).port);
  const proxy = await startProxy(port);
  const base = 'http://model.invalid:8080';
  const said = async (fetch: FetchLike, url = base): Promise<unknown> => endOf(await run(clientOf(url, { fetch }), ask('Go'))).content;
  expect(await said(await fetchOf({ HTTP_PROXY: proxy.url }))).toEqual([{ type: 'text', text: 'one' }]);
  expect(await said(await fetchOf({ HTTP_PROXY: 'http://127.0.0.1:9' }, proxy.url))).toEqual([{ type: 'text', text: 'two' }]);
  expect(proxy.asked).toEqual(['model.invalid:8080', 'model.invalid:8080']);
  expect(await said(await fetchOf({ HTTP_PROXY: proxy.url, NO_PROXY: 'example.com,127.0.0.1' }), server.url)).toEqual([{ type: 'text', text: 'three' }]);
  expect(proxy.asked).toHaveLength(2);
});

function certificate(): { readonly key: string; readonly cert: string; readonly path: string } {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-ca-'));
  const path = join(folder, 'cert.pem');
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-keyout', join(folder, 'key.pem'), '-out', path], { stdio: 'pipe' });
  return { key: readFileSync(join(folder, 'key.pem'), 'utf8'), cert: readFileSync(path, 'utf8'), path };
}

verifies('model:proxy:ca', async () => {
  const { key, cert, path } = certificate();
  const body = ['message_delta', 'message_stop'].map((type) => `event: ${type}\ndata: ${JSON.stringify({ type, delta: { stop_reason: 'end_turn' } })}\n\n`).join('');
  const server = createTlsServer({ key, cert }, (_, response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(body));
  const port = await listen(server);
  const proxy = await startProxy(port);
  const url = `https://127.0.0.1:${port}`;
  const refused = failureOf(await collect(clientOf(url).stream(ask('Go'), never()))).problem.message;
  expect(refused).toContain(`The certificate of 127.0.0.1:${port} is not trusted`);
  expect(refused).toContain('NODE_EXTRA_CA_CERTS');
  const trusted = async (env: Record<string, string>): Promise<string> => endOf(await run(clientOf(url, { fetch: await fetchOf(env) }), ask('Go'))).stopReason;
  expect(await trusted({ NODE_EXTRA_CA_CERTS: path })).toBe('end_turn');
  expect(await trusted({ NODE_EXTRA_CA_CERTS: path, HTTPS_PROXY: proxy.url })).toBe('end_turn');
  expect(proxy.asked).toEqual([`127.0.0.1:${port}`]);
  const warnings: string[] = [];
  const broken = join(path, '..', 'broken.pem');
  writeFileSync(broken, 'nothing');
  await createProxyFetch({ env: { NODE_EXTRA_CA_CERTS: broken }, log: { ...silent, warn: (text) => warnings.push(text) } });
  expect(warnings).toEqual([`NODE_EXTRA_CA_CERTS: ${broken} holds no PEM certificate`]);
});
