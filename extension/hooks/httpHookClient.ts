import { errorText } from '../base/errorText';
import { err, ok, type Result } from '../base/result';
import { wildcardMatches } from '../permissions/wildcard';
import type { WebPoster } from '../platform/webClient';
import type { HttpHandler } from './hookSchema';

export interface HttpHookPorts {
  readonly web: WebPoster;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** undefined: any address. */
  readonly allowedUrls: readonly string[] | undefined;
  /** undefined: the variables a hook lists itself. */
  readonly allowedEnvVars: readonly string[] | undefined;
}

export interface HttpHookCall {
  readonly handler: HttpHandler;
  readonly body: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const maxBytes = 1024 * 1024;

/** @returns problem: why nothing was sent or no answer came */
export async function postHook({ handler, body, timeoutMs, signal }: HttpHookCall, ports: HttpHookPorts): Promise<Result<{ readonly status: number; readonly body: string }, string>> {
  const refused = urlProblem(handler.url, ports.allowedUrls);
  if (refused !== undefined) return err(refused);
  try {
    const sent = await ports.web.post({ url: handler.url, body, headers: { 'content-type': 'application/json', ...hookHeaders(handler, ports) }, timeoutMs, maxBytes, signal });
    if (!sent.ok) return sent;
    return sent.value.cut ? err(`the answer is longer than ${maxBytes} bytes`) : ok({ status: sent.value.status, body: sent.value.body.toString('utf8') });
  } catch (thrown) {
    return err(errorText(thrown));
  }
}

/** Host and path are compared apart, so that no `*` for a part of a host name takes in another host. */
export function urlProblem(url: string, allowed: readonly string[] | undefined): string | undefined {
  if (!URL.canParse(url)) return `${url} is no web address`;
  const { username, password } = new URL(url);
  if (username !== '' || password !== '') return 'a name and password in the address are not sent; use headers';
  if (allowed === undefined || allowed.some((pattern) => urlMatches(pattern, new URL(url)))) return undefined;
  return `${url} is not among allowedHttpHookUrls, so nothing was sent`;
}

function urlMatches(pattern: string, url: URL): boolean {
  if (pattern === '*') return true;
  const [, origin = '', path] = /^([a-z*]+:\/\/[^/]*)(\/.*)?$/i.exec(pattern) ?? [];
  return wildcardMatches(origin.toLowerCase(), url.origin) && wildcardMatches(path ?? (origin.endsWith('*') ? '*' : '/'), `${url.pathname}${url.search}`);
}

/** `$NAME` and `${NAME}` are filled in only where the hook lists the name and the settings let it; else they are empty. */
export function hookHeaders({ headers = {}, allowedEnvVars = [] }: HttpHandler, { env, allowedEnvVars: policy }: Pick<HttpHookPorts, 'env' | 'allowedEnvVars'>): Readonly<Record<string, string>> {
  const may = (name: string): boolean => allowedEnvVars.includes(name) && (policy === undefined || policy.includes(name));
  const filled = (value: string): string => value.replace(/\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g, (_all, braced?: string, bare?: string) => (may(braced ?? bare ?? '') ? (env[braced ?? bare ?? ''] ?? '') : ''));
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value).replace(/[\r\n]+/g, ' ')]));
}
