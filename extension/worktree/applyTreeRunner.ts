import { promises as fs, type BigIntStats } from 'node:fs';
import { join, posix } from 'node:path';
import { errorCode } from '../base/errorText';
import { diskPath, foldersAbove, nulList, toText } from './bytePath';
import { git, gitText } from './gitCall';
import { parseChanges, type TreeChange } from './parseGit';
import type { WorktreeContext } from './worktreeContext';
import { pruneFolders } from './worktreeSetupRunner';

export interface ApplyTarget {
  readonly root: string;
  readonly gitDir: string;
  readonly env?: Readonly<Record<string, string>>;
}

export async function diffTrees(context: WorktreeContext, target: ApplyTarget, from: string, to: string): Promise<readonly TreeChange[]> {
  if (from === to) return [];
  return parseChanges((await git(context.git, ['diff-tree', '-r', '-z', '--raw', '--no-renames', from, to], { cwd: target.root, ...(target.env ? { env: target.env } : {}) })).bytes).changes;
}

/**
 * What stands where a change wants to write, though the known state has nothing there: ignored files, files too large to
 * be stored, links and files in place of folders. Nothing is touched.
 * @returns byte paths of the changes that can't be made
 */
export async function findInTheWay(target: ApplyTarget, changes: readonly TreeChange[]): Promise<readonly string[]> {
  const goes = new Set(changes.filter((c) => c.from && !c.to).map((c) => c.path));
  const blocked: string[] = [];
  for (const change of changes) {
    if (!change.to || isSubmodule(change)) continue;
    if ((await isBlockedAbove(target.root, change.path, goes)) || (!change.from && (await isBlockedAt(target.root, change.path, goes)))) blocked.push(change.path);
  }
  return blocked;
}

async function isBlockedAbove(root: string, path: string, goes: ReadonlySet<string>): Promise<boolean> {
  for (const folder of foldersAbove(path)) {
    const stat = await fs.lstat(diskPath(root, folder)).catch(() => undefined);
    if (!stat || goes.has(folder)) return false;
    if (!stat.isDirectory()) return true;
  }
  return false;
}

async function isBlockedAt(root: string, path: string, goes: ReadonlySet<string>): Promise<boolean> {
  if (foldersAbove(path).some((folder) => goes.has(folder))) return false;
  const stat = await fs.lstat(diskPath(root, path)).catch(() => undefined);
  if (!stat) return false;
  return stat.isDirectory() ? holdsOther(root, path, goes) : true;
}

/** True when a folder that is to become a file holds anything that does not go with the change. */
async function holdsOther(root: string, folder: string, goes: ReadonlySet<string>): Promise<boolean> {
  for (const name of await fs.readdir(diskPath(root, folder), { encoding: 'latin1' })) {
    const path = `${folder}/${name}`;
    const stat = await fs.lstat(diskPath(root, path));
    if (stat.isDirectory() ? await holdsOther(root, path, goes) : !goes.has(path)) return true;
  }
  return false;
}

function isSubmodule(change: TreeChange): boolean {
  return change.from?.mode === '160000' || change.to?.mode === '160000';
}

export type Looks = ReadonlyMap<string, BigIntStats | undefined>;

/** How the files of a change look now: taken before their content is stored, compared right before each write. */
export async function lookAt(root: string, changes: readonly TreeChange[]): Promise<Looks> {
  const looks = new Map<string, BigIntStats | undefined>();
  for (const change of changes) looks.set(change.path, await fs.lstat(diskPath(root, change.path), { bigint: true }).catch(() => undefined));
  return looks;
}

function looksSame(a: BigIntStats | undefined, b: BigIntStats | undefined): boolean {
  if (!a || !b) return a === b;
  return a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.mode === b.mode;
}

/**
 * Makes the files of `changes` what `tree` has, each by one rename. A file that no longer looks as it did stops it there.
 * @returns the byte path that changed meanwhile, or undefined when all is done
 */
export async function writeChanges(context: WorktreeContext, target: ApplyTarget, request: { readonly changes: readonly TreeChange[]; readonly tree: string; readonly looks: Looks }): Promise<string | undefined> {
  const changes = request.changes.filter((change) => !isSubmodule(change));
  const stage = await fs.mkdtemp(join(target.gitDir, 'troupe-stage-'));
  try {
    await stageFiles(context, target, { tree: request.tree, paths: changes.filter((c) => c.to).map((c) => c.path), stage });
    for (const change of changes.filter((c) => !c.to)) {
      if (!(await isUnchanged(target.root, change.path, request.looks))) return change.path;
      await removeFile(target.root, change.path);
    }
    for (const change of changes.filter((c) => c.to)) {
      const isInNewFolder = request.looks.get(change.path)?.isDirectory() ?? false;
      if (!isInNewFolder && !(await isUnchanged(target.root, change.path, request.looks))) return change.path;
      if (!(await placeFile(target.root, stage, change))) return change.path;
    }
    return undefined;
  } finally {
    await fs.rm(stage, { recursive: true, force: true });
  }
}

