import type { AgentToolPorts } from '../agents/agentTool';
import type { AgentWorktrees } from '../agents/worktreePort';
import type { Problem } from '../base/problem';
import type { Result } from '../base/result';
import type { EngineOptions } from './contract';
import type { GitState } from '../session/contextMessage';
import type { chooseStyle } from '../session/outputStyle';
import type { MemoryFile } from '../session/memoryFilesLoader';
import type { LeaseOwner } from '../session/leaseStore';
import type { SessionStore } from '../session/sessionStore';
import type { BackgroundTasks } from '../tools/backgroundTasks';
import type { AgentBook } from './agentBook';
import type { AskDesk } from './askDesk';
import type { HookBook } from './hookBook';
import type { PluginBook } from './pluginBook';
import type { McpDesk } from './mcpDesk';
import type { SkillBook } from './skillBook';
import type { AskUser } from '../permissions/askQueue';
import type { Classify, RootBroker } from '../permissions/broker';
import type { Grants } from '../permissions/grants';
import type { PermissionEvaluator } from '../permissions/evaluate';
import type { PathFacts, PermissionPolicy, PolicyRule } from '../permissions/permissionTypes';
import type { ProcessRunner } from '../platform/processRunner';
import type { WebPoster } from '../platform/webClient';
import type { FileStore } from '../platform/fileStore';
import type { Clock, Log, ModelAccess } from '../ports';
import type { Notice } from '../protocol/events';
import type { PermissionExplanation, PermissionMode, PermissionSubject } from '../protocol/permission';
import type { Skill } from '../skills/skill';
import type { Tool, ToolContext } from '../tools/defineTool';
import type { UndoOutcome } from '../worktree/snapshotRunner';
import type { ToolShelf } from '../tools/toolShelf';

/** What a session's calls are judged by at this moment. */
export interface PolicyState {
  readonly cwd: string;
  readonly mode: PermissionMode;
  readonly planFile: string;
  /** Beside those of the settings, such as what a skill grants. */
  readonly extraRules?: readonly PolicyRule[];
  /** Folders of an agent that does not work where the session does. */
  readonly workingDirs?: readonly string[];
  /** Beside those of the options and settings: what a person added to the session. */
  readonly addedDirs?: readonly string[];
  readonly worktree?: PermissionPolicy['worktree'];
}

/** Doors from a session's tools back into their session. */
export interface SessionToolPorts {
  readonly desk: AskDesk;
  readonly agentPath: (ctx: ToolContext) => readonly string[];
  readonly planFile: string;
  readonly agents: AgentToolPorts;
  readonly useSkill: (skill: Skill) => void;
  readonly raise: (notice: Omit<Notice, 'noticeId'>) => void;
  /** Files of `export` lines for every shell of the session. */
  readonly envFiles: () => readonly string[];
  /** The tools of the agent that asks. */
  readonly shelf: (ctx: ToolContext) => ToolShelf | undefined;
  /** The texts of skills already in the agent's context. */
  readonly isSaid: (agentId: string, text: string) => boolean;
}

/** The state of the folder at moments of a session. Problems say why there is none. */
export interface TurnSnapshots {
  readonly take: (request: { readonly sessionId: string; readonly label: string; readonly signal?: AbortSignal }) => Promise<Result<undefined, string>>;
  readonly has: (request: { readonly sessionId: string; readonly label: string }) => Promise<boolean>;
  /** Makes of what changed from `before` to `after` what it was before, where it is still as after. */
  readonly undo: (request: { readonly sessionId: string; readonly before: string; readonly after: string }) => Promise<Result<UndoOutcome, string>>;
  /** `ref` is the state that an undo of this session kept. */
  readonly isBackup: (request: { readonly sessionId: string; readonly ref: string }) => boolean;
  readonly drop: (sessionId: string) => Promise<void>;
}

export interface HookParts {
  readonly processes: ProcessRunner;
  readonly web: WebPoster;
  readonly childEnv: () => Readonly<Record<string, string>>;
  readonly evaluator: Pick<PermissionEvaluator, 'evaluate' | 'splitCommand'>;
  readonly facts: PathFacts;
}

/** What all sessions of one engine share; made once in `engine.ts`. */
export interface SessionKit {
  readonly clock: Clock;
  readonly log: Log;
  readonly options: EngineOptions;
  readonly projectRoot: string;
  readonly models: ModelAccess;
  /** The settings' list of models lets this one be used. */
  readonly mayUseModel: (model: string) => boolean;
  readonly sessions: SessionStore;
  readonly leaseOwner: LeaseOwner;
  readonly skills: SkillBook;
  readonly agents: AgentBook;
  readonly plugins: PluginBook;
  readonly hooks: HookBook;
  /** What hooks are run with. */
  readonly hookParts: HookParts;
  readonly mcp: McpDesk;
  readonly tasks: BackgroundTasks;
  /** Absent where this build has no worktrees. */
  readonly worktrees?: AgentWorktrees;
  /** Absent: turns can't be undone. */
  readonly snapshots?: TurnSnapshots;
  readonly files: FileStore;
  readonly outputsDir: (sessionId: string) => string;
  readonly planFile: (sessionId: string) => string;
  readonly isFile: (path: string) => Promise<boolean>;
  /** The verdict of the rules alone, nobody is asked. */
  readonly judge: (subject: PermissionSubject, state: PolicyState) => Promise<PermissionExplanation>;
  /** The same by these rules alone. */
  readonly judgeBy: (subject: PermissionSubject, rules: readonly PolicyRule[], state: PolicyState) => Promise<PermissionExplanation>;
  readonly policy: (state: PolicyState) => PermissionPolicy;
  /** Without `askUser` nobody can answer: what would be asked is denied with the reason. */
  readonly newBroker: (ports: { readonly policy: () => PermissionPolicy; readonly grants: Grants; readonly askUser: AskUser; readonly classify: Classify }) => RootBroker;
  readonly onPolicyChange: (listener: () => void) => { dispose(): void };
  readonly newTools: (ports: SessionToolPorts) => Promise<readonly Tool[]>;
  readonly defaultMode: () => PermissionMode;
  /** What is wrong in settings files now. */
  readonly settingsProblems: () => readonly Problem[];
  /** Where a conversation is summarised by itself; undefined: only when a request was too long. */
  readonly compactAtPercent: () => number | undefined;
  /** What a new session starts with; no look at the disk while none is set. */
  readonly outputStyle: () => Promise<ReturnType<typeof chooseStyle>>;
  readonly memory: () => Promise<readonly MemoryFile[]>;
  readonly nestedMemory: (paths: readonly string[], known: ReadonlySet<string>) => Promise<readonly MemoryFile[]>;
  /** Of the session's folder, or of an agent's own. */
  readonly git: (cwd?: string) => Promise<GitState | undefined>;
  /** Ends processes that an earlier engine of this session left running. */
  readonly sweep: (spawned: readonly { readonly pid: number; readonly processStartedAtMs: number }[]) => Promise<void>;
}
