import { assertNever } from '../base/assertNever';
import { mainAgentId } from '../base/ids';
import type { AssistantBlock, ResultBlock, Usage } from './content';
import { addUsage } from './addUsage';
import type { DurableEvent, EphemeralEvent, UiEvent } from './events';
import { shownContent, withHookRun } from './hookView';
import { isEphemeral } from './isEphemeral';
import type { AgentView, AssistantEntry, Entry, PendingAsk, ToolCall, ToolEntry, TurnUndo, View } from './view';

type Of<T extends UiEvent['type']> = Extract<UiEvent, { type: T }>;

export function emptyView(sessionId: string): View {
  return {
    seq: 0,
    session: { sessionId, title: '', projectRoot: '', cwd: '', model: undefined, mode: 'default', outputStyle: undefined, startedAtMs: 0, lastEventAtMs: 0 },
    agents: { [mainAgentId]: newAgent(mainAgentId, 0) },
    conversations: { [mainAgentId]: [] },
    streaming: {},
    pendingAsks: [],
    queue: [],
    notices: [],
    undo: {},
    usage: {},
    costUsd: 0,
  };
}

/** The one fold of events into what is shown. Pure; an event that does not fit the view changes nothing but `seq`. */
export function reduceView(view: View, event: UiEvent): View {
  if (isEphemeral(event)) return reduceEphemeral(view, event);
  const next = reduceDurable(view, event);
  return { ...next, seq: event.seq, session: { ...next.session, lastEventAtMs: event.atMs } };
}

function withUndo(view: View, turnId: string, undo: TurnUndo): View {
  return { ...view, undo: { ...view.undo, [turnId]: undo } };
}

function newAgent(agentId: string, atMs: number): AgentView {
  return {
    agentId,
    parentId: undefined,
    name: 'lead',
    agentType: 'main',
    description: '',
    model: undefined,
    status: 'idle',
    activity: '',
    depth: 0,
    worktree: undefined,
    callId: undefined,
    usage: {},
    costUsd: 0,
    contextTokens: undefined,
    startedAtMs: atMs,
    finishedAtMs: undefined,
    summary: undefined,
    liveTokens: 0,
    waiting: undefined,
  };
}

function reduceDurable(view: View, event: DurableEvent): View {
  switch (event.type) {
    case 'session/started':
      return {
        ...view,
        session: { ...view.session, sessionId: event.sessionId, projectRoot: event.projectRoot, cwd: event.cwd, model: event.model, mode: event.mode, outputStyle: event.outputStyle, startedAtMs: event.atMs },
        agents: { ...view.agents, [mainAgentId]: { ...newAgent(mainAgentId, event.atMs), model: event.model } },
      };
    case 'session/renamed':
      return { ...view, session: { ...view.session, title: event.title } };
    case 'session/directoryAdded':
      return { ...view, session: { ...view.session, addedDirs: [...(view.session.addedDirs ?? []), event.path] } };
    case 'session/modeChanged':
      return { ...view, session: { ...view.session, mode: event.mode } };
    case 'session/modelChanged':
      return withAgent({ ...view, session: { ...view.session, model: event.model } }, mainAgentId, { model: event.model });
    case 'session/cwdChanged':
      return { ...view, session: { ...view.session, cwd: event.cwd } };
    case 'agent/spawned':
      return spawned(view, event);
    case 'agent/statusChanged':
      return withAgent(view, event.agentId, { status: event.status, activity: event.activity ?? '' });
    case 'agent/finished':
      return withAgent(view, event.agentId, { status: event.outcome, activity: '', summary: event.summary, finishedAtMs: event.atMs, liveTokens: 0, waiting: undefined });
    case 'context/compacted':
      return compacted(view, event);
    case 'turn/queued':
      return { ...view, queue: [...view.queue, { queueId: event.queueId, agentId: event.agentId, text: event.text, attachments: event.attachments }] };
    case 'turn/dequeued':
      return { ...view, queue: view.queue.filter((q) => q.queueId !== event.queueId) };
    case 'turn/started':
      return withAgent(view, event.agentId, { status: 'working', activity: '' });
    case 'turn/completed':
      return turnCompleted(view, event);
    case 'turn/snapshotTaken':
      return withUndo(view, event.turnId, event.off === undefined ? { state: 'ready' } : { state: 'off', reason: event.off });
    case 'turn/undone':
      return withUndo(view, event.turnId, { state: 'undone', report: event.report });
    case 'turn/redone':
      return withUndo(view, event.turnId, { state: 'ready' });
    case 'message/started':
      return {
        ...view,
        streaming: { ...view.streaming, [event.agentId]: { messageId: event.messageId, turnId: event.turnId, model: event.model, startedAtMs: event.atMs, blocks: [] } },
      };
    case 'message/completed':
      return messageCompleted(view, event);
    case 'message/received':
      return messageReceived(view, event);
    case 'tool/started':
      return toolStarted(view, event);
    case 'tool/spawned':
      return withCall(view, event.agentId, event.callId, (entry) => (entry.call.status === 'running' ? { ...entry, call: { ...entry.call, pid: event.pid } } : entry));
    case 'tool/completed':
      return toolCompleted(view, event);
    case 'hook/ran':
      return hookRan(event.spent ? counted(view, { agentId: event.agentId, ...event.spent }) : view, event);
    case 'permission/requested':
      return asked(view, { kind: 'permission', request: event.request });
    case 'permission/resolved':
      return answered(view, event.requestId);
    case 'permission/revoked':
      return view;
    case 'permission/classified':
      return counted(view, event);
    case 'question/asked':
      return append(asked(view, { kind: 'question', request: event.request }), leaf(event.request.agentPath), [
        { kind: 'question', id: event.request.requestId, request: event.request, reply: undefined, atMs: event.atMs },
      ]);
    case 'question/answered':
      return withEntry(answered(view, event.requestId), event.requestId, (entry) => (entry.kind === 'question' ? { ...entry, reply: event.reply } : entry));
    case 'plan/proposed':
      return append(asked(view, { kind: 'plan', request: event.request }), leaf(event.request.agentPath), [
        { kind: 'plan', id: event.request.requestId, request: event.request, reply: undefined, atMs: event.atMs },
      ]);
    case 'plan/resolved':
      return withEntry(answered(view, event.requestId), event.requestId, (entry) => (entry.kind === 'plan' ? { ...entry, reply: event.reply } : entry));
    case 'notice/raised':
      return append({ ...view, notices: [...view.notices, event.notice] }, event.notice.agentId ?? mainAgentId, [
        { kind: 'notice', id: event.notice.noticeId, notice: event.notice, atMs: event.atMs },
      ]);
    case 'notice/dismissed':
      return { ...view, notices: view.notices.filter((n) => n.noticeId !== event.noticeId) };
    default:
      return assertNever(event);
  }
}

