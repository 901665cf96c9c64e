import { constants, promises as fs } from 'node:fs';
import { dirname, isAbsolute, join, posix } from 'node:path';
import { errorCode } from '../base/errorText';
import { diskPath, fromText, isUnder, toText } from './bytePath';
import { git, gitMaybe } from './gitCall';
import { splitNul } from './parseGit';
import { exists, type RepoPlace } from './repoPlaceLoader';
import type { WorktreeContext } from './worktreeContext';

export interface WorktreeSettings {
  /** Folders of the main checkout that are linked instead of made again. Default: `node_modules`. */
  readonly symlinkDirectories?: readonly string[];
  /** Only these folders, and the files at the top, are checked out. */
  readonly sparsePaths?: readonly string[];
}

export interface SetupPlan {
  readonly mainRoot: string;
  readonly links: readonly string[];
  /** Byte paths of ignored files to copy. */
  readonly copies: readonly string[];
}

const localSettings = '.claude/settings.local.json';
const excludeLine = '/.claude/worktrees/';

/** What a new worktree lacks: looked up while git checks it out. */
export async function planSetup(context: WorktreeContext, place: RepoPlace, settings: WorktreeSettings): Promise<SetupPlan> {
  const { mainRoot } = place;
  const hooksPath = await gitMaybe(context.git, ['config', '--get', 'core.hooksPath'], { cwd: mainRoot });
  const wanted = [...(settings.symlinkDirectories ?? ['node_modules']), ...(hooksPath ? [hooksPath] : [])].map(cleanRelative);
  const links: string[] = [];
  for (const folder of new Set(wanted)) if (folder !== undefined && (await fs.stat(join(mainRoot, folder)).catch(() => undefined))?.isDirectory()) links.push(folder);
  const included = await includedFiles(context, mainRoot, links);
  const local = (await fs.lstat(join(mainRoot, localSettings)).catch(() => undefined))?.isFile() ? [fromText(localSettings)] : [];
  return { mainRoot, links, copies: [...new Set([...local, ...included])] };
}

/** @returns undefined for what leads out of the repository or into git's or our own folders */
function cleanRelative(path: string): string | undefined {
  if (path === '' || isAbsolute(path) || /^[A-Za-z]:|[\u0000-\u001f]/.test(path)) return undefined;
  const clean = posix.normalize(path.replaceAll('\\', '/')).replace(/\/+$/, '');
  return clean === '.' || clean.startsWith('..') || isUnder(clean, ['.git', '.claude/worktrees']) ? undefined : clean;
}

/** Files that `.worktreeinclude` matches and git ignores. Linked folders are not looked into. */
async function includedFiles(context: WorktreeContext, mainRoot: string, links: readonly string[]): Promise<readonly string[]> {
  const include = join(mainRoot, '.worktreeinclude');
  if (!(await exists(include))) return [];
  const options = { cwd: mainRoot };
  const ignored = splitNul((await git(context.git, ['ls-files', '-z', '-o', '-i', '--exclude-standard', '--directory'], options)).bytes);
  const linked = links.map(fromText);
  const open = ignored.filter((path) => !isUnder(path.replace(/\/$/, ''), [...linked, '.claude/worktrees']));
  if (open.length === 0) return [];
  // As arguments these narrow the walk; too many of them are cheaper to compare here.
  const few = open.length <= 200 && open.every((path) => fromText(toText(path)) === path);
  const found = splitNul((await git(context.git, ['--literal-pathspecs', 'ls-files', '-z', '-o', '-i', `--exclude-from=${include}`, ...(few ? ['--', ...open.map(toText)] : [])], options)).bytes);
  const folders = open.filter((path) => path.endsWith('/')).map((path) => path.slice(0, -1));
  const files = new Set(open);
  return found.filter((path) => !path.endsWith('/') && (files.has(path) || isUnder(path, folders)) && !isUnder(path, [...linked, '.claude/worktrees']));
}

/**
 * Links and copies into a fresh worktree; what the checkout brought along is tracked and left as it is.
 * @returns the set-up paths, as text, and what could not be set up, for the person
 */
