import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPromptCache, countTokens } from './anthropicServerCache';
import { modelInfo, publicModels, type ServerModel, serverModel, type ServerModelSpec } from './anthropicServerModels';
import { type BuiltReply, buildReply } from './anthropicServerReply';
import { headerProblem, type Refusal, refuse } from './anthropicServerRules';
import { createThinkingLedger, type Json } from './anthropicServerThinking';
import { describeRequest, type ScriptEntry, type ScriptItem, type ScriptReply } from './script';
import { createScriptPlayer, type ScriptPlayer } from './scriptPlayer';

export { expectPrefix } from './anthropicServerPrefix';

export interface AnthropicServerOptions {
  readonly script?: readonly ScriptEntry[];
  /** Accepted keys, as `x-api-key` or bearer token; `test-key` by default. An empty list checks no key at all. */
  readonly keys?: readonly string[];
  /** Models that exist; all public ones plus `test-model` (lenient) by default. Objects change limits. */
  readonly models?: readonly ServerModelSpec[];
  /** 0 (any free one) by default; always on loopback. */
  readonly port?: number;
  /** Let `close()` pass although requests were refused or unscripted: for tests of refusals. */
  readonly tolerant?: boolean;
  /** Preserved thinking is enforced as for new accounts; `false` acts as an older account. */
  readonly preservedThinking?: boolean;
  /** Shorter prompts are not cached; 0 by default, so that small tests see hits. */
  readonly minCacheTokens?: number;
  readonly nowMs?: () => number;
}

export interface RecordedReply {
  /** When its last byte was handed to the socket. */
  endedAtMs?: number;
  readonly status: number;
  readonly error?: Refusal;
  readonly stopReason?: string;
  readonly usage?: Json;
  /** SSE events written so far. */
  events: number;
  /** `dropped` by the script, `left` by the client before the end. */
  outcome: 'open' | 'complete' | 'dropped' | 'left';
}

export interface RecordedRequest {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON; the text itself when it was none. */
  readonly body: unknown;
  readonly receivedAtMs: number;
  /** The same moment, finer than a millisecond, for the bench. */
  readonly receivedExactlyMs: number;
  replied: RecordedReply | undefined;
}

export interface AnthropicServer {
  readonly url: string;
  /** Everything received, in order, but for the control paths. */
  readonly requests: readonly RecordedRequest[];
  /** Only POST /v1/messages. */
  readonly messageRequests: () => readonly RecordedRequest[];
  /** Refused (400) and unscripted requests, in words. `close()` throws when there are any, unless `tolerant`. */
  readonly unexpected: readonly string[];
  /** Replaces the script from the next request on. */
  readonly script: (...entries: readonly ScriptEntry[]) => void;
  readonly unused: () => number;
  /** Lets replies go on that wait at `hold(name)`, now and later. */
  readonly release: (name: string) => void;
  /** Resolves as soon as `test` holds for the recording; asked again at each request, event and end of a reply. */
  readonly waitFor: (test: (requests: readonly RecordedRequest[]) => boolean, timeoutMs?: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

const maxBodyBytes = 32 * 1024 * 1024;
const errorTypes: Readonly<Record<number, string>> = { 400: 'invalid_request_error', 401: 'authentication_error', 402: 'billing_error', 403: 'permission_error', 404: 'not_found_error', 413: 'request_too_large', 429: 'rate_limit_error', 500: 'api_error', 504: 'timeout_error', 529: 'overloaded_error' };

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly record: RecordedRequest;
}

interface State {
  readonly options: AnthropicServerOptions;
  readonly models: readonly ServerModel[];
  readonly requests: RecordedRequest[];
  readonly unexpected: string[];
  readonly released: Set<string>;
  readonly waiting: Set<() => void>;
  readonly ledger: ReturnType<typeof createThinkingLedger>;
  readonly cache: ReturnType<typeof createPromptCache>;
  readonly ids: Map<string, number>;
  player: ScriptPlayer;
}

const nextId = (state: State, prefix: string): string => {
  const n = (state.ids.get(prefix) ?? 0) + 1;
  state.ids.set(prefix, n);
  return `${prefix}_${String(n).padStart(6, '0')}`;
};
const wake = (state: State): void => {
  for (const run of [...state.waiting]) run();
};

function sendJson({ response, record }: Exchange, status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': record.requestId, ...headers });
  response.end(JSON.stringify(body));
}

function sendError(exchange: Exchange, error: Refusal, headers: Readonly<Record<string, string>> = {}): void {
  exchange.record.replied = { status: error.status, error, events: 0, outcome: 'complete' };
  sendJson(exchange, error.status, { type: 'error', error: { type: error.type, message: error.message }, request_id: exchange.record.requestId }, headers);
}

function readBody(request: IncomingMessage): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBodyBytes) chunks.push(chunk);
    });
    request.on('end', () => resolve(size > maxBodyBytes ? undefined : Buffer.concat(chunks).toString('utf8')));
    request.on('error', reject);
  });
}

