import { promises as fs } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../base/errorText';
import type { PathFacts } from './permissionTypes';

/** The real disk. A path that is not there yet is its nearest existing folder plus the rest. */
export function createPathFacts(): PathFacts {
  return { realPath: (path) => realPath(path, 40) };
}

async function realPath(path: string, hopsLeft: number): Promise<string> {
  try {
    return await fs.realpath(path);
  } catch (thrown) {
    const parent = dirname(path);
    if (parent === path || !/^(ENOENT|ENOTDIR|EACCES|ELOOP|EPERM|ENAMETOOLONG)$/.test(errorCode(thrown) ?? '')) return path;
    const above = await realPath(parent, hopsLeft);
    const whole = join(above, basename(path));
    // A link to something that does not exist yet: writing it would create the target.
    const target = hopsLeft > 0 ? await fs.readlink(whole).catch(() => undefined) : undefined;
    if (target === undefined) return whole;
    return realPath(target.startsWith('/') || /^[A-Za-z]:/.test(target) ? target : join(above, target), hopsLeft - 1);
  }
}
