import type { FileStore, TextFile } from '../platform/fileStore';
import type { FileState } from './fileState';

export type Freshness = 'unknown' | 'partial' | 'fresh' | 'changed';

/** How the disk compares with what the agent last saw of `realPath`. A new time alone is no change when the bytes are the same. */
export async function freshness(store: FileStore, files: FileState, realPath: string): Promise<Freshness> {
  const known = files.get(realPath);
  if (!known) return 'unknown';
  const now = await store.info(realPath);
  const same = now !== undefined && now.mtimeMs === known.mtimeMs && now.sizeBytes === known.sizeBytes;
  if (!same && (known.hash === '' || (await store.hash(realPath)) !== known.hash)) return 'changed';
  return known.partial ? 'partial' : 'fresh';
}

/** After a read or write of the whole text. */
export function noteText(files: FileState, realPath: string, file: TextFile, partial = false): void {
  files.note(realPath, { mtimeMs: file.info.mtimeMs, sizeBytes: file.info.sizeBytes, hash: file.hash, partial });
}

/** For files that were not read through the store: a shell's `cat`, an image, one page of a huge file. */
export async function noteSeen(store: FileStore, files: FileState, realPath: string, partial: boolean): Promise<void> {
  const info = await store.info(realPath);
  if (info?.kind !== 'file') return;
  files.note(realPath, { mtimeMs: info.mtimeMs, sizeBytes: info.sizeBytes, hash: (await store.hash(realPath)) ?? '', partial });
}
