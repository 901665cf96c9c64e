import { BaseAnthropic } from '@anthropic-ai/sdk/client';
import type { Clock, Log, ModelClient, ModelEvent, ModelRequest } from '../ports';
import { placeCacheBreakpoints } from './cacheBreakpoints';
import { describeFailure } from './errorMessages';
import { type Failure, toFailure } from './failure';
import { authHeaders, type FetchLike, type ModelKey, normalBaseUrl } from './fetchLike';
import { startIdleWatchdog } from './idleWatchdog';
import { apiCapabilities } from './modelTable';
import { costUsd } from './prices';
import type { RateGate } from './rateGate';
import { buildRequestBody, hasThinking, type WireBody, withoutThinking } from './requestBody';
import { type AttemptOutcome, withRetries } from './retry';
import { RawStreamEvent, StreamAccumulator } from './streamAccumulator';

export interface AnthropicClientOptions {
  readonly baseUrl: string;
  /** Absent: no auth header is sent, whatever the environment or a profile on disk holds. */
  readonly key?: ModelKey;
  /** The platform's own when absent. */
  readonly fetch?: FetchLike;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** One per provider, shared by all of its clients. */
  readonly gate: RateGate;
  readonly log: Log;
  readonly random?: () => number;
}

const usualIdleMs = 60_000;
const idleFailure: Failure = { code: 'idle', retry: true, detail: 'no event arrived' };

/** The Messages API through the SDK: its own retries, credential lookup, logging and tracing are all off. */
export function createAnthropicClient(given: AnthropicClientOptions): ModelClient {
  const options = { ...given, baseUrl: normalBaseUrl(given.baseUrl) };
  const seen = { reached: false };
  return { capabilities: apiCapabilities, stream: (request, signal) => streamReply({ options, seen, request, signal }) };
}

interface Call {
  readonly options: AnthropicClientOptions;
  /** Whether this client ever had an answer. */
  readonly seen: { reached: boolean };
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
}

async function* streamReply(call: Call): AsyncGenerator<ModelEvent, void> {
  const { options, request, signal } = call;
  let body = buildRequestBody(request);
  const rebuild = (failure: Failure): boolean => {
    if (!refusesThinking(failure) || !hasThinking(body)) return false;
    options.log.info(`${request.model} refused the thinking of earlier turns; sending them without it`);
    body = withoutThinking(body);
    return true;
  };
  yield* withRetries(
    {
      attempt: () => attemptReply(call, placeCacheBreakpoints(body)),
      aborted: () => ending(new StreamAccumulator(request.model), true),
      rebuild,
      describe: (failure, triedForMs) => describeFailure(failure, { baseUrl: options.baseUrl, model: request.model, hasKey: options.key !== undefined, triedForMs }),
      signal,
      everReached: () => call.seen.reached,
    },
    { clock: options.clock, random: options.random ?? Math.random, gate: options.gate },
  );
}

/** One request, from its first byte to `end` or a failure. Never throws. */
async function* attemptReply({ options, seen, request, signal }: Call, body: WireBody): AsyncGenerator<ModelEvent, AttemptOutcome> {
  const reply = new StreamAccumulator(request.model);
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  let idle = false;
  let events = 0;
  const onIdle = (): void => {
    idle = true;
    stop.abort();
  };
  const watchdog = startIdleWatchdog({ clock: options.clock, idleMs: positive(options.env['TROUPE_STREAM_IDLE_MS']) ?? usualIdleMs, onIdle });
  signal.addEventListener('abort', abort, { once: true });
  try {
    const api = sdkClient(options, () => {
      seen.reached = true;
      watchdog.touch();
    });
    const stream = await untilAborted(api.post<AsyncIterable<unknown>>('/v1/messages', { body, stream: true, signal: stop.signal }), stop.signal);
    for await (const raw of abortable(stream, stop.signal)) {
      const read = RawStreamEvent.safeParse(raw);
      if (!read.success) return failed(reply, { code: 'server', retry: true, detail: 'it sent an event that is not of the Messages API' });
      events += 1;
      const event = reply.apply(read.data);
      if (event) yield event;
    }
    if (signal.aborted) return { kind: 'aborted', event: ending(reply, true) };
    if (reply.complete) return { kind: 'ended', event: ending(reply, false) };
    return failed(reply, idle ? idleFailure : cutOff(events));
  } catch (thrown) {
    if (signal.aborted) return { kind: 'aborted', event: ending(reply, true) };
    return failed(reply, idle ? idleFailure : withoutKey(toFailure(thrown, options.clock.nowMs()), options.key));
  } finally {
    signal.removeEventListener('abort', abort);
    watchdog.dispose();
    stop.abort();
  }
}

