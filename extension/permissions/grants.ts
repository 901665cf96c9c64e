import type { PermissionGrant, PermissionScope } from '../protocol/permission';
import { parseRule } from './parseRule';
import type { PolicyRule, RuleSource } from './permissionTypes';

type MemoryScope = 'session' | 'agent' | 'turn' | 'refused';

interface Held {
  readonly id: string;
  readonly scope: MemoryScope;
  /** Absent where it holds for the whole session. */
  readonly agentId?: string;
  readonly rule: PolicyRule;
}

/**
 * Rules that live in memory only: what was allowed for one agent, for the session, until a turn ends, and what a person
 * has refused. One per session, shared by all its brokers. Lists keep their identity until they change, so that compiled
 * rules are kept too.
 */
export class Grants {
  private held: readonly Held[] = [];
  private readonly merged = new WeakMap<readonly PolicyRule[], Map<string, readonly PolicyRule[]>>();
  private version = 0;
  private count = 0;

  /** Rules that can't be read are left out. */
  add(scope: Exclude<PermissionScope, 'once'>, grant: { readonly agentId: string; readonly rules: readonly string[]; readonly anchorDir: string; readonly worktreeOnly?: boolean }): void {
    const rules = readable(grant.rules, { source: scope, anchorDir: grant.anchorDir, worktreeOnly: grant.worktreeOnly });
    this.hold(scope === 'agent' ? 'agent' : 'session', rules, scope === 'agent' ? grant.agentId : undefined);
  }

  /** For what a skill may do without asking, until `endTurn`. */
  addForTurn(agentId: string, rules: readonly string[], anchorDir: string): void {
    this.hold('turn', readable(rules, { source: 'skill', anchorDir }), agentId);
  }

  /** What a person said no to, for every agent of the session until `forgetRefusals`. */
  refuse(rules: readonly PolicyRule[]): void {
    this.hold('refused', rules, undefined);
  }

  /** The person has said something new: what they refused before may be asked again. */
  forgetRefusals(): void {
    this.drop((one) => one.scope === 'refused');
  }

  endTurn(agentId: string): void {
    this.drop((one) => one.scope === 'turn' && one.agentId === agentId);
  }

  /** The agent is gone, and what was granted to it alone. */
  forget(agentId: string): void {
    this.drop((one) => one.agentId === agentId);
  }

  /** @returns the rule taken away; undefined when it is gone already */
  revoke(id: string): PermissionGrant | undefined {
    const found = this.list().find((grant) => grant.id === id);
    if (found) this.drop((one) => one.id === id);
    return found;
  }

  /** Oldest first. */
  list(): readonly PermissionGrant[] {
    return this.held.map(({ id, scope, agentId, rule }) => ({
      id,
      scope,
      rule: rule.text,
      behavior: rule.behavior,
      revocable: true,
      ...(agentId === undefined ? {} : { agentId }),
      ...(rule.worktreeOnly ? { worktreeOnly: true } : {}),
      ...(rule.why === undefined ? {} : { why: rule.why }),
    }));
  }

  refusals(): readonly PolicyRule[] {
    return this.held.filter((one) => one.scope === 'refused').map((one) => one.rule);
  }

  /** The policy's own rules and what counts for this agent. */
  withRules(agentId: string, rules: readonly PolicyRule[]): readonly PolicyRule[] {
    const extra = this.held.filter((one) => one.agentId === undefined || one.agentId === agentId).map((one) => one.rule);
    if (extra.length === 0) return rules;
    const key = `${this.version} ${agentId}`;
    const known = this.merged.get(rules) ?? new Map<string, readonly PolicyRule[]>();
    this.merged.set(rules, known);
    const merged = known.get(key) ?? [...rules, ...extra];
    if (known.size > 50) known.clear();
    known.set(key, merged);
    return merged;
  }

  private hold(scope: MemoryScope, rules: readonly PolicyRule[], agentId: string | undefined): void {
    if (rules.length === 0) return;
    this.held = [...this.held, ...rules.map((rule) => ({ id: `memory:${++this.count}`, scope, rule, ...(agentId === undefined ? {} : { agentId }) }))];
    this.version++;
  }

  private drop(gone: (one: Held) => boolean): void {
    const left = this.held.filter((one) => !gone(one));
    if (left.length === this.held.length) return;
    this.held = left;
    this.version++;
  }
}

function readable(rules: readonly string[], rest: { readonly source: RuleSource; readonly anchorDir: string; readonly worktreeOnly?: boolean }): readonly PolicyRule[] {
  return rules.filter((text) => parseRule(text, 'allow').ok).map((text) => ({ text, behavior: 'allow', ...rest }));
}
