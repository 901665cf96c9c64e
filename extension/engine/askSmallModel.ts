import { err, ok, type Result } from '../base/result';
import type { ModelAccess } from '../ports';

/** A side question without tools or history, on the small model or the one that is named. @returns problem: words for a tool's result */
export async function askSmallModel(models: ModelAccess, prompt: string, signal: AbortSignal, named?: string): Promise<Result<string, string>> {
  const client = models.client();
  const model = named ?? models.smallModel();
  if (!client || !model) return err('No model is set up to answer this.');
  for await (const event of client.stream({ model, system: [], tools: [], messages: [{ role: 'user', content: [{ type: 'text', text: prompt }] }] }, signal)) {
    if (event.type === 'failed') return err(event.problem.message);
    if (event.type === 'end') return event.stopReason === 'aborted' ? err('Stopped.') : ok(event.content.map((block) => (block.type === 'text' ? block.text : '')).join(''));
  }
  return err('The model gave no answer.');
}
