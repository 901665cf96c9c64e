import fc from 'fast-check';
import { afterEach, expect } from 'vitest';
import type { ModelEvent } from '../../../extension/ports';
import type { Failure } from '../../../extension/model/failure';
import { retryAfter } from '../../../extension/model/failure';
import { createRateGate } from '../../../extension/model/rateGate';
import { type AttemptOutcome, backoffMs, retryForMs, withRetries } from '../../../extension/model/retry';
import { type AnthropicServer, startAnthropicServer } from '../../support/anthropicServer';
import { createManualClock, type ManualClock } from '../../support/manualClock';
import { hang, reply, say, type ScriptEntry, stallAfter, status } from '../../support/script';
import { verifies } from '../../support/verifies';
import { ask, clientOf, collect, endOf, failureOf, never, run } from './modelFixture';

const servers: AnthropicServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});
async function serve(...script: readonly ScriptEntry[]): Promise<AnthropicServer> {
  const server = await startAnthropicServer({ script });
  servers.push(server);
  return server;
}

const end: Extract<ModelEvent, { type: 'end' }> = { type: 'end', content: [], stopReason: 'end_turn', model: 'm', usage: {}, costUsd: null };

/** Attempts that take no time and fail as given; the last one repeats. */
function failing(clock: ManualClock, failures: readonly (Failure | 'ok')[], random = 1): { events: Promise<ModelEvent[]>; starts: number[] } {
  const starts: number[] = [];
  async function* attempt(n: number): AsyncGenerator<ModelEvent, AttemptOutcome> {
    starts.push(clock.nowMs());
    yield { type: 'start', model: 'm' };
    const failure = failures[Math.min(n, failures.length) - 1];
    if (failure === undefined || failure === 'ok') return { kind: 'ended', event: end };
    return { kind: 'failed', failure, partial: { content: [], usage: {}, costUsd: null } };
  }
  const gate = createRateGate({ clock, random: () => 0 });
  const describe = (failure: Failure, triedForMs: number) => ({ code: failure.code, message: `tried for ${triedForMs}`, retryable: true });
  const options = { attempt, aborted: () => end, rebuild: () => false, describe, signal: never(), everReached: () => true };
  return { events: collect(withRetries(options, { clock, random: () => random, gate })), starts };
}

const server503: Failure = { code: 'server', retry: true, detail: '', status: 503 };

verifies('model:retry:backoff', async () => {
  const clock = createManualClock(0);
  const { events, starts } = failing(clock, [server503]);
  await clock.advance(retryForMs + 60_000);
  const all = await events;
  expect(starts.slice(0, 8)).toEqual([0, 1_000, 3_000, 7_000, 15_000, 31_000, 51_000, 71_000]);
  expect(starts.at(-1)).toBeLessThanOrEqual(retryForMs);
  expect(starts.at(-1)).toBeGreaterThan(retryForMs - 25_000);
  expect(failureOf(all).problem.code).toBe('server');
});

verifies(
  'model:retry:backoff',
  () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, random) => {
        const delay = backoffMs(attempt, () => random);
        expect(delay).toBeGreaterThanOrEqual(0);
        expect(delay).toBeLessThanOrEqual(Math.min(20_000, 500 * 2 ** attempt));
      }),
    );
    expect([backoffMs(3, () => 0), backoffMs(3, () => 0.5), backoffMs(3, () => 1)]).toEqual([0, 2_000, 4_000]);
  },
  { case: 'any attempt, any jitter' },
);

verifies('model:gate:retry-after', async () => {
  const clock = createManualClock();
  const server = await serve(status(429, { retryAfter: 7 }), say('one'), say('two'));
  const gate = createRateGate({ clock, random: () => 0 });
  const first = run(clientOf(server.url, { clock, gate }), ask('first'));
  await clock.untilSleeping((ms) => ms === 7_000);
  // Another agent of the same provider, with a client of its own.
  const second = run(clientOf(server.url, { clock, gate }), ask('second'));
  await clock.advance(6_999);
  expect(server.messageRequests()).toHaveLength(1);
  await clock.advance(1);
  expect([endOf(await first).stopReason, endOf(await second).stopReason]).toEqual(['end_turn', 'end_turn']);
  expect(server.messageRequests()).toHaveLength(3);
});

verifies(
  'model:gate:retry-after',
  () => {
    const now = Date.parse('2026-12-01T00:00:00Z');
    const of = (headers: Record<string, string>): number | undefined => retryAfter(new Headers(headers), now);
    expect([of({ 'retry-after': '2.5' }), of({ 'retry-after': 'Tue, 01 Dec 2026 00:00:30 GMT' }), of({ 'retry-after-ms': '120', 'retry-after': '9' }), of({ 'retry-after': 'soon' }), of({})]).toEqual([2_500, 30_000, 120, undefined, undefined]);
    expect(of({ 'retry-after': 'Mon, 30 Nov 2026 00:00:00 GMT' })).toBe(0);
  },
  { case: 'seconds, a date, milliseconds' },
);

