import { createHash } from 'node:crypto';
import { constants, promises as fs } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorCode, errorText } from '../base/errorText';
import { err, ok, type Result } from '../base/result';
import { writeFileAtomic } from './atomicFile';
import { type LinePage, type LineRange, readLinePage } from './linePage';
import { type FoundFile, type WalkOptions, walkFolder } from './folderWalk';
import { bomOf, type DecodedText, decodeText, encodeText, looksBinary } from './textEncoding';

export interface FileInfo {
  readonly kind: 'file' | 'folder' | 'other';
  readonly sizeBytes: number;
  readonly mtimeMs: number;
}

export interface TextFile extends DecodedText {
  readonly info: FileInfo;
  /** SHA-256 of the bytes, hex. */
  readonly hash: string;
}

/** `message` is ready for the model; the path is named in it. */
export interface FileProblem {
  readonly code: 'notFound' | 'notFile' | 'tooBig' | 'binary' | 'denied' | 'io' | 'encoding';
  readonly message: string;
}

/** Whole files above this are not hashed; their size and time must do. */
export const hashLimitBytes = 32 * 1024 * 1024;

/** What the file tools do to the disk. Paths are absolute. */
export interface FileStore {
  readonly info: (path: string) => Promise<FileInfo | undefined>;
  /** The path behind links; for a path that does not exist, that of its nearest existing parent with the rest appended. */
  readonly realPath: (path: string) => Promise<string>;
  readonly readBytes: (path: string, maxBytes: number) => Promise<Result<Buffer, FileProblem>>;
  readonly readText: (path: string, maxBytes: number) => Promise<Result<TextFile, FileProblem>>;
  readonly start: (path: string, bytes: number) => Promise<Result<Buffer, FileProblem>>;
  /** Some lines of a file of any size; memory stays small. */
  readonly readLines: (path: string, range: LineRange) => Promise<Result<LinePage, FileProblem>>;
  /** undefined for files above `hashLimitBytes`. */
  readonly hash: (path: string) => Promise<string | undefined>;
  /** Atomic; keeps the mode, writes through links, makes missing folders. @returns the file as it now is */
  readonly writeText: (path: string, text: DecodedText) => Promise<Result<TextFile, FileProblem>>;
  readonly writeBytes: (path: string, bytes: Uint8Array) => Promise<Result<void, FileProblem>>;
  readonly remove: (path: string) => Promise<void>;
  /** The text of a small file that is removed with it; undefined when there is none. */
  readonly takeText: (path: string) => Promise<string | undefined>;
  readonly makeFolder: (path: string) => Promise<void>;
  readonly walk: (options: WalkOptions) => Promise<{ readonly files: readonly FoundFile[]; readonly timedOut: boolean }>;
  readonly list: (path: string) => Promise<readonly { readonly name: string; readonly folder: boolean }[]>;
}

export function createFileStore(): FileStore {
  const store: FileStore = {
    info,
    realPath,
    readBytes: (path, maxBytes) => guarded(path, () => readBytes(path, maxBytes)),
    readText: (path, maxBytes) =>
      guarded(path, async () => {
        const bytes = await readBytes(path, maxBytes);
        if (!bytes.ok) return bytes;
        if (looksBinary(bytes.value)) return err({ code: 'binary', message: `${path} is a binary file and can't be shown or edited as text. Use Bash with a program that understands it.` });
        const stat = await fs.stat(path);
        return ok({ ...decodeText(bytes.value), info: { kind: 'file', sizeBytes: stat.size, mtimeMs: stat.mtimeMs }, hash: sha256(bytes.value) });
      }),
    start: (path, bytes) => guarded(path, async () => ok(await startOf(path, bytes))),
    readLines: (path, range) =>
      guarded(path, async () => {
        const encoding = bomOf(await startOf(path, 4));
        return ok(await readLinePage(path, { ...range, skipBytes: encoding?.encoding === 'utf8' ? encoding.length : 0 }));
      }),
    hash: async (path) => {
      const found = await info(path);
      if (found?.kind !== 'file' || found.sizeBytes > hashLimitBytes) return undefined;
      return sha256(await fs.readFile(path));
    },
    writeText: (path, text) =>
      guarded(path, async () => {
        const bytes = encodeText(text);
        if (!bytes) return err({ code: 'encoding', message: `${path} is not UTF-8 (it reads as Latin-1), and the new text has characters that encoding can't hold. Convert the file to UTF-8 first, for example with iconv.` });
        const written = await writeBytes(path, bytes);
        if (!written.ok) return written;
        const stat = await fs.stat(path);
        return ok({ ...text, info: { kind: 'file', sizeBytes: stat.size, mtimeMs: stat.mtimeMs }, hash: sha256(bytes) });
      }),
    writeBytes: (path, bytes) => guarded(path, () => writeBytes(path, bytes)),
    remove: (path) => fs.rm(path, { force: true }),
    takeText: async (path) => {
      const text = await fs.readFile(path, 'utf8').catch(() => undefined);
      if (text !== undefined) await fs.rm(path, { force: true });
      return text;
    },
    makeFolder: async (path) => void (await fs.mkdir(path, { recursive: true })),
    walk: walkFolder,
    list: async (path) => {
      const entries = await fs.readdir(path, { withFileTypes: true }).catch(() => []);
      return entries.map((e) => ({ name: e.name, folder: e.isDirectory() }));
    },
  };
  return store;
}

