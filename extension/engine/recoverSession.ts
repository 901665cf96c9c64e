import { scanReport } from '../agents/agentReport';
import { mainAgentId } from '../base/ids';
import type { DurableEvent } from '../protocol/events';
import type { AgentView, View } from '../protocol/view';
import type { EventLog } from '../session/eventLog';
import { History } from '../session/history';
import { isSideCallId } from '../session/sideCallId';
import { isUnfinished, lastWordsOf } from './agentRecord';
import type { AgentTree } from './agentTree';
import type { LiveAgent } from './liveAgent';

export interface RecoveryPorts {
  readonly log: EventLog;
  readonly nowMs: () => number;
  readonly main: LiveAgent;
  /** Only called when there were sub-agents that go on or are to be told of. */
  readonly tree: () => Promise<AgentTree>;
}

const cutOff = 'The window was closed or crashed while this ran. It was not run again; check what it had done before repeating it.';

/**
 * What a crash or a closed window left open is told apart: an agent whose ask waits goes on when it is answered, and
 * so do those that wait for it; all others are interrupted, and so are their calls. Nothing runs twice.
 */
export async function recoverSession(ports: RecoveryPorts): Promise<void> {
  const { log, main } = ports;
  await main.recall();
  cancelServerAsks(log);
  const kept = await keepAgents(ports);
  const left = Object.values(log.view.agents).filter((agent) => agent.agentId !== mainAgentId && isUnfinished(agent) && !kept.includes(agent.agentId));
  for (const agent of left.toSorted((a, b) => b.depth - a.depth)) interrupt(ports, agent);
  for (const agentId of kept) closeCalls(log, { agentId, history: new History(agentId, log.events), kept });
  closeCalls(log, { agentId: mainAgentId, history: main.history, kept });
  const untold = untoldAgents(log.events, kept);
  if (untold.length > 0) (await ports.tree()).tellEnded(untold);
  const waits = log.view.pendingAsks.some((ask) => leafOf(ask) === mainAgentId) || main.history.openCalls().started.some((call) => goesOn(log.view, { agentId: mainAgentId, callId: call.id, kept }));
  if (!waits) closeTurn(log, mainAgentId);
}

/** The server that asked ended with the window. */
function cancelServerAsks(log: EventLog): void {
  for (const ask of log.view.pendingAsks) {
    const { requestId, callId } = ask.request;
    if (!isSideCallId(callId)) continue;
    if (ask.kind === 'permission') log.append({ type: 'permission/resolved', requestId, decision: { behavior: 'cancelled' }, by: 'abort' });
    else if (ask.kind === 'question') log.append({ type: 'question/answered', requestId, reply: { behavior: 'cancelled' } });
  }
}

async function keepAgents({ log, tree }: RecoveryPorts): Promise<readonly string[]> {
  const wanted = agentsThatGoOn(log.view, log.events, new Set());
  if (wanted.length === 0) return [];
  const agents = await tree();
  const failed = await agents.restore(wanted);
  const kept = failed.size === 0 ? wanted : agentsThatGoOn(log.view, log.events, new Set(failed.keys()));
  agents.forget(wanted.filter((agentId) => !kept.includes(agentId)));
  return kept;
}

/** Sub-agents with an open ask, and above each those that wait for it; parents first. */
export function agentsThatGoOn(view: View, events: readonly DurableEvent[], lost: ReadonlySet<string>): readonly string[] {
  const background = new Set(events.flatMap((event) => (event.type === 'agent/spawned' && event.background ? [event.agentId] : [])));
  const kept = new Set<string>();
  for (const ask of view.pendingAsks) {
    const path = pathTo(view, leafOf(ask), background);
    if (!path.some((agentId) => lost.has(agentId))) for (const agentId of path) kept.add(agentId);
  }
  return [...kept].toSorted((a, b) => (view.agents[a]?.depth ?? 0) - (view.agents[b]?.depth ?? 0));
}

function pathTo(view: View, leaf: string, background: ReadonlySet<string>): readonly string[] {
  const path: string[] = [];
  for (let agent = view.agents[leaf]; agent && agent.agentId !== mainAgentId && isUnfinished(agent); agent = view.agents[agent.parentId ?? mainAgentId]) {
    path.push(agent.agentId);
    if (background.has(agent.agentId)) break;
  }
  return path;
}

