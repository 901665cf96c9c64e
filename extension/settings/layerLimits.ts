import type { Problem } from '../base/problem';
import type { SettingsLayer } from './cascade';
import type { Settings } from './settingsSchema';

/** What a repository's files may set before a person has trusted it: what only holds back. */
const harmless = new Set(['disableAllHooks', 'disableBundledSkills', 'disableSkillShellExecution', 'disabledMcpjsonServers', 'deniedMcpServers', 'isolatePeerMachines', 'disableClaudeAiConnectors', 'cleanupPeriodDays', 'claudeMdExcludes', 'outputStyle', '$schema']);
/** Where requests go and whom they trust: never from a repository. */
const endpoint = /^(ANTHROPIC_|CLAUDE_CONFIG_DIR$|NODE_EXTRA_CA_CERTS$|NODE_TLS_|SSL_CERT_|CURL_CA_BUNDLE$|REQUESTS_CA_BUNDLE$)|^(HTTPS?|ALL|NO)_PROXY$/i;
/** Machine-wide choices of ours that a repository can't make. */
const machineKeys = /^(permissions|endpoint|baseUrl|provider|apiKey|key|auth|headers|proxy|model|smallModel|hooks|commands|shell|sandbox|bypass|allowBypass)/i;

/** Only an organisation says these; in anybody else's file they have no effect. */
const managedOnly = ['allowManagedHooksOnly', 'allowManagedMcpServersOnly', 'allowManagedPermissionRulesOnly', 'strictKnownMarketplaces', 'allowedMarketplaces', 'blockedMarketplaces', 'strictPluginOnlyCustomization', 'claudeMd'];

/**
 * Takes out of each file what a file of its kind has no say in.
 * @param trusted whether a person trusts the repository; its denies and asks count either way
 */
export function limitLayers(layers: readonly SettingsLayer[], trusted: boolean): { readonly layers: readonly SettingsLayer[]; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const limited = layers.map((given) => {
    const layer = given.source === 'managed' ? given : withoutManagedKeys(given, problems);
    if (layer.source !== 'project' && layer.source !== 'local') return layer;
    const kept = fromRepository(layer, problems);
    return { ...layer, settings: trusted ? kept : untrusted(kept) };
  });
  return { layers: limited, problems };
}

function withoutManagedKeys(layer: SettingsLayer, problems: Problem[]): SettingsLayer {
  const found = managedOnly.filter((key) => Object.hasOwn(layer.settings, key));
  if (found.length === 0) return layer;
  for (const field of found) problems.push({ severity: 'warning', code: 'setting-ignored', message: `${field} counts in managed settings only`, ...(layer.path ? { path: layer.path } : {}), field });
  return { ...layer, settings: Object.fromEntries(Object.entries(layer.settings).filter(([key]) => !found.includes(key))) };
}

function fromRepository(layer: SettingsLayer, problems: Problem[]): Settings {
  const say = (field: string, why: string): void => {
    problems.push({ severity: 'warning', code: 'setting-ignored', message: `${field} ${why}`, ...(layer.path ? { path: layer.path } : {}), field });
  };
  const { pluginConfigs, troupe, permissions, env, ...rest } = layer.settings;
  if (pluginConfigs !== undefined && layer.source === 'project') say('pluginConfigs', 'has no effect in project settings');
  const { defaultMode, ...ruleLists } = permissions ?? {};
  const wide = defaultMode === 'auto' || defaultMode === 'bypassPermissions';
  if (wide) say('permissions.defaultMode', `can't be ${defaultMode} in a project's settings; set it in your own`);
  const envKept = Object.entries(env ?? {}).filter(([name]) => !endpoint.test(name));
  for (const name of Object.keys(env ?? {})) if (endpoint.test(name)) say(`env.${name}`, "never comes from a project's settings; set it in your own");
  for (const name of Object.keys(troupe ?? {})) if (machineKeys.test(name) && name !== 'permissions') say(`troupe.${name}`, "never comes from a project's settings; set it in your own");
  const ours = Object.entries(troupe ?? {}).filter(([name]) => !machineKeys.test(name));
  const worktreeAllow = worktreeRules(layer);
  return {
    ...rest,
    ...(pluginConfigs !== undefined && layer.source === 'local' ? { pluginConfigs } : {}),
    ...(permissions ? { permissions: { ...ruleLists, ...(defaultMode !== undefined && !wide ? { defaultMode } : {}) } } : {}),
    ...(env ? { env: Object.fromEntries(envKept) } : {}),
    ...(troupe ? { troupe: { ...Object.fromEntries(ours), ...(worktreeAllow.length > 0 ? { permissions: { worktreeAllow } } : {}) } } : {}),
  };
}

function untrusted(settings: Settings): Settings {
  const { permissions } = settings;
  const kept = Object.fromEntries(Object.entries(settings).filter(([key]) => harmless.has(key)));
  return { ...kept, ...(permissions ? { permissions: { ...(permissions.deny ? { deny: permissions.deny } : {}), ...(permissions.ask ? { ask: permissions.ask } : {}) } } : {}) };
}

/** Allow rules saved from an agent's worktree: they hold for such agents alone. */
export function worktreeRules(layer: SettingsLayer): readonly string[] {
  const permissions = layer.settings.troupe?.['permissions'];
  const list = typeof permissions === 'object' && permissions !== null && 'worktreeAllow' in permissions ? permissions.worktreeAllow : undefined;
  return Array.isArray(list) ? list.filter((rule) => typeof rule === 'string') : [];
}
