import * as z from 'zod';
import { err, ok, type Result } from '../base/result';
import { hostOf, keyRefused } from './errorMessages';
import { askServer, fetchModels, type ModelServer } from './modelList';

const ErrorAnswer = z.looseObject({ error: z.union([z.string(), z.looseObject({ message: z.string() })]) });

/** Whether the server takes the key and has the model: its list says so, or else a request of one token. */
export async function checkServer(server: ModelServer, model: string | undefined, signal: AbortSignal): Promise<Result<void, string>> {
  const listed = await fetchModels(server, signal);
  if (listed.ok) {
    const ids = listed.value.map((choice) => choice.id);
    if (model === undefined || ids.length === 0 || ids.some((id) => sameModel(id, model))) return ok(undefined);
    return err(`${hostOf(server.baseUrl)} does not have the model "${model}". It has: ${ids.slice(0, 8).join(', ')}${ids.length > 8 ? ', …' : ''}.`);
  }
  return listed.problem.code === 'noList' && model !== undefined ? checkByRequest(server, model, signal) : err(listed.problem.message);
}

/** Ollama lists `name:latest` for `name`; Anthropic lists dated ids for their short forms. */
function sameModel(listed: string, asked: string): boolean {
  return listed === asked || listed === `${asked}:latest` || (listed.startsWith(`${asked}-`) && /-\d{8}$/.test(listed));
}

async function checkByRequest(server: ModelServer, model: string, signal: AbortSignal): Promise<Result<void, string>> {
  const host = hostOf(server.baseUrl);
  const answer = await askServer(server, { path: '/v1/messages', json: { model, max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] } }, signal);
  if (!answer.ok) return err(answer.problem.message);
  const { status, body } = answer.value;
  const parsed = ErrorAnswer.safeParse(body);
  const said = parsed.success ? ` The server says: ${typeof parsed.data.error === 'string' ? parsed.data.error : parsed.data.error.message}` : '';
  if (status === 200 || status === 429 || status === 529) return ok(undefined);
  if (status === 401 || status === 403) return err(keyRefused(host, server.key !== undefined));
  if (status === 404 && /model/i.test(said)) return err(`${host} does not know the model "${model}".${said}`);
  if (status === 404 || status === 405) return err(`${host} does not speak the Messages API (no /v1/messages). Use a server that does, or put a gateway such as LiteLLM in front of it.`);
  return err(`${host} answered ${status}.${said}`);
}
