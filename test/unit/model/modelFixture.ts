import type { Clock, Log, ModelClient, ModelEvent, ModelRequest } from '../../../extension/ports';
import type { AssistantBlock, ModelMessage } from '../../../extension/protocol/content';
import { createAnthropicClient } from '../../../extension/model/anthropicClient';
import type { FetchLike, ModelKey } from '../../../extension/model/fetchLike';
import { createRateGate, type RateGate } from '../../../extension/model/rateGate';
import { systemClock } from '../../../extension/platform/systemClock';

export const silent: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

export interface ClientSetup {
  readonly key?: ModelKey | null;
  readonly clock?: Clock;
  readonly gate?: RateGate;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly random?: () => number;
  readonly fetch?: FetchLike;
}

/** No jitter, so that waits are exactly what the server asked for. */
export function clientOf(baseUrl: string, setup: ClientSetup = {}): ModelClient {
  const clock = setup.clock ?? systemClock;
  const random = setup.random ?? (() => 0);
  const key = setup.key === undefined ? ({ kind: 'apiKey', value: 'test-key' } as const) : (setup.key ?? undefined);
  return createAnthropicClient({ baseUrl, key, clock, random, gate: setup.gate ?? createRateGate({ clock, random }), env: setup.env ?? {}, log: silent, fetch: setup.fetch });
}

export function user(text: string): ModelMessage {
  return { role: 'user', content: [{ type: 'text', text }] };
}
export function assistant(content: readonly AssistantBlock[]): ModelMessage {
  return { role: 'assistant', content };
}
export function result(id: string, content: string): ModelMessage {
  return { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] };
}

export const tools = [
  { name: 'Read', description: 'Reads a file.', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } },
  { name: 'Bash', description: 'Runs a command.', inputSchema: { type: 'object', properties: { command: { type: 'string' } } } },
];

export function ask(text: string | readonly ModelMessage[], more: Partial<ModelRequest> = {}): ModelRequest {
  return { model: 'claude-sonnet-5-5', system: ['You help.'], tools, messages: typeof text === 'string' ? [user(text)] : text, ...more };
}

export async function collect(stream: AsyncIterable<ModelEvent>, onEvent: (event: ModelEvent) => void = () => undefined): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of stream) {
    events.push(event);
    onEvent(event);
  }
  return events;
}

export function never(): AbortSignal {
  return new AbortController().signal;
}

export async function run(client: ModelClient, request: ModelRequest): Promise<ModelEvent[]> {
  return collect(client.stream(request, never()));
}

export function endOf(events: readonly ModelEvent[]): Extract<ModelEvent, { type: 'end' }> {
  const last = events.at(-1);
  if (last?.type !== 'end') throw new Error(`the stream ended with ${JSON.stringify(last)}`);
  return last;
}

export function failureOf(events: readonly ModelEvent[]): Extract<ModelEvent, { type: 'failed' }> {
  const last = events.at(-1);
  if (last?.type !== 'failed') throw new Error(`the stream ended with ${JSON.stringify(last)}`);
  return last;
}

/** The SDK reads the process's own environment, so that is what has to change. */
export async function withProcessEnv(values: Readonly<Record<string, string>>, work: () => Promise<void>): Promise<void> {
  const before = Object.keys(values).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, values);
  try {
    await work();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}
