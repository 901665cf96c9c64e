import * as z from 'zod';
import { AssistantBlock, ResultBlock, Usage, UserBlock } from './content';
import { Attachment, PlanReply, PlanRequest, QuestionReply, QuestionRequest } from './interaction';
import { PermissionDecision, PermissionGrant, PermissionProvenance, PermissionRequest } from './permission';
import { PermissionMode } from './permissionMode';
import { ToolDisplay } from './toolDisplay';
import { UndoReport } from './worktree';

/**
 * The event log is the truth. Durable events are numbered by `seq` without gaps, written to the session's
 * JSONL and replayable; ephemeral ones are never written and may be lost.
 */
export const TurnStop = z.enum(['done', 'interrupted', 'error', 'maxTurns', 'refusal']);
export type TurnStop = z.infer<typeof TurnStop>;

/** Who wrote a user message. Only `person` is shown as typed by the person; `context` is not shown at all; `agent` is another agent, such as the one that wrote the brief. */
export const MessageOrigin = z.enum(['person', 'context', 'skill', 'notification', 'reminder', 'agent']);
export type MessageOrigin = z.infer<typeof MessageOrigin>;

export const ToolOutcome = z.enum(['completed', 'failed', 'denied', 'cancelled', 'interrupted']);
export type ToolOutcome = z.infer<typeof ToolOutcome>;

export const AgentStatus = z.enum(['queued', 'working', 'waiting', 'idle', 'done', 'failed', 'stopped']);
export type AgentStatus = z.infer<typeof AgentStatus>;

/** `blocked`: it refused; `background`: it goes on by itself. */
export const HookRunOutcome = z.enum(['ok', 'blocked', 'failed', 'timedOut', 'stopped', 'background']);
export type HookRunOutcome = z.infer<typeof HookRunOutcome>;

export const Notice = z.strictObject({
  noticeId: z.string(),
  agentId: z.string().optional(),
  level: z.enum(['info', 'warning', 'error']),
  code: z.string(),
  /** What happened, in one plain sentence. */
  title: z.string(),
  /** What it means and what to do. */
  detail: z.string().optional(),
  /** Ids the webview knows: `retry`, `resume`, `switchModel`, `setup`, `openFile:<path>`. */
  actions: z.array(z.strictObject({ id: z.string(), label: z.string() })).optional(),
});
export type Notice = z.infer<typeof Notice>;

