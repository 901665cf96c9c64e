import { promises as fs } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The folders whose `.claude` counts for a session: `cwd` and its parents up to the repository's root, nearest first.
 * Outside a repository it is `cwd` alone.
 */
export async function findProjectDirs(cwd: string): Promise<readonly string[]> {
  const dirs: string[] = [];
  for (let dir = cwd; ; dir = dirname(dir)) {
    dirs.push(dir);
    if (await exists(join(dir, '.git'))) return dirs;
    if (dirname(dir) === dir) return [cwd];
  }
}

async function exists(path: string): Promise<boolean> {
  return fs.access(path).then(
    () => true,
    () => false,
  );
}
