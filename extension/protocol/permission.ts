import * as z from 'zod';
import { Diff } from './toolDisplay';

export { PermissionMode } from './permissionMode';

export const Verdict = z.enum(['deny', 'ask', 'allow', 'none']);
export type Verdict = z.infer<typeof Verdict>;

/** Where a grant lives. `once` is written nowhere, `agent` and `session` end with them, the rest are settings files. */
export const PermissionScope = z.enum(['once', 'agent', 'session', 'local', 'project', 'user']);
export type PermissionScope = z.infer<typeof PermissionScope>;

/**
 * What a call is about to do, in the words and values that rules match and people read.
 * `kind` picks the card in the dock; paths are absolute.
 */
export const PermissionSubject = z.strictObject({
  tool: z.string(),
  kind: z.enum(['command', 'edit', 'read', 'fetch', 'search', 'mcp', 'skill', 'agent', 'plan', 'other']),
  /** Sentence without its subject: "run a command", "edit retry.ts". */
  title: z.string(),
  /** The tool's input, for the parameter form of rules and for "other" cards. */
  input: z.record(z.string(), z.unknown()),
  command: z.string().optional(),
  /** Files read or changed by the call. */
  paths: z.array(z.string()).optional(),
  /** The folder patterns, globs and relative paths are taken from. */
  cwd: z.string(),
  url: z.string().optional(),
  /** What `Tool(name)` rules match for skills and agents. */
  name: z.string().optional(),
  diff: Diff.optional(),
  /** Risks in words, most important first: "Downloads from the network and runs package scripts". */
  risks: z.array(z.string()).optional(),
  /** Why the person must be asked whatever the allow rules say (a private address). */
  alwaysAsk: z.string().optional(),
  /** It will run where it can write and reach only what the settings let it. */
  sandboxed: z.boolean().optional(),
  readOnly: z.boolean(),
});
export type PermissionSubject = z.infer<typeof PermissionSubject>;

/** A rule the person may save with "Always…". `also` shows what else it would allow, `not` what it still would not. */
export const RuleSuggestion = z.strictObject({
  rules: z.array(z.string()).min(1),
  scopes: z.array(PermissionScope),
  also: z.array(z.string()).optional(),
  not: z.array(z.string()).optional(),
});
export type RuleSuggestion = z.infer<typeof RuleSuggestion>;

export const CommandPart = z.strictObject({ command: z.string(), decision: Verdict, rule: z.string().optional(), reason: z.string().optional() });
export type CommandPart = z.infer<typeof CommandPart>;

/** Why a call was allowed, asked or denied: the rule, the file it stands in, and the reason in words. */
export const PermissionExplanation = z.strictObject({
  decision: z.enum(['allow', 'ask', 'deny']),
  reason: z.string(),
  rule: z.string().optional(),
  source: z.string().optional(),
  path: z.string().optional(),
  parts: z.array(CommandPart).optional(),
  /** Asked whatever the mode: only a person's yes lifts it. */
  firm: z.boolean().optional(),
});
export type PermissionExplanation = z.infer<typeof PermissionExplanation>;

/** `agentPath` is root first; only brokers write it, so an agent can't name itself. */
export const PermissionRequest = z.strictObject({
  requestId: z.string(),
  callId: z.string(),
  agentPath: z.array(z.string()).min(1),
  worktree: z.string().optional(),
  subject: PermissionSubject,
  suggestions: z.array(RuleSuggestion),
  explanation: PermissionExplanation,
  askedAtMs: z.int(),
});
export type PermissionRequest = z.infer<typeof PermissionRequest>;

export const PermissionDecision = z.discriminatedUnion('behavior', [
  z.strictObject({
    behavior: z.literal('allow'),
    scope: PermissionScope,
    /** The rules to save, exactly as shown to the person. Needed for every scope but `once`. */
    rules: z.array(z.string()).optional(),
    updatedInput: z.record(z.string(), z.unknown()).optional(),
    /** For a rule saved from a worktree ask: it holds in the main checkout too, not only for agents in worktrees. */
    inMainToo: z.boolean().optional(),
  }),
  z.strictObject({ behavior: z.literal('deny'), feedback: z.string().optional() }),
]);
export type PermissionDecision = z.infer<typeof PermissionDecision>;

/** Where one call's permission came from: who decided, by which rule of which file, for which agent, when. Kept in the log. */
export const PermissionProvenance = z.strictObject({
  behavior: z.enum(['allow', 'deny']),
  /** `model`: the classifier of the mode auto. */
  by: z.enum(['rule', 'person', 'hook', 'model']),
  reason: z.string(),
  rule: z.string().optional(),
  source: z.string().optional(),
  path: z.string().optional(),
  /** Who asked, root first. */
  agentPath: z.array(z.string()).min(1),
  atMs: z.int(),
});
export type PermissionProvenance = z.infer<typeof PermissionProvenance>;

/** A rule that counts now. Those of a file name it; the others end with their turn, agent or session. */
export const PermissionGrant = z.strictObject({
  id: z.string(),
  scope: z.enum(['turn', 'agent', 'session', 'refused', 'local', 'project', 'user', 'flag', 'managed', 'plugin', 'skill']),
  behavior: z.enum(['allow', 'ask', 'deny']),
  rule: z.string(),
  agentId: z.string().optional(),
  path: z.string().optional(),
  worktreeOnly: z.boolean().optional(),
  /** For a rule nobody wrote. */
  why: z.string().optional(),
  revocable: z.boolean(),
});
export type PermissionGrant = z.infer<typeof PermissionGrant>;

/** What a rule would have said to one past call of the session. */
export const ReplayedCall = z.strictObject({ callId: z.string(), agentId: z.string(), name: z.string(), title: z.string(), matched: z.boolean(), outcome: z.string() });
export type ReplayedCall = z.infer<typeof ReplayedCall>;
