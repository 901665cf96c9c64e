import type { Clock, ModelEvent, ModelRequest } from '../../ports';
import type { AssistantBlock } from '../../protocol/content';
import { demoScript } from './demoScript';
import { callId } from './demoTalk';

export interface DemoPace {
  /** Between two words. */
  readonly wordMs: number;
  /** Before a sub-agent's reply, so that a person sees the tree at work. */
  readonly agentMs: number;
}

/** Plays the script's reply at a pace that can be read. */
export async function* demoStream(request: ModelRequest, signal: AbortSignal, { clock, pace, model }: { readonly clock: Clock; readonly pace: DemoPace; readonly model: string }): AsyncGenerator<ModelEvent, void> {
  const reply = demoScript(request);
  const content: AssistantBlock[] = [];
  const end = (stopReason: 'end_turn' | 'tool_use' | 'aborted'): ModelEvent => ({ type: 'end', content, stopReason, model, usage: {}, costUsd: 0 });
  yield { type: 'start', model };
  if (reply.isAgent && pace.agentMs > 0) await clock.sleep(pace.agentMs, signal);
  let said = '';
  for (const word of reply.text.match(/\S+\s*/g) ?? []) {
    if (signal.aborted) break;
    yield { type: 'text', block: 0, text: word };
    said += word;
    if (pace.wordMs > 0) await clock.sleep(pace.wordMs, signal);
  }
  if (said !== '') content.push({ type: 'text', text: said });
  if (signal.aborted) return yield end('aborted');
  for (const [place, call] of reply.calls.entries()) {
    const block = content.length;
    yield { type: 'input', block, tool: call.tool, text: JSON.stringify(call.input) };
    content.push({ type: 'tool_use', id: callId(call.label, reply.talk.mark, place), name: call.tool, input: { ...call.input } });
  }
  yield end(reply.calls.length > 0 ? 'tool_use' : 'end_turn');
}
