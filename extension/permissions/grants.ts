import type { PermissionScope } from '../protocol/permission';
import { parseRule } from './parseRule';
import type { PolicyRule, RuleSource } from './permissionTypes';

/**
 * Allow rules that live in memory only: for one agent, for the session, until a turn ends. One per session, shared by
 * all its brokers. Lists keep their identity until they change, so that compiled rules are kept too.
 */
export class Grants {
  private session: readonly PolicyRule[] = [];
  private readonly agents = new Map<string, readonly PolicyRule[]>();
  private readonly turns = new Map<string, readonly PolicyRule[]>();
  private readonly merged = new WeakMap<readonly PolicyRule[], Map<string, readonly PolicyRule[]>>();
  private version = 0;

  /** Rules that can't be read are left out. */
  add(scope: Exclude<PermissionScope, 'once'>, grant: { readonly agentId: string; readonly rules: readonly string[]; readonly anchorDir: string; readonly worktreeOnly?: boolean }): void {
    const rules = readable(grant.rules, { source: scope, anchorDir: grant.anchorDir, worktreeOnly: grant.worktreeOnly });
    if (scope === 'agent') this.agents.set(grant.agentId, [...(this.agents.get(grant.agentId) ?? []), ...rules]);
    else this.session = [...this.session, ...rules];
    this.version++;
  }

  /** For what a skill may do without asking, until `endTurn`. */
  addForTurn(agentId: string, rules: readonly string[], anchorDir: string): void {
    this.turns.set(agentId, [...(this.turns.get(agentId) ?? []), ...readable(rules, { source: 'skill', anchorDir })]);
    this.version++;
  }

  endTurn(agentId: string): void {
    if (this.turns.delete(agentId)) this.version++;
  }

  /** The agent is gone, and what was granted to it alone. */
  forget(agentId: string): void {
    this.endTurn(agentId);
    if (this.agents.delete(agentId)) this.version++;
  }

  /** The policy's own rules and what was granted to this agent. */
  withRules(agentId: string, rules: readonly PolicyRule[]): readonly PolicyRule[] {
    const extra = [...this.session, ...(this.agents.get(agentId) ?? []), ...(this.turns.get(agentId) ?? [])];
    if (extra.length === 0) return rules;
    const key = `${this.version} ${agentId}`;
    const known = this.merged.get(rules) ?? new Map<string, readonly PolicyRule[]>();
    this.merged.set(rules, known);
    const merged = known.get(key) ?? [...rules, ...extra];
    if (known.size > 50) known.clear();
    known.set(key, merged);
    return merged;
  }
}

function readable(rules: readonly string[], rest: { readonly source: RuleSource; readonly anchorDir: string; readonly worktreeOnly?: boolean }): readonly PolicyRule[] {
  return rules.filter((text) => parseRule(text, 'allow').ok).map((text) => ({ text, behavior: 'allow', ...rest }));
}
