import type { AgentResult } from '../agents/agentReport';
import type { AgentView } from '../protocol/view';
import type { EventLog } from '../session/eventLog';

type Recorded = Pick<EventLog, 'view' | 'events'>;

/** The text of an agent's last reply that has any, in its last run. */
export function lastWordsOf(log: Recorded, agentId: string): string {
  for (let at = log.events.length - 1; at >= 0; at--) {
    const event = log.events[at];
    if (event?.type === 'message/completed' && event.agentId === agentId) {
      const text = event.content.map((block) => (block.type === 'text' ? block.text : '')).join('').trim();
      if (text !== '') return text;
    }
    // Before its last run there are only the words of an earlier one.
    if ((event?.type === 'agent/finished' || event?.type === 'agent/spawned') && event.agentId === agentId) return '';
  }
  return '';
}

/** It has not ended, or works again since a person spoke to it. */
export function isUnfinished(agent: AgentView): boolean {
  return agent.finishedAtMs === undefined || agent.status === 'working' || agent.status === 'waiting' || agent.status === 'queued';
}

export function toolUsesOf(log: Recorded, agentId: string): number {
  return (log.view.conversations[agentId] ?? []).filter((entry) => entry.kind === 'tool').length;
}

/** How an agent ended, as its events tell it; undefined when it has not, or never was. */
export function resultFromLog(log: Recorded, agentId: string): { readonly parentId: string; readonly result: AgentResult } | undefined {
  const agent = log.view.agents[agentId];
  const at = log.events.findLastIndex((event) => event.type === 'agent/finished' && event.agentId === agentId);
  const finished = log.events[at];
  if (!agent || agent.parentId === undefined || finished?.type !== 'agent/finished') return undefined;
  const report = lastWordsOf({ view: log.view, events: log.events.slice(0, at) }, agentId);
  const result: AgentResult = {
    outcome: finished.outcome,
    report,
    ...(finished.outcome === 'done' ? {} : { why: finished.summary }),
    agentId,
    name: agent.name,
    agentType: agent.agentType,
    usage: finished.usage ?? agent.usage,
    toolUses: toolUsesOf(log, agentId),
    durationMs: finished.durationMs,
  };
  return { parentId: agent.parentId, result };
}
