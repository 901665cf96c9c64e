import * as z from 'zod';
import { lazily } from '../base/lazily';
import type { Problem } from '../base/problem';
import { err, ok, type Result } from '../base/result';

/** One settings file. We do not own the format: unknown keys stay, and wrong single entries are left out, not the file. */
const settingsSchema = lazily(() =>
  z.looseObject({
    permissions: z
      .looseObject({
        allow: z.array(z.string()).optional(),
        ask: z.array(z.string()).optional(),
        deny: z.array(z.string()).optional(),
        additionalDirectories: z.array(z.string()).optional(),
        defaultMode: z.string().optional(),
        disableBypassPermissionsMode: z.string().optional(),
        disableAutoMode: z.string().optional(),
      })
      .optional(),
    hooks: z.record(z.string(), z.unknown()).optional(),
    env: z.record(z.string(), z.string()).optional(),
    model: z.string().optional(),
    agent: z.string().optional(),
    outputStyle: z.string().optional(),
    effortLevel: z.union([z.string(), z.number()]).optional(),
    disableAllHooks: z.boolean().optional(),
    allowManagedHooksOnly: z.boolean().optional(),
    allowManagedMcpServersOnly: z.boolean().optional(),
    allowManagedPermissionRulesOnly: z.boolean().optional(),
    allowedHttpHookUrls: z.array(z.string()).optional(),
    httpHookAllowedEnvVars: z.array(z.string()).optional(),
    enabledPlugins: z.record(z.string(), z.unknown()).optional(),
    extraKnownMarketplaces: z.record(z.string(), z.unknown()).optional(),
    pluginConfigs: z.record(z.string(), z.unknown()).optional(),
    skillOverrides: z.record(z.string(), z.unknown()).optional(),
    disableBundledSkills: z.boolean().optional(),
    disableSkillShellExecution: z.boolean().optional(),
    skillListingBudgetFraction: z.number().optional(),
    skillListingMaxDescChars: z.number().optional(),
    enableAllProjectMcpServers: z.boolean().optional(),
    enabledMcpjsonServers: z.array(z.string()).optional(),
    disabledMcpjsonServers: z.array(z.string()).optional(),
    allowedMcpServers: z.array(z.unknown()).optional(),
    deniedMcpServers: z.array(z.unknown()).optional(),
    teammateMode: z.string().optional(),
    availableModels: z.array(z.string()).optional(),
    strictKnownMarketplaces: z.array(z.unknown()).optional(),
    blockedMarketplaces: z.array(z.unknown()).optional(),
    strictPluginOnlyCustomization: z.union([z.boolean(), z.array(z.string())]).optional(),
    sandbox: z
      .looseObject({
        enabled: z.boolean().optional(),
        failIfUnavailable: z.boolean().optional(),
        autoAllowBashIfSandboxed: z.boolean().optional(),
        allowUnsandboxedCommands: z.boolean().optional(),
        enableWeakerNestedSandbox: z.boolean().optional(),
        excludedCommands: z.array(z.string()).optional(),
        filesystem: z.looseObject({ allowWrite: z.array(z.string()).optional(), denyWrite: z.array(z.string()).optional(), denyRead: z.array(z.string()).optional(), allowRead: z.array(z.string()).optional() }).optional(),
        network: z
          .looseObject({ allowedDomains: z.array(z.string()).optional(), deniedDomains: z.array(z.string()).optional(), allowUnixSockets: z.array(z.string()).optional(), allowAllUnixSockets: z.boolean().optional(), allowLocalBinding: z.boolean().optional(), allowManagedDomainsOnly: z.boolean().optional() })
          .optional(),
      })
      .optional(),
    worktree: z.looseObject({ baseRef: z.string().optional(), symlinkDirectories: z.array(z.string()).optional(), sparsePaths: z.array(z.string()).optional() }).optional(),
    autoMemoryEnabled: z.boolean().optional(),
    autoMemoryDirectory: z.string().optional(),
    claudeMd: z.string().optional(),
    claudeMdExcludes: z.array(z.string()).optional(),
    cleanupPeriodDays: z.number().min(1).optional(),
    plansDirectory: z.string().optional(),
    troupe: z.record(z.string(), z.unknown()).optional(),
  }),
);
export type Settings = z.infer<ReturnType<typeof settingsSchema>>;

/** Managed keys that hold back; when one can't be read its strict value counts. */
const strictValues: Readonly<Record<string, unknown>> = {
  allowManagedHooksOnly: true,
  allowManagedMcpServersOnly: true,
  allowManagedPermissionRulesOnly: true,
  allowedMcpServers: [],
  strictKnownMarketplaces: [],
  disableAllHooks: true,
  strictPluginOnlyCustomization: true,
  sandbox: { enabled: true, failIfUnavailable: true, allowUnsandboxedCommands: false },
};

/** What counts when a managed file can't be read at all: nobody can loosen what it may have held. */
export const refusedManaged: Settings = {
  allowManagedHooksOnly: true,
  allowManagedMcpServersOnly: true,
  allowManagedPermissionRulesOnly: true,
  allowedMcpServers: [],
  strictKnownMarketplaces: [],
  permissions: { disableBypassPermissionsMode: 'disable', disableAutoMode: 'disable' },
};

export interface ReadSettings {
  readonly settings: Settings;
  readonly problems: readonly Problem[];
}

/**
 * Entries of lists and maps that do not fit are left out with a warning; any other wrong shape refuses the file
 * (of a managed one only the key goes, or gets its strict value).
 * @returns problem `settings-invalid` with the field
 */
export function readSettings(raw: unknown, file: { readonly path: string; readonly managed: boolean }): Result<ReadSettings, Problem> {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return err({ severity: 'error', code: 'settings-invalid', message: 'settings are one JSON object', path: file.path });
  const problems: Problem[] = [];
  let value: unknown = raw;
  for (let round = 0; round < 200; round++) {
    const parsed = settingsSchema().safeParse(value);
    if (parsed.success) return ok({ settings: parsed.data, problems });
    const issue = parsed.error.issues[0];
    if (!issue) break;
    const field = issue.path.join('.');
    const entry = issue.path.length >= 2 && isEntry(issue.path);
    if (!entry && !file.managed) return err({ severity: 'error', code: 'settings-invalid', message: `${field}: ${issue.message}`, path: file.path, field });
    const key = String(issue.path[0]);
    const strict = !entry && key in strictValues;
    value = strict ? { ...asRecord(value), [key]: strictValues[key] } : without(value, entry ? issue.path : issue.path.slice(0, 1));
    problems.push({ severity: 'warning', code: 'settings-entry-invalid', message: `${field}: ${issue.message}; ${strict ? 'its strict value counts' : 'it is left out'}`, path: file.path, field });
  }
  return err({ severity: 'error', code: 'settings-invalid', message: 'too many entries do not fit', path: file.path });
}

/** One item of a list or map, as opposed to a setting of its own. */
function isEntry(path: readonly PropertyKey[]): boolean {
  return typeof path.at(-1) === 'number' || path[0] === 'env' || path[0] === 'hooks';
}

function without(value: unknown, path: readonly PropertyKey[]): unknown {
  const [key, ...rest] = path;
  if (Array.isArray(value)) return rest.length === 0 ? value.filter((_item, i) => i !== key) : value.map((item: unknown, i) => (i === key ? without(item, rest) : item));
  const record = asRecord(value);
  if (typeof key !== 'string' || !(key in record)) return value;
  const { [key]: gone, ...others } = record;
  return rest.length === 0 ? others : { ...others, [key]: without(gone, rest) };
}

export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
