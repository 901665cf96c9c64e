import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readFile, readSync, stat, type Stats } from 'node:fs';
import { errorCode, errorText } from '../base/errorText';
import type { Problem } from '../base/problem';
import { err, ok, type Result } from '../base/result';

/** A file the person wrote; what is no UTF-8 is read with U+FFFD in its place and reported. */
export interface TextFile {
  readonly text: string;
  readonly problem?: Problem;
}

const defaultMaxBytes = 4 * 1024 * 1024;

/** @returns problem: why the file can't be used; `code` is `file-missing`, `file-unreadable` or `file-too-big` */
export async function readTextFile(path: string, maxBytes = defaultMaxBytes): Promise<Result<TextFile, Problem>> {
  // The callback form: for small files twice as quick as fs.promises.
  const info = await new Promise<Stats | Error>((resolve) => stat(path, (error, found) => resolve(error ?? found)));
  if (info instanceof Error) return decode(path, info, maxBytes);
  // A pipe never ends, and neither does what a link to a device gives.
  if (!info.isFile()) return decode(path, notAFile(info), maxBytes);
  if (info.size > maxBytes) return tooBig(path, maxBytes);
  const read = await new Promise<Buffer | Error>((resolve) => readFile(path, (error, data) => resolve(error ?? data)));
  return decode(path, read, maxBytes);
}

/** The same at once. For thousands of small files, by a caller that pauses between them (`eachSliced`). */
export function readTextFileNow(path: string, maxBytes = defaultMaxBytes): Result<TextFile, Problem> {
  try {
    return decode(path, readWhole(path, maxBytes), maxBytes);
  } catch (thrown) {
    return decode(path, thrown instanceof Error ? thrown : new Error(errorText(thrown)), maxBytes);
  }
}

/** At most one byte more than is wanted, so that a huge file costs nothing. */
function readWhole(path: string, maxBytes: number): Buffer {
  // Not to wait for whoever writes into a pipe.
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const info = fstatSync(fd);
    if (!info.isFile()) throw notAFile(info);
    const whole = Buffer.allocUnsafe(Math.min(info.size, maxBytes + 1));
    return whole.subarray(0, readSync(fd, whole, 0, whole.length, 0));
  } finally {
    closeSync(fd);
  }
}

/**
 * Runs `work` on each item in order, and lets the event loop have its turn after every 8 ms of it: a quarter of the
 * time that as many asynchronous reads of small files take, and no long stall.
 */
export async function eachSliced<T, R>(items: readonly T[], work: (item: T) => R | Promise<R>): Promise<Awaited<R>[]> {
  const results: Awaited<R>[] = [];
  let pausedAt = performance.now();
  for (const item of items) {
    results.push(await work(item));
    if (performance.now() - pausedAt < 8) continue;
    await new Promise((resolve) => setImmediate(resolve));
    pausedAt = performance.now();
  }
  return results;
}

function decode(path: string, read: Buffer | Error, maxBytes: number): Result<TextFile, Problem> {
  if (read instanceof Error) {
    const code = errorCode(read) === 'ENOENT' ? 'file-missing' : 'file-unreadable';
    return err({ severity: 'error', code, message: `can't be read: ${errorText(read)}`, path });
  }
  if (read.length > maxBytes) return tooBig(path, maxBytes);
  const text = read.toString('utf8');
  if (text.includes('\u0000')) return ok({ text: text.replaceAll('\u0000', '\ufffd'), problem: notUtf8(path, 'holds NUL bytes') });
  return ok(isUtf8(read) ? { text } : { text, problem: notUtf8(path, 'is no UTF-8') });
}

function tooBig(path: string, maxBytes: number): Result<never, Problem> {
  return err({ severity: 'error', code: 'file-too-big', message: `is too big: at most ${maxBytes} bytes are read`, path });
}

function notAFile(info: Stats): Error {
  return new Error(info.isDirectory() ? 'it is a folder' : 'it is no file');
}

function notUtf8(path: string, what: string): Problem {
  return { severity: 'warning', code: 'not-utf8', message: `the file ${what}; the odd bytes were replaced. Save it as UTF-8`, path };
}
