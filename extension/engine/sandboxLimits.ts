import { basename, isAbsolute, join, resolve } from 'node:path';
import type { PolicyRule } from '../permissions/permissionTypes';
import type { SandboxLimits } from '../platform/sandboxRunner';
import type { Settings } from '../settings/settingsSchema';

/** What of a settings file's `sandbox` is about the way commands run. */
export interface SandboxChoice {
  readonly isOn: boolean;
  /** Where there is no sandbox no command runs. */
  readonly isRequired: boolean;
  /** A confined command needs no permission of its own. */
  readonly frees: boolean;
  /** The model may ask to run a command outside. */
  readonly mayLeave: boolean;
  /** Patterns of commands that run outside by the person's own choice. */
  readonly excluded: readonly string[];
}

export function sandboxChoice({ sandbox = {} }: Pick<Settings, 'sandbox'>): SandboxChoice {
  return {
    isOn: sandbox.enabled === true,
    isRequired: sandbox.failIfUnavailable === true,
    frees: sandbox.autoAllowBashIfSandboxed !== false,
    mayLeave: sandbox.allowUnsandboxedCommands !== false,
    excluded: sandbox.excludedCommands ?? [],
  };
}

/** Where a command stands and what its agent may work in; all absolute. */
export interface SandboxPlace {
  readonly projectRoot: string;
  readonly homeDir: string;
  readonly configRoot: string;
  readonly workingDirs: readonly string[];
  /** Folders of ours the command has to write to. */
  readonly ownDirs: readonly string[];
  /** Guarded places that are there, below the working folders. */
  readonly guarded: readonly string[];
  /** Git's folder, where it lies outside the working folders (an agent in a worktree). */
  readonly gitDir?: string;
}

/** What could widen what may run: never written, and made where it is not there, so that nothing else can make it. */
export const guardedFolder = '.claude';

/** Files and folders whose change would run code later; guarded where they are there in a folder that can be written. */
export const guarded = ['.mcp.json', '.claude.json', '.git/hooks', '.git/config', '.vscode', '.idea', '.husky', '.envrc', '.npmrc', '.devcontainer'];

/** Writing: the working folders and what the settings add. Reading: all but what rules and settings deny. */
export function sandboxLimits({ sandbox = {} }: Pick<Settings, 'sandbox'>, rules: readonly PolicyRule[], place: SandboxPlace): SandboxLimits {
  const { filesystem = {}, network = {} } = sandbox;
  const paths = (given: readonly string[] = []): readonly string[] => given.map((path) => absolutePath(path, place.projectRoot, place.homeDir));
  const { gitDir } = place;
  return {
    allowWrite: [...new Set([...place.workingDirs, ...place.ownDirs, ...(gitDir === undefined ? [] : [gitDir]), ...paths(filesystem.allowWrite)])],
    denyWrite: [
      ...paths(filesystem.denyWrite),
      ...place.guarded,
      ...(gitDir === undefined ? [] : ['hooks', 'config'].map((name) => join(gitDir, name))),
      ...denied(rules, 'Edit', place).filter((path) => !/[*?[\]]/.test(path)),
      place.configRoot,
    ],
    denyRead: [...paths(filesystem.denyRead), ...denied(rules, 'Read', place)],
    allowRead: [...paths(filesystem.allowRead)],
    allowedDomains: network.allowedDomains ?? [],
    deniedDomains: network.deniedDomains ?? [],
    isListFinal: network.allowManagedDomainsOnly === true,
    allowUnixSockets: paths(network.allowUnixSockets),
    allowAllUnixSockets: network.allowAllUnixSockets === true,
    allowLocalBinding: network.allowLocalBinding === true,
    weakerNested: sandbox.enableWeakerNestedSandbox === true,
  };
}

function absolutePath(path: string, root: string, home: string): string {
  if (path.startsWith('//')) return path.slice(1);
  if (path === '~' || path.startsWith('~/')) return join(home, path.slice(1));
  return isAbsolute(path) ? path : resolve(root, path);
}

/** Deny rules on files as absolute patterns, with the anchors of spec 06; a bare name is meant at any depth. */
function denied(rules: readonly PolicyRule[], tool: 'Read' | 'Edit', { workingDirs, homeDir }: SandboxPlace): readonly string[] {
  return rules.flatMap((rule) => {
    if (rule.behavior !== 'deny') return [];
    const inside = (tool === 'Read' ? /^Read\((.+)\)$/s : /^(?:Edit|Write|MultiEdit|NotebookEdit)\((.+)\)$/s).exec(rule.text.trim())?.[1]?.trim();
    if (inside === undefined || inside === '' || inside.startsWith('!')) return [];
    if (inside.startsWith('//')) return [inside.slice(1)];
    if (inside.startsWith('~/')) return [join(homeDir, inside.slice(1))];
    if (inside.startsWith('/')) return [join(rule.anchorDir, inside)];
    const plain = inside.replace(/^\.\//, '').replace(/\/\*\*$/, '');
    const isBare = plain === basename(plain) && !inside.startsWith('./');
    return workingDirs.flatMap((dir) => [join(dir, plain), ...(isBare ? [join(dir, '**', plain)] : [])]);
  });
}
