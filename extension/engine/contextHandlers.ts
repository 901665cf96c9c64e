import { mainAgentId } from '../base/ids';
import { CallError } from '../protocol/callError';
import type { Handlers } from '../protocol/methods';
import type { LiveAgent } from './liveAgent';
import type { Sessions } from './sessions';

/** What fills an agent's context, and making room in it. */
export function contextHandlers({ sessions }: { readonly sessions: Sessions }) {
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
  } satisfies Partial<Handlers>;
}