function interrupt({ log, nowMs }: RecoveryPorts, agent: AgentView): void {
  const { agentId } = agent;
  for (const ask of log.view.pendingAsks.filter((one) => leafOf(one) === agentId)) {
    const { requestId } = ask.request;
    if (ask.kind === 'permission') log.append({ type: 'permission/resolved', requestId, decision: { behavior: 'cancelled' }, by: 'abort' });
    else log.append({ type: ask.kind === 'plan' ? 'plan/resolved' : 'question/answered', requestId, reply: { behavior: 'cancelled' } });
  }
  closeCalls(log, { agentId, history: new History(agentId, log.events), kept: [] });
  closeTurn(log, agentId);
  log.append({ type: 'agent/finished', agentId, outcome: 'stopped', summary: 'Interrupted: the window was closed while it worked', usage: agent.usage, costUsd: agent.costUsd, durationMs: Math.max(0, nowMs() - agent.startedAtMs) });
}

interface Calls {
  readonly agentId: string;
  readonly history: History;
  readonly kept: readonly string[];
}

function closeCalls(log: EventLog, { agentId, history, kept }: Calls): void {
  const questions = new Set(log.view.pendingAsks.filter((ask) => ask.kind !== 'permission' && leafOf(ask) === agentId).map((ask) => ask.request.callId));
  for (const call of history.openCalls().started) {
    if (questions.has(call.id) || goesOn(log.view, { agentId, callId: call.id, kept })) continue;
    log.append({ type: 'tool/completed', agentId, turnId: '', callId: call.id, name: call.name, outcome: 'interrupted', content: interruptedText(log, agentId, call.id), durationMs: 0 });
  }
}

/** An Agent call tells what its agent had said last. */
function interruptedText(log: EventLog, agentId: string, callId: string): string {
  const child = Object.values(log.view.agents).find((agent) => agent.parentId === agentId && agent.callId === callId);
  if (!child) return cutOff;
  const words = lastWordsOf({ view: log.view, events: log.events.filter((event) => event.type !== 'agent/finished') }, child.agentId);
  return `The window was closed or crashed while the agent ${child.name} worked. It was not started again; check what it had done before you start another. ${words === '' ? 'It had said nothing yet.' : `What it had said last:\n\n${scanReport(words).text}`}`;
}

function goesOn(view: View, { agentId, callId, kept }: { readonly agentId: string; readonly callId: string; readonly kept: readonly string[] }): boolean {
  return kept.some((id) => view.agents[id]?.parentId === agentId && view.agents[id]?.callId === callId);
}

function closeTurn(log: EventLog, agentId: string): void {
  const last = log.events.findLast((event) => (event.type === 'turn/started' || event.type === 'turn/completed') && event.agentId === agentId);
  if (last?.type !== 'turn/started') return;
  log.append({ type: 'turn/completed', agentId, turnId: last.turnId, stop: 'interrupted', problem: { code: 'reload', message: 'The window was closed while this turn ran.', retryable: true }, usage: {}, costUsd: 0, durationMs: 0 });
}

/** Agents that ended in the background and whose parent, which goes on, was not told. */
function untoldAgents(events: readonly DurableEvent[], kept: readonly string[]): readonly string[] {
  const ended = new Set(events.flatMap((event) => (event.type === 'agent/finished' ? [event.agentId] : [])));
  const told = events.flatMap((event) => (event.type === 'message/received' && event.origin === 'notification' ? event.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])) : []));
  return events.flatMap((event) => {
    if (event.type !== 'agent/spawned' || !event.background || !ended.has(event.agentId)) return [];
    const canHear = event.parentId === mainAgentId || kept.includes(event.parentId);
    return canHear && !told.some((text) => text.includes(`<task-id>${event.agentId}</task-id>`)) ? [event.agentId] : [];
  });
}

function leafOf(ask: View['pendingAsks'][number]): string {
  return ask.request.agentPath.at(-1) ?? mainAgentId;
}
