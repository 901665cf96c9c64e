import * as z from 'zod';
import { err, ok, type Result } from '../base/result';
import type { ModelChoice } from '../protocol/methods';
import { hostOf, keyRefused, networkWords } from './errorMessages';
import { toFailure } from './failure';
import { authHeaders, type FetchLike, type ModelKey } from './fetchLike';
import { modelFacts, modelLabel } from './modelTable';

export interface ModelServer {
  /** As `normalBaseUrl` spells it. */
  readonly baseUrl: string;
  readonly key: ModelKey | undefined;
  readonly fetch: FetchLike;
}

/** `noList`: the server works but has no list of models; the others are words for the person. */
export type ListProblem = { readonly code: 'noList' | 'keyRefused' | 'network' | 'server'; readonly message: string };

const count = z.int().min(1).nullish();
const ListedModel = z.looseObject({
  id: z.string().optional(),
  name: z.string().optional(),
  model: z.string().optional(),
  display_name: z.string().nullish(),
  max_input_tokens: count,
  max_model_len: count,
  context_length: count,
  context_window: count,
});
/** Anthropic's and OpenAI's lists have `data`, Ollama's has `models`; some servers send the bare array. */
const ListAnswer = z.union([
  z.looseObject({ data: z.array(ListedModel) }).transform((answer) => answer.data),
  z.looseObject({ models: z.array(ListedModel) }).transform((answer) => answer.models),
  z.array(ListedModel),
]);

/** Undefined when the answer is no list of models. Models that only embed, rank or listen are left out. */
export function parseModelList(answer: unknown, provider: string): readonly ModelChoice[] | undefined {
  const parsed = ListAnswer.safeParse(answer);
  if (!parsed.success) return undefined;
  const choices = parsed.data.flatMap((model) => {
    const id = model.id ?? model.model ?? model.name;
    if (!id || /embed|rerank|whisper|moderation/i.test(id)) return [];
    const context = model.max_input_tokens ?? model.max_model_len ?? model.context_length ?? model.context_window ?? (/claude/.test(id) ? modelFacts(id).contextTokens : undefined);
    return [{ id, label: model.display_name || modelLabel(id), provider, ...(context ? { contextTokens: context } : {}) }];
  });
  return choices.filter((choice, index) => choices.findIndex((other) => other.id === choice.id) === index);
}

/** Asks `/v1/models`, then Ollama's `/api/tags`. */
export async function fetchModels(server: ModelServer, signal: AbortSignal): Promise<Result<readonly ModelChoice[], ListProblem>> {
  const host = hostOf(server.baseUrl);
  for (const path of ['/v1/models?limit=1000', '/api/tags']) {
    const answer = await askServer(server, { path }, signal);
    if (!answer.ok) return answer;
    const { status, body } = answer.value;
    if (status === 401) return err({ code: 'keyRefused', message: keyRefused(host, server.key !== undefined) });
    if (status === 403) return err({ code: 'keyRefused', message: `${host} does not let this key list models (403). Check what the key may use.` });
    if (status >= 500 || status === 429) return err({ code: 'server', message: `${host} answered ${status}. Try again in a while.` });
    const models = status === 200 ? parseModelList(body, host) : undefined;
    if (models) return ok(models);
  }
  return err({ code: 'noList', message: `${host} has no list of models. Type the model's name instead.` });
}

export interface ServerAnswer {
  readonly status: number;
  /** Undefined when it was no JSON. */
  readonly body: unknown;
}

/** One plain call with the server's key; only a connection that failed is a problem. */
export async function askServer(server: ModelServer, call: { readonly path: string; readonly json?: unknown }, signal: AbortSignal): Promise<Result<ServerAnswer, ListProblem>> {
  const headers = new Headers({ accept: 'application/json', 'anthropic-version': '2023-06-01' });
  for (const [name, value] of Object.entries(authHeaders(server.key, server.baseUrl))) if (value !== null) headers.set(name, value);
  if (call.json !== undefined) headers.set('content-type', 'application/json');
  try {
    const response = await server.fetch(server.baseUrl + call.path, {
      method: call.json === undefined ? 'GET' : 'POST',
      headers,
      signal,
      ...(call.json === undefined ? {} : { body: JSON.stringify(call.json) }),
    });
    const text = await response.text();
    return ok({ status: response.status, body: parseJson(text) });
  } catch (thrown) {
    if (signal.aborted) return err({ code: 'network', message: `${hostOf(server.baseUrl)} did not answer in time. Check the address and that the server runs.` });
    return err({ code: 'network', message: networkWords(toFailure(thrown, 0), hostOf(server.baseUrl)) });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}
