import type { PermissionExplanation, PermissionMode, Verdict } from '../protocol/permission';
import type { PolicyRule } from './permissionTypes';

/** All that was found out about one path, command part or call, before the mode has its say. */
export interface Judgement {
  readonly deny?: Reason;
  readonly ask?: Reason;
  /** Nothing but a person's yes lifts it, in any mode. */
  readonly mustAsk?: string;
  /** Only a person's yes or bypassPermissions lifts it. */
  readonly guarded?: string;
  /** Needs no permission. */
  readonly free?: string;
  /** Allowed by the mode, once the mode is acceptEdits. */
  readonly edit?: boolean;
  /** Allowed by where it is: an agent's own worktree or memory, the plan file. */
  readonly own?: string;
  readonly allow?: Reason;
  readonly readOnly: boolean;
  /** Why a person is asked when nothing above decides. */
  readonly otherwise: string;
}

export interface Reason {
  readonly reason: string;
  readonly rule?: PolicyRule;
}

export interface Decided {
  readonly decision: 'allow' | 'ask' | 'deny';
  readonly reason: string;
  readonly rule?: PolicyRule;
  /** Only a person's yes lifts it. */
  readonly firm?: true;
}

/** deny, then ask, then mode, then allow; what is left is asked. */
export function decide(found: Judgement, mode: PermissionMode): Decided {
  if (found.deny) return { decision: 'deny', ...found.deny };
  if (mode === 'plan' && !found.readOnly && found.own !== 'plan') {
    return { decision: 'deny', reason: 'plan mode allows only what reads; put it in the plan, or ask for the plan to be approved first' };
  }
  const asked = askedFor(found, mode);
  if (asked) return mode === 'dontAsk' ? { ...asked, decision: 'deny', reason: `${asked.reason}; the mode dontAsk denies what would be asked` } : asked;
  return allowedBy(found, mode) ?? refusedOrAsked(found, mode);
}

function askedFor(found: Judgement, mode: PermissionMode): Decided | undefined {
  if (found.ask) return { decision: 'ask', ...found.ask };
  if (found.mustAsk) return { decision: 'ask', reason: found.mustAsk, firm: true };
  if (found.guarded && mode !== 'bypassPermissions') return { decision: 'ask', reason: found.guarded, firm: true };
  return undefined;
}

function allowedBy(found: Judgement, mode: PermissionMode): Decided | undefined {
  if (found.free) return { decision: 'allow', reason: found.free };
  if (mode === 'bypassPermissions') return { decision: 'allow', reason: 'the mode bypassPermissions allows it' };
  if (found.own) return { decision: 'allow', reason: ownReasons[found.own] ?? found.own };
  if (found.edit && mode === 'acceptEdits') return { decision: 'allow', reason: 'the mode acceptEdits allows edits in the working folders' };
  return found.allow ? { decision: 'allow', ...found.allow } : undefined;
}

const ownReasons: Readonly<Record<string, string>> = { plan: 'it is the plan file', memory: "it is in the agent's own folder", worktree: "it is in the agent's own worktree" };

function refusedOrAsked(found: Judgement, mode: PermissionMode): Decided {
  if (mode === 'dontAsk') return { decision: 'deny', reason: `${found.otherwise}; the mode dontAsk denies what would be asked` };
  return { decision: 'ask', reason: found.otherwise };
}

/** The strictest of several decides; among asks one that a rule demands. */
export function strictest(all: readonly Decided[]): Decided | undefined {
  const rank = (d: Decided): number => ({ deny: 8, ask: 4, allow: 0 })[d.decision] + (d.rule ? 2 : 0) + (d.firm ? 1 : 0);
  return all.reduce<Decided | undefined>((worst, d) => (worst === undefined || rank(d) > rank(worst) ? d : worst), undefined);
}

export function explain(decided: Decided, parts?: readonly { readonly command: string; readonly decided: Decided }[]): PermissionExplanation {
  return {
    decision: decided.decision,
    reason: decided.reason,
    ...(decided.firm && decided.decision === 'ask' ? { firm: true } : {}),
    ...(decided.rule ? { rule: decided.rule.text, source: decided.rule.source, ...(decided.rule.path ? { path: decided.rule.path } : {}) } : {}),
    ...(parts ? { parts: parts.map(({ command, decided: own }) => ({ command, decision: own.decision satisfies Verdict, ...(own.rule ? { rule: own.rule.text } : {}), reason: own.reason })) } : {}),
  };
}

export function byRule(rule: PolicyRule | undefined): Reason | undefined {
  const verbs = { deny: 'denied', ask: 'must be asked', allow: 'allowed' } as const;
  return rule ? { rule, reason: rule.why ?? `${verbs[rule.behavior]} by the rule ${rule.text}` } : undefined;
}