/** Some servers repeat the key they refuse; their words go on screen and on disk. */
function withoutKey(failure: Failure, key: AnthropicClientOptions['key']): Failure {
  return key ? { ...failure, detail: failure.detail.replaceAll(key.value, '[the key]') } : failure;
}

function sdkClient(options: AnthropicClientOptions, onBytes: () => void): BaseAnthropic {
  const auth = authHeaders(options.key, options.baseUrl);
  return new BaseAnthropic({
    baseURL: options.baseUrl,
    // A value must be given, or the SDK looks for credentials itself; what is sent is decided by the headers below.
    authToken: options.key?.value ?? 'none',
    webhookKey: null,
    maxRetries: 0,
    timeout: 2 ** 31 - 1,
    logLevel: 'off',
    openTelemetry: false,
    fetch: observed(options.fetch ?? globalThis.fetch, onBytes),
    defaultHeaders: { ...suppressedHeaders(options), 'X-Api-Key': auth['x-api-key'], Authorization: auth.authorization },
  });
}

/**
 * The SDK adds ANTHROPIC_CUSTOM_HEADERS of the process to every request; those may hold a secret of the server that
 * ANTHROPIC_BASE_URL names, so they go to no other one.
 */
function suppressedHeaders(options: AnthropicClientOptions): Readonly<Record<string, null>> {
  const meant = normalBaseUrl(options.env['ANTHROPIC_BASE_URL'] || 'https://api.anthropic.com');
  if (meant === options.baseUrl) return {};
  const lines = (process.env['ANTHROPIC_CUSTOM_HEADERS'] ?? '').split('\n').filter((line) => line.includes(':'));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(':')).trim(), null]));
}

/** Reports each chunk of the answer, since the SDK hides pings. */
function observed(fetch: FetchLike, onBytes: () => void): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    onBytes();
    if (!response.ok || !response.body) return response;
    const watch = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        onBytes();
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(watch), { status: response.status, headers: response.headers });
  };
}

/** Ends with the signal at once, even when the source does not notice it. */
async function* abortable(source: AsyncIterable<unknown>, signal: AbortSignal): AsyncGenerator<unknown, void> {
  const iterator = source[Symbol.asyncIterator]();
  while (!signal.aborted) {
    const next = await untilAborted(iterator.next(), signal);
    if (next.done) return;
    yield next.value;
  }
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(new Error('aborted'));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function ending(reply: StreamAccumulator, cut: boolean): Extract<ModelEvent, { type: 'end' }> {
  const { content, stopReason } = reply.finish(cut);
  return { type: 'end', content, stopReason, model: reply.model, usage: reply.usage, costUsd: costUsd(reply.model, reply.usage) };
}

function failed(reply: StreamAccumulator, failure: Failure): AttemptOutcome {
  return { kind: 'failed', failure, partial: { content: reply.finish(true).content, usage: reply.usage, costUsd: costUsd(reply.model, reply.usage) } };
}

/** A server that is no model server answers, but never with an event. */
function cutOff(events: number): Failure {
  return { code: 'network', retry: true, detail: events === 0 ? 'it answered without a single event; check that the address is a model server\'s' : 'the stream ended before the reply was complete' };
}

/** Newer models take only their own thinking, bound to the turns before it; another model's, or an edited past, is refused. */
function refusesThinking(failure: Failure): boolean {
  return failure.code === 'invalidRequest' && /thinking|signature/i.test(failure.detail);
}

function positive(text: string | undefined): number | undefined {
  const value = Number(text);
  return text !== undefined && Number.isFinite(value) && value > 0 ? value : undefined;
}
