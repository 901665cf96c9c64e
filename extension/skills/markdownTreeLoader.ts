import { promises as fs, type Dirent } from 'node:fs';
import { join } from 'node:path';
import type { Problem } from '../base/problem';
import { followLink, listFolder } from './skillFolderLoader';

export interface MarkdownFile {
  readonly path: string;
  readonly realPath: string;
  /** Folders below the root, and the file's name without `.md`. */
  readonly segments: readonly string[];
}

export interface MarkdownTree {
  readonly files: readonly MarkdownFile[];
  readonly problems: readonly Problem[];
}

/**
 * All `.md` files below a folder, in order of their paths; a missing folder is an empty one. Links are followed once:
 * a folder met before (a ring, a link to a neighbour) is not entered again.
 * @param confinedTo real path that links may not leave
 */
export async function listMarkdownTree(root: string, confinedTo?: string): Promise<MarkdownTree> {
  const files: MarkdownFile[] = [];
  const problems: Problem[] = [];
  const visited = new Set<string>();
  const enter = async (dir: string, realDir: string, segments: readonly string[]): Promise<void> => {
    if (visited.has(realDir)) return;
    visited.add(realDir);
    const listing = await listFolder(dir);
    problems.push(...listing.problems);
    for (const entry of listing.entries ?? []) await take(entry, { dir, realDir, segments });
  };
  const take = async (entry: Dirent, at: { readonly dir: string; readonly realDir: string; readonly segments: readonly string[] }): Promise<void> => {
    const path = join(at.dir, entry.name);
    if (entry.name.startsWith('.')) return;
    const link = entry.isSymbolicLink() ? await followLink(path, confinedTo) : undefined;
    if (link && 'severity' in link) {
      problems.push(link);
      return;
    }
    const realPath = link?.realPath ?? join(at.realDir, entry.name);
    if (link ? link.isFolder : entry.isDirectory()) await enter(path, realPath, [...at.segments, entry.name]);
    else if (/\.md$/i.test(entry.name)) files.push({ path, realPath, segments: [...at.segments, entry.name.slice(0, -3)] });
  };
  const realRoot = await fs.realpath(root).catch(() => undefined);
  if (realRoot !== undefined) await enter(root, realRoot, []);
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), problems };
}
