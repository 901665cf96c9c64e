import { promises as fs } from 'node:fs';
import { dirname, join } from 'node:path';
import { readFrontmatter } from '../base/frontmatter';
import { loadCommandFile, loadCommandFolder } from './commandFolderLoader';
import { type InlineCommand, pluginVariables, type PluginFolder } from './skill';
import { joinFindings, loadSkillFolder, loadSkillFolders, placeOf, type FolderFindings, type SkillRoot } from './skillFolderLoader';
import { readSkill } from './skillSchema';

/** The skills and commands of one plugin. What a plugin may do is decided before: its files count as trusted. */
export async function loadPluginSkills(plugin: PluginFolder): Promise<FolderFindings> {
  const confinedTo = await fs.realpath(plugin.root).catch(() => plugin.root);
  const root = (dir: string): SkillRoot => ({ dir, source: 'plugin', plugin: plugin.name, isTrusted: true, variables: pluginVariables(plugin), confinedTo });
  const skills = await Promise.all(plugin.skillDirs.map((dir) => loadSkillDir(dir, root(dir))));
  const commands = await Promise.all(plugin.commandPaths.map((path) => (/\.md$/i.test(path) ? loadCommandFile(path, root(path)) : loadCommandFolder(root(path)))));
  const onlyRoot = joinFindings(skills).found.length === 0 && !(await isFolder(join(plugin.root, 'skills'))) && plugin.skillDirs.every((dir) => dir === join(plugin.root, 'skills'));
  const rootSkill = onlyRoot ? [await loadSkillFolder(plugin.root, root(plugin.root))] : [];
  const inline = await Promise.all((plugin.inlineCommands ?? []).map((command) => loadInlineCommand(command, root(plugin.root))));
  return joinFindings([...skills, ...rootSkill, ...commands, ...inline]);
}

/** What the manifest says of a command counts instead of what its file says. */
async function loadInlineCommand({ name, path, text, fields }: InlineCommand, root: SkillRoot): Promise<FolderFindings> {
  const file = await readFrontmatter(text);
  const stated = Object.entries(fields).map(([key, value]) => [key, { value, text: typeof value === 'string' ? value : value.join(', '), line: 1 }] as const);
  const merged = { ...file, fields: new Map([...file.fields, ...stated]) };
  const { skill, problems } = readSkill(merged, { kind: 'command', path, dir: dirname(path), placeName: name, ...placeOf(root) });
  return { found: [{ skill, realPath: `${path}#${name}` }], problems, pluginFolders: [] };
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