function reduceEphemeral(view: View, event: EphemeralEvent): View {
  switch (event.type) {
    case 'message/delta':
      return delta(view, event);
    case 'tool/updated':
      return withCall(view, event.agentId, event.callId, (entry) =>
        entry.call.status === 'running' && entry.call.output.length >= event.offset
          ? { ...entry, call: { ...entry.call, output: entry.call.output.slice(0, event.offset) + event.text } }
          : entry,
      );
    case 'hook/waiting':
      return withCall(view, event.agentId, event.callId, (entry) => ({ ...entry, waitsForHooks: event.labels }));
    case 'agent/progress':
      return withAgent(view, event.agentId, { liveTokens: event.outputTokens });
    case 'model/waiting':
      return withAgent(view, event.agentId, { waiting: { reason: event.reason, attempt: event.attempt, untilMs: event.untilMs } });
    default:
      return assertNever(event);
  }
}

function spawned(view: View, event: Of<'agent/spawned'> & { atMs: number }): View {
  const agent: AgentView = {
    ...newAgent(event.agentId, event.atMs),
    parentId: event.parentId,
    name: event.name,
    agentType: event.agentType,
    description: event.description,
    model: event.model,
    status: 'working',
    depth: event.depth,
    worktree: event.worktree,
    callId: event.callId,
  };
  return {
    ...view,
    agents: { ...view.agents, [event.agentId]: agent },
    conversations: { ...view.conversations, [event.agentId]: view.conversations[event.agentId] ?? [] },
  };
}

/** What was spent, on the session and on the agent it was spent for. */
function counted(view: View, event: { readonly agentId: string; readonly usage: Usage; readonly costUsd: number | null }, change: Partial<AgentView> = {}): View {
  const agent = view.agents[event.agentId];
  const spent = { usage: addUsage(agent?.usage ?? {}, event.usage), costUsd: sumCost(agent ? agent.costUsd : 0, event.costUsd) };
  return withAgent({ ...view, usage: addUsage(view.usage, event.usage), costUsd: sumCost(view.costUsd, event.costUsd) }, event.agentId, { ...spent, ...change });
}

function hookRan(view: View, event: Of<'hook/ran'>): View {
  return event.callId === undefined ? view : withCall(view, event.agentId, event.callId, (entry) => withHookRun(entry, event));
}

function compacted(view: View, event: Of<'context/compacted'> & { seq: number; atMs: number }): View {
  const { trigger, beforeTokens, afterTokens, summary, atMs } = event;
  return append(counted(view, event, { contextTokens: afterTokens }), event.agentId, [{ kind: 'compaction', id: `compaction:${event.seq}`, trigger, beforeTokens, afterTokens, summary, atMs }]);
}

