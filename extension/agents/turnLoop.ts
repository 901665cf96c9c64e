import { assertNever } from '../base/assertNever';
import { errorText } from '../base/errorText';
import { newId } from '../base/ids';
import type { ModelClient, ModelEvent, ModelProblem, ModelRequest, ModelStopReason } from '../ports';
import type { AssistantBlock, ToolUseBlock, Usage } from '../protocol/content';
import { addUsage } from '../protocol/addUsage';
import type { DurableBody, MessageOrigin, TurnStop } from '../protocol/events';
import type { Attachment } from '../protocol/interaction';
import type { LiveEvent } from '../session/eventLog';

/** A message that goes in at the next step, written as the model will read it. */
export interface Incoming {
  readonly origin: MessageOrigin;
  readonly content: Extract<DurableBody, { type: 'message/received' }>['content'];
  readonly shown?: string;
  readonly attachments?: readonly Attachment[];
  readonly steering?: boolean;
}

/** All a turn touches. The loop itself does no I/O and keeps nothing between turns. */
export interface TurnPorts {
  readonly agentId: string;
  readonly nowMs: () => number;
  readonly append: (event: DurableBody) => void;
  readonly live: (event: LiveEvent) => void;
  /** The next request as the history stands now; asked again before every step. */
  readonly request: () => ModelRequest;
  readonly client: () => ModelClient | undefined;
  /** Calls of the last reply without a result that never began: they may run. */
  readonly openCalls: () => readonly ToolUseBlock[];
  /** Runs calls under permission; writes their events itself and never rejects for a tool's failure. */
  readonly runCalls: (calls: readonly ToolUseBlock[], turn: { readonly turnId: string; readonly signal: AbortSignal }) => Promise<void>;
  /** What came in meanwhile (steering, reminders), emptied by the call. */
  readonly takeIncoming: () => Promise<readonly Incoming[]>;
  /**
   * Before each step, and when a request was too long (`overflow`): shortens the conversation where it must.
   * @returns whether it did
   */
  readonly makeRoom?: (turn: { readonly turnId: string; readonly signal: AbortSignal }, why: 'step' | 'overflow') => Promise<boolean>;
  /** Waited for when all is done, before the turn counts as over. Never rejects. */
  readonly closing?: () => Promise<void>;
  readonly maxReplies: number | undefined;
  /** Something has ended all of it, for this reason; asked after every round of calls. */
  readonly takeHalt?: () => string | undefined;
  /** Before a turn that is done ends. @returns whether there is more to do, which then comes in */
  readonly keepsGoing?: (turn: { readonly turnId: string; readonly signal: AbortSignal }) => Promise<boolean>;
  /** Present while replies may be shown in other words: pieces are then not sent ahead. undefined: as they are. */
  readonly display?: ((reply: { readonly turnId: string; readonly messageId: string; readonly text: string }, signal: AbortSignal) => Promise<string | undefined>) | undefined;
}

export interface TurnEnd {
  readonly stop: TurnStop;
  readonly problem?: { readonly code: string; readonly message: string; readonly retryable: boolean };
  readonly replies: number;
  readonly usage: Usage;
  readonly costUsd: number | null;
  readonly durationMs: number;
  readonly apiMs: number;
}

interface Reply {
  readonly content: readonly AssistantBlock[];
  readonly stop: ModelStopReason | 'failed';
  readonly problem?: ModelProblem;
}

interface Tally {
  usage: Usage;
  costUsd: number | null;
  replies: number;
  continues: number;
  apiMs: number;
}

/** How often a text cut by the output limit is continued (spec 20). */
const maxContinues = 3;

/**
 * One turn: replies and tool calls until the model has nothing left to do. Never throws; a failure is the
 * problem of the turn/completed event, which is always the last. Abort leaves a valid history.
 */
export async function runTurn(ports: TurnPorts, turn: { readonly turnId: string; readonly signal: AbortSignal }): Promise<TurnEnd> {
  const startedAtMs = ports.nowMs();
  const tally: Tally = { usage: {}, costUsd: 0, replies: 0, continues: 0, apiMs: 0 };
  const ended = await steps(ports, turn, tally).catch(brokenTurn);
  await ports.closing?.();
  const end: TurnEnd = { ...ended, replies: tally.replies, usage: tally.usage, costUsd: tally.costUsd, durationMs: ports.nowMs() - startedAtMs, apiMs: tally.apiMs };
  ports.append({
    type: 'turn/completed',
    agentId: ports.agentId,
    turnId: turn.turnId,
    stop: end.stop,
    ...(end.problem ? { problem: end.problem } : {}),
    usage: end.usage,
    costUsd: end.costUsd,
    durationMs: end.durationMs,
  });
  return end;
}

