/** Where a skill or command was found. */
export type SkillSource = 'managed' | 'user' | 'project' | 'add-dir' | 'plugin' | 'bundled' | 'mcp';

/** A folder with SKILL.md, a legacy command file, a bundled skill or one of an MCP server. */
export interface Skill {
  readonly kind: 'skill' | 'command';
  /** What `/` runs in a project (`deploy`, `dir:cmd`), the last part in a plugin. */
  readonly name: string;
  /** The name with its plugin (`plugin:name`); the key by which skills are found, listed and ruled. */
  readonly qualified: string;
  /** Other names that lead here while no skill has them. */
  readonly aliases: readonly string[];
  /** The frontmatter's `name`, where it is only a label. */
  readonly label?: string;
  readonly source: SkillSource;
  readonly plugin?: string;
  readonly path: string;
  /** The skill's folder: `${CLAUDE_SKILL_DIR}`. */
  readonly dir: string;
  /** What the repository brings counts only in a trusted folder: grants, hooks and `!` commands of others are not used. */
  readonly isTrusted: boolean;
  readonly description: string;
  readonly descriptionFrom: 'frontmatter' | 'body';
  readonly whenToUse?: string;
  readonly argumentHint?: string;
  readonly arguments: readonly string[];
  /** `null`: the key is absent; `[]`: present and empty. */
  readonly allowedTools: readonly string[] | null;
  readonly disallowedTools: readonly string[] | null;
  readonly model?: string;
  /** A level, or a thinking budget in tokens. */
  readonly effort?: string | number;
  readonly isForked: boolean;
  readonly agent?: string;
  /** Forks only: `false` waits in the turn. */
  readonly background: boolean;
  /** The hook map as it stands in the file; read by hooks/. */
  readonly hooks?: unknown;
  /** Globs: the skill is listed only once a matching file was touched. */
  readonly paths?: readonly string[];
  readonly shell: 'bash' | 'powershell';
  readonly isUserInvocable: boolean;
  readonly isModelInvocable: boolean;
  /** The body runs commands when the skill is invoked. */
  readonly hasShell: boolean;
  readonly body: string;
  readonly bodyStartLine: number;
  /** More `${NAME}`s that stand in the body: plugin folders and options. */
  readonly variables: Readonly<Record<string, string>>;
  /** Files of the same name that this one hides. */
  readonly hides: readonly string[];
}

/** A plugin as far as its Markdown parts go. Absent lists mean the default folders. */
export interface PluginFolder {
  readonly name: string;
  readonly root: string;
  readonly dataDir?: string;
  /** Folders of skills, or single skills' folders. */
  readonly skillDirs: readonly string[];
  /** Files or folders. */
  readonly commandPaths: readonly string[];
  readonly agentPaths: readonly string[];
  /** Commands the manifest spells out, or renames. */
  readonly inlineCommands?: readonly InlineCommand[];
  /** Options that are no secrets, as `${user_config.KEY}`. */
  readonly options?: Readonly<Record<string, string>>;
}

/** A command of a manifest's map: its text, and fields that count instead of those in the text. */
export interface InlineCommand {
  readonly name: string;
  /** The file the text is from, else the manifest. */
  readonly path: string;
  readonly text: string;
  readonly fields: Readonly<Record<string, string | readonly string[]>>;
}

/** The `${…}` a plugin's texts may use. */
export function pluginVariables(plugin: PluginFolder): Readonly<Record<string, string>> {
  const options = Object.entries(plugin.options ?? {}).map(([key, value]) => [`user_config.${key}`, value]);
  return { CLAUDE_PLUGIN_ROOT: plugin.root, ...(plugin.dataDir === undefined ? {} : { CLAUDE_PLUGIN_DATA: plugin.dataDir }), ...Object.fromEntries(options) };
}
