import type { ModelClient } from '../ports';
import { resolveModel } from './modelTable';

type Env = Readonly<Record<string, string | undefined>>;

/** Whether the list of the settings (`availableModels`) lets a model be used: by its id, an alias that stands for it, or its family. No list lets all. */
export function isAvailable(model: string, allowed: readonly string[] | undefined, env: Env): boolean {
  if (allowed === undefined) return true;
  return allowed.some((entry) => {
    const name = entry.trim();
    return name === model || resolveModel(name, { fallback: '', env }) === model || (/^[a-z]+$/i.test(name) && new RegExp(`(^|-)${name}(-|$)`, 'i').test(model));
  });
}

/** A client that sends nothing to a model the settings don't let be used: whoever picked it is told which there are. */
export function onlyAvailable(client: ModelClient, allowed: () => readonly string[] | undefined, env: Env): ModelClient {
  return {
    capabilities: client.capabilities,
    stream: (request, signal) => {
      const list = allowed();
      const model = resolveModel(request.model, { fallback: request.model, env });
      return isAvailable(model, list, env) ? client.stream(request, signal) : refused(model, list ?? []);
    },
  };
}

async function* refused(model: string, allowed: readonly string[]): ReturnType<ModelClient['stream']> {
  const message = `The settings let only these models be used (availableModels): ${allowed.join(', ') || 'none'}. ${model} is none of them; pick another one with /model.`;
  yield { type: 'failed', problem: { code: 'permission', message, retryable: false }, content: [], usage: {}, costUsd: 0 };
}
