import { promises as fs } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readFrontmatter } from '../base/frontmatter';
import type { Problem } from '../base/problem';
import { readTextFile } from '../platform/textFile';
import { builtinStyles, type OutputStyle, readOutputStyle } from './outputStyle';

export interface OutputStylePlaces {
  readonly configRoot: string;
  readonly managedDir?: string;
  readonly cwd: string;
  /** Folders of plugins with their names. */
  readonly plugins: readonly { readonly name: string; readonly dirs: readonly string[] }[];
}

export interface OutputStyleReport {
  /** First match wins within a source: the nearest folder comes first. */
  readonly loaded: readonly OutputStyle[];
  readonly problems: readonly Problem[];
}

/** All output styles there are: built in, of plugins, the person's, the project's from `cwd` up to the repository's root, managed. */
export async function loadOutputStyles(places: OutputStylePlaces): Promise<OutputStyleReport> {
  const problems: Problem[] = [];
  const read = (dir: string, source: OutputStyle['source'], plugin?: string): Promise<readonly OutputStyle[]> => readFolder(dir, { source, ...(plugin === undefined ? {} : { plugin }) }, problems);
  const project = await projectFolders(places.cwd);
  const groups = await Promise.all([
    ...(places.managedDir === undefined ? [] : [read(join(places.managedDir, '.claude', 'output-styles'), 'managed')]),
    ...project.map((dir) => read(join(dir, '.claude', 'output-styles'), 'project')),
    read(join(places.configRoot, 'output-styles'), 'user'),
    ...places.plugins.flatMap(({ name, dirs }) => dirs.map((dir) => read(dir, 'plugin', name))),
  ]);
  return { loaded: [...groups.flat(), ...builtinStyles], problems };
}

async function projectFolders(cwd: string): Promise<readonly string[]> {
  const folders: string[] = [];
  for (let dir = cwd; ; dir = dirname(dir)) {
    folders.push(dir);
    const isRoot = await fs.stat(join(dir, '.git')).then(
      () => true,
      () => false,
    );
    if (isRoot) return folders;
    if (dirname(dir) === dir) return [cwd]; // in no repository: only this folder
  }
}

async function readFolder(dir: string, place: { readonly source: OutputStyle['source']; readonly plugin?: string }, problems: Problem[]): Promise<readonly OutputStyle[]> {
  const names = await fs.readdir(dir).catch(() => []);
  const styles: OutputStyle[] = [];
  for (const name of names.filter((one) => /\.md$/i.test(one)).toSorted()) {
    const path = join(dir, name);
    const file = await readTextFile(path);
    if (!file.ok) {
      problems.push(file.problem);
      continue;
    }
    const frontmatter = await readFrontmatter(file.value.text);
    problems.push(...frontmatter.problems.map((problem) => ({ ...problem, path })));
    styles.push(readOutputStyle(frontmatter, { fileName: basename(name).replace(/\.md$/i, ''), path, ...place }));
  }
  return styles;
}
