import type { Clock, ModelClient, ModelEvent, ModelRequest } from '../../ports';
import { demoModel } from '../modelResolution';
import type { DemoPace } from './demoStream';

export const unpaced: DemoPace = { wordMs: 0, agentMs: 0 };
const readable: DemoPace = { wordMs: 28, agentMs: 900 };

/** A scripted model that walks a person through the product with real tools. Its script is loaded at the first request. */
export function createDemoClient({ clock, pace = readable }: { readonly clock: Clock; readonly pace?: DemoPace | undefined }): ModelClient {
  return {
    capabilities: () => ({ contextTokens: 200_000, maxOutputTokens: 8_000, images: true, documents: true, systemRole: true, cacheControl: false, reportsUsage: false, thinking: 'none' }),
    stream: (request, signal) => play(request, signal, { clock, pace }),
  };
}

async function* play(request: ModelRequest, signal: AbortSignal, how: { readonly clock: Clock; readonly pace: DemoPace }): AsyncGenerator<ModelEvent, void> {
  const { demoStream } = await import('./demoStream');
  yield* demoStream(request, signal, { ...how, model: demoModel });
}