type Ended = Pick<TurnEnd, 'stop' | 'problem'>;

/** A bug below must not leave an agent that seems to work for ever. */
function brokenTurn(thrown: unknown): Ended {
  return { stop: 'error', problem: { code: 'internal', message: `The turn broke off unexpectedly: ${errorText(thrown)}`, retryable: true } };
}

async function steps(ports: TurnPorts, turn: { readonly turnId: string; readonly signal: AbortSignal }, tally: Tally): Promise<Ended> {
  const open = ports.openCalls();
  if (open.length > 0) {
    await ports.runCalls(open, turn);
    const halted = endedByCalls(ports, turn.signal);
    if (halted) return halted;
  }
  for (;;) {
    await ports.makeRoom?.(turn, 'step');
    await receive(ports, turn.turnId);
    if (turn.signal.aborted) return { stop: 'interrupted' };
    if (ports.maxReplies !== undefined && tally.replies >= ports.maxReplies) return { stop: 'maxTurns' };
    const reply = await streamReply(ports, turn, tally);
    const ended = await afterReply(ports, turn, { reply, tally });
    if (ended) return ended;
  }
}

/** What follows a reply: undefined means another step. */
async function afterReply(
  ports: TurnPorts,
  turn: { readonly turnId: string; readonly signal: AbortSignal },
  { reply, tally }: { readonly reply: Reply; readonly tally: Tally },
): Promise<Ended | undefined> {
  if (reply.stop === 'failed') {
    if (reply.problem?.code === 'contextOverflow' && (await ports.makeRoom?.(turn, 'overflow')) === true) return undefined;
    return { stop: 'error', problem: problemOf(reply.problem) };
  }
  const calls = reply.content.filter((block) => block.type === 'tool_use');
  if (reply.stop === 'aborted') return { stop: 'interrupted' };
  if (reply.stop === 'refusal') return { stop: 'refusal', problem: { code: 'refusal', message: 'The model declined to answer this (refusal).', retryable: false } };
  if (calls.length > 0) {
    await ports.runCalls(calls, turn);
    return endedByCalls(ports, turn.signal);
  }
  switch (reply.stop) {
    case 'pause_turn':
      return undefined;
    case 'max_tokens':
      return cutText(ports, turn.turnId, tally);
    case 'end_turn':
    case 'stop_sequence':
    case 'tool_use':
      return (await receive(ports, turn.turnId)) || (await goesOn(ports, turn)) ? undefined : (endedByCalls(ports, turn.signal) ?? { stop: 'done' });
    default:
      return assertNever(reply.stop);
  }
}

function endedByCalls(ports: TurnPorts, signal: AbortSignal): Ended | undefined {
  const why = ports.takeHalt?.();
  if (signal.aborted) return { stop: 'interrupted' };
  return why === undefined ? undefined : { stop: 'error', problem: { code: 'stoppedByHook', message: `A hook ended the turn: ${why}`, retryable: false } };
}

async function goesOn(ports: TurnPorts, turn: { readonly turnId: string; readonly signal: AbortSignal }): Promise<boolean> {
  return (await ports.keepsGoing?.(turn)) === true && receive(ports, turn.turnId);
}

function cutText(ports: TurnPorts, turnId: string, tally: Tally): Ended | undefined {
  if (tally.continues >= maxContinues) {
    return { stop: 'error', problem: { code: 'maxTokens', message: `The reply reached the output limit ${maxContinues + 1} times. Ask for a shorter answer or for one part at a time.`, retryable: true } };
  }
  tally.continues++;
  put(ports, turnId, { origin: 'reminder', content: [{ type: 'text', text: 'Your reply was cut off at the output limit. Go on exactly where it stopped, without repeating or commenting on the cut.' }] });
  return undefined;
}

function problemOf(problem: ModelProblem | undefined): NonNullable<TurnEnd['problem']> {
  return problem ? { code: problem.code, message: problem.message, retryable: problem.retryable } : { code: 'server', message: 'The model stopped without saying why.', retryable: true };
}

/** @returns whether anything came in */
async function receive(ports: TurnPorts, turnId: string): Promise<boolean> {
  const incoming = await ports.takeIncoming();
  for (const message of incoming) put(ports, turnId, message);
  return incoming.length > 0;
}

function put(ports: TurnPorts, turnId: string, message: Incoming): void {
  ports.append({
    type: 'message/received',
    agentId: ports.agentId,
    turnId,
    messageId: newId('msg'),
    role: 'user',
    origin: message.origin,
    content: message.content,
    ...(message.shown === undefined ? {} : { shown: message.shown }),
    ...(message.attachments && message.attachments.length > 0 ? { attachments: [...message.attachments] } : {}),
    ...(message.steering ? { steering: true } : {}),
  });
}

