import type { AgentView, View } from '../../extension/protocol/view';
import { agentName, askingAgentId, askTitle } from './selectors';

/** What a screen reader should hear about the step from `before` to `after`: asks and ends, never tokens. */
export function milestone(before: View, after: View): string | undefined {
  if (before.session.sessionId !== after.session.sessionId) return `Session ${after.session.title || 'without a title'} is open.`;
  const said = [...newAsks(before, after), ...Object.values(after.agents).flatMap((agent) => ended(before.agents[agent.agentId], agent))];
  return said.length === 0 ? undefined : said.join(' ');
}

function newAsks(before: View, after: View): string[] {
  if (before.pendingAsks === after.pendingAsks) return [];
  const known = new Set(before.pendingAsks.map((ask) => ask.request.requestId));
  return after.pendingAsks.filter((ask) => !known.has(ask.request.requestId)).map((ask) => `${agentName(after.agents, askingAgentId(ask))} ${askTitle(ask)}.`);
}

function ended(before: AgentView | undefined, after: AgentView): string[] {
  if (!before || before === after || before.status === after.status) return [];
  switch (after.status) {
    case 'idle':
      return [`${after.name} has finished.`];
    case 'done':
      return [`${after.name} is done.`];
    case 'failed':
      return [`${after.name} failed.`];
    case 'stopped':
      return [`${after.name} was stopped.`];
    default:
      return [];
  }
}
