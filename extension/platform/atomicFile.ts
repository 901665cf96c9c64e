import { randomBytes } from 'node:crypto';
import { constants, promises as fs } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Replaces a file so that a reader sees the old text or the new, never a mix: temp file beside it, fsync, rename.
 * A link is written through (its target is replaced), the mode of an existing file is kept, missing folders are made.
 */
export async function writeFileAtomic(path: string, data: string | Uint8Array, options: { readonly mode?: number } = {}): Promise<void> {
  const target = await fs.realpath(path).catch(() => path);
  await fs.mkdir(dirname(target), { recursive: true });
  const existing = await fs.stat(target).catch(() => undefined);
  const temp = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const handle = await fs.open(temp, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, options.mode ?? existing?.mode ?? 0o644);
    try {
      await handle.writeFile(data);
      if (existing) await handle.chmod(existing.mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await fs.rename(temp, target);
  } catch (thrown) {
    await fs.rm(temp, { force: true });
    throw thrown;
  }
}
