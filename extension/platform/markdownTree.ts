import { promises as fs, type Dirent } from 'node:fs';
import { join, sep } from 'node:path';
import { errorCode, errorText } from '../base/errorText';
import type { Problem } from '../base/problem';

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