function sumCost(sum: number | null, more: number | null): number | null {
  return sum === null || more === null ? null : sum + more;
}

function turnCompleted(view: View, event: Of<'turn/completed'> & { atMs: number }): View {
  const status = event.stop === 'done' || event.stop === 'interrupted' ? 'idle' : 'failed';
  const { [event.agentId]: _gone, ...streaming } = view.streaming;
  const ended = withAgent({ ...view, streaming }, event.agentId, { status, activity: '', liveTokens: 0, waiting: undefined });
  return append(ended, event.agentId, [
    {
      kind: 'turnEnd',
      id: `${event.turnId}:end:${event.atMs}`,
      turnId: event.turnId,
      stop: event.stop,
      problem: event.problem,
      usage: event.usage,
      costUsd: event.costUsd,
      durationMs: event.durationMs,
      atMs: event.atMs,
    },
  ]);
}

function messageCompleted(view: View, event: Of<'message/completed'> & { atMs: number }): View {
  const { [event.agentId]: _gone, ...streaming } = view.streaming;
  const agent = view.agents[event.agentId];
  const cost = (sum: number | null): number | null => sumCost(sum, event.costUsd);
  const inputs = [event.usage.inputTokens, event.usage.cacheReadTokens, event.usage.cacheWriteTokens];
  const known = inputs.some((n) => n !== undefined);
  const counted = withAgent({ ...view, streaming, usage: addUsage(view.usage, event.usage), costUsd: cost(view.costUsd) }, event.agentId, {
    usage: addUsage(agent?.usage ?? {}, event.usage),
    costUsd: cost(agent ? agent.costUsd : 0),
    contextTokens: known ? inputs.reduce<number>((sum, n) => sum + (n ?? 0), event.usage.outputTokens ?? 0) : agent?.contextTokens,
    liveTokens: 0,
    waiting: undefined,
  });
  return append(
    counted,
    event.agentId,
    shownContent(event.content, event.shown).flatMap((block, i) => entryOf(block, i, event)),
  );
}

function entryOf(block: AssistantBlock, index: number, event: Of<'message/completed'> & { atMs: number }): Entry[] {
  const shared = { turnId: event.turnId, atMs: event.atMs };
  const text = (part: AssistantEntry['part'], value: string): Entry[] =>
    value.trim() === '' ? [] : [{ ...shared, kind: 'assistant', id: `${event.messageId}:${index}`, model: event.model, part, text: value, partial: event.partial ?? false }];
  switch (block.type) {
    case 'text':
      return text('text', block.text);
    case 'thinking':
      return text('thinking', block.thinking);
    case 'tool_use':
      return [{ ...shared, kind: 'tool', id: block.id, name: block.name, toolKind: 'other', title: '', input: block.input, call: { status: 'validating' } }];
    case 'redacted_thinking':
    case 'opaque':
      return [];
    default:
      return assertNever(block);
  }
}

function messageReceived(view: View, event: Of<'message/received'> & { atMs: number }): View {
  if (event.origin === 'context' || event.origin === 'reminder') return view;
  const text = event.shown ?? event.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  const entry: Entry = {
    kind: 'user',
    id: event.messageId,
    turnId: event.turnId,
    origin: event.origin,
    text,
    attachments: event.attachments ?? [],
    steering: event.steering ?? false,
    atMs: event.atMs,
  };
  const titled = view.session.title === '' && event.agentId === mainAgentId && event.origin === 'person' ? { ...view, session: { ...view.session, title: titleOf(text) } } : view;
  return append(titled, event.agentId, [entry]);
}

