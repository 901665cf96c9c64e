import type { Result } from '../base/result';

/** On whose behalf a server works: who is asked when it asks something back. */
export interface McpCaller {
  readonly sessionId: string;
  readonly agentId: string;
  readonly callId: string;
  /** Of the call: what the server asks meanwhile ends with it. */
  readonly signal: AbortSignal;
}

export interface ElicitAsk {
  readonly message: string;
  /** `form`: a flat JSON schema; `url`: a page to open. */
  readonly schema?: Readonly<Record<string, unknown>>;
  readonly url?: string;
}
export type ElicitAnswer = { readonly action: 'accept'; readonly content?: Readonly<Record<string, string | number | boolean | string[]>> } | { readonly action: 'decline' | 'cancel' };

export interface SampleAsk {
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly text: string }[];
  readonly systemPrompt?: string;
  readonly maxTokens: number;
}
export interface SampleAnswer {
  readonly text: string;
  readonly model: string;
}

/** What a server may ask of us; answered by whoever wires the pool. */
export interface ServerAsks {
  readonly roots: () => readonly { readonly uri: string; readonly name: string }[];
  readonly elicit: (ask: ElicitAsk, caller: McpCaller | undefined, signal: AbortSignal) => Promise<ElicitAnswer>;
  readonly sample: (ask: SampleAsk, caller: McpCaller | undefined, signal: AbortSignal) => Promise<Result<SampleAnswer, string>>;
}
