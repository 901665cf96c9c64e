import * as z from 'zod';

/** Handlers as they stand in files. The format is not ours: unknown keys are kept and ignored. */
const common = {
  if: z.string().min(1).optional(),
  /** Seconds. */
  timeout: z.number().positive().max(86_400).optional(),
  statusMessage: z.string().optional(),
  once: z.boolean().optional(),
};

export const CommandHandler = z.looseObject({
  type: z.literal('command'),
  command: z.string().min(1),
  /** The exec form: no shell, each argument as it is. */
  args: z.array(z.string()).optional(),
  async: z.boolean().optional(),
  asyncRewake: z.boolean().optional(),
  shell: z.enum(['bash', 'powershell']).optional(),
  ...common,
});
export type CommandHandler = z.infer<typeof CommandHandler>;

export const HttpHandler = z.looseObject({
  type: z.literal('http'),
  url: z.string().regex(/^https?:\/\//i, 'needs an http or https address'),
  headers: z.record(z.string(), z.string()).optional(),
  allowedEnvVars: z.array(z.string()).optional(),
  ...common,
});
export type HttpHandler = z.infer<typeof HttpHandler>;

export const McpToolHandler = z.looseObject({ type: z.literal('mcp_tool'), server: z.string().min(1), tool: z.string().min(1), input: z.record(z.string(), z.unknown()).optional(), ...common });
export type McpToolHandler = z.infer<typeof McpToolHandler>;

export const PromptHandler = z.looseObject({ type: z.literal('prompt'), prompt: z.string().min(1), model: z.string().optional(), continueOnBlock: z.boolean().optional(), ...common });
export type PromptHandler = z.infer<typeof PromptHandler>;

export const AgentHandler = z.looseObject({ type: z.literal('agent'), prompt: z.string().min(1), model: z.string().optional(), ...common });
export type AgentHandler = z.infer<typeof AgentHandler>;

export const HookHandler = z.discriminatedUnion('type', [CommandHandler, HttpHandler, McpToolHandler, PromptHandler, AgentHandler]);
export type HookHandler = z.infer<typeof HookHandler>;

export const HookGroup = z.looseObject({ matcher: z.string().optional(), hooks: z.array(z.unknown()) });
export type HookGroup = z.infer<typeof HookGroup>;

export const PermissionUpdate = z.looseObject({
  type: z.enum(['addRules', 'replaceRules', 'removeRules', 'setMode', 'addDirectories', 'removeDirectories']),
  rules: z.array(z.looseObject({ toolName: z.string(), ruleContent: z.string().optional() })).optional(),
  behavior: z.enum(['allow', 'ask', 'deny']).optional(),
  mode: z.string().optional(),
  directories: z.array(z.string()).optional(),
  destination: z.enum(['session', 'localSettings', 'projectSettings', 'userSettings']).optional(),
});
export type PermissionUpdate = z.infer<typeof PermissionUpdate>;

/** What a hook of any event may print. Fields of one event stand in `hookSpecificOutput`; older hooks put them beside it. */
export const HookJson = z.looseObject({
  continue: z.boolean().optional(),
  stopReason: z.string().optional(),
  /** Accepted; has no effect (spec 05.5). */
  suppressOutput: z.boolean().optional(),
  systemMessage: z.string().optional(),
  terminalSequence: z.string().optional(),
  decision: z.union([z.enum(['approve', 'block', 'allow', 'deny']), z.looseObject({})]).optional(),
  reason: z.string().optional(),
  hookSpecificOutput: z
    .looseObject({
      hookEventName: z.string().optional(),
      permissionDecision: z.enum(['allow', 'deny', 'ask', 'defer']).optional(),
      permissionDecisionReason: z.string().optional(),
      updatedInput: z.record(z.string(), z.unknown()).optional(),
      additionalContext: z.string().optional(),
      decision: z
        .looseObject({
          behavior: z.enum(['allow', 'deny']),
          updatedInput: z.record(z.string(), z.unknown()).optional(),
          updatedPermissions: z.array(PermissionUpdate).optional(),
          message: z.string().optional(),
          interrupt: z.boolean().optional(),
        })
        .optional(),
      retry: z.boolean().optional(),
      watchPaths: z.array(z.string()).optional(),
      initialUserMessage: z.string().optional(),
      sessionTitle: z.string().optional(),
      reloadSkills: z.boolean().optional(),
      displayContent: z.string().optional(),
    })
    .optional(),
});
export type HookJson = z.infer<typeof HookJson>;

/** What a model answers to a prompt or agent hook. */
export const ModelVerdict = z.looseObject({ ok: z.boolean(), reason: z.string().optional(), impossible: z.boolean().optional() });
export type ModelVerdict = z.infer<typeof ModelVerdict>;
