import { estimateTokens } from '../base/estimateTokens';
import { mainAgentId } from '../base/ids';
import { CallError } from '../protocol/callError';
import type { Handlers } from '../protocol/methods';
import type { MemoryFile } from '../session/memoryFilesLoader';
import type { MemoryTargets } from '../session/memoryStore';
import type { LiveAgent } from './liveAgent';
import type { Sessions } from './sessions';

export interface ContextPorts {
  readonly sessions: Sessions;
  readonly memory: {
    readonly targets: MemoryTargets;
    readonly files: () => Promise<readonly MemoryFile[]>;
  };
}

/** What fills an agent's context, and making room in it. */
export function contextHandlers({ sessions, memory }: ContextPorts) {
  const agentOf = async (sessionId: string, agentId = mainAgentId): Promise<LiveAgent> => {
    const agent = await sessions.get(sessionId).liveAgent(agentId);
    if (!agent) throw new CallError('notFound', `The agent ${agentId} is not open here; send it a message first.`);
    return agent;
  };
  return {
    'context/report': async ({ sessionId, agentId }) => (await agentOf(sessionId, agentId)).contextReport(),
    'context/compact': async ({ sessionId, agentId, instructions }) => {
      const problem = await (await agentOf(sessionId, agentId)).compact(instructions ?? '');
      return problem === undefined ? {} : { problem };
    },
    'memory/add': async ({ sessionId, scope, text }) => {
      const session = sessions.get(sessionId);
      const { addMemory } = await import('../session/memoryStore');
      const added = await addMemory(memory.targets, { scope, text });
      if (!added.ok) throw new CallError('invalid', added.problem);
      session.remind(`The person added this to the memory file ${added.value}; follow it from now on:\n${text.trim()}`);
      return { path: added.value };
    },
    'memory/list': async () => ({ files: (await memory.files()).map(({ path, source, why, text }) => ({ path, source, why, tokens: estimateTokens(text) })) }),
  } satisfies Partial<Handlers>;
}
