import { dirname } from 'node:path';
import type { Problem } from '../base/problem';
import { parseRule } from '../permissions/parseRule';
import type { PolicyRule, RuleBehavior } from '../permissions/permissionTypes';
import type { SettingsLayer } from './cascade';
import { worktreeRules } from './layerLimits';

export interface RulePlaces {
  /** Where the session was started: what `/` means in project, local and command line rules. */
  readonly startDir: string;
  readonly configRoot: string;
}

/** The rules of all files, with where each stands and what its leading `/` means. Those without effect become problems. */
export function policyRules(layers: readonly SettingsLayer[], places: RulePlaces): { readonly rules: readonly PolicyRule[]; readonly problems: readonly Problem[] } {
  const rules: PolicyRule[] = [];
  const problems: Problem[] = [];
  const managedOnly = layers.some((l) => l.source === 'managed' && l.settings.allowManagedPermissionRulesOnly === true);
  for (const layer of layers) {
    const add = (text: string, behavior: RuleBehavior, worktreeOnly: boolean): void => {
      // Others may still hold back; they can't allow.
      if (managedOnly && layer.source !== 'managed' && behavior === 'allow') return;
      const parsed = parseRule(text, behavior);
      const found = parsed.ok ? parsed.value.warnings : [parsed.problem];
      problems.push(...found.map((p) => ({ ...p, ...(layer.path ? { path: layer.path } : {}), field: `permissions.${behavior}` })));
      if (parsed.ok) rules.push({ text, behavior, source: layer.source, ...(layer.path ? { path: layer.path } : {}), anchorDir: anchorOf(layer, places), ...(worktreeOnly ? { worktreeOnly } : {}) });
    };
    const { deny = [], ask = [], allow = [] } = layer.settings.permissions ?? {};
    for (const text of deny) add(text, 'deny', false);
    for (const text of ask) add(text, 'ask', false);
    for (const text of allow) add(text, 'allow', false);
    for (const text of worktreeRules(layer)) add(text, 'allow', true);
  }
  return { rules, problems };
}

function anchorOf(layer: SettingsLayer, places: RulePlaces): string {
  if (layer.source === 'user') return places.configRoot;
  return layer.source === 'flag' && layer.path !== undefined ? dirname(layer.path) : places.startDir;
}

/** `--allowedTools` and `--disallowedTools`. */
export function flagRules(lists: { readonly allow: readonly string[]; readonly deny: readonly string[] }, startDir: string): readonly PolicyRule[] {
  const rule = (behavior: RuleBehavior) => (text: string): PolicyRule => ({ text, behavior, source: 'flag', anchorDir: startDir });
  return [...lists.deny.map(rule('deny')), ...lists.allow.map(rule('allow'))];
}
