import * as z from 'zod';
import { lazily } from '../base/lazily';
import { err, ok, type Result } from '../base/result';
import type { McpServer } from './mcpServer';

/** What other programs write too: unknown keys are fine. */
const entrySchema = lazily(() =>
  z.looseObject({
    type: z.string().optional(),
    command: z.string().optional(),
    args: z.array(z.union([z.string(), z.number()]).transform(String)).optional(),
    env: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String)).optional(),
    url: z.string().optional(),
    headers: z.record(z.string(), z.string()).optional(),
    headersHelper: z.string().optional(),
    oauth: z
      .looseObject({ clientId: z.string().optional(), clientSecret: z.string().optional(), callbackPort: z.int().min(1).max(65_535).optional(), authServerMetadataUrl: z.string().optional(), scopes: z.union([z.string(), z.array(z.string()).transform((list) => list.join(' '))]).optional() })
      .optional(),
    timeout: z.number().optional(),
    alwaysLoad: z.boolean().optional(),
  }),
);
type Entry = z.infer<ReturnType<typeof entrySchema>>;

export interface EntryWarning {
  readonly code: 'mcp-unset-variable' | 'mcp-type-missing' | 'mcp-invalid-server' | 'mcp-timeout-ignored';
  readonly message: string;
}

export interface EntryProblem {
  readonly code: 'mcp-invalid-server' | 'mcp-empty-url';
  readonly message: string;
}

export type ReadEntry = Pick<McpServer, 'connect' | 'timeoutMs' | 'alwaysLoad'> & { readonly warnings: readonly EntryWarning[] };

const kinds: Readonly<Record<string, McpServer['connect']['kind']>> = { stdio: 'stdio', http: 'http', 'streamable-http': 'http', sse: 'sse', ws: 'ws', websocket: 'ws' };
/** Shorter limits are taken for a slip (seconds instead of milliseconds). */
const leastTimeoutMs = 1_000;

/**
 * Reads one server's entry and puts its variables in.
 * @param lookup the value of a variable; undefined when it is not set
 * @returns problem `mcp-empty-url`: not configured yet, no mistake
 */
export function readEntry(raw: unknown, lookup: (name: string) => string | undefined): Result<ReadEntry, EntryProblem> {
  const parsed = entrySchema().safeParse(raw);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return invalid(`${issue?.path.join('.') || 'the entry'}: ${issue?.message ?? 'not an object'}`);
  }
  const entry = parsed.data;
  const unset = new Set<string>();
  const fill = (text: string): string => expand(text, lookup, unset);
  const warnings: EntryWarning[] = [];
  const connect = connectionOf(entry, fill, warnings);
  if (!connect.ok) return connect;
  for (const name of unset) warnings.push({ code: 'mcp-unset-variable', message: `the variable ${name} is not set; \${${name}} stays as it is written. Set it, or give a default: \${${name}:-value}` });
  const { timeout } = entry;
  if (timeout !== undefined && timeout < leastTimeoutMs) warnings.push({ code: 'mcp-timeout-ignored', message: `timeout: ${timeout} is ignored; it counts milliseconds and starts at ${leastTimeoutMs}` });
  return ok({ connect: connect.value, ...(timeout !== undefined && timeout >= leastTimeoutMs ? { timeoutMs: timeout } : {}), alwaysLoad: entry.alwaysLoad ?? false, warnings });
}

function invalid(message: string): Result<never, EntryProblem> {
  return err({ code: 'mcp-invalid-server', message });
}

function connectionOf(entry: Entry, fill: (text: string) => string, warnings: EntryWarning[]): Result<McpServer['connect'], EntryProblem> {
  const kind = kindOf(entry, warnings);
  if (!kind.ok) return kind;
  if (kind.value === 'stdio') {
    if (entry.command === undefined || entry.command === '') return invalid('a stdio server needs a "command"; a server somewhere else needs a "url" and a "type"');
    return ok({ kind: 'stdio', command: fill(entry.command), args: (entry.args ?? []).map(fill), env: mapValues(entry.env, fill) });
  }
  if (entry.url === undefined) return invalid(`a server of type ${entry.type ?? 'http'} needs a "url"`);
  if (entry.url.trim() === '') return err({ code: 'mcp-empty-url', message: 'it has no address yet: fill in "url"' });
  const url = fill(entry.url);
  const oauth = entry.oauth;
  return ok({
    kind: kind.value,
    url,
    headers: mapValues(entry.headers, fill),
    ...(entry.headersHelper ? { headersHelper: entry.headersHelper } : {}),
    ...(oauth && kind.value !== 'ws' ? { oauth: { ...(oauth.clientId ? { clientId: fill(oauth.clientId) } : {}), ...(oauth.clientSecret ? { clientSecret: fill(oauth.clientSecret) } : {}), ...(oauth.callbackPort ? { callbackPort: oauth.callbackPort } : {}), ...(oauth.authServerMetadataUrl ? { authServerMetadataUrl: oauth.authServerMetadataUrl } : {}), ...(oauth.scopes ? { scopes: oauth.scopes } : {}) } } : {}),
  });
}

function kindOf({ type, url, command }: Entry, warnings: EntryWarning[]): Result<McpServer['connect']['kind'], EntryProblem> {
  if (type !== undefined && type !== '') {
    const kind = kinds[type.toLowerCase()];
    return kind ? ok(kind) : invalid(`there is no type "${type}"; the types are stdio, http, sse and ws`);
  }
  if (url === undefined || command !== undefined) return ok('stdio');
  if (url.trim() !== '') warnings.push({ code: 'mcp-type-missing', message: 'a "url" without "type" is read as http; write "type": "http" (or sse, ws)' });
  return ok('http');
}

function mapValues(record: Readonly<Record<string, string>> | undefined, fill: (text: string) => string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(record ?? {}).map(([key, value]) => [key, fill(value)]));
}

/** `${NAME}` and `${NAME:-default}`, in one pass. What is not set and has no default stays as written. */
export function expand(text: string, lookup: (name: string) => string | undefined, unset: Set<string>): string {
  return text.replace(/\$\{([A-Za-z_][\w.]*)(?::-([^}]*))?\}/g, (whole, name: string, fallback: string | undefined) => {
    const value = lookup(name);
    if (value !== undefined && (value !== '' || fallback === undefined)) return value;
    if (fallback !== undefined) return fallback;
    unset.add(name);
    return whole;
  });
}
