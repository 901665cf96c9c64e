import type { Problem } from '../base/problem';
import type { PolicyRule } from '../permissions/permissionTypes';
import type { EffectiveSettings } from './cascade';

/**
 * Where the system lacks what the command sandbox needs: settings that ask for the command sandbox are never passed over in silence: they are told, and where they say that
 * nothing may run without it (`failIfUnavailable`) no shell command does.
 */
export function sandboxAbsent({ settings }: EffectiveSettings, anchorDir: string, missing: string | undefined): { readonly rules: readonly PolicyRule[]; readonly problems: readonly Problem[] } {
  const { enabled, failIfUnavailable } = settings.sandbox ?? {};
  if (enabled !== true || missing === undefined) return { rules: [], problems: [] };
  const isRequired = failIfUnavailable === true;
  const effect = isRequired ? 'so no shell command runs (failIfUnavailable)' : 'so commands run unconfined, under the permission rules alone';
  const problems: readonly Problem[] = [{ severity: 'warning', code: 'sandbox-absent', field: 'sandbox.enabled', message: `sandbox.enabled is on, but there is no sandbox here (${missing}), ${effect}.` }];
  const why = `the settings require a sandbox for commands, and there is none here: ${missing}`;
  const rules = isRequired ? ['Bash', 'PowerShell'].map((text): PolicyRule => ({ text, behavior: 'deny', source: 'managed', anchorDir, why })) : [];
  return { rules, problems };
}
