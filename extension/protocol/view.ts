import type { Usage } from './content';
import type { AgentStatus, HookRunOutcome, MessageOrigin, Notice, TurnStop } from './events';
import type { Attachment, PlanReply, PlanRequest, QuestionReply, QuestionRequest } from './interaction';
import type { PermissionMode, PermissionProvenance, PermissionRequest } from './permission';
import type { ToolDisplay } from './toolDisplay';
import type { UndoReport, WorktreesView } from './worktree';

/** What a front end shows of one session: the fold of its events. The same in host, webview and tests. */
export interface View {
  /** The last durable event folded in. */
  readonly seq: number;
  readonly session: SessionView;
  readonly agents: Readonly<Record<string, AgentView>>;
  /** Per agent, oldest first. */
  readonly conversations: Readonly<Record<string, readonly Entry[]>>;
  /** The reply that is arriving now, per agent. */
  readonly streaming: Readonly<Record<string, StreamingReply>>;
  /** What waits for the person, oldest first. */
  readonly pendingAsks: readonly PendingAsk[];
  readonly queue: readonly QueuedMessage[];
  readonly notices: readonly Notice[];
  /** By turn id; turns without an entry have no snapshot (yet). */
  readonly undo: Readonly<Record<string, TurnUndo>>;
  readonly usage: Usage;
  /** null when the price of any reply is unknown. */
  readonly costUsd: number | null;
}

export type TurnUndo = { readonly state: 'ready' } | { readonly state: 'off'; readonly reason: string } | { readonly state: 'undone'; readonly report: UndoReport };

export interface SessionView {
  readonly sessionId: string;
  readonly title: string;
  readonly projectRoot: string;
  readonly cwd: string;
  /** Folders a person added while it ran. */
  readonly addedDirs?: readonly string[];
  readonly model: string | undefined;
  readonly mode: PermissionMode;
  readonly outputStyle: { readonly name: string; readonly keepsCoding: boolean; readonly prompt: string } | undefined;
  readonly startedAtMs: number;
  readonly lastEventAtMs: number;
}

export interface AgentView {
  readonly agentId: string;
  readonly parentId: string | undefined;
  readonly name: string;
  readonly agentType: string;
  readonly description: string;
  readonly model: string | undefined;
  readonly status: AgentStatus;
  /** What it does now: "edit scheduler.ts". */
  readonly activity: string;
  readonly depth: number;
  readonly worktree: string | undefined;
  readonly callId: string | undefined;
  readonly usage: Usage;
  readonly costUsd: number | null;
  /** Input tokens of the last request: how full the context is. */
  readonly contextTokens: number | undefined;
  readonly startedAtMs: number;
  readonly finishedAtMs: number | undefined;
  readonly summary: string | undefined;
  /** Output tokens of the reply that is arriving, estimated. */
  readonly liveTokens: number;
  readonly waiting: { readonly reason: string; readonly attempt: number; readonly untilMs: number } | undefined;
}

export type PendingAsk =
  | { readonly kind: 'permission'; readonly request: PermissionRequest }
  | { readonly kind: 'question'; readonly request: QuestionRequest }
  | { readonly kind: 'plan'; readonly request: PlanRequest };

