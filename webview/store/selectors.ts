import type { AgentView, PendingAsk, View, WorkspaceView } from '../../extension/protocol/view';

/** Agents as a tree reads: each before its children, in the order they were started. */
export function agentTree(agents: View['agents']): readonly { readonly agent: AgentView; readonly level: number; readonly hasChildren: boolean }[] {
  const all = Object.values(agents);
  const childrenOf = (id: string | undefined): AgentView[] => all.filter((a) => a.parentId === id).sort((a, b) => a.startedAtMs - b.startedAtMs);
  const known = new Set(all.map((a) => a.agentId));
  const roots = all.filter((a) => a.parentId === undefined || !known.has(a.parentId));
  const walk = (agent: AgentView, level: number): { agent: AgentView; level: number; hasChildren: boolean }[] => {
    const children = childrenOf(agent.agentId);
    return [{ agent, level, hasChildren: children.length > 0 }, ...children.flatMap((child) => walk(child, level + 1))];
  };
  return roots.flatMap((root) => walk(root, 0));
}

export function askingAgentId(ask: PendingAsk): string {
  return ask.request.agentPath.at(-1) ?? '';
}

export function agentName(agents: View['agents'], agentId: string): string {
  return agents[agentId]?.name ?? agentId;
}

/** "run a command" for the agent tree, the queue and announcements. */
export function askTitle(ask: PendingAsk): string {
  if (ask.kind === 'permission') return `wants to ${ask.request.subject.title}`;
  return ask.kind === 'plan' ? 'proposes a plan' : 'asks a question';
}

export function workingAgents(view: View): readonly AgentView[] {
  return Object.values(view.agents).filter((agent) => agent.status === 'working');
}

/** The first thing that waits for the person from this agent. */
export function askOf(view: View, agentId: string): PendingAsk | undefined {
  return view.pendingAsks.find((ask) => askingAgentId(ask) === agentId);
}

export type AgentState = 'queued' | 'working' | 'needsYou' | 'waiting' | 'idle' | 'done' | 'failed' | 'stopped';

export function agentState(view: View, agent: AgentView): AgentState {
  return askOf(view, agent.agentId) ? 'needsYou' : agent.status;
}

/** Worktrees that wait for a decision: what the Review tab counts. */
export function openWorktrees(workspace: WorkspaceView | undefined): number {
  return workspace?.worktrees.worktrees.filter(({ state }) => state !== 'merged' && state !== 'discarded').length ?? 0;
}
