import { promises as fs } from 'node:fs';
import { basename, join } from 'node:path';
import * as z from 'zod';
import { errorText } from '../base/errorText';
import type { Problem } from '../base/problem';
import { readTextFile } from '../platform/textFile';
import { loadCommandFile, loadCommandFolder } from './commandFolderLoader';
import { pluginVariables, type PluginFolder } from './skill';
import { joinFindings, loadSkillFolder, loadSkillFolders, type FolderFindings, type SkillRoot } from './skillFolderLoader';

/** All that this reader needs of `plugin.json`; the whole manifest is read in plugins/. */
const ManifestName = z.looseObject({ name: z.string().min(1) });

/** A plugin's folder by the default layout, named by its manifest or else by the folder. */
export async function readPluginFolder(root: string): Promise<{ readonly plugin: PluginFolder; readonly problems: readonly Problem[] }> {
  const problems: Problem[] = [];
  const name = (await manifestName(join(root, '.claude-plugin', 'plugin.json'), problems)) ?? basename(root);
  for (const part of ['skills', 'commands', 'agents', 'hooks', 'output-styles']) {
    const path = join(root, '.claude-plugin', part);
    if (await isFolder(path)) {
      problems.push({ severity: 'warning', code: 'component-inside-dot-claude-plugin', message: `only plugin.json belongs into .claude-plugin; move ${part}/ one folder up`, path });
    }
  }
  return { plugin: { name, root, skillDirs: [join(root, 'skills')], commandPaths: [join(root, 'commands')], agentPaths: [join(root, 'agents')] }, problems };
}

async function manifestName(path: string, problems: Problem[]): Promise<string | undefined> {
  const file = await readTextFile(path);
  if (!file.ok) return undefined;
  try {
    const manifest = ManifestName.safeParse(JSON.parse(file.value.text.replace(/^\ufeff/, '')));
    return manifest.success ? manifest.data.name : undefined;
  } catch (thrown) {
    problems.push({ severity: 'error', code: 'json-invalid', message: `is no JSON: ${errorText(thrown)}`, path });
    return undefined;
  }
}

/** The skills and commands of one plugin. What a plugin may do is decided before: its files count as trusted. */
export async function loadPluginSkills(plugin: PluginFolder): Promise<FolderFindings> {
  const confinedTo = await fs.realpath(plugin.root).catch(() => plugin.root);
  const root = (dir: string): SkillRoot => ({ dir, source: 'plugin', plugin: plugin.name, isTrusted: true, variables: pluginVariables(plugin), confinedTo });
  const skills = await Promise.all(plugin.skillDirs.map((dir) => loadSkillDir(dir, root(dir))));
  const commands = await Promise.all(plugin.commandPaths.map((path) => (/\.md$/i.test(path) ? loadCommandFile(path, root(path)) : loadCommandFolder(root(path)))));
  const onlyRoot = joinFindings(skills).found.length === 0 && !(await isFolder(join(plugin.root, 'skills'))) && plugin.skillDirs.every((dir) => dir === join(plugin.root, 'skills'));
  const rootSkill = onlyRoot ? [await loadSkillFolder(plugin.root, root(plugin.root))] : [];
  return joinFindings([...skills, ...rootSkill, ...commands]);
}

/** A folder of skills, or a folder that is itself one. */
async function loadSkillDir(dir: string, root: SkillRoot): Promise<FolderFindings> {
  const listed = await fs.readdir(dir).catch((): string[] => []);
  return listed.includes('SKILL.md') ? loadSkillFolder(dir, root) : loadSkillFolders(root);
}

async function isFolder(path: string): Promise<boolean> {
  return fs.stat(path).then(
    (stat) => stat.isDirectory(),
    () => false,
  );
}
