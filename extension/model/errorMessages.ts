import type { ModelProblem } from '../ports';
import type { Failure } from './failure';

export interface ProblemContext {
  readonly baseUrl: string;
  readonly model: string;
  /** Whether a key was sent: a refused request without one has another remedy. */
  readonly hasKey: boolean;
  readonly triedForMs: number;
}

/** A failure in plain words that say what to do. Never holds the key. */
export function describeFailure(failure: Failure, context: ProblemContext): ModelProblem {
  return {
    code: failure.code,
    message: words(failure, context) + tried(context.triedForMs),
    retryable: failure.code !== 'auth' && failure.code !== 'notFound' && failure.code !== 'invalidRequest' && failure.code !== 'permission',
    ...(failure.status === undefined ? {} : { status: failure.status }),
  };
}

export function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl;
}

function words(failure: Failure, context: ProblemContext): string {
  const host = hostOf(context.baseUrl);
  const said = failure.detail === '' ? '' : ` The server says: ${failure.detail}`;
  switch (failure.code) {
    case 'auth':
      return keyRefused(host, context.hasKey) + said;
    case 'permission':
      return `${host} does not allow this request (${failure.status ?? 403}). Check what the key's account may use, or pick another model.${said}`;
    case 'notFound':
      return `${host} does not know the model "${context.model}" (404). Pick another one with the model picker, --model or ANTHROPIC_MODEL, or check the server's address.${said}`;
    case 'contextOverflow':
      return `The conversation is longer than "${context.model}" can read. Compact it or start a new session.${said}`;
    case 'rateLimit':
      return `${host} limits the rate of requests (429).${failure.retryAfterMs === undefined ? '' : ` It asks to wait ${duration(failure.retryAfterMs)}.`} Try again later, or run fewer agents at a time.${said}`;
    case 'overloaded':
      return `${host} is overloaded. Try again in a while, or pick another model.${said}`;
    case 'idle':
      return `${host} sent nothing for too long. Try again; for a slow local model raise TROUPE_STREAM_IDLE_MS.`;
    case 'network':
      return networkWords(failure, host);
    case 'server':
      return `${host} failed${failure.status === undefined ? '' : ` (${failure.status})`}. Try again in a while.${said}`;
    case 'notSetUp':
      return 'No model is set up.';
    case 'invalidRequest':
      return `${host} refused the request${failure.status === undefined ? '' : ` (${failure.status})`}.${said}`;
  }
}

export function keyRefused(host: string, hasKey: boolean): string {
  return hasKey
    ? `The key was refused by ${host} (401). Check that it is complete and still valid, and set up the model again or correct ANTHROPIC_API_KEY.`
    : `${host} asks for a key (401) and none is set. Set up the model with a key, or set ANTHROPIC_API_KEY.`;
}

export function networkWords(failure: Pick<Failure, 'systemCode' | 'detail'>, host: string): string {
  const code = failure.systemCode;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `The name ${host} cannot be found (${code}). Check the network, the address, and whether a proxy is needed (HTTPS_PROXY).`;
  if (code === 'ECONNREFUSED') return `Nothing answers at ${host} (ECONNREFUSED). Check that the server runs and that the address is right.`;
  if (code !== undefined && /^(SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|CERT_|ERR_TLS_CERT)/.test(code)) {
    return `The certificate of ${host} is not trusted (${code}). Behind a company proxy, point NODE_EXTRA_CA_CERTS to the company's CA file.`;
  }
  return `The connection to ${host} failed${code === undefined ? '' : ` (${code})`}: ${failure.detail}. Check the network and try again.`;
}

function tried(ms: number): string {
  return ms < 1_000 ? '' : ` (Tried for ${duration(ms)}.)`;
}

export function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`;
}
