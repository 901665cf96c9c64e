import { isAbsolute, resolve } from 'node:path';
import type { EngineOptions, EnginePorts } from './contract';
import type { ModelChoiceSaved, ModelSettings } from '../model/modelResolution';
import type { GitRunner } from '../platform/gitRunner';
import type { McpRules } from '../mcp/mcpAdmission';
import { PermissionMode } from '../protocol/permissionMode';
import type { EffectiveSettings } from '../settings/cascade';
import { type HookSettings, hookSettings } from '../settings/hookLayers';
import { openSettingsStore, type SettingsSnapshot } from '../settings/settingsStore';
import { missingForSandbox } from '../platform/sandboxNeeds';
import { asRecord } from '../settings/settingsSchema';
import type { SkillOverride } from '../skills/listing';
import type { SettingsAccess, SettingsGuard, SkillSettings } from './settingsAccess';

/** Opens all settings files of this folder and reads them the way the engine asks for them. */
export async function openSettings(ports: EnginePorts, options: EngineOptions, git: GitRunner): Promise<SettingsAccess> {
  let guard: SettingsGuard | undefined;
  const store = await openSettingsStore({
    mayChange: async (files) => (await guard?.(files)) !== false,
    places: { startDir: options.cwd, homeDir: options.homeDir, configRoot: options.configRoot, flag: options.flagSettings.map((settings) => ({ settings })), ...(options.managedDir === undefined ? {} : { managedDir: options.managedDir }) },
    isTrusted: ports.trust.isTrusted,
    flagRules: { allow: options.allowedTools ?? [], deny: options.disallowedTools ?? [] },
    log: ports.log,
    git,
    watch: options.interactive,
    sandboxMissing: missingForSandbox(process.platform, options.env['PATH'] ?? ''),
  });
  const granted = ports.trust.onDidGrant(() => void store.reload());
  for (const problem of store.current().problems) if (problem.severity === 'error') ports.log.warn(`${problem.path ?? 'settings'}${problem.line === undefined ? '' : `:${problem.line}`}: ${problem.message}`);
  const settings = () => store.current().effective.settings;
  const mayBypass = (): boolean => bypassIsOpen(options, store.current().effective);
  return {
    rules: () => store.current().rules,
    defaultMode: () => readMode(settings().permissions?.defaultMode, { mayBypass: mayBypass(), mayAuto: settings().permissions?.disableAutoMode !== 'disable' }),
    addedDirs: () => (settings().permissions?.additionalDirectories ?? []).map((dir) => absolute(dir, options)),
    env: () => settings().env ?? {},
    mayAuto: () => settings().permissions?.disableAutoMode !== 'disable',
    pluginOnly: (surface) => isPluginOnly(settings().strictPluginOnlyCustomization, surface),
    model: () => modelSettings(store.current().effective),
    mayBypass,
    compactAtPercent: () => compactAt(settings()),
    outputStyle: () => settings().outputStyle,
    pluginDirs: () => texts(asRecord(settings().troupe)['pluginDirs']).map((dir) => absolute(dir, options)),
    pluginOptions: (id) => {
      const layer = store.current().layers.find(({ source, settings: set }) => (source === 'managed' || source === 'flag' || source === 'user') && asRecord(set.pluginConfigs)[id] !== undefined);
      return asRecord(asRecord(asRecord(layer?.settings.pluginConfigs)[id])['options']);
    },
    skills: () => skillSettings(settings(), options),
    memoryExcludes: () => settings().claudeMdExcludes ?? [],
    managedMemory: () => managedMemory(store.current()),
    plansDir: () => {
      const dir = settings().plansDirectory;
      return dir === undefined ? undefined : absolute(dir, options);
    },
    worktree: () => {
      const { baseRef, symlinkDirectories, sparsePaths } = settings().worktree ?? {};
      const carryUncommitted = asRecord(asRecord(settings().troupe)['worktree'])['carryUncommitted'] === true;
      return { baseRef: baseRef === 'fresh' ? 'fresh' : 'head', carryUncommitted, ...(symlinkDirectories ? { symlinkDirectories } : {}), ...(sparsePaths ? { sparsePaths } : {}) };
    },
    sandbox: settings,
    hooks: remembered(store.current),
    mcp: () => mcpRules(store.current()),
    saveMcpAnswer: (name, answer) => {
      if (answer === 'enableAll') return store.save('local', { path: ['enableAllProjectMcpServers'], value: true });
      return store.save('local', { path: [answer === 'enable' ? 'enabledMcpjsonServers' : 'disabledMcpjsonServers'], append: [name] });
    },
    problems: () => store.current().problems,
    guard: (ask) => {
      guard = ask;
    },
    saveRules: store.saveRules,
    removeRule: store.removeRule,
    saveModelChoice: async (choice) => {
      const saved = await store.save('user', { path: ['troupe', 'endpoint'], value: kept(choice) });
      if (!saved.ok) throw new Error(saved.problem);
    },
    inspect: () => {
      const { effective, problems } = store.current();
      return {
        loaded: effective.values.map(({ key, value, from, hides }) => ({ key, value, source: from[0]?.source, path: from[0]?.path, from: from.map(({ source, path }) => ({ source, path })), hides })),
        disabled: [],
        problems,
      };
    },
    onDidChange: (listener) => store.onDidChange(listener),
    dispose: () => {
      granted.dispose();
      store.dispose();
    },
  };
}

