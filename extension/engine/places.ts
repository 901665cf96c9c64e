import { pluginVariables } from '../skills/skill';
import { join } from 'node:path';
import type { EngineOptions } from './contract';
import type { McpPlaces } from '../mcp/mcpConfigLoader';
import type { Trust } from '../ports';
import type { SettingsAccess } from './settingsAccess';
import type { MemoryPlaces } from '../session/memoryFilesLoader';
import type { OutputStylePlaces } from '../session/outputStylesLoader';
import type { Plugin } from '../plugins/plugin';
import type { PluginPlaces } from '../plugins/pluginLoader';
import type { PluginFolder } from '../skills/skill';
import type { SkillPlaces } from '../skills/skillLoader';

/** Where an organisation puts its files (spec 07). */
export function managedDir(platform: NodeJS.Platform): string {
  if (platform === 'darwin') return '/Library/Application Support/ClaudeCode';
  return platform === 'win32' ? 'C:\\Program Files\\ClaudeCode' : '/etc/claude-code';
}

export function skillPlaces(options: EngineOptions, trust: Trust, plugins: readonly PluginFolder[]): SkillPlaces {
  return { configRoot: options.configRoot, managedDir: options.managedDir ?? managedDir(process.platform), cwd: options.cwd, addDirs: options.addDirs, plugins, bundled: [], isTrusted: trust.isTrusted() };
}

/** Session plugins: those of this run first, then those the settings name. */
export function pluginPlaces(options: EngineOptions, settings: { readonly pluginDirs: () => readonly string[]; readonly pluginOptions: (id: string) => Readonly<Record<string, unknown>> }): PluginPlaces {
  return { configRoot: options.configRoot, sessionDirs: [...(options.pluginDirs ?? []), ...settings.pluginDirs()], builtinDir: join(options.assetsDir, 'plugins'), optionsOf: settings.pluginOptions };
}

export function memoryPlaces(options: EngineOptions, settings: Pick<SettingsAccess, 'memoryExcludes' | 'managedMemory'>): MemoryPlaces {
  const managedText = settings.managedMemory();
  return { ...(managedText ? { managedText } : {}), configRoot: options.configRoot, homeDir: options.homeDir, managedDir: options.managedDir ?? managedDir(process.platform), cwd: options.cwd, projectRoot: options.cwd, excludes: settings.memoryExcludes(), mayImportOutside: false };
}

export function stylePlaces(options: EngineOptions, plugins: readonly Plugin[]): OutputStylePlaces {
  return { configRoot: options.configRoot, managedDir: options.managedDir ?? managedDir(process.platform), cwd: options.cwd, plugins: plugins.map(({ name, outputStyleDirs }) => ({ name, dirs: outputStyleDirs })) };
}

export function mcpPlaces(options: EngineOptions, plugins: () => Promise<readonly Plugin[]>): McpPlaces {
  return {
    cwd: options.cwd,
    homeDir: options.homeDir,
    configRoot: options.configRoot,
    configDirIsSet: (options.env['CLAUDE_CONFIG_DIR'] ?? '') !== '',
    managedDir: options.managedDir ?? managedDir(process.platform),
    flagConfigs: options.mcpConfigs ?? [],
    onlyFlag: options.onlyMcpConfigs ?? false,
    env: options.env,
    plugins: async () => (await plugins()).flatMap((plugin) => plugin.mcpServers.map(({ raw, path, keys }) => ({ plugin: plugin.name, path, raw, keys, variables: pluginVariables(plugin.folder) }))),
  };
}

/** The only file that may be written in plan mode. */
export function planFile(plansDir: string | undefined, configRoot: string, sessionId: string): string {
  return join(plansDir ?? join(configRoot, 'plans'), `plan-${sessionId.slice(0, 8)}.md`);
}
