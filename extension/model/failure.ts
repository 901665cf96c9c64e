import { errorCode, errorText } from '../base/errorText';
import type { ModelProblem } from '../ports';

/** What went wrong with one attempt, before it is put into words. */
export interface Failure {
  readonly code: ModelProblem['code'];
  readonly retry: boolean;
  /** The provider's own words, in one line. */
  readonly detail: string;
  readonly status?: number;
  readonly retryAfterMs?: number;
  /** The system's code (`ECONNREFUSED` …) of a connection that failed. */
  readonly systemCode?: string;
}

const overflow = /prompt is too long|context (length|window|limit|size)|maximum context|exceeds? .{0,40}context|too many (input )?tokens|input is too long|request_too_large/i;
const certificate = /^(SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|CERT_|ERR_TLS_CERT)/;

/** Reads what the SDK, fetch or a stream threw. Anything without an answer of the server counts as a dropped connection. */
export function toFailure(thrown: unknown, nowMs: number): Failure {
  const status = numberField(thrown, 'status');
  const type = stringField(thrown, 'type') ?? stringField(field(field(thrown, 'error'), 'error'), 'type');
  const detail = providerWords(thrown);
  if (status === undefined && type === undefined) return connectionFailure(thrown);
  const code = status === undefined ? codeOfType(type, detail) : codeOfStatus(status, type, detail);
  const retryAfterMs = retryAfter(field(thrown, 'headers'), nowMs);
  return {
    code,
    retry: code === 'rateLimit' || code === 'overloaded' || code === 'server',
    detail,
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

function codeOfStatus(status: number, type: string | undefined, detail: string): Failure['code'] {
  if (status === 529 || type === 'overloaded_error') return 'overloaded';
  if (status === 429) return 'rateLimit';
  if (status === 401) return 'auth';
  if (status === 403 || status === 402) return 'permission';
  if (status === 404) return 'notFound';
  if (status === 413 || (status < 500 && overflow.test(detail))) return 'contextOverflow';
  return status >= 500 || status === 408 || status === 409 ? 'server' : 'invalidRequest';
}

function codeOfType(type: string | undefined, detail: string): Failure['code'] {
  if (type === 'overloaded_error') return 'overloaded';
  if (type === 'rate_limit_error') return 'rateLimit';
  if (type === 'authentication_error') return 'auth';
  if (type === 'permission_error' || type === 'billing_error') return 'permission';
  if (type === 'not_found_error') return 'notFound';
  if (overflow.test(detail)) return 'contextOverflow';
  return type === 'invalid_request_error' ? 'invalidRequest' : 'server';
}

function connectionFailure(thrown: unknown): Failure {
  const chain = causes(thrown);
  const systemCode = chain.map(errorCode).find((code) => code !== undefined);
  const detail = errorText(chain.at(-1));
  return { code: 'network', retry: systemCode === undefined || !certificate.test(systemCode), detail, ...(systemCode === undefined ? {} : { systemCode }) };
}

function causes(thrown: unknown): readonly unknown[] {
  const chain: unknown[] = [thrown];
  for (let next = field(thrown, 'cause'); next !== undefined && next !== null && chain.length < 8; next = field(next, 'cause')) chain.push(next);
  return chain;
}

/** @returns milliseconds, of `retry-after-ms` or `retry-after` (seconds or an HTTP date); undefined without either */
export function retryAfter(headers: unknown, nowMs: number): number | undefined {
  if (!(headers instanceof Headers)) return undefined;
  const ms = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (ms >= 0) return ms;
  const given = headers.get('retry-after');
  if (given === null) return undefined;
  const seconds = Number(given);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(given);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

function providerWords(thrown: unknown): string {
  const body = field(thrown, 'error');
  const inner = field(body, 'error');
  const words = stringField(inner, 'message') ?? stringField(body, 'message') ?? (typeof inner === 'string' ? inner : undefined) ?? errorText(thrown);
  return words.replace(/\s+/g, ' ').trim().slice(0, 600);
}

function field(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
function stringField(value: unknown, key: string): string | undefined {
  const found = field(value, key);
  return typeof found === 'string' && found !== '' ? found : undefined;
}
function numberField(value: unknown, key: string): number | undefined {
  const found = field(value, key);
  return typeof found === 'number' ? found : undefined;
}
