import { type CallPlace, isInsideAny, type PathForms, pathForms } from './callPlace';
import { byRule, type Judgement, type Reason } from './judgement';
import { isInside } from './pathForms';
import type { PolicyRule, RuleBehavior } from './permissionTypes';
import { protectedReason } from './protectedPaths';
import { outOfWorktree } from './worktreeEscape';

export type Access = 'read' | 'edit';

/** What rules and places say about one file. `tool` is whose whole-tool rules count. */
export async function judgePath(place: CallPlace, ask: { readonly access: Access; readonly tool: string; readonly path: string }): Promise<Judgement> {
  const forms = await pathForms(place, ask.path);
  const inWorking = isInsideAny(forms, place.workingDirs);
  const guard = ask.access === 'edit' ? guardOf(place, forms) : undefined;
  const own = ownReason(place, forms, guard);
  const deny = toolRule(place, 'deny', ask.tool) ?? ruleOn(place, 'deny', ask, forms) ?? mainCheckout(place, ask.access, forms);
  return {
    deny,
    ask: toolRule(place, 'ask', ask.tool) ?? ruleOn(place, 'ask', ask, forms),
    mustAsk: ask.access === 'edit' && outOfWorktree(place, forms) === 'link' ? `${forms.lexical} is really ${forms.real}, outside the agent's worktree` : undefined,
    guarded: own === 'plan' || own === 'memory' ? undefined : guard,
    free: ask.access === 'read' && (inWorking || own === 'plan') ? 'it reads inside the working folders' : undefined,
    edit: ask.access === 'edit' && inWorking && guard === undefined,
    own: ask.access === 'edit' || own === 'memory' ? own : undefined,
    allow: toolRule(place, 'allow', ask.tool) ?? allowOn(place, ask.access, forms),
    readOnly: ask.access === 'read',
    otherwise: otherwise(ask.access, forms, inWorking),
  };
}

function otherwise(access: Access, forms: PathForms, inWorking: boolean): string {
  if (!inWorking) return `${forms.lexical}${forms.real === forms.lexical ? '' : ` (really ${forms.real})`} is outside the working folders`;
  return access === 'edit' ? 'no rule allows this edit' : 'no rule allows this read';
}

function toolRule(place: CallPlace, behavior: RuleBehavior, tool: string): Reason | undefined {
  return byRule(place.index.tool(behavior, tool));
}

/** Deny and ask: the name or what is behind it. A denied read is a denied change too, notebooks apart. */
function ruleOn(place: CallPlace, behavior: 'deny' | 'ask', ask: { readonly access: Access; readonly tool: string }, forms: PathForms): Reason | undefined {
  const accesses: readonly Access[] = ask.access === 'read' ? ['read'] : behavior === 'deny' && ask.tool !== 'NotebookEdit' ? ['edit', 'read'] : ['edit'];
  return byRule(firstRule(place, behavior, accesses, forms));
}

export function firstRule(place: CallPlace, behavior: RuleBehavior, accesses: readonly Access[], forms: PathForms): PolicyRule | undefined {
  for (const access of accesses) for (const form of forms.forRules) {
    const rule = place.index.path(behavior, access, form);
    if (rule) return rule;
  }
  return undefined;
}

/** Allow: the name and what is behind it. */
function allowOn(place: CallPlace, access: Access, forms: PathForms): Reason | undefined {
  const [lexical, real] = forms.forRules;
  const rule = place.index.path('allow', access, lexical);
  return rule && (lexical === real || place.index.path('allow', access, real)) ? byRule(rule) : undefined;
}

export function guardOf(place: CallPlace, forms: PathForms): string | undefined {
  for (const form of [forms.lexical, forms.real]) {
    const root = place.worktreeRoots.find((r) => isInside(form, r));
    const reason = protectedReason(root === undefined ? form : form.slice(root.length) || '/');
    if (reason) return `${form} is protected: ${reason}`;
  }
  return undefined;
}

function ownReason(place: CallPlace, forms: PathForms, guard: string | undefined): 'plan' | 'memory' | 'worktree' | undefined {
  if (place.policy.mode === 'plan' && place.planFile !== undefined && forms.real === place.planFile) return 'plan';
  if (isInsideAny(forms, place.exemptDirs)) return 'memory';
  return guard === undefined && isInsideAny(forms, place.worktreeRoots) ? 'worktree' : undefined;
}

/** An agent in its own worktree leaves the main checkout alone. */
function mainCheckout(place: CallPlace, access: Access, forms: PathForms): Reason | undefined {
  if (access !== 'edit' || outOfWorktree(place, forms) !== 'main') return undefined;
  return { reason: `${forms.lexical} belongs to the main checkout; this agent changes files in ${place.worktreeRoots[0]} only` };
}
