/** `fetch` as the SDK takes it; a proxy's or a test's may stand in for the platform's own. */
export type FetchLike = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** How a key is sent: `apiKey` in `x-api-key` as the Messages API documents it, `authToken` as a bearer token. */
export interface ModelKey {
  readonly kind: 'apiKey' | 'authToken';
  readonly value: string;
}

export const anthropicBaseUrl = 'https://api.anthropic.com';

/** One spelling per server, so that a key is found again; a trailing `/v1` is taken off since every path adds it. */
export function normalBaseUrl(baseUrl: string): string {
  const trimmed = baseUrl.trim().replace(/\/+$/, '').replace(/\/v1(\/messages)?$/, '').replace(/\/+$/, '');
  if (!URL.canParse(trimmed)) return trimmed;
  const url = new URL(trimmed);
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, '')}`;
}

/**
 * The auth headers, both always named: null means "leave out on purpose". Servers other than Anthropic's get an API key
 * in both, since gateways read one or the other (vLLM and LM Studio the bearer, most proxies `x-api-key`).
 */
export function authHeaders(key: ModelKey | undefined, baseUrl: string): { readonly 'x-api-key': string | null; readonly authorization: string | null } {
  if (!key) return { 'x-api-key': null, authorization: null };
  if (key.kind === 'authToken') return { 'x-api-key': null, authorization: `Bearer ${key.value}` };
  return { 'x-api-key': key.value, authorization: baseUrl === anthropicBaseUrl ? null : `Bearer ${key.value}` };
}
