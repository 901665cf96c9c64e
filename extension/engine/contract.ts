import type { Disposable } from '../base/disposable';
import type { Result } from '../base/result';
import type { Clock, Editor, HostModels, LanguageIntelligence, Log, Notify, Secrets, SignIn, Trust } from '../ports';
import type { Transport, UiCommand } from '../protocol/envelope';
import type { TurnStop, UiEvent } from '../protocol/events';
import type { Handlers } from '../protocol/methods';
import type { PermissionExplanation, PermissionMode } from '../protocol/permission';
import type { View, WorkspaceView } from '../protocol/view';
import type { WorktreeView } from '../protocol/worktree';

/** What an entry hands in. Absent ports mean "not in this door": no editor in headless runs. */
export interface EnginePorts {
  readonly clock: Clock;
  readonly log: Log;
  readonly secrets: Secrets;
  readonly trust: Trust;
  readonly editor?: Editor;
  readonly language?: LanguageIntelligence;
  readonly hostModels?: HostModels;
  readonly notify?: Notify;
  readonly signIn?: SignIn;
}

export interface EngineOptions {
  /** The folder the person opened or started in; absolute. */
  readonly cwd: string;
  readonly addDirs: readonly string[];
  /** `--plugin-dir`: folders of plugins for this run; absolute. */
  readonly pluginDirs?: readonly string[];
  /** `CLAUDE_CONFIG_DIR`, else `~/.claude`. */
  readonly configRoot: string;
  readonly homeDir: string;
  /** Where an organisation's files lie; the operating system's own place when absent. */
  readonly managedDir?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of the bundle, where wasm and other assets lie. */
  readonly assetsDir: string;
  readonly ripgrepPath: string | undefined;
  readonly version: string;
  /** Settings of the flag layer: `--settings`, VS Code's `troupe.*`. */
  readonly flagSettings: readonly Readonly<Record<string, unknown>>[];
  readonly model?: string;
  readonly effort?: string | number;
  readonly maxTurns?: number;
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  /** Replaces the system prompt. */
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  /** bypassPermissions may be chosen: the headless gate, or the machine setting in an editor. */
  readonly skipPermissions?: boolean;
  /** `--mcp-config`: files, or JSON as it is. */
  readonly mcpConfigs?: readonly string[];
  /** `--strict-mcp-config`: no servers but those. */
  readonly onlyMcpConfigs?: boolean;
  /** Without an editor the folder's recorded trust counts beside `trust` (spec 20). */
  readonly usesTrustRecord?: boolean;
  /** Setup hooks run with this trigger when a session begins. */
  readonly setup?: 'init' | 'maintenance';
  /** A prompt follows at once: what its first message needs is read while the rest is set up. */
  readonly startsAtOnce?: boolean;
  /** No person can answer: what would ask is denied with the reason. */
  readonly interactive: boolean;
}

export type InspectTopic = 'all' | 'skills' | 'agents' | 'plugins' | 'hooks' | 'mcp' | 'hookEvents' | 'settings' | 'memory' | 'styles';

export interface ExplainCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly mode?: PermissionMode;
  /** As a sub-agent of this kind, started by the main agent in that mode. */
  readonly agent?: string;
}

/** How the last turn of a session ended. `apiMs` is the time spent waiting for the model. */
export interface SettledTurn {
  readonly stop: TurnStop;
  readonly problem?: { readonly code: string; readonly message: string; readonly retryable: boolean };
  readonly durationMs: number;
  readonly apiMs: number;
}

export interface SessionDescription {
  readonly cwd: string;
  readonly model: string | undefined;
  readonly mode: PermissionMode;
  readonly tools: readonly string[];
  readonly slashCommands: readonly string[];
  readonly skills: readonly string[];
  readonly agents: readonly string[];
  readonly mcpServers: readonly { readonly name: string; readonly status: string }[];
}

export interface Engine {
  /** Direct calls, for a front end in the same process. */
  readonly handlers: Handlers;
  /** Serves one view: answers its calls, sends it events of what it subscribed to, and the workspace. */
  readonly connect: (transport: Transport) => Disposable;
  readonly workspace: () => WorkspaceView;
  readonly onDidChangeWorkspace: (listener: (workspace: WorkspaceView) => void) => Disposable;
  /** Sent to the connected views; kept for the next one when none is connected. */
  readonly sendUi: (command: UiCommand) => void;
  /** Every event of every live session, deltas included, as it happens. */
  readonly onEvent: (listener: (sessionId: string, event: UiEvent) => void) => Disposable;
  /** Resolves when the session's agents have nothing left to do. */
  readonly settled: (sessionId: string) => Promise<SettledTurn | undefined>;
  /** What a session was started with, for the first line of `stream-json`. */
  readonly describe: (sessionId: string) => Promise<SessionDescription>;
  /** A session as it stands on disk, without taking it over. */
  readonly readSession: (sessionId: string) => Promise<Result<View, string>>;
  readonly inspect: (topic: InspectTopic) => Promise<Readonly<Record<string, unknown>>>;
  readonly renderSkill: (call: { readonly name: string; readonly args: string; readonly shell: boolean }) => Promise<Result<Readonly<Record<string, unknown>>, string>>;
  readonly explainPermission: (call: ExplainCall) => Promise<Result<PermissionExplanation, string>>;
  /** A file of a worktree as it was when that was made. @returns undefined where there was none */
  readonly worktreeBase: (name: string, path: string) => Promise<Uint8Array | undefined>;
  /** A worktree with every file that differs from its base. */
  readonly worktreeLook: (name: string) => Promise<Result<WorktreeView, string>>;
  /** One unified diff, untracked files included. `isCut`: there is more than 64 MB of it. */
  readonly worktreeDiff: (name: string, path?: string) => Promise<Result<{ readonly text: string; readonly isCut: boolean }, string>>;
  /** Removes the worktrees, or the one named, that hold nothing of their own; says why the others stay. */
  readonly cleanWorktrees: (name?: string) => Promise<Result<{ readonly removed: readonly string[]; readonly kept: readonly { readonly name: string; readonly reason: string }[] }, string>>;
  /** Interrupts what runs, ends its processes, closes its files. */
  readonly dispose: () => Promise<void>;
}
