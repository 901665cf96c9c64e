import type { McpRules } from '../mcp/mcpAdmission';
import type { SavedScope } from '../permissions/broker';
import type { PolicyRule } from '../permissions/permissionTypes';
import type { ModelChoiceSaved, ModelSettings } from '../model/modelResolution';
import type { Problem } from '../base/problem';
import type { Result } from '../base/result';
import type { Settings } from '../settings/settingsSchema';
import type { SkillOverride } from '../skills/listing';
import type { HookSettings } from '../settings/hookLayers';
import type { ChangedFile } from '../settings/settingsStore';
import type { PermissionMode } from '../protocol/permission';

/** How worktrees are made (spec 17: from HEAD unless it says `fresh`). */
export interface WorktreeChoice {
  readonly baseRef: 'head' | 'fresh';
  /** Each begins with what the person has not committed, without being asked for it. */
  readonly carryUncommitted?: boolean;
  readonly symlinkDirectories?: readonly string[];
  readonly sparsePaths?: readonly string[];
}

/** What the settings say about skills. */
export interface SkillSettings {
  readonly overrides: Readonly<Record<string, SkillOverride>>;
  readonly budgetFraction?: number;
  readonly budgetChars?: number;
  readonly maxDescriptionChars?: number;
  /** No commands of skills run, but for managed and bundled ones. */
  readonly isShellOff: boolean;
  readonly isBundledOff: boolean;
}

/** Asked before changed files count. @returns false to leave the settings as they were */
export type SettingsGuard = (files: readonly ChangedFile[]) => Promise<boolean>;

/** The effective settings as the engine uses them; changes are read live. */
export interface SettingsAccess {
  readonly rules: () => readonly PolicyRule[];
  readonly defaultMode: () => PermissionMode;
  readonly addedDirs: () => readonly string[];
  readonly env: () => Readonly<Record<string, string>>;
  readonly model: () => ModelSettings;
  readonly mayBypass: () => boolean;
  /** False when a settings file turns the mode `auto` off. */
  readonly mayAuto: () => boolean;
  /** An organisation lets this kind come from plugins and its own files only (`strictPluginOnlyCustomization`). */
  readonly pluginOnly: (surface: 'skills' | 'agents' | 'hooks' | 'mcp') => boolean;
  /** Percent of the window; undefined when it is turned off. */
  readonly compactAtPercent: () => number | undefined;
  readonly outputStyle: () => string | undefined;
  /** `troupe.pluginDirs`, absolute. */
  readonly pluginDirs: () => readonly string[];
  /** What the person or an organisation set for a plugin's options; a repository has no say in them. */
  readonly pluginOptions: (id: string) => Readonly<Record<string, unknown>>;
  readonly skills: () => SkillSettings;
  readonly memoryExcludes: () => readonly string[];
  /** Standing instructions that stand in a managed settings file itself (`claudeMd`). */
  readonly managedMemory: () => { readonly path: string; readonly text: string } | undefined;
  readonly plansDir: () => string | undefined;
  readonly worktree: () => WorktreeChoice;
  readonly sandbox: () => Pick<Settings, 'sandbox'>;
  /** Keeps its identity until the settings change. */
  readonly hooks: () => HookSettings;
  /** What the files say about MCP servers. */
  readonly mcp: () => McpRules;
  /** The person's answer to a server of the repository's: kept for this project and this person. */
  readonly saveMcpAnswer: (name: string, answer: 'enable' | 'enableAll' | 'disable') => Promise<Result<void, string>>;
  readonly guard: (ask: SettingsGuard) => void;
  readonly problems: () => readonly Problem[];
  readonly saveRules: (scope: SavedScope, rules: readonly string[], options: { readonly worktreeOnly: boolean }) => Promise<Result<void, string>>;
  /** Takes one rule out of the settings file it stands in. */
  readonly removeRule: (rule: { readonly file: string; readonly behavior: 'allow' | 'ask' | 'deny'; readonly text: string; readonly worktreeOnly: boolean }) => Promise<Result<void, string>>;
  readonly saveModelChoice: (choice: ModelChoiceSaved) => Promise<void>;
  readonly inspect: () => Readonly<Record<string, unknown>>;
  readonly onDidChange: (listener: () => void) => { dispose(): void };
  readonly dispose: () => void;
}