const bodies = [
  z.strictObject({
    type: z.literal('session/started'),
    sessionId: z.string(),
    projectRoot: z.string(),
    cwd: z.string(),
    model: z.string().optional(),
    mode: PermissionMode,
    version: z.string(),
    /** Of the whole session: changing it under way would break the prompt cache. */
    outputStyle: z.strictObject({ name: z.string(), keepsCoding: z.boolean(), prompt: z.string() }).optional(),
  }),
  z.strictObject({ type: z.literal('session/renamed'), title: z.string() }),
  /** Another folder this session may work in; `path` is absolute. */
  z.strictObject({ type: z.literal('session/directoryAdded'), path: z.string() }),
  z.strictObject({ type: z.literal('session/modeChanged'), mode: PermissionMode }),
  z.strictObject({ type: z.literal('session/modelChanged'), model: z.string() }),
  z.strictObject({ type: z.literal('session/cwdChanged'), cwd: z.string() }),

  z.strictObject({
    type: z.literal('agent/spawned'),
    agentId: z.string(),
    parentId: z.string(),
    callId: z.string().optional(),
    agentType: z.string(),
    name: z.string(),
    description: z.string(),
    model: z.string().optional(),
    mode: PermissionMode.optional(),
    depth: z.int().min(1),
    background: z.boolean(),
    cwd: z.string(),
    worktree: z.string().optional(),
  }),
  z.strictObject({ type: z.literal('agent/statusChanged'), agentId: z.string(), status: AgentStatus, activity: z.string().optional() }),
  z.strictObject({
    type: z.literal('agent/finished'),
    agentId: z.string(),
    outcome: z.enum(['done', 'failed', 'stopped']),
    summary: z.string(),
    usage: Usage.optional(),
    costUsd: z.number().nullable().optional(),
    durationMs: z.int(),
  }),

  /** The agent's conversation was replaced by `summary`; what it was stays on record. Tokens are of its context before and after. */
  z.strictObject({
    type: z.literal('context/compacted'),
    agentId: z.string(),
    trigger: z.enum(['auto', 'manual', 'overflow']),
    summary: z.string(),
    beforeTokens: z.int(),
    afterTokens: z.int(),
    usage: Usage,
    costUsd: z.number().nullable(),
    durationMs: z.int(),
  }),

  z.strictObject({ type: z.literal('turn/queued'), agentId: z.string(), queueId: z.string(), text: z.string(), attachments: z.array(Attachment) }),
  z.strictObject({ type: z.literal('turn/dequeued'), agentId: z.string(), queueId: z.string(), reason: z.enum(['sent', 'removed']) }),
  z.strictObject({ type: z.literal('turn/started'), agentId: z.string(), turnId: z.string() }),
  z.strictObject({
    type: z.literal('turn/completed'),
    agentId: z.string(),
    turnId: z.string(),
    stop: TurnStop,
    problem: z.strictObject({ code: z.string(), message: z.string(), retryable: z.boolean() }).optional(),
    usage: Usage,
    costUsd: z.number().nullable(),
    durationMs: z.int(),
  }),

  /** The files as they were when the turn began are kept, so it can be undone; `off` says why not. */
  z.strictObject({ type: z.literal('turn/snapshotTaken'), agentId: z.string(), turnId: z.string(), off: z.string().optional() }),
  z.strictObject({ type: z.literal('turn/undone'), agentId: z.string(), turnId: z.string(), report: UndoReport }),
  z.strictObject({ type: z.literal('turn/redone'), agentId: z.string(), turnId: z.string(), report: UndoReport }),

  z.strictObject({ type: z.literal('message/started'), agentId: z.string(), turnId: z.string(), messageId: z.string(), model: z.string() }),
  z.strictObject({
    type: z.literal('message/completed'),
    agentId: z.string(),
    turnId: z.string(),
    messageId: z.string(),
    role: z.literal('assistant'),
    content: z.array(AssistantBlock),
    model: z.string(),
    stopReason: z.string(),
    /** What a MessageDisplay hook shows the person in place of the reply's text. */
    shown: z.string().optional(),
    /** Cut off by Stop, a crash or a dropped stream: what had arrived. */
    partial: z.boolean().optional(),
    usage: Usage,
    costUsd: z.number().nullable(),
  }),
  z.strictObject({
    type: z.literal('message/received'),
    agentId: z.string(),
    turnId: z.string(),
    messageId: z.string(),
    role: z.literal('user'),
    origin: MessageOrigin,
    /** Exactly what the model reads. */
    content: z.array(UserBlock),
    /** What the person typed, where it differs from what the model reads. */
    shown: z.string().optional(),
    attachments: z.array(Attachment).optional(),
    /** Sent while the agent worked. */
    steering: z.boolean().optional(),
  }),

  z.strictObject({
    type: z.literal('tool/started'),
    agentId: z.string(),
    turnId: z.string(),
    callId: z.string(),
    name: z.string(),
    /** One line for the row: "npm test", "src/core/retry.ts". */
    title: z.string(),
    input: z.record(z.string(), z.unknown()),
    kind: z.string(),
  }),
  z.strictObject({ type: z.literal('tool/spawned'), agentId: z.string(), callId: z.string(), pid: z.int(), processStartedAtMs: z.int() }),
  z.strictObject({
    type: z.literal('tool/completed'),
    agentId: z.string(),
    turnId: z.string(),
    callId: z.string(),
    name: z.string(),
    outcome: ToolOutcome,
    /** What the model reads as the call's result. */
    content: z.union([z.string(), z.array(ResultBlock)]),
    display: ToolDisplay.optional(),
    /** One line for the row's right edge: "Failed · 6.2s", "214 lines". */
    note: z.string().optional(),
    durationMs: z.int(),
    decidedBy: z.string().optional(),
    decision: PermissionProvenance.optional(),
  }),

  /** A hook that ran for an event: of a call, or of the agent. `output` is what it said, cut. */
  z.strictObject({
    type: z.literal('hook/ran'),
    agentId: z.string(),
    callId: z.string().optional(),
    event: z.string(),
    source: z.string(),
    label: z.string(),
    outcome: HookRunOutcome,
    exitCode: z.int().optional(),
    durationMs: z.int(),
    output: z.string(),
    /** What a hook that asks a model has cost. */
    spent: z.strictObject({ model: z.string(), usage: Usage, costUsd: z.number().nullable() }).optional(),
  }),

  z.strictObject({ type: z.literal('permission/requested'), request: PermissionRequest }),
  z.strictObject({
    type: z.literal('permission/resolved'),
    requestId: z.string(),
    decision: z.union([PermissionDecision, z.strictObject({ behavior: z.literal('cancelled') })]),
    by: z.enum(['person', 'rule', 'hook', 'abort']),
  }),
  /** A person took a rule back: the next call that needed it asks. */
  z.strictObject({ type: z.literal('permission/revoked'), grant: PermissionGrant }),
  /** The mode auto put a call before the small model. */
  z.strictObject({
    type: z.literal('permission/classified'),
    agentId: z.string(),
    callId: z.string(),
    verdict: z.enum(['allow', 'ask']),
    reason: z.string(),
    model: z.string(),
    usage: Usage,
    costUsd: z.number().nullable(),
    durationMs: z.int(),
  }),
  z.strictObject({ type: z.literal('question/asked'), request: QuestionRequest }),
  z.strictObject({
    type: z.literal('question/answered'),
    requestId: z.string(),
    reply: z.union([QuestionReply, z.strictObject({ behavior: z.literal('cancelled') })]),
  }),
  z.strictObject({ type: z.literal('plan/proposed'), request: PlanRequest }),
  z.strictObject({
    type: z.literal('plan/resolved'),
    requestId: z.string(),
    reply: z.union([PlanReply, z.strictObject({ behavior: z.literal('cancelled') })]),
  }),
  z.strictObject({ type: z.literal('notice/raised'), notice: Notice }),
  z.strictObject({ type: z.literal('notice/dismissed'), noticeId: z.string() }),
] as const;

