import { err, ok, type Result } from '../base/result';
import type { ModelSpend } from '../hooks/hookFire';
import { agentHookReplies } from '../hooks/hookLimits';
import type { PermissionBroker } from '../permissions/permissionTypes';
import type { FileStore } from '../platform/fileStore';
import type { Clock, ModelAccess, ModelEvent } from '../ports';
import type { AssistantBlock, ModelMessage } from '../protocol/content';
import type { Tool, ToolContext } from '../tools/defineTool';
import { createToolRegistry } from '../tools/registry';
import { runToolCalls } from '../tools/scheduler';

export interface HookAgentPorts {
  readonly models: ModelAccess;
  /** Read-only ones. */
  readonly tools: readonly Tool[];
  readonly broker: PermissionBroker;
  readonly context: (callId: string) => ToolContext;
  readonly outputsDir: string;
  readonly store: FileStore;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const quiet = (): void => undefined;

/**
 * A model that looks at files before it answers a hook's question. It asks nobody, changes nothing, starts no hooks of
 * its own, and its conversation is not part of the session's.
 */
export async function runHookAgent(task: { readonly prompt: string; readonly model: string | undefined; readonly spent: (spent: ModelSpend) => void }, ports: HookAgentPorts): Promise<Result<string, string>> {
  const client = ports.models.client();
  const model = task.model ?? ports.models.smallModel();
  if (!client || !model) return err('no model is set up to answer it');
  const tools = createToolRegistry(ports.tools);
  const messages: ModelMessage[] = [{ role: 'user', content: [{ type: 'text', text: task.prompt }] }];
  for (let replies = 0; replies < agentHookReplies; replies++) {
    const reply = await lastOf(client.stream({ model, system: [], tools: tools.schemas(), messages: [...messages] }, ports.signal));
    if (!reply) return err('the model gave no answer');
    task.spent({ model, usage: reply.usage, costUsd: reply.costUsd });
    if (reply.type === 'failed') return err(reply.problem.message);
    if (reply.stopReason === 'aborted') return err('it was stopped');
    const calls = reply.content.filter((block) => block.type === 'tool_use');
    if (calls.length === 0) return ok(wordsOf(reply.content));
    const { outputsDir, store, clock, signal, broker, context } = ports;
    const finished = await runToolCalls({ calls, tools, broker, context: (call) => context(call.id), listener: { started: quiet, spawned: quiet, output: quiet, completed: quiet }, outputsDir, store, clock, signal });
    messages.push({ role: 'assistant', content: [...reply.content] });
    messages.push({ role: 'user', content: calls.map((call, i) => ({ type: 'tool_result', tool_use_id: call.id, content: resultOf(finished[i]?.content), ...(finished[i]?.outcome === 'completed' ? {} : { is_error: true }) })) });
  }
  return err(`it did not come to an end within ${agentHookReplies} replies`);
}

type Ending = Extract<ModelEvent, { type: 'end' | 'failed' }>;

async function lastOf(stream: AsyncIterable<ModelEvent>): Promise<Ending | undefined> {
  let last: Ending | undefined;
  for await (const event of stream) if (event.type === 'end' || event.type === 'failed') last = event;
  return last;
}

function wordsOf(content: readonly AssistantBlock[]): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

function resultOf(content: string | readonly unknown[] | undefined): string {
  return typeof content === 'string' ? content : JSON.stringify(content ?? '');
}
