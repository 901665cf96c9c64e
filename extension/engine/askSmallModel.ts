import { err, ok, type Result } from '../base/result';
import type { ModelSpend } from '../hooks/hookFire';
import type { ModelAccess } from '../ports';

export interface SmallQuestion {
  readonly prompt: string;
  readonly signal: AbortSignal;
  /** In place of the small model. */
  readonly model?: string | undefined;
  readonly spent?: (spent: ModelSpend) => void;
}

/** A side question without tools or history. @returns problem: words for a tool's result */
export async function askSmallModel(models: ModelAccess, { prompt, signal, model: named, spent }: SmallQuestion): Promise<Result<string, string>> {
  const client = models.client();
  const model = named ?? models.smallModel();
  if (!client || !model) return err('No model is set up to answer this.');
  for await (const event of client.stream({ model, system: [], tools: [], messages: [{ role: 'user', content: [{ type: 'text', text: prompt }] }] }, signal)) {
    if (event.type !== 'failed' && event.type !== 'end') continue;
    spent?.({ model, usage: event.usage, costUsd: event.costUsd });
    if (event.type === 'failed') return err(event.problem.message);
    return event.stopReason === 'aborted' ? err('Stopped.') : ok(event.content.map((block) => (block.type === 'text' ? block.text : '')).join(''));
  }
  return err('The model gave no answer.');
}