/** A session is named after its first message until somebody renames it. */
function titleOf(text: string): string {
  const line = text.trim().split('\n')[0] ?? '';
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

function toolStarted(view: View, event: Of<'tool/started'> & { atMs: number }): View {
  const running: ToolCall = { status: 'running', startedAtMs: event.atMs, output: '', pid: undefined };
  const changed = withCall(view, event.agentId, event.callId, (entry) => ({ ...entry, title: event.title, toolKind: event.kind, input: event.input, call: running }));
  return withAgent(changed, event.agentId, { activity: event.title === '' ? event.name : event.title, status: 'working' });
}

function toolCompleted(view: View, event: Of<'tool/completed'>): View {
  const text = textOf(event.content);
  const changed = withCall(view, event.agentId, event.callId, (entry) => ({ ...entry, call: endedCall(event, text), ...(event.decision ? { decision: event.decision } : {}) }));
  return withAgent(changed, event.agentId, { activity: activityOf(changed.conversations[event.agentId] ?? []) });
}

/** Calls of one step stand together at the end. */
const stepWindow = 40;

/** What still runs beside a call that has ended; nothing when it was the last. */
function activityOf(entries: readonly Entry[]): string {
  const running = entries.slice(-stepWindow).findLast((entry) => entry.kind === 'tool' && entry.call.status === 'running');
  return running?.kind !== 'tool' ? '' : running.title === '' ? running.name : running.title;
}

function endedCall(event: Of<'tool/completed'>, text: string): ToolCall {
  switch (event.outcome) {
    case 'completed':
    case 'failed':
      return { status: event.outcome, durationMs: event.durationMs, note: event.note, display: event.display, text: event.display ? '' : text };
    case 'denied':
      return { status: 'denied', text, decidedBy: event.decidedBy };
    case 'cancelled':
    case 'interrupted':
      return { status: event.outcome, text };
    default:
      return assertNever(event.outcome);
  }
}

const shownResultChars = 8_000;

function textOf(content: string | readonly ResultBlock[]): string {
  const whole = typeof content === 'string' ? content : content.map((b) => (b.type === 'text' ? b.text : `[${b.type}]`)).join('\n');
  return whole.length > shownResultChars ? `${whole.slice(0, shownResultChars)}\n…` : whole;
}

function asked(view: View, ask: PendingAsk): View {
  const agentId = leaf(ask.request.agentPath);
  const waiting = withAgent({ ...view, pendingAsks: [...view.pendingAsks, ask] }, agentId, { status: 'waiting' });
  if (ask.kind !== 'permission') return waiting;
  const { subject, requestId, callId } = ask.request;
  return withCall(waiting, agentId, callId, (entry) => ({
    ...entry,
    title: subject.command ?? subject.title,
    toolKind: subject.kind,
    call: { status: 'awaitingPermission', requestId },
  }));
}

function answered(view: View, requestId: string): View {
  const ask = view.pendingAsks.find((a) => a.request.requestId === requestId);
  if (!ask) return view;
  const pendingAsks = view.pendingAsks.filter((a) => a !== ask);
  const agentId = leaf(ask.request.agentPath);
  const stillWaiting = pendingAsks.some((a) => leaf(a.request.agentPath) === agentId);
  const next = withAgent({ ...view, pendingAsks }, agentId, stillWaiting ? {} : { status: 'working' });
  if (ask.kind !== 'permission') return next;
  return withCall(next, agentId, ask.request.callId, (entry) => (entry.call.status === 'awaitingPermission' ? { ...entry, call: { status: 'validating' } } : entry));
}

function delta(view: View, event: Of<'message/delta'>): View {
  const reply = view.streaming[event.agentId];
  if (!reply || reply.messageId !== event.messageId) return view;
  const blocks = [...reply.blocks];
  while (blocks.length <= event.block) blocks.push({ kind: event.kind, tool: event.tool, text: '' });
  const before = blocks[event.block]?.text ?? '';
  if (before.length < event.offset) return view; // a piece was missed; `message/completed` brings the whole
  blocks[event.block] = { kind: event.kind, tool: event.tool, text: before.slice(0, event.offset) + event.text };
  return withAgent({ ...view, streaming: { ...view.streaming, [event.agentId]: { ...reply, blocks } } }, event.agentId, { waiting: undefined });
}

function withAgent(view: View, agentId: string, change: Partial<AgentView>): View {
  const agent = view.agents[agentId];
  return agent ? { ...view, agents: { ...view.agents, [agentId]: { ...agent, ...change } } } : view;
}

function append(view: View, agentId: string, entries: readonly Entry[]): View {
  if (entries.length === 0) return view;
  return { ...view, conversations: { ...view.conversations, [agentId]: [...(view.conversations[agentId] ?? []), ...entries] } };
}

/** Calls that change are near the end, so the search goes backwards. */
function withCall(view: View, agentId: string, callId: string, change: (entry: ToolEntry) => ToolEntry): View {
  const entries = view.conversations[agentId] ?? [];
  const index = entries.findLastIndex((entry) => entry.kind === 'tool' && entry.id === callId);
  const entry = entries[index];
  if (entry?.kind !== 'tool') return view;
  return { ...view, conversations: { ...view.conversations, [agentId]: entries.with(index, change(entry)) } };
}

function withEntry(view: View, id: string, change: (entry: Entry) => Entry): View {
  for (const [agentId, entries] of Object.entries(view.conversations)) {
    const index = entries.findLastIndex((entry) => entry.id === id);
    const entry = entries[index];
    if (entry) return { ...view, conversations: { ...view.conversations, [agentId]: entries.with(index, change(entry)) } };
  }
  return view;
}

const leaf = (agentPath: readonly string[]): string => agentPath.at(-1) ?? mainAgentId;
