/** What happens when a hook of an event ends with exit code 2 (spec 05.5). */
export type ExitTwo = 'block' | 'model' | 'user' | 'ignored';

export interface HookEventRow {
  /** The input field a matcher is compared with; absent: matchers are ignored. */
  readonly matcherField?: string;
  /** A matcher is a list of literal names, split at `|` alone. */
  readonly literal?: true;
  readonly exitTwo: ExitTwo;
  /** `all` five handler types; `actions`: command, http, mcp_tool; `local`: command, mcp_tool. */
  readonly types: 'all' | 'actions' | 'local';
  /** Plain text on stdout enters the conversation. */
  readonly plainContext?: true;
  /** About one tool call: `if` can be judged. */
  readonly tool?: true;
  /** A command may write `export` lines for later shells to `CLAUDE_ENV_FILE`. */
  readonly envFile?: true;
  /** Seconds in place of the type's own default, for command, http and mcp_tool. */
  readonly timeoutSeconds?: number;
  /** This build fires it. One that comes later turns this on where it calls `fire`. */
  readonly fired: boolean;
}

const rows = {
  SessionStart: { matcherField: 'source', exitTwo: 'user', types: 'local', plainContext: true, envFile: true, fired: true },
  Setup: { matcherField: 'trigger', exitTwo: 'user', types: 'local', envFile: true, fired: true },
  InstructionsLoaded: { matcherField: 'load_reason', exitTwo: 'user', types: 'actions', fired: true },
  UserPromptSubmit: { exitTwo: 'block', types: 'all', plainContext: true, timeoutSeconds: 30, fired: true },
  UserPromptExpansion: { matcherField: 'command_name', exitTwo: 'block', types: 'all', plainContext: true, fired: true },
  MessageDisplay: { exitTwo: 'user', types: 'actions', timeoutSeconds: 10, fired: true },
  PreToolUse: { matcherField: 'tool_name', exitTwo: 'block', types: 'all', tool: true, fired: true },
  PermissionRequest: { matcherField: 'tool_name', exitTwo: 'ignored', types: 'all', tool: true, fired: true },
  PermissionDenied: { matcherField: 'tool_name', exitTwo: 'ignored', types: 'all', tool: true, fired: true },
  PostToolUse: { matcherField: 'tool_name', exitTwo: 'model', types: 'all', tool: true, fired: true },
  PostToolUseFailure: { matcherField: 'tool_name', exitTwo: 'model', types: 'all', tool: true, fired: true },
  PostToolBatch: { exitTwo: 'block', types: 'all', fired: true },
  Notification: { matcherField: 'notification_type', exitTwo: 'ignored', types: 'actions', fired: true },
  SubagentStart: { matcherField: 'agent_type', exitTwo: 'user', types: 'actions', fired: true },
  SubagentStop: { matcherField: 'agent_type', exitTwo: 'block', types: 'all', fired: true },
  TaskCreated: { exitTwo: 'block', types: 'all', fired: false },
  TaskCompleted: { exitTwo: 'block', types: 'all', fired: false },
  Stop: { exitTwo: 'block', types: 'all', fired: true },
  StopFailure: { matcherField: 'error', literal: true, exitTwo: 'ignored', types: 'actions', fired: true },
  TeammateIdle: { exitTwo: 'block', types: 'all', fired: false },
  ConfigChange: { matcherField: 'source', exitTwo: 'block', types: 'actions', fired: true },
  CwdChanged: { exitTwo: 'user', types: 'actions', envFile: true, fired: true },
  DirectoryAdded: { matcherField: 'source', exitTwo: 'user', types: 'actions', fired: true },
  FileChanged: { matcherField: 'file_path', literal: true, exitTwo: 'user', types: 'actions', envFile: true, fired: true },
  WorktreeCreate: { exitTwo: 'block', types: 'actions', fired: false },
  WorktreeRemove: { exitTwo: 'user', types: 'actions', fired: false },
  PreCompact: { matcherField: 'trigger', exitTwo: 'block', types: 'actions', fired: true },
  PostCompact: { matcherField: 'trigger', exitTwo: 'user', types: 'actions', fired: true },
  SessionEnd: { matcherField: 'reason', exitTwo: 'user', types: 'actions', fired: true },
  Elicitation: { matcherField: 'mcp_server_name', exitTwo: 'block', types: 'actions', fired: false },
  ElicitationResult: { matcherField: 'mcp_server_name', exitTwo: 'block', types: 'actions', fired: false },
} as const satisfies Record<string, HookEventRow>;

export type HookEventName = keyof typeof rows;

/** Every event of the format. An event that a later part fires is one changed row here and one `fire` there. */
export const hookEvents: Readonly<Record<HookEventName, HookEventRow>> = rows;

export function isHookEvent(name: string): name is HookEventName {
  return Object.hasOwn(rows, name);
}

export const hookEventNames: readonly HookEventName[] = Object.keys(rows).filter(isHookEvent);

/** What this build fires. */
export const firedEvents: readonly HookEventName[] = hookEventNames.filter((name) => hookEvents[name].fired);