async function streamReply(ports: TurnPorts, turn: { readonly turnId: string; readonly signal: AbortSignal }, tally: Tally): Promise<Reply> {
  const client = ports.client();
  if (!client) {
    return { content: [], stop: 'failed', problem: { code: 'notSetUp', message: 'No model is set up. Set one up (API key, base URL or a VS Code model) and send again.', retryable: true } };
  }
  const request = ports.request();
  const feed = new ReplyFeed(ports, turn.turnId);
  const startedAtMs = ports.nowMs();
  let reply: Reply | undefined;
  for await (const event of client.stream(request, turn.signal)) {
    if (event.type === 'end' || event.type === 'failed') reply = await closeReply(ports, turn.signal, { event, feed, tally, turnId: turn.turnId, model: request.model });
    else feed.take(event, request.model);
  }
  tally.apiMs += ports.nowMs() - startedAtMs;
  return reply ?? { content: [], stop: 'failed', problem: { code: 'server', message: 'The model’s stream ended without a result.', retryable: true } };
}

async function closeReply(
  ports: TurnPorts,
  signal: AbortSignal,
  { event, feed, tally, turnId, model }: { event: Extract<ModelEvent, { type: 'end' | 'failed' }>; feed: ReplyFeed; tally: Tally; turnId: string; model: string },
): Promise<Reply> {
  tally.usage = addUsage(tally.usage, event.usage);
  tally.costUsd = tally.costUsd === null || event.costUsd === null ? null : tally.costUsd + event.costUsd;
  const aborted = event.type === 'end' && event.stopReason === 'aborted';
  const partial = aborted || event.type === 'failed';
  // Calls of a reply that was cut off or refused never run: they are left out, so nothing waits for their results.
  const content = partial || (event.type === 'end' && event.stopReason === 'refusal') ? event.content.filter((block) => block.type !== 'tool_use') : event.content;
  if (!partial) tally.replies++;
  if (content.length > 0 || feed.messageId !== undefined) {
    const messageId = feed.messageId ?? newId('msg');
    const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    const shown = text === '' ? undefined : await ports.display?.({ turnId, messageId, text }, signal);
    ports.append({
      type: 'message/completed',
      agentId: ports.agentId,
      turnId,
      messageId,
      role: 'assistant',
      content: [...content],
      ...(shown === undefined ? {} : { shown }),
      model: event.type === 'end' ? event.model : model,
      stopReason: event.type === 'end' ? event.stopReason : 'failed',
      ...(partial ? { partial: true } : {}),
      usage: event.usage,
      costUsd: event.costUsd,
    });
  }
  return event.type === 'end' ? { content, stop: event.stopReason } : { content, stop: 'failed', problem: event.problem };
}

/** Turns stream items into events of the log; knows how much of each block has been sent. */
class ReplyFeed {
  messageId: string | undefined;
  private sent = new Map<number, number>();
  private chars = 0;

  constructor(
    private readonly ports: TurnPorts,
    private readonly turnId: string,
  ) {}

  take(event: Exclude<ModelEvent, { type: 'end' | 'failed' }>, model: string): void {
    switch (event.type) {
      case 'start':
        return this.start(event.model === '' ? model : event.model);
      case 'retry':
        return this.ports.live({ type: 'model/waiting', agentId: this.ports.agentId, reason: event.reason, attempt: event.attempt, untilMs: this.ports.nowMs() + event.delayMs });
      case 'text':
      case 'thinking':
      case 'input':
        return this.delta(event, model);
      default:
        return assertNever(event);
    }
  }

  private start(model: string): void {
    this.messageId = newId('msg');
    this.sent = new Map();
    this.chars = 0;
    this.ports.append({ type: 'message/started', agentId: this.ports.agentId, turnId: this.turnId, messageId: this.messageId, model });
  }

  private delta(event: Extract<ModelEvent, { type: 'text' | 'thinking' | 'input' }>, model: string): void {
    if (this.messageId === undefined) this.start(model);
    const offset = this.sent.get(event.block) ?? 0;
    this.sent.set(event.block, offset + event.text.length);
    this.chars += event.text.length;
    if (this.ports.display && event.type === 'text') return;
    const shared = { type: 'message/delta' as const, agentId: this.ports.agentId, messageId: this.messageId ?? '', block: event.block, offset, text: event.text };
    this.ports.live(event.type === 'input' ? { ...shared, kind: 'input', tool: event.tool } : { ...shared, kind: event.type });
    this.ports.live({ type: 'agent/progress', agentId: this.ports.agentId, outputTokens: Math.ceil(this.chars / 4) });
  }
}
