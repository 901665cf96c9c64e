import * as z from 'zod';
import { ContextReport } from './context';
import { Attachment, PlanReply, QuestionReply } from './interaction';
import { PermissionDecision, PermissionGrant, ReplayedCall } from './permission';
import { PermissionMode } from './permissionMode';
import type { View, WorkspaceView } from './view';
import { MergeConflictView, MergePreviewView, TakeParams, UndoReport } from './worktree';
import { LocalOutcome } from './localCommand';

const sessionId = z.string().min(1);
const agentId = z.string().min(1);
const none = z.strictObject({});
const done = z.strictObject({});
/** View and WorkspaceView are made by our own reducer on the other side; checking 10,000 entries again would cost a frame. */
const view = z.custom<View>((value) => typeof value === 'object' && value !== null && 'seq' in value);
const workspaceView = z.custom<WorkspaceView>((value) => typeof value === 'object' && value !== null && 'sessions' in value);

export const SkillListing = z.strictObject({
  name: z.string(),
  qualified: z.string(),
  label: z.string().optional(),
  kind: z.enum(['skill', 'command', 'local']),
  source: z.string(),
  description: z.string(),
  argumentHint: z.string().optional(),
  path: z.string(),
});
export type SkillListing = z.infer<typeof SkillListing>;

export const ModelChoice = z.strictObject({ id: z.string(), label: z.string(), provider: z.string(), contextTokens: z.int().optional() });
export type ModelChoice = z.infer<typeof ModelChoice>;

/** What the person enters to set up a model. The key goes to SecretStorage and never comes back over the wire. */
export const ModelSetup = z.discriminatedUnion('way', [
  z.strictObject({ way: z.literal('apiKey'), key: z.string().min(1) }),
  z.strictObject({ way: z.literal('baseUrl'), baseUrl: z.url(), model: z.string().min(1), key: z.string().optional() }),
  z.strictObject({ way: z.literal('vscodeModel'), model: z.string().min(1) }),
  z.strictObject({ way: z.literal('demo') }),
]);
export type ModelSetup = z.infer<typeof ModelSetup>;