/** Files as a checkout would write them: line ends, filters, modes, links. */
async function stageFiles(context: WorktreeContext, target: ApplyTarget, { tree, paths, stage }: { readonly tree: string; readonly paths: readonly string[]; readonly stage: string }): Promise<void> {
  if (paths.length === 0) return;
  const options = { cwd: target.root, env: { ...target.env, GIT_INDEX_FILE: `${stage}/index` } };
  await git(context.git, ['read-tree', tree], options);
  await git(context.git, ['checkout-index', '-q', '-z', '--ignore-skip-worktree-bits', '--stdin', `--prefix=${stage}/f/`], { ...options, stdin: nulList(paths) });
}

async function isUnchanged(root: string, path: string, looks: Looks): Promise<boolean> {
  return looksSame(looks.get(path), await fs.lstat(diskPath(root, path), { bigint: true }).catch(() => undefined));
}

async function removeFile(root: string, path: string): Promise<void> {
  const at = diskPath(root, path);
  await fs.unlink(at).catch((thrown: unknown) => {
    if (!/^(ENOENT|ENOTDIR)$/.test(errorCode(thrown) ?? '')) throw thrown;
  });
  await pruneFolders(root, posix.dirname(path));
}

/** @returns false when something that was not there before is in the way */
async function placeFile(root: string, stage: string, change: TreeChange): Promise<boolean> {
  const from = diskPath(`${stage}/f`, change.path);
  const to = diskPath(root, change.path);
  const parent = posix.dirname(change.path);
  try {
    if (parent !== '.') await fs.mkdir(diskPath(root, parent), { recursive: true });
    if (change.from) await keepMode(to, from, change);
    await fs.rename(from, to);
  } catch (thrown) {
    const code = errorCode(thrown) ?? '';
    if (/^(EEXIST|ENOTDIR|EISDIR|ENOTEMPTY)$/.test(code)) return false;
    if (code !== 'EXDEV') throw thrown;
    // The git folder is on another disk: copy beside the target, then rename there.
    const beside = Buffer.concat([to, Buffer.from('.troupe-tmp')]);
    await fs.cp(from.toString(), beside.toString(), { verbatimSymlinks: true });
    await fs.rename(beside, to);
  }
  return true;
}

async function keepMode(to: Buffer, from: Buffer, change: TreeChange): Promise<void> {
  if (change.from?.mode !== change.to?.mode || change.to?.mode === '120000') return;
  const old = await fs.lstat(to).catch(() => undefined);
  if (old?.isFile()) await fs.chmod(from, old.mode & 0o7777);
}

/** What git has staged, as a tree. @returns undefined while a merge has left conflicts in it */
export async function stagedTree(context: WorktreeContext, root: string): Promise<string | undefined> {
  const out = await context.git.run(['write-tree'], { cwd: root });
  return out.exitCode === 0 ? out.stdout.trim() : undefined;
}

/** Moves staged entries from one tree to another; entries that are neither are left alone. */
export async function moveIndex(context: WorktreeContext, target: ApplyTarget, from: string, to: string): Promise<void> {
  const now = await stagedTree(context, target.root);
  if (now === undefined || now === to) return;
  const foreign = new Set((await diffTrees(context, target, from, now)).map((change) => change.path));
  const changes = (await diffTrees(context, target, from, to)).filter((change) => !foreign.has(change.path));
  const lines = changes.map((c) => (c.to ? `${c.to.mode} ${c.to.oid}\t${c.path}\0` : `0 ${'0'.repeat(c.from?.oid.length ?? 40)}\t${c.path}\0`));
  // Removals first: a file may become a folder and the other way round.
  const ordered = [...lines.filter((line) => line.startsWith('0 ')), ...lines.filter((line) => !line.startsWith('0 '))];
  await git(context.git, ['update-index', '-z', '--index-info'], { cwd: target.root, stdin: Buffer.from(ordered.join(''), 'latin1') });
  await context.git.run(['update-index', '-q', '--refresh'], { cwd: target.root });
}

/** A commit of ours that only refs of ours hold. */
export async function ownCommit(context: WorktreeContext, cwd: string, commit: { readonly tree: string; readonly parents: readonly string[]; readonly message: string; readonly env: Readonly<Record<string, string>> }): Promise<string> {
  return gitText(context.git, ['commit-tree', commit.tree, ...commit.parents.flatMap((parent) => ['-p', parent])], { cwd, stdin: `${commit.message}\n`, env: commit.env });
}

export function asText(bytePaths: readonly string[]): readonly string[] {
  return bytePaths.map(toText);
}