verifies(
  'model:gate:retry-after',
  async () => {
    const clock = createManualClock(0);
    const { events, starts } = failing(clock, [{ code: 'rateLimit', retry: true, detail: '' }, 'ok'], 0.5);
    await clock.advance(500);
    expect((await events).at(-1)).toEqual(end);
    expect(starts).toEqual([0, 500]);
  },
  { case: 'a 429 that names no time backs off' },
);

verifies(
  'model:gate:retry-after',
  async () => {
    const clock = createManualClock(0);
    const gate = createRateGate({ clock, random: () => 0 });
    const stop = new AbortController();
    gate.pauseUntil(9_000);
    gate.pauseUntil(3_000);
    expect(gate.remainingMs()).toBe(9_000);
    const waiting = gate.pass(stop.signal);
    stop.abort();
    await waiting;
    expect(clock.sleeping()).toEqual([]);
  },
  { case: 'the longest pause holds, and an abort ends the wait' },
);

verifies('model:gate:too-long', async () => {
  const clock = createManualClock();
  const server = await serve(status(429, { retryAfter: 3_600, message: 'Daily limit.' }));
  const events = await run(clientOf(server.url, { clock }), ask('Go'));
  expect(events).toHaveLength(1);
  expect(failureOf(events).problem).toEqual({
    code: 'rateLimit',
    status: 429,
    retryable: true,
    message: `${new URL(server.url).host} limits the rate of requests (429). It asks to wait 60 min. Try again later, or run fewer agents at a time. The server says: Daily limit.`,
  });
});

verifies('model:retry:unreachable', async () => {
  const clock = createManualClock();
  const server = await startAnthropicServer();
  await server.close();
  const pending = run(clientOf(server.url, { clock, random: () => 1 }), ask('Go'));
  for (const delay of [1_000, 2_000, 4_000, 8_000]) {
    await clock.untilSleeping((ms) => ms === delay);
    await clock.advance(delay);
  }
  const { problem } = failureOf(await pending);
  expect(problem).toMatchObject({ code: 'network', retryable: true });
  expect(problem.message).toBe(`Nothing answers at ${new URL(server.url).host} (ECONNREFUSED). Check that the server runs and that the address is right. (Tried for 15 s.)`);
});

for (const [name, script] of [['before the first byte', reply(hang())], ['in the middle', reply(say('Half an answer', { chunk: 2 }), stallAfter(4))]] as const) {
  verifies(
    'model:idle:dropped',
    async () => {
      const clock = createManualClock();
      const server = await serve(script, say('Whole.'));
      const client = clientOf(server.url, { clock });
      let lastSeen: () => void = () => undefined;
      const arrived = new Promise<void>((resolve) => {
        lastSeen = resolve;
      });
      const pending = collect(client.stream(ask('Go'), never()), (event) => {
        if (event.type === 'text' && event.text === 'Ha') lastSeen();
      });
      await server.waitFor(([request]) => request !== undefined);
      if (name === 'in the middle') await arrived;
      await clock.untilSleeping((ms) => ms === 60_000);
      await clock.advance(59_999);
      expect(server.requests).toHaveLength(1);
      await clock.advance(1);
      const events = await pending;
      expect(events.find((event) => event.type === 'retry')).toEqual({ type: 'retry', attempt: 2, delayMs: 0, reason: 'the model went silent' });
      expect(endOf(events).content).toEqual([{ type: 'text', text: 'Whole.' }]);
    },
    { case: name },
  );
}

verifies(
  'model:idle:dropped',
  async () => {
    const clock = createManualClock();
    const encoder = new TextEncoder();
    let feed: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        feed = controller;
      },
    });
    const send = (event: Record<string, unknown>): void => feed?.enqueue(encoder.encode(`event: ${event['type']}\ndata: ${JSON.stringify(event)}\n\n`));
    const client = clientOf('http://model.example', { clock, env: { TROUPE_STREAM_IDLE_MS: '200' }, fetch: async () => new Response(body) });
    const pending = run(client, ask('Go'));
    for (let n = 0; n < 5; n += 1) {
      await clock.advance(150);
      send({ type: 'ping' });
    }
    await clock.advance(150);
    send({ type: 'message_delta', delta: { stop_reason: 'end_turn' } });
    send({ type: 'message_stop' });
    feed?.close();
    expect((await pending).map((event) => event.type)).toEqual(['end']);
  },
  { case: 'pings keep it alive' },
);
