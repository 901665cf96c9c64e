import { hookLabel } from './hook';
import { hookEvents } from './hookEvents';
import type { HookReply } from './hookReply';
import type { HookJson } from './hookSchema';

type Specific = NonNullable<HookJson['hookSpecificOutput']>;

/** What all hooks of one event said together. Absent parts: nobody said so. */
export interface HookOutcome {
  readonly replies: readonly HookReply[];
  /** `continue: false`: everything ends here, for this reason. Beats every decision. */
  readonly stop?: string;
  /** The event may not go on; whoever fires it knows what that means. */
  readonly block?: { readonly reason: string; readonly by: string };
  /** PreToolUse: the strictest of all, deny > defer > ask > allow. */
  readonly permission?: { readonly behavior: 'allow' | 'ask' | 'deny' | 'defer'; readonly reason: string; readonly by: string };
  /** PermissionRequest: the first that decides; a deny before any allow. */
  readonly decision?: NonNullable<Specific['decision']>;
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  /** What the model is told beside: additional context, plain words where the event takes them, words of exit code 2. */
  readonly contexts: readonly string[];
  /** For the person. */
  readonly messages: readonly string[];
  /** `hookSpecificOutput` of each that has one, in the hooks' order. */
  readonly specifics: readonly Specific[];
}

export const noHooks: HookOutcome = { replies: [], contexts: [], messages: [], specifics: [] };

const strictness = { allow: 0, ask: 1, defer: 2, deny: 3 } as const;

export function mergeReplies(replies: readonly HookReply[]): HookOutcome {
  if (replies.length === 0) return noHooks;
  const specifics = replies.map(specificOf).filter((one) => one !== undefined);
  const stop = replies.find((reply) => reply.json?.continue === false);
  const block = replies.map(blockOf).find((one) => one !== undefined);
  const permission = replies.map(permissionOf).reduce((most, one) => (one && (!most || strictness[one.behavior] > strictness[most.behavior]) ? one : most), undefined);
  const decisions = specifics.map((one) => one.decision).filter((one) => one !== undefined);
  const decision = decisions.find((one) => one.behavior === 'deny') ?? decisions[0];
  const updatedInput = specifics.findLast((one) => one.updatedInput !== undefined)?.updatedInput;
  return {
    replies,
    ...(stop ? { stop: stop.json?.stopReason ?? 'a hook ended it' } : {}),
    ...(block ? { block } : {}),
    ...(permission ? { permission } : {}),
    ...(decision ? { decision } : {}),
    ...(updatedInput ? { updatedInput } : {}),
    contexts: replies.flatMap(contextsOf),
    messages: replies.flatMap(({ json }) => (json?.systemMessage === undefined ? [] : [json.systemMessage])),
    specifics,
  };
}

/** Fields of one event; older hooks print them beside `hookSpecificOutput`. */
function specificOf({ json }: HookReply): Specific | undefined {
  return json?.hookSpecificOutput;
}

function blockOf({ hook, refusal, json }: HookReply): HookOutcome['block'] {
  const by = hookLabel(hook.handler);
  if (refusal !== undefined) return hookEvents[hook.event].exitTwo === 'block' ? { reason: refusal, by } : undefined;
  if (json?.decision !== 'block' && json?.decision !== 'deny') return undefined;
  return { reason: json.reason ?? 'it gave no reason', by };
}

function permissionOf(reply: HookReply): HookOutcome['permission'] {
  const { hook, json } = reply;
  if (hook.event !== 'PreToolUse') return undefined;
  const by = hookLabel(hook.handler);
  const blocked = blockOf(reply);
  if (blocked) return { behavior: 'deny', reason: blocked.reason, by };
  const specific = json?.hookSpecificOutput;
  const reason = specific?.permissionDecisionReason ?? json?.reason;
  if (specific?.permissionDecision) return { behavior: specific.permissionDecision, reason: reason ?? 'it gave no reason', by };
  return json?.decision === 'approve' || json?.decision === 'allow' ? { behavior: 'allow', reason: reason ?? 'it gave no reason', by } : undefined;
}

function contextsOf({ hook, text, refusal, json, exitCode }: HookReply): readonly string[] {
  const { plainContext, exitTwo } = { plainContext: undefined, ...hookEvents[hook.event] };
  const said: string[] = [];
  if (plainContext && exitCode === 0 && text.trim() !== '') said.push(text.trim());
  if (json?.hookSpecificOutput?.additionalContext) said.push(json.hookSpecificOutput.additionalContext);
  if (exitTwo === 'model') {
    const words = refusal ?? (json?.decision === 'block' ? (json.reason ?? '') : '');
    if (words !== '') said.push(`The hook ${hookLabel(hook.handler)} objects: ${words}`);
  }
  return said;
}
