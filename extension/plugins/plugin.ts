import type { RawHooks } from '../settings/hookLayers';
import type { PluginFolder } from '../skills/skill';

/** Where a plugin came from. Later ones of the same name lose to earlier ones. */
export type PluginSource = 'session' | 'builtin';

/** Servers a plugin names, not read yet: `{name: config}`, from a file or the manifest itself. */
export interface RawServers {
  readonly raw: unknown;
  readonly path: string;
  /** Keys that lead to `raw` in that file, for the line of a problem. */
  readonly keys: readonly string[];
}

/** One plugin that is on, as plain data: what it brings, each part for the loader that reads it. */
export interface Plugin {
  /** The namespace of all it brings. */
  readonly name: string;
  /** `name@inline` for a session plugin, `name@builtin` for ours. */
  readonly id: string;
  readonly source: PluginSource;
  readonly root: string;
  /** `${CLAUDE_PLUGIN_DATA}`; made when something that names it runs. */
  readonly dataDir: string;
  readonly version?: string;
  readonly displayName?: string;
  readonly description?: string;
  /** Skills, commands and agents. */
  readonly folder: PluginFolder;
  readonly outputStyleDirs: readonly string[];
  readonly hooks: readonly RawHooks[];
  readonly mcpServers: readonly RawServers[];
  /** Kept for the part that runs language servers. */
  readonly lspServers: readonly RawServers[];
  /** Joins the PATH of commands. */
  readonly binDir?: string;
  /** The one setting a plugin may have: which agent leads. */
  readonly agent?: string;
}
