import type { PermissionExplanation, PermissionMode, PermissionSubject } from '../protocol/permission';

export type RuleBehavior = 'allow' | 'ask' | 'deny';

/** Where a rule came from. Order in conflicts does not matter: deny beats ask beats allow, wherever they stand. */
export type RuleSource = 'managed' | 'flag' | 'local' | 'project' | 'user' | 'plugin' | 'session' | 'agent' | 'skill';

/** One rule as written, with what is needed to read its paths and to name it to a person. */
export interface PolicyRule {
  readonly text: string;
  readonly behavior: RuleBehavior;
  readonly source: RuleSource;
  /** The settings file it stands in. */
  readonly path?: string;
  /** What a leading `/` is taken from (spec 06: project root, start folder, config root, …). */
  readonly anchorDir: string;
  /** Only for calls made inside a worktree (saved from a worktree ask). */
  readonly worktreeOnly?: boolean;
  /** In words, for a rule nobody wrote: what a person refused. */
  readonly why?: string;
}

/** All that decides a call, as one value: live changes make a new one. */
export interface PermissionPolicy {
  readonly rules: readonly PolicyRule[];
  readonly mode: PermissionMode;
  /** The folder relative rules and commands are read from. */
  readonly cwd: string;
  readonly projectRoot: string;
  readonly homeDir: string;
  /** cwd and added folders: what edits and reads may touch without a rule in the modes that allow it. */
  readonly workingDirs: readonly string[];
  /** The only file Write and Edit may touch in plan mode. */
  readonly planFile?: string;
  /** Set for an agent in its own worktree: its edits inside `root` need no ask, protected paths apart. */
  readonly worktree?: { readonly root: string; readonly mainRoot: string };
  /** A command that runs in the sandbox needs no permission of its own. */
  readonly freeInSandbox?: boolean;
  /** Own folders of the agent (memory), exempt from asking. */
  readonly exemptDirs?: readonly string[];
}

/** The evaluator's need of the disk: the real path of a path, or of its nearest existing parent. */
export interface PathFacts {
  readonly realPath: (path: string) => Promise<string>;
}

export type Evaluate = (subject: PermissionSubject, policy: PermissionPolicy, facts: PathFacts) => Promise<PermissionExplanation>;

export type PermissionOutcome =
  | { readonly behavior: 'allow'; readonly updatedInput: Readonly<Record<string, unknown>> | undefined; readonly explanation: PermissionExplanation; readonly by: 'rule' | 'person' | 'hook' | 'model' }
  /** `message` is what the model reads: that it was refused, by whom, and what to do instead. */
  | { readonly behavior: 'deny'; readonly message: string; readonly explanation: PermissionExplanation; readonly by: 'rule' | 'person' | 'hook' }
  | { readonly behavior: 'cancelled' };

/** One per agent. `derive` fixes the child's path, so an agent can neither name itself nor force a verdict. */
export interface PermissionBroker {
  readonly agentPath: readonly string[];
  readonly decide: (call: {
    readonly callId: string;
    readonly subject: PermissionSubject;
    readonly signal: AbortSignal;
    /** What a PreToolUse hook said: `allow` takes the place of the ask (never of deny and ask rules), `ask` forces it. */
    readonly hook?: { readonly behavior: 'allow' | 'ask'; readonly reason: string };
    /** The open ask of a call that was cut off by a reload: its id is kept, and an answer that came since is used. */
    readonly resume?: { readonly requestId: string };
  }) => Promise<PermissionOutcome>;
  readonly derive: (child: { readonly agentId: string; readonly policy: () => PermissionPolicy; readonly worktree?: string }) => PermissionBroker;
}