function authProblem(keys: readonly string[], headers: Readonly<Record<string, string>>): string | undefined {
  if (keys.length === 0) return undefined;
  const key = headers['x-api-key'];
  const bearer = /^Bearer (.+)$/i.exec(headers['authorization'] ?? '')?.[1];
  if (key === undefined && bearer === undefined) return 'x-api-key header is required';
  if (key !== undefined) return keys.includes(key) ? undefined : 'invalid x-api-key';
  return keys.includes(bearer ?? '') ? undefined : 'invalid bearer token';
}

/** Waits for a moment or an event, but never longer than the connection lives. False: the client has gone. */
function pause({ response }: Exchange, start: (done: () => void) => () => void): Promise<boolean> {
  return new Promise((resolve) => {
    if (response.destroyed || response.closed) return resolve(false);
    const finish = (alive: boolean): void => {
      response.off('close', gone);
      stop();
      resolve(alive);
    };
    const gone = (): void => finish(false);
    response.on('close', gone);
    const stop = start(() => finish(true));
  });
}
const sleep = (exchange: Exchange, ms: number): Promise<boolean> =>
  pause(exchange, (done) => {
    const timer = setTimeout(done, ms);
    return () => clearTimeout(timer);
  });
const forever = (exchange: Exchange): Promise<boolean> => pause(exchange, () => () => undefined);
const held = (exchange: Exchange, state: State, name: string): Promise<boolean> =>
  pause(exchange, (done) => {
    const check = (): void => {
      if (state.released.has(name)) done();
    };
    state.waiting.add(check);
    queueMicrotask(check);
    return () => state.waiting.delete(check);
  });

function find<K extends ScriptItem['kind']>(reply: ScriptReply, kind: K): Extract<ScriptItem, { kind: K }> | undefined {
  return reply.items.find((item): item is Extract<ScriptItem, { kind: K }> => item.kind === kind);
}

/** Writes an SSE stream at its pace. Later pauses make up for time already lost, so a rate holds over the whole reply. */
async function stream(exchange: Exchange, state: State, reply: ScriptReply, built: BuiltReply): Promise<void> {
  const { response, record } = exchange;
  const replied: RecordedReply = { status: 200, stopReason: built.stopReason, usage: built.usage, events: 0, outcome: 'open' };
  record.replied = replied;
  const cut = find(reply, 'drop') ?? find(reply, 'stall') ?? find(reply, 'fail');
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache', 'request-id': record.requestId });
  response.flushHeaders();
  const write = (event: string, data: unknown): Promise<boolean> | boolean => {
    replied.events++;
    wake(state);
    if (response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)) return true;
    return pause(exchange, (done) => {
      response.once('drain', done);
      return () => response.off('drain', done);
    });
  };
  let dueAtMs = performance.now();
  for (const step of built.steps) {
    if (cut && replied.events >= cut.after) break;
    if ('hold' in step) {
      if (!(await held(exchange, state, step.hold))) break;
      dueAtMs = performance.now();
      continue;
    }
    dueAtMs += step.waitMs;
    if (step.waitMs > 0 && dueAtMs - performance.now() > 1 && !(await sleep(exchange, dueAtMs - performance.now()))) break;
    if (response.destroyed || !(await write(step.event, step.data))) break;
  }
  if (response.destroyed) replied.outcome = 'left';
  else if (cut?.kind === 'drop') {
    replied.outcome = 'dropped';
    // What was written first has to arrive, or the client would see fewer events than the script says.
    response.write('', () => exchange.request.socket.destroy());
  } else if (cut?.kind === 'stall') {
    await forever(exchange);
    replied.outcome = 'left';
  } else {
    if (cut?.kind === 'fail') await write('error', { type: 'error', error: { type: cut.type, message: cut.message }, request_id: record.requestId });
    response.end();
    replied.outcome = 'complete';
    replied.endedAtMs = performance.timeOrigin + performance.now();
  }
}