async function info(path: string): Promise<FileInfo | undefined> {
  try {
    const stat = await fs.stat(path);
    return { kind: stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : 'other', sizeBytes: stat.size, mtimeMs: stat.mtimeMs };
  } catch (thrown) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'].includes(errorCode(thrown) ?? '')) return undefined;
    throw thrown;
  }
}

async function realPath(path: string): Promise<string> {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      return join(await fs.realpath(at), ...missing);
    } catch {
      if (dirname(at) === at) return path;
      missing.unshift(basename(at));
    }
  }
}

async function readBytes(path: string, maxBytes: number): Promise<Result<Buffer, FileProblem>> {
  const stat = await fs.stat(path);
  if (stat.isDirectory()) return err({ code: 'notFile', message: `${path} is a folder. Use Glob or \`ls\` to see what is in it.` });
  // A pipe or device would block for ever or never end.
  if (!stat.isFile()) return err({ code: 'notFile', message: `${path} is no regular file (a pipe, socket or device) and can't be read.` });
  if (stat.size > maxBytes) return err({ code: 'tooBig', message: `${path} is ${sizeText(stat.size)}; at most ${sizeText(maxBytes)} can be read whole.` });
  return ok(await fs.readFile(path));
}

async function startOf(path: string, bytes: number): Promise<Buffer> {
  const handle = await fs.open(path, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

async function writeBytes(path: string, bytes: Uint8Array): Promise<Result<void, FileProblem>> {
  const existing = await fs.stat(path).catch(() => undefined);
  if (existing && !existing.isFile()) return err({ code: 'notFile', message: `${path} is ${existing.isDirectory() ? 'a folder' : 'no regular file'} and can't be written.` });
  // The rename of an atomic write would get around a file's write protection.
  if (existing) await fs.access(path, constants.W_OK);
  if (existing && (existing.mode & 0o222) === 0) return err({ code: 'denied', message: `${path} is write-protected. Ask the person whether to make it writable (chmod u+w).` });
  await writeFileAtomic(path, bytes);
  return ok(undefined);
}

async function guarded<T>(path: string, work: () => Promise<Result<T, FileProblem>>): Promise<Result<T, FileProblem>> {
  try {
    return await work();
  } catch (thrown) {
    const code = errorCode(thrown);
    if (code === 'ENOENT' || code === 'ENOTDIR') return err({ code: 'notFound', message: `${path} does not exist.` });
    if (code === 'EISDIR') return err({ code: 'notFile', message: `${path} is a folder. Use Glob or \`ls\` to see what is in it.` });
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return err({ code: 'denied', message: `The operating system denies access to ${path} (${code}).` });
    if (code === undefined) throw thrown;
    return err({ code: 'io', message: `${path}: ${errorText(thrown)}` });
  }
}

export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const units = ['KB', 'MB', 'GB', 'TB'];
  let value = bytes / 1024;
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit += 1) value /= 1024;
  return `${value >= 100 ? Math.round(value) : Math.round(value * 10) / 10} ${units[unit]}`;
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
