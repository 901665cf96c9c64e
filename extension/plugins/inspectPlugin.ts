import type { Plugin } from './plugin';
import { isMap } from './pluginManifest';

/** How many of each a plugin brings, as its loaders found them. */
export interface Contributions {
  readonly skills: readonly { readonly plugin?: string; readonly kind: string }[];
  readonly agents: readonly { readonly plugin?: string }[];
  readonly hooks: readonly { readonly plugin?: string }[];
  readonly outputStyles: readonly { readonly plugin?: string }[];
}

/** A plugin as `troupe inspect plugins --json` prints it. */
export function inspectPlugin(plugin: Plugin, found: Contributions): Readonly<Record<string, unknown>> {
  const count = (items: readonly { readonly plugin?: string }[]): number => items.filter((item) => item.plugin === plugin.name).length;
  const servers = (raw: Plugin['mcpServers']): number => raw.reduce((sum, one) => sum + (isMap(one.raw) ? Object.keys(one.raw).length : 0), 0);
  return {
    id: plugin.id,
    name: plugin.name,
    displayName: plugin.displayName,
    version: plugin.version,
    description: plugin.description,
    source: plugin.source,
    path: plugin.root,
    contributes: {
      commands: count(found.skills.filter((skill) => skill.kind === 'command')),
      agents: count(found.agents),
      skills: count(found.skills.filter((skill) => skill.kind === 'skill')),
      hooks: count(found.hooks),
      mcpServers: servers(plugin.mcpServers),
      lspServers: servers(plugin.lspServers),
      outputStyles: count(found.outputStyles),
    },
  };
}
