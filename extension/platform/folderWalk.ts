import { promises as fs } from 'node:fs';
import { join } from 'node:path';

export interface FoundFile {
  readonly path: string;
  readonly mtimeMs: number;
}

export interface WalkOptions {
  readonly root: string;
  /** Given paths relative to `root`, with `/`. */
  readonly matches: (relPath: string) => boolean;
  readonly enter: (relPath: string, name: string) => boolean;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

const parallel = 16;
/** More matches than this are counted but not compared by age. */
const maxStats = 20_000;

/** All matching files below a folder, newest first. Linked folders are not entered: they may lead out of it. */
export async function walkFolder(options: WalkOptions): Promise<{ readonly files: readonly FoundFile[]; readonly timedOut: boolean }> {
  const until = performance.now() + options.timeoutMs;
  const matched: string[] = [];
  let folders = [''];
  let timedOut = false;
  while (folders.length > 0 && !timedOut) {
    options.signal.throwIfAborted();
    const now = folders.splice(0, parallel);
    const found = await Promise.all(now.map((folder) => look(folder, options)));
    for (const { files, inner } of found) {
      matched.push(...files);
      folders = folders.concat(inner);
    }
    timedOut = performance.now() > until;
  }
  const files: FoundFile[] = [];
  for (let at = 0; at < Math.min(matched.length, maxStats); at += 64) files.push(...(await Promise.all(matched.slice(at, Math.min(at + 64, maxStats)).map((rel) => found(join(options.root, rel))))));
  files.sort((a, b) => b.mtimeMs - a.mtimeMs || (a.path < b.path ? -1 : 1));
  return { files: [...files, ...matched.slice(maxStats).map((rel) => ({ path: join(options.root, rel), mtimeMs: 0 }))], timedOut };
}

async function look(folder: string, { root, matches, enter }: WalkOptions): Promise<{ readonly files: string[]; readonly inner: string[] }> {
  const entries = await fs.readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
  const files: string[] = [];
  const inner: string[] = [];
  for (const entry of entries) {
    const rel = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (enter(rel, entry.name)) inner.push(rel);
    } else if (matches(rel)) files.push(rel);
  }
  return { files, inner };
}

async function found(path: string): Promise<FoundFile> {
  const stat = await fs.lstat(path).catch(() => undefined);
  return { path, mtimeMs: stat?.mtimeMs ?? 0 };
}
