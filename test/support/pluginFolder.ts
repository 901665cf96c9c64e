import { join } from 'node:path';
import { loadPlugin } from '../../extension/plugins/pluginLoader';
import type { Plugin } from '../../extension/plugins/plugin';
import type { Problem } from '../../extension/base/problem';
import type { PluginFolder } from '../../extension/skills/skill';

/** One plugin's folder as a session plugin. */
export async function readPlugin(root: string): Promise<{ readonly plugin: Plugin | undefined; readonly problems: readonly Problem[] }> {
  const { plugin, problems } = await loadPlugin(root, 'session', { configRoot: join(root, '..', 'config'), optionsOf: () => ({}) });
  return { plugin, problems };
}

export async function readPluginFolder(root: string): Promise<{ readonly plugin: PluginFolder; readonly problems: readonly Problem[] }> {
  const { plugin, problems } = await readPlugin(root);
  if (!plugin) throw new Error(`${root} is no plugin: ${problems[0]?.message}`);
  return { plugin: plugin.folder, problems };
}
