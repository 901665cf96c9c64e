import type { AgentResult } from '../agents/agentReport';
import type { PermissionBroker } from '../permissions/permissionTypes';
import type { PermissionMode } from '../protocol/permission';
import type { AgentPlan } from './agentPlan';
import type { LiveAgent } from './liveAgent';

/** One sub-agent, from its start or its finding again on. */
export interface Child {
  readonly agentId: string;
  readonly plan: AgentPlan;
  readonly agent: LiveAgent;
  readonly broker: PermissionBroker;
  readonly mode: () => PermissionMode;
  abort: AbortController;
  state: 'ready' | 'running' | 'ending' | 'ended';
  done: Promise<AgentResult>;
  finish: (result: AgentResult) => void;
  /** Agents it waits for; while there are any its place is lent. */
  waitingFor: number;
  /** The call that started it waits for it. */
  isAwaited: boolean;
  startedAtMs: number;
}

export function isOver({ state }: Child): boolean {
  return state === 'ending' || state === 'ended';
}

/** The end of an agent, to be waited for. */
export function promised(): Pick<Child, 'done' | 'finish'> {
  let finish: (result: AgentResult) => void = () => undefined;
  const done = new Promise<AgentResult>((resolve) => {
    finish = resolve;
  });
  return { done, finish };
}