async function play(exchange: Exchange, state: State, reply: ScriptReply, body: Json, model: ServerModel): Promise<void> {
  const delay = find(reply, 'delay');
  if (delay && !(await sleep(exchange, delay.ms))) return;
  if (find(reply, 'hang')) {
    exchange.record.replied = { status: 0, events: 0, outcome: 'open' };
    wake(state);
    await forever(exchange);
    exchange.record.replied.outcome = 'left';
    return;
  }
  const failure = find(reply, 'status');
  if (failure) {
    const type = failure.type ?? errorTypes[failure.status] ?? 'api_error';
    const retry: Record<string, string> = failure.retryAfter === undefined ? {} : { 'retry-after': String(failure.retryAfter) };
    return sendError(exchange, { status: failure.status, type, message: failure.message ?? type.replaceAll('_', ' ') }, { ...retry, ...failure.headers });
  }
  const usage = state.cache.use(body, (state.options.nowMs ?? Date.now)());
  const built = buildReply(reply, { body, model, usage, ledger: state.ledger, nextId: (prefix) => nextId(state, prefix) });
  if (body['stream'] === true) return stream(exchange, state, reply, built);
  exchange.record.replied = { status: 200, stopReason: built.stopReason, usage: built.usage, events: 0, outcome: 'complete' };
  for (const step of built.steps) if ('hold' in step && !(await held(exchange, state, step.hold))) return;
  if (find(reply, 'drop')) exchange.request.socket.destroy();
  else if (find(reply, 'stall')) await forever(exchange);
  else sendJson(exchange, 200, built.message);
}

async function messages(exchange: Exchange, state: State, counting: boolean): Promise<void> {
  const { record } = exchange;
  const betas = betasOf(record.headers);
  const refused = (error: Refusal): void => {
    if (error.status === 400) state.unexpected.push(`${record.requestId} was refused: ${error.message}`);
    sendError(exchange, error);
  };
  if (typeof record.body === 'string') return refused({ status: 400, type: 'invalid_request_error', message: 'The request body is not valid JSON: it could not be parsed' });
  const version = record.headers['anthropic-version'] ?? '';
  const refusal = refuse(record.body, { version, betas, models: state.models, ledger: state.ledger, counting });
  if (refusal) return refused(refusal);
  const body = record.body as Json;
  const model = state.models.find(({ id }) => id === body['model'])!;
  const tokens = countTokens(body);
  if (counting) {
    record.replied = { status: 200, events: 0, outcome: 'complete' };
    return sendJson(exchange, 200, { input_tokens: tokens });
  }
  if (tokens > model.maxInputTokens) return sendError(exchange, { status: 400, type: 'invalid_request_error', message: `prompt is too long: ${tokens} tokens > ${model.maxInputTokens} maximum` });
  const reply = state.player.next(describeRequest(body));
  if (typeof reply !== 'string') return play(exchange, state, reply, body, model);
  state.unexpected.push(reply);
  sendError(exchange, { status: 400, type: 'invalid_request_error', message: reply });
}

function models(state: State, url: URL): Refusal | { readonly body: unknown } {
  const one = /^\/v1\/models\/(.+)$/.exec(url.pathname)?.[1];
  if (one !== undefined) {
    const found = state.models.find(({ id }) => id === decodeURIComponent(one));
    return found ? { body: modelInfo(found) } : { status: 404, type: 'not_found_error', message: `model: ${one}` };
  }
  const limit = Number(url.searchParams.get('limit') ?? 20);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) return { status: 400, type: 'invalid_request_error', message: 'limit: Input should be from 1 to 1000' };
  const at = (name: string): number => state.models.findIndex(({ id }) => id === url.searchParams.get(name));
  const before = at('before_id');
  const rest = before === -1 ? state.models.slice(at('after_id') + 1) : state.models.slice(Math.max(0, before - limit), before);
  const data = rest.slice(0, limit);
  const more = before === -1 ? rest.length > limit : before > limit;
  return { body: { data: data.map(modelInfo), has_more: more, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null } };
}

/** How another process scripts this one and reads what it recorded. */
function control(record: RecordedRequest, state: State): { readonly status: number; readonly body: unknown } {
  const body = record.body as { readonly script?: readonly ScriptEntry[]; readonly name?: string } | undefined;
  const call = `${record.method} ${record.path}`;
  if (call === 'GET /_requests') return { status: 200, body: { requests: state.requests, unexpected: state.unexpected, unused: state.player.unused() } };
  if (call === 'POST /_script' && Array.isArray(body?.script)) state.player = createScriptPlayer(body.script);
  else if (call === 'POST /_release' && typeof body?.name === 'string') state.released.add(body.name);
  else if (call === 'DELETE /_requests') state.requests.splice(0);
  else return { status: 400, body: { error: 'Use POST /_script {"script": [...]}, POST /_release {"name": "..."}, GET /_requests or DELETE /_requests.' } };
  wake(state);
  return { status: 200, body: { ok: true } };
}

