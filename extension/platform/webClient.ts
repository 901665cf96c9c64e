import { isIP, type LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import { errorCode, errorText } from '../base/errorText';
import { err, ok, type Result } from '../base/result';
import { isPrivateAddress } from './privateAddress';

export interface WebReply {
  readonly status: number;
  readonly contentType: string;
  /** Of a redirect: where to, absolute. */
  readonly location: string | undefined;
  readonly body: Buffer;
  /** The body was longer than allowed and is cut. */
  readonly cut: boolean;
}

export interface WebRequest {
  readonly url: string;
  /** Without it a connection to a private address fails, whatever the name resolved to before. */
  readonly allowPrivate: boolean;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export interface WebPost extends Omit<WebRequest, 'allowPrivate'> {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends what a person has set up to be sent, to any address, this machine's own too. Redirects are not followed. */
export interface WebPoster {
  readonly post: (request: WebPost) => Promise<Result<WebReply, string>>;
}

/** Plain GET requests; redirects are reported, not followed. */
export interface WebClient {
  /** Addresses of a host name; empty when it has none or can't be resolved. */
  readonly addresses: (host: string) => Promise<readonly string[]>;
  readonly get: (request: WebRequest) => Promise<Result<WebReply, string>>;
}

/** @param env for HTTP_PROXY, HTTPS_PROXY, NO_PROXY */
export function createWebClient(options: { readonly env: Readonly<Record<string, string | undefined>>; readonly userAgent: string }): WebClient & WebPoster {
  const proxied = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].some((name) => options.env[name]);
  return {
    addresses: async (host) => {
      const bare = host.replace(/^\[|\]$/g, '');
      if (isIP(bare)) return [bare];
      const { promises: dns } = await import('node:dns');
      const found = await dns.lookup(bare, { all: true }).catch(() => []);
      return found.map(({ address }) => address);
    },
    get: (request) => send(request, options, proxied),
    post: (request) => send({ ...request, allowPrivate: true }, options, proxied),
  };
}

async function send(request: WebRequest & Partial<WebPost>, options: { readonly env: Readonly<Record<string, string | undefined>>; readonly userAgent: string }, proxied: boolean): Promise<Result<WebReply, string>> {
  const { url } = request;
  if (!request.allowPrivate && isPrivateAddress(new URL(url).hostname)) return err(`${url} is a private address.`);
  const undici = await import('undici');
  const lookupFn = request.allowPrivate ? undefined : publicLookup(await import('node:dns'));
  const dispatcher: Dispatcher = proxied ? new undici.EnvHttpProxyAgent({ ...proxiesOf(options.env) }) : new undici.Agent({ connect: { timeout: request.timeoutMs, ...(lookupFn ? { lookup: lookupFn } : {}) } });
  const limit = AbortSignal.any([request.signal, AbortSignal.timeout(request.timeoutMs)]);
  try {
    const reply = await undici.request(url, { dispatcher, signal: limit, ...contentOf(request, options.userAgent) });
    const location = headerOf(reply.headers['location']);
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of reply.body) {
      const bytes = Buffer.from(chunk);
      chunks.push(bytes);
      size += bytes.length;
      if (size > request.maxBytes) break;
    }
    const body = Buffer.concat(chunks);
    return ok({
      status: reply.statusCode,
      contentType: headerOf(reply.headers['content-type']) ?? '',
      location: location === undefined || !URL.canParse(location, url) ? undefined : new URL(location, url).href,
      body: body.subarray(0, request.maxBytes),
      cut: size > request.maxBytes,
    });
  } catch (thrown) {
    return err(failureText(request, thrown));
  } finally {
    await dispatcher.destroy();
  }
}

function contentOf({ headers, body }: Partial<WebPost>, userAgent: string): { readonly method: 'GET' | 'POST'; readonly headers: Record<string, string>; readonly body?: string } {
  if (body !== undefined) return { method: 'POST', headers: { 'user-agent': userAgent, accept: 'application/json', ...headers }, body };
  return { method: 'GET', headers: { 'user-agent': userAgent, accept: 'text/markdown, text/html;q=0.9, text/plain;q=0.8, */*;q=0.5' } };
}

/** Checks what the name resolves to at the moment of connecting: an answer that changed since the ask does not get through. */
function publicLookup({ lookup }: typeof import('node:dns')): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const bad = addresses?.find(({ address }) => isPrivateAddress(address));
      if (error) callback(error, '', 4);
      else if (bad) callback(Object.assign(new Error(`${hostname} resolves to the private address ${bad.address}`), { code: 'EPRIVATE' }), '', 4);
      else if (options.all) callback(null, addresses);
      else callback(null, addresses[0]?.address ?? '', addresses[0]?.family);
    });
  };
}

function proxiesOf(env: Readonly<Record<string, string | undefined>>): { httpProxy?: string; httpsProxy?: string; noProxy?: string } {
  const httpProxy = env['http_proxy'] || env['HTTP_PROXY'];
  const httpsProxy = env['https_proxy'] || env['HTTPS_PROXY'];
  const noProxy = env['no_proxy'] || env['NO_PROXY'];
  return { ...(httpProxy ? { httpProxy } : {}), ...(httpsProxy ? { httpsProxy } : {}), ...(noProxy ? { noProxy } : {}) };
}

function headerOf(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}

function failureText({ url, timeoutMs, signal }: WebRequest, thrown: unknown): string {
  if (signal.aborted) return 'The request was stopped.';
  if (thrown instanceof Error && thrown.name === 'TimeoutError') return `${new URL(url).host} did not answer within ${timeoutMs / 1000} s.`;
  const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
  const code = errorCode(cause);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `The host ${new URL(url).hostname} can't be found. Check the address and the network.`;
  if (code === 'ECONNREFUSED') return `Nothing answers at ${new URL(url).host} (connection refused).`;
  return `${url}: ${errorText(cause)}`;
}
