import { callTool, describeRequest, type ScriptItem } from './script';
import { caller, type TestSession } from './startEngine';
import type { AgentView, View } from '../../extension/protocol/view';

/** A call of the Agent tool; `brief` is what routes the agent's requests (`when({first: brief}, …)`). */
export const agent = (brief: string, id: string, more: Readonly<Record<string, unknown>> = {}): ScriptItem => callTool('Agent', { description: `does ${brief}`, prompt: `Please do ${brief}.`, ...more }, { id });
export const bash = (command: string, id: string): ScriptItem => callTool('Bash', { command }, { id });

/** Requests of the agent with that brief, oldest first. */
export function requestsOf(session: Pick<TestSession, 'server'>, brief: string) {
  return session.server
    .messageRequests()
    .map(({ body }) => describeRequest(body as Readonly<Record<string, unknown>>))
    .filter(({ firstText }) => firstText.includes(brief));
}

export const untilAsked = (session: Pick<TestSession, 'server'>, brief: string, count = 1): Promise<void> => session.server.waitFor(() => requestsOf(session, brief).length >= count);

export function agentNamed(view: View, brief: string): AgentView {
  const found = Object.values(view.agents).find((one) => one.description === `does ${brief}`);
  if (!found) throw new Error(`no agent does ${brief}`);
  return found;
}

export const stop = (session: Pick<TestSession, 'engine' | 'sessionId'>, agentId: string) => session.engine.handlers['agent/stop']({ sessionId: session.sessionId, agentId }, caller);

/** The text a call's result gave to the model. */
export async function resultOf(session: TestSession, callId: string, agentId = 'main'): Promise<string> {
  const completed = session.log().findLast((event) => event.type === 'tool/completed' && event.callId === callId && event.agentId === agentId);
  if (completed?.type !== 'tool/completed') throw new Error(`${callId} has no result`);
  return typeof completed.content === 'string' ? completed.content : JSON.stringify(completed.content);
}