export async function applySetup(plan: SetupPlan, worktreePath: string): Promise<{ readonly paths: readonly string[]; readonly notices: readonly string[] }> {
  const paths: string[] = [];
  const notices: string[] = [];
  const attemptOne = async (path: string, work: () => Promise<boolean>): Promise<void> => {
    try {
      if (await work()) paths.push(path);
    } catch (thrown) {
      notices.push(`${path} could not be set up in the worktree: ${errorCode(thrown) ?? String(thrown)}`);
    }
  };
  for (const folder of plan.links) await attemptOne(folder, () => link(plan, worktreePath, folder));
  for (const file of plan.copies) await attemptOne(toText(file), () => copy(plan, worktreePath, file));
  return { paths, notices };
}

async function link(plan: SetupPlan, worktreePath: string, folder: string): Promise<boolean> {
  const target = join(worktreePath, folder);
  if ((await exists(target)) || !(await isPlainParent(worktreePath, folder))) return false;
  await fs.mkdir(dirname(target), { recursive: true });
  await fs.symlink(join(plan.mainRoot, folder), target, process.platform === 'win32' ? 'junction' : 'dir');
  return true;
}

async function copy(plan: SetupPlan, worktreePath: string, file: string): Promise<boolean> {
  const from = diskPath(plan.mainRoot, file);
  const to = diskPath(worktreePath, file);
  if ((await exists(to)) || !(await isPlainParent(worktreePath, file))) return false;
  const stat = await fs.lstat(from);
  const folder = diskPath(worktreePath, posix.dirname(file));
  await fs.mkdir(folder, { recursive: true });
  if (stat.isSymbolicLink()) await fs.symlink(await fs.readlink(from, 'buffer'), to);
  else if (stat.isFile()) await fs.copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  else return false;
  return true;
}

/** The set-up that a crash left unrecorded: links of ours and copies nobody has changed. */
export async function detectSetup(plan: SetupPlan, worktreePath: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const folder of plan.links) if ((await fs.readlink(join(worktreePath, folder)).catch(() => undefined)) === join(plan.mainRoot, folder)) found.push(folder);
  for (const file of plan.copies) {
    const [from, to] = await Promise.all([diskPath(plan.mainRoot, file), diskPath(worktreePath, file)].map((path) => fs.readFile(path).catch(() => undefined)));
    if (from && to?.equals(from)) found.push(toText(file));
  }
  return found;
}

/** Nothing is written through a link that stands where a folder should. */
async function isPlainParent(root: string, bytePath: string): Promise<boolean> {
  for (let folder = posix.dirname(bytePath); folder !== '.'; folder = posix.dirname(folder)) {
    const stat = await fs.lstat(diskPath(root, folder)).catch(() => undefined);
    if (stat && !stat.isDirectory()) return false;
  }
  return true;
}

/** Takes set-up away before git removes the folder. Links are unlinked, never followed. */
export async function removeSetup(worktreePath: string, setupPaths: readonly string[]): Promise<void> {
  for (const path of setupPaths) {
    const bytePath = fromText(path);
    if (!(await isPlainParent(worktreePath, bytePath))) continue;
    const target = diskPath(worktreePath, bytePath);
    const stat = await fs.lstat(target).catch(() => undefined);
    if (stat?.isDirectory()) await fs.rm(target, { recursive: true });
    else if (stat) await fs.unlink(target);
    await pruneFolders(worktreePath, posix.dirname(bytePath));
  }
}

/** Removes a folder and those above it while they are empty. */
export async function pruneFolders(root: string, folder: string): Promise<void> {
  for (let at = folder; at !== '.' && at !== ''; at = posix.dirname(at)) {
    const removed = await fs.rmdir(diskPath(root, at)).then(
      () => true,
      () => false,
    );
    if (!removed) return;
  }
}

/** Keeps the worktrees out of the status of every checkout, without touching a tracked file. */
export async function excludeWorktrees(commonDir: string): Promise<void> {
  const path = join(commonDir, 'info', 'exclude');
  const text = await fs.readFile(path, 'utf8').catch((thrown: unknown) => {
    if (errorCode(thrown) === 'ENOENT') return '';
    throw thrown;
  });
  if (text.split(/\r?\n/).includes(excludeLine)) return;
  await fs.mkdir(dirname(path), { recursive: true });
  await fs.appendFile(path, `${text === '' || text.endsWith('\n') ? '' : '\n'}${excludeLine}\n`);
}
