import { promises as fs } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Runs `work` while holding the lock beside `path` (a folder `<path>.lock`, as other programs of this field do).
 * A lock whose owner has not refreshed it for 10 s counts as dead and is taken over.
 * @throws when the lock can't be had within about 10 s
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  await fs.mkdir(dirname(path), { recursive: true });
  const { lock } = await import('proper-lockfile');
  const release = await lock(path, { realpath: false, stale: 10_000, update: 3_000, retries: { retries: 40, minTimeout: 20, maxTimeout: 500, factor: 1.5 } });
  try {
    return await work();
  } finally {
    await release();
  }
}
