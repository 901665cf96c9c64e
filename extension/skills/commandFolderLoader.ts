import { promises as fs } from 'node:fs';
import { basename, dirname } from 'node:path';
import { readFrontmatter } from '../base/frontmatter';
import { eachSliced, readTextFile } from '../platform/textFile';
import { listMarkdownTree, type MarkdownFile } from '../platform/markdownTree';
import { joinFindings, placeOf, readSkillFile, type FolderFindings, type SkillRoot } from './skillFolderLoader';

/** Loads the Markdown files below `root.dir` as commands: `port/enter.md` is `port:enter`. */
export async function loadCommandFolder(root: SkillRoot): Promise<FolderFindings> {
  const tree = await listMarkdownTree(root.dir, root.confinedTo);
  const findings = await eachSliced(tree.files, (file) => loadCommand(file, root));
  return joinFindings([...findings, { found: [], problems: tree.problems, pluginFolders: [] }]);
}

/** Loads one file named in a manifest. */
export async function loadCommandFile(path: string, root: SkillRoot): Promise<FolderFindings> {
  const realPath = await fs.realpath(path).catch(() => path);
  return loadCommand({ path, realPath, segments: [basename(path).replace(/\.md$/i, '')] }, root);
}

async function loadCommand(file: MarkdownFile, root: SkillRoot): Promise<FolderFindings> {
  if (/^readme$/i.test(file.segments.at(-1) ?? '') && !(await hasBlock(file.path))) return joinFindings([]);
  return readSkillFile({ kind: 'command', path: file.path, dir: dirname(file.path), placeName: file.segments.join(':'), ...placeOf(root) }, file.realPath);
}

/** A README without a block is for people. */
async function hasBlock(path: string): Promise<boolean> {
  const file = await readTextFile(path);
  return file.ok && (await readFrontmatter(file.value.text)).hasBlock;
}