/** `autoCompactEnabled: false` turns it off; `troupe.context.compactAtPercent` (50 to 95) says when. */
function compactAt(settings: EffectiveSettings['settings']): number | undefined {
  if (settings['autoCompactEnabled'] === false) return undefined;
  const percent = asRecord(asRecord(settings.troupe)['context'])['compactAtPercent'];
  return typeof percent === 'number' && percent >= 50 && percent <= 95 ? percent : 90;
}

/** Worked out once for each state of the settings. */
function remembered(current: () => SettingsSnapshot): () => HookSettings {
  let known: { readonly of: SettingsSnapshot; readonly hooks: HookSettings } | undefined;
  return () => {
    const of = current();
    if (known?.of !== of) known = { of, hooks: hookSettings(of.layers) };
    return known.hooks;
  };
}

/** `true` means every kind of customisation, a list only those it names. */
function isPluginOnly(written: boolean | readonly string[] | undefined, surface: string): boolean {
  return typeof written === 'boolean' ? written : (written?.includes(surface) ?? false);
}

function absolute(path: string, options: EngineOptions): string {
  if (path === '~' || path.startsWith('~/')) return resolve(options.homeDir, path.slice(2));
  return isAbsolute(path) ? path : resolve(options.cwd, path);
}

/** `manual` is another word for default; what can't be chosen here falls back to it. */
function readMode(written: string | undefined, gate: { readonly mayBypass: boolean; readonly mayAuto: boolean }): PermissionMode {
  const mode = PermissionMode.safeParse(written);
  if (!mode.success || (mode.data === 'bypassPermissions' && !gate.mayBypass) || (mode.data === 'auto' && !gate.mayAuto)) return 'default';
  return mode.data;
}

function bypassIsOpen(options: EngineOptions, effective: EffectiveSettings): boolean {
  if (effective.settings.permissions?.disableBypassPermissionsMode === 'disable') return false;
  return options.skipPermissions === true || asRecord(asRecord(effective.settings.troupe)['permissions'])['allowBypass'] === true;
}

/** What the set-up has saved under `troupe.endpoint`, over it what the editor's own `troupe.*` settings say, and the shared `model` key. */
function modelSettings({ settings }: EffectiveSettings): ModelSettings {
  const troupe = asRecord(settings.troupe);
  const endpoint = asRecord(troupe['endpoint']);
  const baseUrl = text(troupe['baseUrl']) ?? text(endpoint['baseUrl']);
  const provider = text(troupe['baseUrl']) === undefined ? providers.find((p) => p === endpoint['provider']) : 'compatible';
  const model = text(troupe['model']) ?? text(endpoint['model']) ?? settings.model;
  const smallModel = text(troupe['smallModel']);
  return { ...(provider ? { provider } : {}), ...(baseUrl ? { baseUrl } : {}), ...(model ? { model } : {}), ...(smallModel ? { smallModel } : {}), ...(settings.availableModels ? { available: settings.availableModels } : {}) };
}

function managedMemory({ layers }: SettingsSnapshot): { readonly path: string; readonly text: string } | undefined {
  const layer = layers.find(({ source, settings }) => source === 'managed' && settings.claudeMd !== undefined);
  return layer?.settings.claudeMd === undefined ? undefined : { path: layer.path ?? 'managed settings', text: layer.settings.claudeMd };
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string' && one !== '') : [];
}

/** Where an organisation keeps the list of allowed servers to itself, nobody else's list counts. */
function mcpRules({ effective: { settings }, layers }: SettingsSnapshot): McpRules {
  const managed = layers.filter((layer) => layer.source === 'managed');
  const onlyManaged = managed.some((layer) => layer.settings.allowManagedMcpServersOnly === true);
  const allowed = onlyManaged ? managed.flatMap((layer) => layer.settings.allowedMcpServers ?? []) : settings.allowedMcpServers;
  return {
    enableAllProject: settings.enableAllProjectMcpServers ?? false,
    enabledProject: settings.enabledMcpjsonServers ?? [],
    disabledProject: settings.disabledMcpjsonServers ?? [],
    allowed,
    denied: settings.deniedMcpServers ?? [],
    pluginsOnly: isPluginOnly(settings.strictPluginOnlyCustomization, 'mcp'),
  };
}

const overrides: readonly SkillOverride[] = ['on', 'name-only', 'user-invocable-only', 'off'];

function skillSettings(settings: EffectiveSettings['settings'], { env }: EngineOptions): SkillSettings {
  const chosen: Record<string, SkillOverride> = {};
  for (const [name, value] of Object.entries(settings.skillOverrides ?? {})) {
    const override = overrides.find((one) => one === value);
    if (override) chosen[name] = override;
  }
  const { skillListingBudgetFraction: fraction, skillListingMaxDescChars: most } = settings;
  const chars = Number(env['SLASH_COMMAND_TOOL_CHAR_BUDGET']);
  return {
    overrides: chosen,
    ...(fraction !== undefined && fraction > 0 && fraction <= 1 ? { budgetFraction: fraction } : {}),
    ...(Number.isInteger(chars) && chars > 0 ? { budgetChars: chars } : {}),
    ...(most !== undefined && most > 0 ? { maxDescriptionChars: most } : {}),
    isShellOff: settings.disableSkillShellExecution === true,
    isBundledOff: settings.disableBundledSkills === true,
  };
}

const providers = ['anthropic', 'compatible', 'vscode', 'demo'] as const;

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function kept({ provider, baseUrl, model }: ModelChoiceSaved): Readonly<Record<string, string>> {
  return { provider, ...(baseUrl === undefined ? {} : { baseUrl }), ...(model === undefined ? {} : { model }) };
}
