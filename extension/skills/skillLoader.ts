import { promises as fs } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type { LoadReport, Problem } from '../base/problem';
import { findProjectDirs } from '../platform/projectDirs';
import { loadCommandFolder } from './commandFolderLoader';
import { loadPluginSkills } from './pluginFolderLoader';
import type { PluginFolder, Skill, SkillSource } from './skill';
import { joinFindings, loadSkillFolders, type FolderFindings, type SkillRoot } from './skillFolderLoader';
import { mergeSkills } from './skillPrecedence';

/** Where skills are looked for. Agents in a worktree are governed by the main checkout: hand in its `cwd`. */
export interface SkillPlaces {
  readonly configRoot: string;
  /** The folder of managed files (`/etc/claude-code` on Linux); its `.claude` is read. */
  readonly managedDir?: string;
  readonly cwd: string;
  readonly addDirs: readonly string[];
  readonly plugins: readonly PluginFolder[];
  readonly bundled: readonly Skill[];
  /** Whether what the repository brings may run and grant. */
  readonly isTrusted: boolean;
  /** Only an organisation's own folder, plugins and what is built in. */
  readonly pluginOnly?: boolean;
}

export interface SkillReport extends LoadReport<Skill> {
  /** Folders among the skills that are plugins of their own (`x@skills-dir`). */
  readonly pluginFolders: readonly string[];
}

/** Loads every skill and command. Never fails for one file, one folder or one link. */
export async function loadSkills(places: SkillPlaces): Promise<SkillReport> {
  const parts = await Promise.all([...(await skillRoots(places)).map(loadRoot), ...places.plugins.map(loadPluginSkills)]);
  const { found, problems, pluginFolders } = joinFindings(parts);
  const bundled = places.bundled.map((skill) => ({ skill, realPath: `bundled:${skill.name}` }));
  return { loaded: mergeSkills([...found, ...bundled]), disabled: [], problems: unique(problems), pluginFolders };
}

interface NamedRoot extends SkillRoot {
  readonly kind: Skill['kind'];
}

function loadRoot(root: NamedRoot): Promise<FolderFindings> {
  return root.kind === 'skill' ? loadSkillFolders(root) : loadCommandFolder(root);
}

/** From the strongest to the weakest: managed, personal, project (nearest folder first), added folders. */
async function skillRoots(places: SkillPlaces): Promise<readonly NamedRoot[]> {
  const homes: Home[] = [];
  if (places.managedDir !== undefined) homes.push({ dir: join(places.managedDir, '.claude'), source: 'managed', isTrusted: true });
  if (places.pluginOnly !== true) homes.push(...(await ownHomes(places)));
  return homes.flatMap(({ dir, source, isTrusted }): NamedRoot[] => [
    { kind: 'skill', dir: join(dir, 'skills'), source, isTrusted, variables: {} },
    { kind: 'command', dir: join(dir, 'commands'), source, isTrusted, variables: {} },
  ]);
}

interface Home {
  readonly dir: string;
  readonly source: SkillSource;
  readonly isTrusted: boolean;
}

async function ownHomes(places: SkillPlaces): Promise<readonly Home[]> {
  const homes: Home[] = [{ dir: places.configRoot, source: 'user', isTrusted: true }];
  for (const dir of await findProjectDirs(places.cwd)) homes.push({ dir: join(dir, '.claude'), source: 'project', isTrusted: places.isTrusted });
  for (const dir of places.addDirs) homes.push({ dir: join(dir, '.claude'), source: 'add-dir', isTrusted: places.isTrusted });
  return homes;
}

/** The folders a watcher has to look at so that a change of any skill is seen; they need not exist. */
export async function skillWatchDirs(places: SkillPlaces): Promise<readonly string[]> {
  const roots = (await skillRoots(places)).map((root) => root.dir);
  return [...new Set([...roots, ...places.plugins.flatMap((plugin) => [...plugin.skillDirs, ...plugin.commandPaths])])];
}

/** A file reached on two ways (a config root inside the project) is reported once. */
function unique(problems: readonly Problem[]): readonly Problem[] {
  const seen = new Set<string>();
  return problems.filter((problem) => {
    const key = JSON.stringify(problem);
    return !seen.has(key) && seen.add(key) !== undefined;
  });
}

/**
 * Skills of `.claude/skills` folders between `cwd` and a file below it, for the first touch of that subtree.
 * One whose name is taken is called `<folder>:<name>` (`apps/web:deploy`); both stay.
 * @param isIgnored tells folders whose content is not the project's own (git-ignored ones)
 */
export async function loadNestedSkills(places: SkillPlaces, touched: string, known: readonly Skill[], isIgnored: (dir: string) => Promise<boolean>): Promise<SkillReport> {
  const dirs = places.pluginOnly === true ? [] : nestedDirs(places.cwd, touched);
  const findings: FolderFindings[] = [];
  const names = new Set(known.map((skill) => skill.qualified));
  for (const dir of dirs) {
    const root = join(dir, '.claude', 'skills');
    if (!(await exists(root)) || (await isIgnored(dir))) continue;
    const part = await loadSkillFolders({ dir: root, source: 'project', isTrusted: places.isTrusted, variables: {} });
    const prefix = relative(places.cwd, dir).split(sep).join('/');
    findings.push({ ...part, found: part.found.map(({ skill, realPath }) => ({ realPath, skill: names.has(skill.qualified) ? renamed(skill, prefix) : skill })) });
    for (const { skill } of part.found) names.add(skill.qualified);
  }
  const { found, problems, pluginFolders } = joinFindings(findings);
  return { loaded: mergeSkills(found), disabled: [], problems, pluginFolders };
}

function renamed(skill: Skill, prefix: string): Skill {
  return { ...skill, name: `${prefix}:${skill.name}`, qualified: `${prefix}:${skill.name}` };
}

/** Folders strictly below `cwd` down to that of the file, outermost first; other people's trees are left out. */
function nestedDirs(cwd: string, touched: string): string[] {
  const rel = relative(cwd, dirname(touched));
  if (rel === '' || rel.startsWith('..') || rel.includes(`..${sep}`)) return [];
  const segments = rel.split(sep);
  if (segments.includes('node_modules') || segments.includes('.git') || segments.includes('.claude')) return [];
  return segments.map((_, index) => join(cwd, ...segments.slice(0, index + 1)));
}

async function exists(path: string): Promise<boolean> {
  return fs.access(path).then(
    () => true,
    () => false,
  );
}
