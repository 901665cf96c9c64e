import { promises as fs, type Dirent } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { errorCode, errorText } from '../base/errorText';
import { readFrontmatter } from '../base/frontmatter';
import type { Problem } from '../base/problem';
import { readTextFile } from '../platform/textFile';
import type { Skill, SkillSource } from './skill';
import { readSkill, type SkillPlace } from './skillSchema';

/** One folder of skills or commands, and what its place means for them. */
export interface SkillRoot {
  readonly dir: string;
  readonly source: SkillSource;
  readonly isTrusted: boolean;
  readonly plugin?: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Links that lead out of this folder are not followed (plugins). */
  readonly confinedTo?: string;
}

/** A loaded skill with what tells whether it is the same file as another. */
export interface FoundSkill {
  readonly skill: Skill;
  readonly realPath: string;
}

export interface FolderFindings {
  readonly found: readonly FoundSkill[];
  readonly problems: readonly Problem[];
  /** Folders among the skills that are plugins of their own. */
  readonly pluginFolders: readonly string[];
}

/** Reads in flight at once: enough to keep the disk busy, few enough to spare file handles. */
const parallel = 48;

/** Loads `<dir>/<name>/SKILL.md` of every folder in `root.dir`; a missing folder is an empty one. */
export async function loadSkillFolders(root: SkillRoot): Promise<FolderFindings> {
  const listing = await listFolder(root.dir);
  if (!listing.entries) return { found: [], problems: listing.problems, pluginFolders: [] };
  const realRoot = await fs.realpath(root.dir);
  const usable = listing.entries.filter((entry) => !entry.name.startsWith('.') && (entry.isDirectory() || entry.isSymbolicLink()));
  const results = await mapParallel(usable, (entry) => loadEntry(entry, root, realRoot));
  return joinFindings(results);
}

/** Loads one folder that itself holds SKILL.md (a plugin's root, a path named in a manifest). */
export async function loadSkillFolder(dir: string, root: SkillRoot): Promise<FolderFindings> {
  return readFolder(dir, await fs.realpath(dir).catch(() => dir), root);
}

export function joinFindings(parts: readonly FolderFindings[]): FolderFindings {
  return {
    found: parts.flatMap((part) => part.found),
    problems: parts.flatMap((part) => part.problems),
    pluginFolders: parts.flatMap((part) => part.pluginFolders),
  };
}

/** Entries by name, real folders before links, so that a link to a neighbour is the copy that is dropped. */
export async function listFolder(dir: string): Promise<{ readonly entries?: readonly Dirent[]; readonly problems: readonly Problem[] }> {
  try {
    const entries = await fs.readdir(dir, { withFileTypes: true });
    const order = (entry: Dirent): number => (entry.isSymbolicLink() ? 1 : 0);
    return { entries: entries.sort((a, b) => order(a) - order(b) || (a.name < b.name ? -1 : 1)), problems: [] };
  } catch (thrown) {
    const code = errorCode(thrown);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { problems: [] };
    return { problems: [{ severity: 'warning', code: 'folder-unreadable', message: `can't be listed: ${errorText(thrown)}`, path: dir }] };
  }
}

/** Where a link leads, or what is wrong with it. */
export async function followLink(path: string, confinedTo: string | undefined): Promise<{ readonly realPath: string; readonly isFolder: boolean } | Problem> {
  try {
    const realPath = await fs.realpath(path);
    if (confinedTo !== undefined && realPath !== confinedTo && !realPath.startsWith(confinedTo + sep)) {
      return { severity: 'info', code: 'link-leaves-plugin', message: `the link leads out of the plugin, to ${realPath}; it is not followed`, path };
    }
    return { realPath, isFolder: (await fs.stat(realPath)).isDirectory() };
  } catch (thrown) {
    const code = errorCode(thrown) === 'ELOOP' ? 'link-ring' : 'link-dangling';
    return { severity: 'warning', code, message: code === 'link-ring' ? 'the link leads back to itself; remove it' : 'the link leads nowhere; remove it or bring its target back', path };
  }
}

async function loadEntry(entry: Dirent, root: SkillRoot, realRoot: string): Promise<FolderFindings> {
  const dir = join(root.dir, entry.name);
  if (entry.name.toLowerCase() === 'synced' && root.plugin === undefined) {
    return none([{ severity: 'info', code: 'name-reserved', message: 'the folder name "synced" is reserved; rename it to load it', path: dir }]);
  }
  if (!entry.isSymbolicLink()) return readFolder(dir, join(realRoot, entry.name), root);
  const link = await followLink(dir, root.confinedTo);
  if ('severity' in link) return none([link]);
  return link.isFolder ? readFolder(dir, link.realPath, root) : none([]);
}

async function readFolder(dir: string, realDir: string, root: SkillRoot): Promise<FolderFindings> {
  const listed = await fs.readdir(dir).catch((): string[] => []);
  if (root.plugin === undefined && listed.includes('.claude-plugin') && (await isFile(join(dir, '.claude-plugin', 'plugin.json')))) {
    return { found: [], problems: [], pluginFolders: [dir] };
  }
  const name = listed.includes('SKILL.md') ? 'SKILL.md' : listed.find((file) => file.toLowerCase() === 'skill.md');
  if (name === undefined) return none(await buriedSkills(dir, listed));
  const place: SkillPlace = { kind: 'skill', path: join(dir, name), dir, placeName: basename(dir), ...placeOf(root) };
  const findings = await readSkillFile(place, join(realDir, name));
  if (name === 'SKILL.md') return findings;
  const spelling: Problem = { severity: 'info', code: 'skill-file-case', message: 'call the file SKILL.md; other tools do not find it under this name', path: place.path };
  return { ...findings, problems: [...findings.problems, spelling] };
}

export function placeOf(root: SkillRoot): Pick<SkillPlace, 'source' | 'isTrusted' | 'plugin' | 'variables'> {
  return { source: root.source, isTrusted: root.isTrusted, variables: root.variables, ...(root.plugin === undefined ? {} : { plugin: root.plugin }) };
}

export async function readSkillFile(place: SkillPlace, realPath: string): Promise<FolderFindings> {
  const file = await readTextFile(place.path);
  if (!file.ok) return none([file.problem]);
  const { skill, problems } = readSkill(await readFrontmatter(file.value.text), place);
  return { found: [{ skill, realPath }], problems: file.value.problem ? [file.value.problem, ...problems] : problems, pluginFolders: [] };
}

/** A folder without SKILL.md whose sub-folders have one: people expect it to load, so it is said that it does not. */
async function buriedSkills(dir: string, listed: readonly string[]): Promise<Problem[]> {
  for (const name of listed.filter((file) => !file.includes('.')).slice(0, 20)) {
    const path = join(dir, name, 'SKILL.md');
    if (await isFile(path)) return [{ severity: 'info', code: 'skill-too-deep', message: 'skills lie one folder deep; move this folder up', path }];
  }
  return [];
}

async function isFile(path: string): Promise<boolean> {
  return fs.stat(path).then(
    (stat) => stat.isFile(),
    () => false,
  );
}

function none(problems: readonly Problem[]): FolderFindings {
  return { found: [], problems, pluginFolders: [] };
}

/** Results in the order of `items`, at most `parallel` at work at once. */
export async function mapParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = new Array(items.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const at = next;
      next += 1;
      const item = items[at];
      if (item !== undefined) results[at] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, items.length) }, worker));
  return results;
}
