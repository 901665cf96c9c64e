import { promises as fs } from 'node:fs';
import { dirname, join } from 'node:path';
import { err, ok, type Result } from '../base/result';
import { diskPath } from './bytePath';
import { git } from './gitCall';
import { splitNul } from './parseGit';
import { loadRepoPlace } from './repoPlaceLoader';
import type { WorktreeContext } from './worktreeContext';
import type { WorktreeProblem } from './worktreeProblem';
import { repoKey } from './worktreeStore';

/** Where snapshots of a folder are kept: its own repository, or one of ours beside it. */
export interface SnapshotPlace {
  readonly root: string;
  readonly gitDir: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Undefined without a repository or before its first commit. */
  readonly head: string | undefined;
}

const maxFiles = 20_000;
const maxBytes = 1_000_000_000;
/** How long the first look at a folder without git may take; a home folder would take for ever. */
const lookLimitMs = 10_000;
/** What can be made again and would fill the limits. */
const excluded = ['node_modules/', '.venv/', '__pycache__/', '.cache/', '/.claude/worktrees/'];

/** @returns problem `too-large`: no undo here, and why */
export async function loadSnapshotPlace(context: WorktreeContext, folder: string, signal?: AbortSignal): Promise<Result<SnapshotPlace, WorktreeProblem>> {
  const place = await loadRepoPlace(context, folder, signal);
  if (place.ok) return ok({ root: place.value.root, gitDir: place.value.gitDir, head: place.value.head });
  if (place.problem.code !== 'not-a-repository' || !(await fs.stat(folder).catch(() => undefined))?.isDirectory()) return place;
  return shadowPlace(context, await fs.realpath(folder), signal);
}

async function shadowPlace(context: WorktreeContext, root: string, signal: AbortSignal | undefined): Promise<Result<SnapshotPlace, WorktreeProblem>> {
  const gitDir = join(context.stateDir, 'shadow', `${repoKey(root)}.git`);
  const env = { GIT_DIR: gitDir, GIT_WORK_TREE: root };
  if (!(await fs.stat(join(gitDir, 'HEAD')).catch(() => undefined))) {
    await fs.mkdir(dirname(gitDir), { recursive: true });
    await git(context.git, ['init', '--quiet', '--bare', '--template=', '--', gitDir], { cwd: dirname(gitDir) });
    await fs.mkdir(join(gitDir, 'info'), { recursive: true });
    await fs.writeFile(join(gitDir, 'info', 'exclude'), `${excluded.join('\n')}\n`);
  }
  const size = await measure(context, root, { env, signal });
  if (size) return err({ code: 'too-large', path: root, message: `Undo is off in ${root}: without git it works up to 20,000 files and 1 GB, and ${size}. Run "git init" there to have undo.` });
  return ok({ root, gitDir, env, head: undefined });
}

/** @returns what is over the limit */
async function measure(context: WorktreeContext, root: string, { env, signal }: { readonly env: Readonly<Record<string, string>>; readonly signal: AbortSignal | undefined }): Promise<string | undefined> {
  const limit = AbortSignal.timeout(lookLimitMs);
  const listed = await context.git.run(['ls-files', '-z', '-o', '-c', '--exclude-standard'], { cwd: root, env: { ...env, GIT_INDEX_FILE: join(env['GIT_DIR'] ?? '', 'none') }, signal: signal ? AbortSignal.any([signal, limit]) : limit });
  if (limit.aborted) return `listing its files takes longer than ${lookLimitMs / 1000} s`;
  const paths = splitNul(listed.bytes);
  if (paths.length > maxFiles) return `it has ${paths.length.toLocaleString('en')} files`;
  let bytes = 0;
  for (let i = 0; i < paths.length; i += 256) {
    const stats = await Promise.all(paths.slice(i, i + 256).map((path) => fs.lstat(diskPath(root, path)).catch(() => undefined)));
    for (const stat of stats) bytes += stat?.size ?? 0;
    if (bytes > maxBytes) return 'its files are larger than that';
  }
  return undefined;
}