/** The one table of calls: name -> params, result. A new row makes the compiler ask for its handler. */
export const methods = {
  hello: { params: z.strictObject({ protocolVersion: z.int() }), result: z.strictObject({ protocolVersion: z.int(), workspace: workspaceView }) },
  'session/start': { params: z.strictObject({ mode: PermissionMode.optional(), sessionId: sessionId.optional() }), result: z.strictObject({ sessionId, view }) },
  'session/resume': { params: z.strictObject({ sessionId }), result: z.strictObject({ sessionId, view }) },
  /**
   * For a view that has just been opened: the session that waits for its person after a reload, else the one the view
   * showed last, else a recent one, else a new one.
   */
  'session/current': { params: z.strictObject({ preferred: sessionId.optional() }), result: z.strictObject({ sessionId, view }) },
  'session/snapshot': { params: z.strictObject({ sessionId }), result: z.strictObject({ view }) },
  'session/rename': { params: z.strictObject({ sessionId, title: z.string().min(1) }), result: done },
  'session/delete': { params: z.strictObject({ sessionId }), result: done },
  'session/setMode': { params: z.strictObject({ sessionId, mode: PermissionMode }), result: done },
  'session/setModel': { params: z.strictObject({ sessionId, model: z.string().min(1) }), result: done },
  /** Which session and agent this view shows: it gets all durable events of the session, deltas only of the agent. `null` pauses. */
  'view/subscribe': { params: z.strictObject({ sessionId: sessionId.nullable(), agentId: agentId.optional() }), result: done },
  /** While the agent works the message is queued, or goes in at the next step with `steer`. */
  'turn/submit': {
    params: z.strictObject({ sessionId, agentId: agentId.optional(), text: z.string(), attachments: z.array(Attachment), steer: z.boolean().optional() }),
    result: z.strictObject({ queueId: z.string().optional() }),
  },
  'turn/unqueue': { params: z.strictObject({ sessionId, queueId: z.string() }), result: z.strictObject({ text: z.string() }) },
  'turn/interrupt': { params: z.strictObject({ sessionId, agentId: agentId.optional() }), result: done },
  /** Go on after an interruption or an error, without a new message. */
  'turn/resume': { params: z.strictObject({ sessionId, agentId: agentId.optional() }), result: done },
  'agent/stop': { params: z.strictObject({ sessionId, agentId }), result: done },
  'permission/reply': { params: z.strictObject({ sessionId, requestId: z.string(), decision: PermissionDecision }), result: z.strictObject({ accepted: z.boolean() }) },
  /** Every rule that counts in this session now: of its memory and of the settings files. */
  'permission/grants': { params: z.strictObject({ sessionId }), result: z.strictObject({ grants: z.array(PermissionGrant) }) },
  /** Takes a rule back at once; `problem` says why it stays. */
  'permission/revoke': { params: z.strictObject({ sessionId, grantId: z.string() }), result: z.strictObject({ problem: z.string().optional() }) },
  /** What a rule alone would have said to the session's past calls. */
  'permission/replay': {
    params: z.strictObject({ sessionId, rule: z.string().min(1), behavior: z.enum(['allow', 'ask', 'deny']) }),
    result: z.strictObject({ total: z.int(), matched: z.int(), calls: z.array(ReplayedCall), problem: z.string().optional() }),
  },
  'question/reply': { params: z.strictObject({ sessionId, requestId: z.string(), reply: QuestionReply }), result: z.strictObject({ accepted: z.boolean() }) },
  'plan/reply': { params: z.strictObject({ sessionId, requestId: z.string(), reply: PlanReply }), result: z.strictObject({ accepted: z.boolean() }) },
  'notice/dismiss': { params: z.strictObject({ sessionId, noticeId: z.string() }), result: done },
  'context/report': { params: z.strictObject({ sessionId, agentId: agentId.optional() }), result: ContextReport },
  /** Replaces the conversation by a summary: at once, or at the next step while the agent works. */
  'context/compact': { params: z.strictObject({ sessionId, agentId: agentId.optional(), instructions: z.string().optional() }), result: z.strictObject({ problem: z.string().optional() }) },
  /** Adds a note to a memory file; what runs learns of it with its next turn. */
  'memory/add': { params: z.strictObject({ sessionId, scope: z.enum(['project', 'local', 'user']), text: z.string().min(1) }), result: z.strictObject({ path: z.string() }) },
  'memory/list': { params: none, result: z.strictObject({ files: z.array(z.strictObject({ path: z.string(), source: z.string(), why: z.string(), tokens: z.int() })) }) },
  'skill/list': { params: none, result: z.strictObject({ skills: z.array(SkillListing) }) },
  /** Reads every skill file anew; `problemCount` counts what is wrong in them. */
  'skill/reload': { params: none, result: z.strictObject({ count: z.int(), problemCount: z.int() }) },
  /** A `/name` of the composer that never reaches the model; skills and unknown names are told apart. */
  'command/run': { params: z.strictObject({ sessionId, name: z.string().min(1), args: z.string() }), result: LocalOutcome },
  'skill/run': { params: z.strictObject({ sessionId, name: z.string().min(1), args: z.string() }), result: done },
  /** Files for the `@` menu, best match first. */
  'file/search': { params: z.strictObject({ query: z.string(), limit: z.int().min(1).max(200) }), result: z.strictObject({ files: z.array(z.string()), cut: z.boolean() }) },
  'file/open': { params: z.strictObject({ path: z.string(), line: z.int().optional() }), result: done },
  /** Opens VS Code's own diff editor for an edit the tool line or the dock shows. */
  'file/openDiff': { params: z.strictObject({ sessionId, callId: z.string() }), result: done },
  'link/open': { params: z.strictObject({ url: z.url() }), result: done },
  /** The chips the person can attach: open file, selection, Problems. */
  'editor/attachment': { params: z.strictObject({ kind: z.enum(['file', 'selection', 'problems']) }), result: z.strictObject({ attachment: Attachment.nullable() }) },
  'model/list': { params: none, result: z.strictObject({ models: z.array(ModelChoice), problem: z.string().optional() }) },
  /** Models of a server that is not saved yet, for the picker of the set-up form. */
  'model/probe': { params: z.strictObject({ baseUrl: z.url(), key: z.string().optional() }), result: z.strictObject({ models: z.array(ModelChoice), problem: z.string().optional() }) },
  'model/setup': { params: ModelSetup, result: z.strictObject({ problem: z.string().optional() }) },
  /** Looks at the worktrees anew; what it finds comes with the workspace. */
  'worktree/refresh': { params: none, result: done },
  /** VS Code's own diff editor: one file, or all of them when `path` is absent. */
  'worktree/openDiff': { params: z.strictObject({ name: z.string().min(1), path: z.string().optional() }), result: done },
  /** The worktree as a folder: a terminal in it, or a window of its own. */
  'worktree/open': { params: z.strictObject({ name: z.string().min(1), where: z.enum(['terminal', 'window']) }), result: done },
  'worktree/branches': { params: none, result: z.strictObject({ current: z.string().nullable(), branches: z.array(z.string()) }) },
  'worktree/preview': { params: TakeParams, result: MergePreviewView },
  /** Wholly or not at all; with `problem` nothing was changed. `backupRef` holds the person's uncommitted files as they were. */
  'worktree/take': {
    params: TakeParams,
    result: z.strictObject({ files: z.array(z.string()), commit: z.string().optional(), backupRef: z.string().optional(), removed: z.boolean(), conflicts: z.array(MergeConflictView), problem: z.string().optional() }),
  },
  'worktree/discard': { params: z.strictObject({ name: z.string().min(1) }), result: z.strictObject({ trashId: z.string().optional(), problem: z.string().optional() }) },
  'worktree/restore': { params: z.strictObject({ trashId: z.string().min(1) }), result: z.strictObject({ name: z.string().optional(), problem: z.string().optional() }) },
  /** Puts the files back as they were before this turn; what was edited since is left and named. */
  'turn/undo': { params: z.strictObject({ sessionId, turnId: z.string().min(1) }), result: UndoReport },
  /** Takes an undo back. */
  'turn/redo': { params: z.strictObject({ sessionId, turnId: z.string().min(1), backup: z.string().min(1) }), result: UndoReport },
  /** VS Code's own page where the person trusts the folder, or not. */
  'trust/manage': { params: none, result: done },
  'view/openEditor': { params: z.strictObject({ sessionId }), result: done },
} as const;

export type MethodName = keyof typeof methods;
export type Params<M extends MethodName> = z.infer<(typeof methods)[M]['params']>;
export type MethodResult<M extends MethodName> = z.infer<(typeof methods)[M]['result']>;

/** One handler per row; they throw `CallError` for what the caller should hear. */
export type Handlers = { readonly [M in MethodName]: (params: Params<M>, caller: Caller) => Promise<MethodResult<M>> };

/** Who calls: one per connected view. `subscribe` moves what this view is sent. */
export interface Caller {
  readonly viewId: string;
  readonly subscribe: (target: { readonly sessionId: string; readonly agentId: string } | undefined) => void;
}
