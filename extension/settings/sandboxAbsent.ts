import type { Problem } from '../base/problem';
import type { PolicyRule } from '../permissions/permissionTypes';
import type { EffectiveSettings } from './cascade';

const missing = 'this version can’t confine commands';

/**
 * Settings that ask for the command sandbox are never passed over in silence: they are told, and where they say that
 * nothing may run without it (`failIfUnavailable`) no shell command does.
 */
export function sandboxAbsent({ settings }: EffectiveSettings, anchorDir: string): { readonly rules: readonly PolicyRule[]; readonly problems: readonly Problem[] } {
  const { enabled, failIfUnavailable } = settings.sandbox ?? {};
  if (enabled !== true) return { rules: [], problems: [] };
  const isRequired = failIfUnavailable === true;
  const effect = isRequired ? 'so no shell command runs (failIfUnavailable)' : 'so commands run unconfined, under the permission rules alone';
  const problems: readonly Problem[] = [{ severity: 'warning', code: 'sandbox-absent', field: 'sandbox.enabled', message: `sandbox.enabled is on, but ${missing}, ${effect}.` }];
  const why = `the settings require a sandbox and ${missing}`;
  const rules = isRequired ? ['Bash', 'PowerShell'].map((text): PolicyRule => ({ text, behavior: 'deny', source: 'managed', anchorDir, why })) : [];
  return { rules, problems };
}
