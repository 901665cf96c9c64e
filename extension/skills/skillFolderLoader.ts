import { existsSync, promises as fs, readdirSync, type Dirent } from 'node:fs';
import { basename, join } from 'node:path';
import { errorCode } from '../base/errorText';
import { quickFrontmatter, readFrontmatter } from '../base/frontmatter';
import type { Problem } from '../base/problem';
import { followLink, listFolder } from '../platform/markdownTree';
import { eachSliced, readTextFileNow } from '../platform/textFile';
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

/** Loads `<dir>/<name>/SKILL.md` of every folder in `root.dir`; a missing folder is an empty one. */
export async function loadSkillFolders(root: SkillRoot): Promise<FolderFindings> {
  const listing = await listFolder(root.dir);
  if (!listing.entries) return { found: [], problems: listing.problems, pluginFolders: [] };
  const realRoot = await fs.realpath(root.dir);
  const usable = listing.entries.filter((entry) => !entry.name.startsWith('.') && (entry.isDirectory() || entry.isSymbolicLink()));
  const results = await eachSliced(usable, (entry) => loadEntry(entry, root, realRoot));
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
  if (root.plugin === undefined && existsSync(join(dir, '.claude-plugin', 'plugin.json'))) return { found: [], problems: [], pluginFolders: [dir] };
  const place: SkillPlace = { kind: 'skill', path: join(dir, 'SKILL.md'), dir, placeName: basename(dir), ...placeOf(root) };
  const file = readTextFileNow(place.path);
  if (file.ok || file.problem.code !== 'file-missing') return readText(file, place, join(realDir, 'SKILL.md'));
  // Listing each folder first would cost a third of the load; it is needed only where the file is missing.
  const listed = namesIn(dir);
  const name = listed.find((entry) => entry.toLowerCase() === 'skill.md' && entry !== 'SKILL.md');
  if (name === undefined) return none([...brokenLink(place.path, listed), ...(await buriedSkills(dir, listed))]);
  const findings = await readSkillFile({ ...place, path: join(dir, name) }, join(realDir, name));
  const spelling: Problem = { severity: 'info', code: 'skill-file-case', message: 'call the file SKILL.md; other tools do not find it under this name', path: join(dir, name) };
  return { ...findings, problems: [...findings.problems, spelling] };
}

function brokenLink(path: string, listed: readonly string[]): readonly Problem[] {
  return listed.includes('SKILL.md') ? [{ severity: 'warning', code: 'link-dangling', message: 'the link leads nowhere; remove it or bring its target back', path }] : [];
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir);
  } catch (thrown) {
    if (errorCode(thrown) === undefined) throw thrown;
    return [];
  }
}

export function placeOf(root: SkillRoot): Pick<SkillPlace, 'source' | 'isTrusted' | 'plugin' | 'variables'> {
  return { source: root.source, isTrusted: root.isTrusted, variables: root.variables, ...(root.plugin === undefined ? {} : { plugin: root.plugin }) };
}

export async function readSkillFile(place: SkillPlace, realPath: string): Promise<FolderFindings> {
  return readText(readTextFileNow(place.path), place, realPath);
}

async function readText(file: ReturnType<typeof readTextFileNow>, place: SkillPlace, realPath: string): Promise<FolderFindings> {
  if (!file.ok) return none([file.problem]);
  const { skill, problems } = readSkill(quickFrontmatter(file.value.text) ?? (await readFrontmatter(file.value.text)), place);
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
