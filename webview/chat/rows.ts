import type {
  AgentView,
  AssistantEntry,
  CompactionEntry,
  Entry,
  NoticeEntry,
  PlanEntry,
  QuestionEntry,
  StreamingBlock,
  StreamingReply,
  ToolEntry,
  TurnEndEntry,
  UserEntry,
  View,
} from '../../extension/protocol/view';

/** One article of the chat. `id` keeps its row through streaming and completion, so that it is never made anew. */
export type Row =
  | { readonly kind: 'user'; readonly id: string; readonly entry: UserEntry }
  | { readonly kind: 'text'; readonly id: string; readonly text: string; readonly headed: boolean; readonly live: boolean; readonly model: string; readonly atMs: number }
  | { readonly kind: 'thinking'; readonly id: string; readonly text: string; readonly live: boolean }
  | { readonly kind: 'writing'; readonly id: string; readonly tool: string; readonly chars: number }
  | { readonly kind: 'tool'; readonly id: string; readonly entry: ToolEntry }
  | { readonly kind: 'reads'; readonly id: string; readonly entries: readonly ToolEntry[] }
  | { readonly kind: 'agents'; readonly id: string; readonly agentIds: readonly string[] }
  | { readonly kind: 'turnEnd'; readonly id: string; readonly entry: TurnEndEntry; readonly last: boolean }
  | { readonly kind: 'plan'; readonly id: string; readonly entry: PlanEntry }
  | { readonly kind: 'question'; readonly id: string; readonly entry: QuestionEntry }
  | { readonly kind: 'notice'; readonly id: string; readonly entry: NoticeEntry }
  | { readonly kind: 'compaction'; readonly id: string; readonly entry: CompactionEntry }
  | { readonly kind: 'working'; readonly id: string }
  | { readonly kind: 'waiting'; readonly id: string; readonly waiting: NonNullable<AgentView['waiting']> };

export interface Settled {
  readonly rows: readonly Row[];
  /** The next text starts a new turn and says whose it is. */
  readonly headNext: boolean;
  /** A tool call runs, so something on screen moves already. */
  readonly busy: boolean;
}

/** Calls of one step stand together at the end. */
const busyWindow = 60;

interface SettledInput {
  readonly entries: readonly Entry[];
  readonly agents: View['agents'];
  readonly notices: View['notices'];
}

/** Rows of what is complete. The long part; remade only when the conversation changes, not for each token. */
export function settledRows({ entries, agents, notices }: SettledInput): Settled {
  const agentByCall = new Map(Object.values(agents).flatMap((a) => (a.callId ? [[a.callId, a.agentId] as const] : [])));
  const shownNotices = new Set(notices.map((n) => n.noticeId));
  // A plan or a question is its own card; the call behind it would say the same again.
  const carded = new Set(entries.flatMap((e) => (e.kind === 'plan' || e.kind === 'question' ? [e.request.callId] : [])));
  const rows: Row[] = [];
  let headNext = true;
  for (const [i, entry] of entries.entries()) {
    if (entry.kind === 'tool' && carded.has(entry.id)) continue;
    const previous = rows.at(-1);
    const merged = entry.kind === 'tool' ? mergedInto(previous, entry, agentByCall) : undefined;
    if (merged) {
      rows[rows.length - 1] = merged;
      continue;
    }
    const row = rowOf(entry, { headed: headNext, last: i === entries.length - 1, shownNotices, agentByCall });
    if (row) rows.push(row);
    if (entry.kind === 'user' || entry.kind === 'turnEnd') headNext = true;
    if (row?.kind === 'text') headNext = false;
  }
  return { rows, headNext, busy: entries.slice(-busyWindow).some(isRunning) };
}

/** What is going on now, after the settled rows. */
export function liveRows(settled: Settled, agent: AgentView | undefined, reply: StreamingReply | undefined): readonly Row[] {
  const blocks = reply ? liveBlocks(reply, settled.headNext) : [];
  if (agent?.waiting) return [...blocks, { kind: 'waiting', id: 'live:waiting', waiting: agent.waiting }];
  const busy = blocks.length > 0 || settled.busy;
  return agent?.status === 'working' && !busy ? [{ kind: 'working', id: 'live:working' }] : blocks;
}

function rowOf(entry: Entry, context: { headed: boolean; last: boolean; shownNotices: ReadonlySet<string>; agentByCall: ReadonlyMap<string, string> }): Row | undefined {
  const { id } = entry;
  switch (entry.kind) {
    case 'user':
      return { kind: 'user', id, entry };
    case 'assistant':
      return assistantRow(entry, context.headed);
    case 'tool': {
      const agentId = context.agentByCall.get(id);
      return agentId ? { kind: 'agents', id, agentIds: [agentId] } : { kind: 'tool', id, entry };
    }
    case 'turnEnd':
      return entry.stop === 'done' ? undefined : { kind: 'turnEnd', id, entry, last: context.last };
    case 'plan':
      return { kind: 'plan', id, entry };
    case 'question':
      return { kind: 'question', id, entry };
    case 'compaction':
      return { kind: 'compaction', id, entry };
    case 'notice':
      return context.shownNotices.has(entry.notice.noticeId) ? { kind: 'notice', id, entry } : undefined;
  }
}

function assistantRow(entry: AssistantEntry, headed: boolean): Row {
  if (entry.part === 'thinking') return { kind: 'thinking', id: entry.id, text: entry.text, live: false };
  return { kind: 'text', id: entry.id, text: entry.text, headed, live: false, model: entry.model, atMs: entry.atMs };
}

/** Reads that went well share one row, and so do sub-agents that were started together. */
function mergedInto(previous: Row | undefined, entry: ToolEntry, agentByCall: ReadonlyMap<string, string>): Row | undefined {
  const agentId = agentByCall.get(entry.id);
  if (agentId) return previous?.kind === 'agents' ? { ...previous, agentIds: [...previous.agentIds, agentId] } : undefined;
  if (!isQuietRead(entry)) return undefined;
  if (previous?.kind === 'reads') return { ...previous, entries: [...previous.entries, entry] };
  return previous?.kind === 'tool' && isQuietRead(previous.entry) ? { kind: 'reads', id: previous.id, entries: [previous.entry, entry] } : undefined;
}

function isQuietRead(entry: ToolEntry): boolean {
  return (entry.toolKind === 'read' || entry.toolKind === 'search') && (entry.call.status === 'completed' || entry.call.status === 'running');
}

function isRunning(entry: Entry): boolean {
  return entry.kind === 'tool' && (entry.call.status === 'running' || entry.call.status === 'awaitingPermission');
}

function liveBlocks(reply: StreamingReply, headNext: boolean): Row[] {
  const firstText = reply.blocks.findIndex((block) => block.kind === 'text' && block.text !== '');
  return reply.blocks.flatMap((block, i): Row[] => liveRow(block, `${reply.messageId}:${i}`, { reply, last: i === reply.blocks.length - 1, headed: headNext && i === firstText }));
}

function liveRow(block: StreamingBlock, id: string, at: { reply: StreamingReply; last: boolean; headed: boolean }): Row[] {
  if (block.kind === 'input') return [{ kind: 'writing', id, tool: block.tool ?? 'a tool call', chars: block.text.length }];
  if (block.text === '') return [];
  if (block.kind === 'thinking') return [{ kind: 'thinking', id, text: block.text, live: at.last }];
  return [{ kind: 'text', id, text: block.text, headed: at.headed, live: at.last, model: at.reply.model, atMs: at.reply.startedAtMs }];
}