/** What producers hand to `eventLog.append`; the log adds `seq` and `atMs`. */
export const DurableBody = z.union(bodies);
export type DurableBody = z.infer<typeof DurableBody>;

export const Stamp = z.strictObject({ seq: z.int().min(1), atMs: z.int() });
export type DurableEvent = DurableBody & z.infer<typeof Stamp>;

/** `afterSeq` is the last durable event before it; `offset` counts UTF-16 units already sent of that text. */
export const EphemeralEvent = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('message/delta'),
    agentId: z.string(),
    messageId: z.string(),
    block: z.int().min(0),
    kind: z.enum(['text', 'thinking', 'input']),
    /** Name of the tool whose input is being written (`kind: 'input'`). */
    tool: z.string().optional(),
    offset: z.int().min(0),
    text: z.string(),
    afterSeq: z.int().min(0),
  }),
  z.strictObject({ type: z.literal('tool/updated'), agentId: z.string(), callId: z.string(), offset: z.int().min(0), text: z.string(), afterSeq: z.int().min(0) }),
  /** A call has waited a second for hooks, or waits no more (no labels). */
  z.strictObject({ type: z.literal('hook/waiting'), agentId: z.string(), callId: z.string(), labels: z.array(z.string()), afterSeq: z.int().min(0) }),
  z.strictObject({
    type: z.literal('agent/progress'),
    agentId: z.string(),
    /** Output tokens of the running reply, estimated from its text. */
    outputTokens: z.int().min(0),
    afterSeq: z.int().min(0),
  }),
  z.strictObject({
    type: z.literal('model/waiting'),
    agentId: z.string(),
    reason: z.string(),
    attempt: z.int().min(1),
    untilMs: z.int(),
    afterSeq: z.int().min(0),
  }),
]);
export type EphemeralEvent = z.infer<typeof EphemeralEvent>;

export type UiEvent = DurableEvent | EphemeralEvent;

const bodyByType = new Map(bodies.map((schema) => [schema.shape.type.value, schema]));

/**
 * Reads one event of the wire or of a session file.
 * @returns undefined for a type this version does not know or a body that does not fit; the reader skips it
 */
export function parseDurableEvent(value: unknown): DurableEvent | undefined {
  if (typeof value !== 'object' || value === null || !('type' in value)) return undefined;
  const { seq, atMs, ...body } = value as { seq?: unknown; atMs?: unknown; type: unknown };
  const stamp = Stamp.safeParse({ seq, atMs });
  const schema = typeof body.type === 'string' ? bodyByType.get(body.type as DurableBody['type']) : undefined;
  const parsed = schema?.safeParse(body);
  if (!stamp.success || !parsed?.success) return undefined;
  return { ...parsed.data, ...stamp.data };
}