export interface QueuedMessage {
  readonly queueId: string;
  readonly agentId: string;
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

export interface StreamingReply {
  readonly messageId: string;
  readonly turnId: string;
  readonly model: string;
  readonly startedAtMs: number;
  readonly blocks: readonly StreamingBlock[];
}

export interface StreamingBlock {
  readonly kind: 'text' | 'thinking' | 'input';
  readonly tool: string | undefined;
  readonly text: string;
}

export type Entry = UserEntry | AssistantEntry | ToolEntry | TurnEndEntry | PlanEntry | QuestionEntry | NoticeEntry | CompactionEntry;

/** Here the model's conversation was replaced by a summary; the person still sees all of it. */
export interface CompactionEntry {
  readonly kind: 'compaction';
  readonly id: string;
  readonly trigger: 'auto' | 'manual' | 'overflow';
  readonly beforeTokens: number;
  readonly afterTokens: number;
  readonly summary: string;
  readonly atMs: number;
}

export interface UserEntry {
  readonly kind: 'user';
  readonly id: string;
  readonly turnId: string;
  readonly origin: MessageOrigin;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly steering: boolean;
  readonly atMs: number;
}

/** One run of text or thinking of a reply; a reply with tool calls between its texts makes several. */
export interface AssistantEntry {
  readonly kind: 'assistant';
  readonly id: string;
  readonly turnId: string;
  readonly model: string;
  readonly part: 'text' | 'thinking';
  readonly text: string;
  readonly partial: boolean;
  readonly atMs: number;
}

export interface ToolEntry {
  readonly kind: 'tool';
  /** The call id. */
  readonly id: string;
  readonly turnId: string;
  readonly name: string;
  readonly toolKind: string;
  readonly title: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly call: ToolCall;
  /** Hooks that ran for this call, in the order they ended. */
  readonly hooks?: readonly HookRunView[];
  /** Hooks it waits for at this moment, once that has taken a second. */
  readonly waitsForHooks?: readonly string[];
  /** Once it is over: why it was allowed or refused. */
  readonly decision?: PermissionProvenance;
  readonly atMs: number;
}

export interface HookRunView {
  readonly event: string;
  readonly source: string;
  readonly label: string;
  readonly outcome: HookRunOutcome;
  readonly durationMs: number;
  readonly output: string;
}

/** One type per state, so that no state can hold another's fields. */
export type ToolCall =
  | { readonly status: 'validating' }
  | { readonly status: 'awaitingPermission'; readonly requestId: string }
  | { readonly status: 'running'; readonly startedAtMs: number; readonly output: string; readonly pid: number | undefined }
  | { readonly status: 'completed'; readonly durationMs: number; readonly note: string | undefined; readonly display: ToolDisplay | undefined; readonly text: string }
  | { readonly status: 'failed'; readonly durationMs: number; readonly note: string | undefined; readonly display: ToolDisplay | undefined; readonly text: string }
  | { readonly status: 'denied'; readonly text: string; readonly decidedBy: string | undefined }
  | { readonly status: 'cancelled'; readonly text: string }
  | { readonly status: 'interrupted'; readonly text: string };

export interface TurnEndEntry {
  readonly kind: 'turnEnd';
  readonly id: string;
  readonly turnId: string;
  readonly stop: TurnStop;
  readonly problem: { readonly code: string; readonly message: string; readonly retryable: boolean } | undefined;
  readonly usage: Usage;
  readonly costUsd: number | null;
  readonly durationMs: number;
  readonly atMs: number;
}

export interface PlanEntry {
  readonly kind: 'plan';
  readonly id: string;
  readonly request: PlanRequest;
  readonly reply: PlanReply | { readonly behavior: 'cancelled' } | undefined;
  readonly atMs: number;
}

export interface QuestionEntry {
  readonly kind: 'question';
  readonly id: string;
  readonly request: QuestionRequest;
  readonly reply: QuestionReply | { readonly behavior: 'cancelled' } | undefined;
  readonly atMs: number;
}

export interface NoticeEntry {
  readonly kind: 'notice';
  readonly id: string;
  readonly notice: Notice;
  readonly atMs: number;
}

/** What one window shows beside its sessions. Small, sent whole whenever it changes. */
export interface WorkspaceView {
  readonly sessions: readonly SessionSummary[];
  readonly model: ModelStatus;
  readonly editor: EditorContext;
  readonly trusted: boolean;
  readonly skillCount: number;
  readonly problemCount: number;
  readonly worktrees: WorktreesView;
}

export interface SessionSummary {
  readonly sessionId: string;
  readonly title: string;
  readonly group: 'needsYou' | 'working' | 'done';
  readonly startedAtMs: number;
  readonly lastEventAtMs: number;
  readonly pendingAsks: number;
  readonly costUsd: number | null;
  /** Another window writes to it; this one follows read-only. */
  readonly readOnly: boolean;
}

/** `none`: nothing is set up and `ways` lists what the person can do. */
export type ModelStatus =
  | { readonly state: 'none'; readonly ways: readonly SetupWay[]; readonly problem: string | undefined }
  | {
      readonly state: 'ready';
      readonly provider: 'anthropic' | 'compatible' | 'vscode' | 'demo';
      readonly model: string;
      readonly label: string;
      readonly contextTokens: number;
      readonly baseUrl: string | undefined;
    };

export type SetupWay = 'apiKey' | 'baseUrl' | 'vscodeModel' | 'demo';

/** What the editor has open, offered as chips. Never sent to a model unless the person keeps the chip. */
export interface EditorContext {
  readonly file: string | undefined;
  readonly selection: { readonly path: string; readonly startLine: number; readonly endLine: number } | undefined;
  readonly problemCount: number;
}
