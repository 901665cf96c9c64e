/**
 * What a test makes the model say. Everything made here except functions is plain JSON, so that a walk in another
 * process can send the same script to the stand-alone server (`POST /_script`).
 */

export type ScriptStop = 'end_turn' | 'tool_use' | 'max_tokens' | 'stop_sequence' | 'pause_turn' | 'refusal' | 'model_context_window_exceeded';

/** `tokensPerSecond`: paced with real timers, one token = 4 characters. `chunk`: characters per delta (32 unpaced). */
export interface Pace {
  readonly tokensPerSecond?: number;
  readonly chunk?: number;
}

export type ScriptItem =
  | ({ readonly kind: 'say'; readonly text: string } & Pace)
  | ({ readonly kind: 'think'; readonly text: string } & Pace)
  | { readonly kind: 'redacted'; readonly data: string }
  | ({ readonly kind: 'tool'; readonly name: string; readonly input: unknown; readonly id?: string; readonly cutAt?: number } & Pace)
  | { readonly kind: 'stop'; readonly reason: ScriptStop }
  | ({ readonly kind: 'status'; readonly status: number } & StatusOptions)
  | { readonly kind: 'drop'; readonly after: number }
  | { readonly kind: 'stall'; readonly after: number }
  | { readonly kind: 'fail'; readonly after: number; readonly type: string; readonly message: string }
  | { readonly kind: 'hang' }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'hold'; readonly name: string };

export interface StatusOptions {
  /** Seconds, sent as `retry-after`. */
  readonly retryAfter?: number;
  /** Error type; the documented one of the status when absent. */
  readonly type?: string;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One answer to one request. `repeat`: used for every request that reaches it. */
export interface ScriptReply {
  readonly items: readonly ScriptItem[];
  readonly repeat?: boolean;
}

export type ScriptStep = ScriptItem | ScriptReply;

/** The request as a matcher or a script function sees it. */
export interface ScriptRequest {
  readonly body: Readonly<Record<string, unknown>>;
  readonly model: string;
  readonly systemText: string;
  /** All text of the first user message. */
  readonly firstText: string;
  /** All text, tool results included, of what follows the last assistant message. */
  readonly lastText: string;
  readonly toolNames: readonly string[];
}

/** All given parts must hold; strings are looked for as they are. */
export interface Match {
  /** In the first user message (the brief of a sub-agent is there). */
  readonly first?: string;
  /** In what came since the last assistant message. */
  readonly last?: string;
  readonly system?: string;
  readonly model?: string;
  /** A tool of that name is offered. */
  readonly tool?: string;
  /** No tool is offered at all (side requests such as summaries). */
  readonly noTools?: boolean;
}

export type Matcher = Match | ((request: ScriptRequest) => boolean);
export type ScriptFunction = (request: ScriptRequest, n: number) => ScriptStep | undefined;

/** Replies of their own for the requests that match. `each`: every conversation starts at the first reply. */
export interface Route {
  readonly when: Matcher;
  readonly replies: readonly ScriptStep[] | ScriptFunction;
  readonly each?: boolean;
}

/** Routes are tried in order; what no route takes uses the steps in order, then the function. */
export type ScriptEntry = ScriptStep | Route | ScriptFunction;

export const say = (text: string, pace: Pace = {}): ScriptItem => ({ kind: 'say', text, ...pace });
export const think = (text: string, pace: Pace = {}): ScriptItem => ({ kind: 'think', text, ...pace });
export const redacted = (data: string): ScriptItem => ({ kind: 'redacted', data });
export const callTool = (name: string, input: unknown, options: Pace & { readonly id?: string } = {}): ScriptItem => ({ kind: 'tool', name, input, ...options });
/** A tool call whose input JSON ends after `cutAt` characters because max_tokens was reached. */
export const cutInput = (name: string, input: unknown, cutAt = 10): ScriptItem => ({ kind: 'tool', name, input, cutAt });
export const stopWith = (reason: ScriptStop): ScriptItem => ({ kind: 'stop', reason });
export const status = (code: number, options: StatusOptions = {}): ScriptItem => ({ kind: 'status', status: code, ...options });
/** The socket is destroyed after that many events. */
export const dropAfter = (events: number): ScriptItem => ({ kind: 'drop', after: events });
/** Silence after that many events, until the client closes. */
export const stallAfter = (events: number): ScriptItem => ({ kind: 'stall', after: events });
/** An `error` event instead of the rest of the stream. */
export const failAfter = (events: number, type = 'overloaded_error', message = 'Overloaded'): ScriptItem => ({ kind: 'fail', after: events, type, message });
/** No answer at all, not even headers. */
export const hang = (): ScriptItem => ({ kind: 'hang' });
/** Milliseconds before the first byte. */
export const delay = (ms: number): ScriptItem => ({ kind: 'delay', ms });
/** The reply stops here until `server.release(name)` or `POST /_release {"name"}`: order without sleeps. */
export const hold = (name: string): ScriptItem => ({ kind: 'hold', name });
export const reply = (...items: readonly ScriptItem[]): ScriptReply => ({ items });
export const always = (...items: readonly ScriptItem[]): ScriptReply => ({ items, repeat: true });
export const when = (matcher: Matcher, replies: readonly ScriptStep[] | ScriptFunction): Route => ({ when: matcher, replies });
export const whenEach = (matcher: Matcher, replies: readonly ScriptStep[]): Route => ({ when: matcher, replies, each: true });

export function isRoute(entry: ScriptEntry): entry is Route {
  return typeof entry === 'object' && 'when' in entry;
}

export function itemsOf(step: ScriptStep): readonly ScriptItem[] {
  return 'items' in step ? step.items : [step];
}

interface LooseMessage {
  readonly role?: unknown;
  readonly content?: unknown;
}

/** Text of a message's content, tool results and thinking left as they come. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((block: { type?: unknown; text?: unknown; content?: unknown }) => (block?.type === 'text' ? String(block.text) : block?.type === 'tool_result' ? textOf(block.content) : ''))
    .filter((text) => text !== '')
    .join('\n');
}

export function describeRequest(body: Readonly<Record<string, unknown>>): ScriptRequest {
  const messages: readonly LooseMessage[] = Array.isArray(body['messages']) ? body['messages'] : [];
  const lastAssistant = messages.map((message) => message?.role).lastIndexOf('assistant');
  const tools: readonly { name?: unknown }[] = Array.isArray(body['tools']) ? body['tools'] : [];
  return {
    body,
    model: String(body['model'] ?? ''),
    systemText: textOf(body['system']),
    firstText: textOf(messages.find((message) => message?.role === 'user')?.content),
    lastText: messages
      .slice(lastAssistant + 1)
      .map((message) => textOf(message?.content))
      .join('\n'),
    toolNames: tools.map((tool) => String(tool?.name ?? '')),
  };
}
