import { type AgentResult, summaryOf } from '../agents/agentReport';
import type { BackgroundTask, TaskStatus } from '../tools/backgroundTasks';
import type { AgentPlan } from './agentPlan';

export interface AgentTaskParts {
  readonly agentId: string;
  readonly plan: AgentPlan;
  readonly sessionId: string;
  readonly outputFile: string;
  readonly done: Promise<AgentResult>;
  readonly stop: () => void;
}

/** An agent in the background as TaskStop finds it. */
export function agentTask({ agentId, plan, sessionId, outputFile, done, stop }: AgentTaskParts): BackgroundTask {
  let result: AgentResult | undefined;
  const ended = done.then((value) => {
    result = value;
  });
  const status = (): TaskStatus => (result === undefined ? 'running' : result.outcome === 'done' ? 'completed' : result.outcome === 'failed' ? 'failed' : 'killed');
  const summary = (): string => (result === undefined ? 'working' : summaryOf(result));
  return { id: agentId, kind: 'agent', sessionId, agentId: plan.parentId, callId: plan.callId, title: plan.name, outputFile, status, summary, stop, ended };
}
