import type { PermissionExplanation, PermissionSubject } from '../protocol/permission';
import type { Grants } from './grants';
import type { Evaluate, PathFacts, PermissionPolicy, PolicyRule } from './permissionTypes';

export interface Level {
  readonly agentId: string;
  readonly policy: () => PermissionPolicy;
}

export function policyOf(level: Level, grants: Grants): PermissionPolicy {
  const policy = level.policy();
  return { ...policy, rules: grants.withRules(level.agentId, policy.rules) };
}

/**
 * One verdict for a path of agents, root first: any deny denies, any ask asks, else the leaf's own policy decides.
 * Of the agents above only deny and ask rules count: their allows, modes and folders are their own.
 */
export async function foldVerdict(call: { readonly levels: readonly Level[]; readonly subject: PermissionSubject; readonly evaluate: Evaluate; readonly facts: PathFacts; readonly grants: Grants }): Promise<PermissionExplanation> {
  const { levels, subject, evaluate, facts, grants } = call;
  const leafLevel = levels.at(-1);
  if (!leafLevel) throw new Error('a path of agents has at least one');
  const leaf = policyOf(leafLevel, grants);
  const own = await evaluate(subject, leaf, facts);
  if (own.decision === 'deny') return own;
  let asked: PermissionExplanation | undefined;
  const seen = new Set<readonly PolicyRule[]>([leafLevel.policy().rules]);
  for (const level of levels.slice(0, -1)) {
    const { rules } = level.policy();
    if (seen.has(rules)) continue;
    seen.add(rules);
    const above = await evaluate(subject, { ...leaf, rules: strictRules(rules), mode: 'default' }, facts);
    if (above.rule === undefined) continue;
    if (above.decision === 'deny') return { ...above, reason: `${above.reason} (of ${level.agentId})` };
    if (above.decision === 'ask') asked ??= { ...above, reason: `${above.reason} (of ${level.agentId})` };
  }
  if (!asked) return own;
  return leaf.mode === 'dontAsk' ? { ...asked, decision: 'deny', reason: `${asked.reason}; the mode dontAsk denies what would be asked` } : asked;
}

function strictRules(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  return rules.filter((rule) => rule.behavior !== 'allow');
}