const betasOf = (headers: Readonly<Record<string, string>>): readonly string[] =>
  (headers['anthropic-beta'] ?? '')
    .split(',')
    .map((beta) => beta.trim())
    .filter((beta) => beta !== '');

async function handle(request: IncomingMessage, response: ServerResponse, state: State): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const isControl = url.pathname.startsWith('/_');
  const text = await readBody(request);
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const record: RecordedRequest = { requestId: isControl ? 'control' : nextId(state, 'req'), method: request.method ?? '', path: `${url.pathname}${url.search}`, headers, body: parse(text), receivedAtMs: Date.now(), receivedExactlyMs: performance.timeOrigin + performance.now(), replied: undefined };
  const exchange = { request, response, record };
  if (isControl) {
    const answer = control(record, state);
    return sendJson(exchange, answer.status, answer.body);
  }
  state.requests.push(record);
  wake(state);
  const unauthorised = authProblem(state.options.keys ?? ['test-key'], headers);
  const badHeader = headerProblem(headers['anthropic-version'], betasOf(headers));
  const path = url.pathname;
  if (text === undefined) sendError(exchange, { status: 413, type: 'request_too_large', message: 'Request exceeds the maximum size' });
  else if (unauthorised) sendError(exchange, { status: 401, type: 'authentication_error', message: unauthorised });
  else if (badHeader) sendError(exchange, { status: 400, type: 'invalid_request_error', message: badHeader });
  else if (request.method === 'GET' && (path === '/v1/models' || path.startsWith('/v1/models/'))) {
    const found = models(state, url);
    if ('status' in found) sendError(exchange, found);
    else {
      record.replied = { status: 200, events: 0, outcome: 'complete' };
      sendJson(exchange, 200, found.body);
    }
  } else if (request.method === 'POST' && path === '/v1/messages') await messages(exchange, state, false);
  else if (request.method === 'POST' && path === '/v1/messages/count_tokens') await messages(exchange, state, true);
  else sendError(exchange, { status: 404, type: 'not_found_error', message: 'Not found' });
  wake(state);
}

function parse(text: string | undefined): unknown {
  if (text === undefined || text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function waitFor(state: State, test: (requests: readonly RecordedRequest[]) => boolean, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = (end: () => void): void => {
      state.waiting.delete(check);
      clearTimeout(timer);
      end();
    };
    const check = (): void => {
      if (test(state.requests)) finish(resolve);
    };
    const late = (): void => finish(() => reject(new Error(`After ${timeoutMs} ms the recording (${state.requests.length} requests) is still not as waited for. Unexpected: ${state.unexpected.join('; ') || 'nothing'}.`)));
    const timer = setTimeout(late, timeoutMs);
    state.waiting.add(check);
    check();
  });
}

export async function startAnthropicServer(options: AnthropicServerOptions = {}): Promise<AnthropicServer> {
  const state: State = {
    options,
    models: (options.models ?? [...publicModels, 'test-model']).map(serverModel),
    requests: [],
    unexpected: [],
    released: new Set(),
    waiting: new Set(),
    ledger: createThinkingLedger(options.preservedThinking ?? true),
    cache: createPromptCache(options.minCacheTokens ?? 0),
    ids: new Map(),
    player: createScriptPlayer(options.script ?? []),
  };
  const server = createServer((request, response) => {
    handle(request, response, state).catch((error: unknown) => {
      state.unexpected.push(`the test server failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      response.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: state.requests,
    messageRequests: () => state.requests.filter((request) => request.path.split('?')[0] === '/v1/messages'),
    unexpected: state.unexpected,
    script: (...entries) => {
      state.player = createScriptPlayer(entries);
    },
    unused: () => state.player.unused(),
    release: (name) => {
      state.released.add(name);
      wake(state);
    },
    waitFor: (test, timeoutMs = 60_000) => waitFor(state, test, timeoutMs),
    close: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      if (!options.tolerant && state.unexpected.length > 0) throw new Error(`The model server was asked for what it does not give:\n${state.unexpected.join('\n')}`);
    },
  };
}
