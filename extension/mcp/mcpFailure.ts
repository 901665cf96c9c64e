import { errorCode, errorText } from '../base/errorText';
import type { Sdk } from './sdkTypes';

/** What a failed connection or call means for what happens next. */
export interface McpFailure {
  /** `session`: the server has forgotten us and did nothing; `lost`: the way to it broke off; `server`: it answered with an error. */
  readonly kind: 'signIn' | 'session' | 'lost' | 'timeout' | 'server';
  readonly message: string;
}

const connectionClosed = -32_000;
const requestTimeout = -32_001;

export function failureOf(thrown: unknown, sdk: Sdk): McpFailure {
  if (thrown instanceof sdk.UnauthorizedError) return { kind: 'signIn', message: 'it wants a sign-in' };
  if (thrown instanceof sdk.StreamableHTTPError || thrown instanceof sdk.SseError) return httpFailure(thrown.code, thrown.message);
  if (thrown instanceof sdk.McpError) {
    const message = thrown.message.replace(/^MCP error -?\d+: /, '');
    if (thrown.code === connectionClosed && /connection closed/i.test(message)) return { kind: 'lost', message: 'the connection was closed' };
    if (thrown.code === requestTimeout) return { kind: 'timeout', message };
    return { kind: 'server', message };
  }
  if (typeof thrown === 'object' && thrown !== null && 'code' in thrown && (thrown.code === 401 || thrown.code === 403)) return { kind: 'signIn', message: errorText(thrown) };
  return { kind: 'lost', message: causeText(thrown) };
}

function httpFailure(code: number | undefined, message: string): McpFailure {
  const short = message.replace(/^(Streamable HTTP|SSE) error: /, '').slice(0, 500);
  if (code === 401) return { kind: 'signIn', message: 'it wants a sign-in (HTTP 401)' };
  if (code === 404) return { kind: 'session', message: `there is no MCP server at its address, or it has forgotten the session (HTTP 404). ${short}` };
  return { kind: code !== undefined && code >= 400 && code < 500 ? 'server' : 'lost', message: code === undefined ? short : `HTTP ${code}: ${short}` };
}

function causeText(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
  if (errorCode(cause) === 'ECONNREFUSED') return 'nothing answers at its address (connection refused)';
  if (errorCode(cause) === 'ENOTFOUND') return 'its host can’t be found';
  return errorText(cause);
}
