import type { Log } from '../ports';
import type { FetchLike } from './fetchLike';

export interface NetworkSettings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The editor's `http.proxy`; wins over the environment. */
  readonly proxy?: string;
  readonly log: Log;
}

/**
 * A `fetch` that goes through the proxy and trusts the company's CA. Node's own `fetch` ignores both settings, and undici
 * is loaded only when one of them is there.
 */
export async function createProxyFetch(settings: NetworkSettings): Promise<FetchLike> {
  const { env } = settings;
  const pick = (name: string): string | undefined => env[name.toLowerCase()] || env[name] || undefined;
  const httpsProxy = settings.proxy || pick('HTTPS_PROXY') || pick('ALL_PROXY');
  const httpProxy = settings.proxy || pick('HTTP_PROXY') || pick('ALL_PROXY');
  const caPath = extraCaPath(env);
  if (!httpsProxy && !httpProxy && !caPath) return plainFetch;
  const { EnvHttpProxyAgent, fetch } = await import('undici');
  const authorities = caPath ? await (await import('./caLoader')).loadAuthorities(caPath) : undefined;
  if (authorities && !authorities.ok) settings.log.warn(authorities.problem);
  const tls = authorities?.ok ? { ca: authorities.value } : undefined;
  const dispatcher = new EnvHttpProxyAgent({
    httpProxy: httpProxy ?? '',
    httpsProxy: httpsProxy ?? '',
    noProxy: pick('NO_PROXY') ?? '',
    ...(tls ? { connect: tls, requestTls: tls, proxyTls: tls } : {}),
  });
  return async (url, init) => {
    const response = await fetch(String(url instanceof Request ? url.url : url), { ...plainInit(init), dispatcher });
    return new Response(chunksOf(response.body), { status: response.status, headers: [...response.headers] });
  };
}

/** Looked up at each call, so that a test or an editor that replaces the global is heard. */
const plainFetch: FetchLike = (url, init) => globalThis.fetch(url, init);

/** Node reads NODE_EXTRA_CA_CERTS itself when it starts; Electron does not. */
function extraCaPath(env: NetworkSettings['env']): string | undefined {
  const path = env['NODE_EXTRA_CA_CERTS'];
  const nodeHasIt = process.versions['electron'] === undefined && process.env['NODE_EXTRA_CA_CERTS'] === path;
  return path && !nodeHasIt ? path : undefined;
}

/** Only what the SDK and we set: undici's own types of the rest are not the platform's. */
function plainInit(init: RequestInit | undefined): { method?: string; headers: Record<string, string>; body?: string; signal?: AbortSignal } {
  const headers = Object.fromEntries(new Headers(init?.headers));
  return {
    headers,
    ...(init?.method ? { method: init.method } : {}),
    ...(typeof init?.body === 'string' ? { body: init.body } : {}),
    ...(init?.signal ? { signal: init.signal } : {}),
  };
}

function chunksOf(body: AsyncIterable<unknown> | null): ReadableStream<Uint8Array> | null {
  if (!body) return null;
  const iterator = body[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const next = await iterator.next();
      if (next.done) return controller.close();
      if (next.value instanceof Uint8Array) controller.enqueue(next.value);
    },
    cancel: async () => {
      await iterator.return?.();
    },
  });
}
