import { constants, promises as fs } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode } from '../base/errorText';
import { withFileLock } from '../platform/fileLock';
import { diskPath, foldersAbove, fromText, isUnder, nulList, toText } from './bytePath';
import { git, gitText } from './gitCall';
import { splitNul } from './parseGit';
import type { WorktreeContext } from './worktreeContext';

export interface CaptureRequest {
  readonly root: string;
  readonly gitDir: string;
  /** Names the private index beside git's own; one per use, so that nobody waits for another. */
  readonly indexName: string;
  /** Relative paths that are no part of the state: set-up. */
  readonly leaveOut?: readonly string[];
  /** Larger files that are new or changed are not stored. */
  readonly maxFileBytes?: number;
  readonly signal?: AbortSignal;
  /** For a repository of ours beside the folder: its git folder and the folder as work tree. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Above this a person's file that is in no commit is not stored to be merged; where a merge wants its place it is named. */
export const maxPersonFileBytes = 200 * 1024 * 1024;

export interface SkippedFile {
  /** As text. */
  readonly path: string;
  readonly reason: 'too-large' | 'unreadable';
}

export interface Capture {
  readonly tree: string;
  readonly skipped: readonly SkippedFile[];
}

/**
 * Stores the whole state of a checkout, untracked files included and ignored ones not, as a tree. The person's index
 * is only read. A private index is kept from call to call, so that unchanged files cost one stat each.
 */
export async function captureTree(context: WorktreeContext, request: CaptureRequest): Promise<Capture> {
  const index = join(request.gitDir, 'troupe', `${request.indexName}.index`);
  await fs.mkdir(dirname(index), { recursive: true });
  // Beside it: `<index>.lock` is git's own.
  return withFileLock(`${index}.use`, async () => {
    await seed(context, request, index);
    return store(context, request, index);
  });
}

interface Private {
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly signal?: AbortSignal;
}

function privateOptions(request: CaptureRequest, index: string): Private {
  return { cwd: request.root, env: { ...request.env, GIT_INDEX_FILE: index }, ...(request.signal ? { signal: request.signal } : {}) };
}

/** A copy of git's own index knows the stat of every tracked file; one with an unfinished merge does not serve. */
async function seed(context: WorktreeContext, request: CaptureRequest, index: string): Promise<void> {
  await fs.rm(`${index}.lock`, { force: true }); // of a git that was killed: we hold the lock above it
  if (await fs.stat(index).catch(() => undefined)) return;
  const temp = `${index}.seed`;
  const options = privateOptions(request, temp);
  await fs.rm(temp, { force: true });
  const copied = await copyIndex(join(request.gitDir, 'index'), temp);
  const unmerged = copied ? await context.git.run(['ls-files', '-u', '-z'], options) : undefined;
  if (unmerged?.exitCode !== 0 || unmerged.bytes.length > 0) {
    await fs.rm(temp, { force: true });
    const head = await context.git.run(['read-tree', 'HEAD'], options);
    if (head.exitCode !== 0) await git(context.git, ['read-tree', '--empty'], options);
  }
  await fs.rename(temp, index);
}

/**
 * With the time of the original: git looks into a file only when it is not older than the index, so a younger copy would
 * hide an edit of the same size in the same second.
 */
async function copyIndex(from: string, to: string): Promise<boolean> {
  const stat = await fs.stat(from).catch(() => undefined);
  if (!stat) return false;
  await fs.copyFile(from, to);
  await fs.utimes(to, stat.atime, stat.mtime);
  return true;
}

async function store(context: WorktreeContext, request: CaptureRequest, index: string): Promise<Capture> {
  const options = privateOptions(request, index);
  const own = { ...options, env: { ...request.env } };
  const leaveOut = (request.leaveOut ?? []).map(fromText);
  const ls = async (args: readonly string[], where: Omit<Private, 'env'> & { readonly env: Record<string, string> }): Promise<string[]> => splitNul((await git(context.git, ['ls-files', '-z', ...args], where)).bytes);
  const [touched, ignoredHere, ignoredButTracked, setUp] = await Promise.all([
    ls(['-o', '-m', '-d', '--exclude-standard'], options),
    ls(['-c', '-i', '--exclude-standard'], options),
    ls(['-c', '-i', '--exclude-standard'], own),
    leaveOut.length > 0 ? ls(['-c', '--', ...(request.leaveOut ?? []).map((path) => `:(top,literal)${path}`)], options) : Promise.resolve([]),
  ]);
  const tracked = new Set(ignoredButTracked);
  const nowIgnored = ignoredHere.filter((path) => !tracked.has(path));
  // A name that ends in "/" is a repository of its own inside this one: git keeps none of its files.
  const candidates = [...new Set([...touched, ...ignoredButTracked])].filter((path) => !path.endsWith('/') && !isUnder(path, leaveOut) && !isUnder(path, ['.claude/worktrees']));
  const sorted = await sortByDisk(request, candidates);
  await updateIndex(context, ['--force-remove'], [...new Set([...sorted.gone, ...nowIgnored, ...setUp])], options);
  await updateIndex(context, ['--add', '--remove', '--replace'], sorted.there, options);
  return { tree: await gitText(context.git, ['write-tree'], options), skipped: sorted.skipped };
}

async function updateIndex(context: WorktreeContext, flags: readonly string[], paths: readonly string[], options: Private): Promise<void> {
  if (paths.length > 0) await git(context.git, ['update-index', '-z', ...flags, '--stdin'], { ...options, stdin: nulList(paths) });
}

async function sortByDisk(request: CaptureRequest, paths: readonly string[]): Promise<{ gone: string[]; there: string[]; skipped: SkippedFile[] }> {
  const gone: string[] = [];
  const there: string[] = [];
  const skipped: SkippedFile[] = [];
  const linked = new Map<string, boolean>();
  for (const path of paths) {
    if (await isBehindLink(request.root, path, linked)) {
      gone.push(path);
      continue;
    }
    const stat = await fs.lstat(diskPath(request.root, path)).catch((thrown: unknown) => (/^(ENOENT|ENOTDIR)$/.test(errorCode(thrown) ?? '') ? undefined : null));
    const text = toText(path);
    if (stat === null) skipped.push({ path: text, reason: 'unreadable' });
    else if (stat === undefined) gone.push(path);
    else if (stat.isDirectory()) {
      if (await isRepository(request.root, path)) there.push(path);
      else gone.push(path);
    } else if (request.maxFileBytes !== undefined && stat.isFile() && stat.size > request.maxFileBytes) skipped.push({ path: text, reason: 'too-large' });
    else if (stat.isFile() && !(await canRead(request.root, path))) skipped.push({ path: text, reason: 'unreadable' });
    else if (stat.isFile() || stat.isSymbolicLink()) there.push(path);
  }
  return { gone, there, skipped };
}

async function isRepository(root: string, path: string): Promise<boolean> {
  return (await fs.lstat(diskPath(root, `${path}/.git`)).catch(() => undefined)) !== undefined;
}

async function canRead(root: string, path: string): Promise<boolean> {
  return fs.access(diskPath(root, path), constants.R_OK).then(
    () => true,
    () => false,
  );
}

/** What a link leads to is not at this path for git, even if the disk shows something there. */
async function isBehindLink(root: string, path: string, known: Map<string, boolean>): Promise<boolean> {
  for (const folder of foldersAbove(path)) {
    const isLink = known.get(folder) ?? (await fs.lstat(diskPath(root, folder)).catch(() => undefined))?.isSymbolicLink() ?? false;
    known.set(folder, isLink);
    if (isLink) return true;
  }
  return false;
}
