import { promises as fs } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { err, ok, type Result } from '../base/result';
import { git, lockedProblem } from './gitCall';
import { parseWorktreeList, type ListedWorktree } from './parseGit';
import type { WorktreeContext } from './worktreeContext';
import type { WorktreeProblem } from './worktreeProblem';

/** A checkout and the repository it belongs to. */
export interface RepoPlace {
  /** Top of this checkout. */
  readonly root: string;
  /** Its own git folder, with index and HEAD. */
  readonly gitDir: string;
  /** Shared by all checkouts. */
  readonly commonDir: string;
  /** Top of the main checkout: worktrees lie below it, whichever checkout asks. */
  readonly mainRoot: string;
  /** Undefined before the first commit. */
  readonly head: string | undefined;
}

/** @returns problem `not-a-repository` or `bare-repository` */
export async function loadRepoPlace(context: WorktreeContext, cwd: string, signal?: AbortSignal): Promise<Result<RepoPlace, WorktreeProblem>> {
  const out = await context.git.run(['rev-parse', '--path-format=absolute', '--git-dir', '--git-common-dir', '--show-toplevel', 'HEAD^{commit}'], { cwd, ...(signal ? { signal } : {}) });
  const [gitDir, commonDir, root, head] = out.stdout.split('\n');
  if (signal?.aborted) return err({ code: 'stopped', message: 'It was stopped.' });
  if (!gitDir || !commonDir) return err({ code: 'not-a-repository', path: cwd, message: notRepository(cwd, out.stderr) });
  if (!root || root === 'HEAD^{commit}') return err({ code: 'bare-repository', path: cwd, message: `${cwd} is a repository without files (bare). Open a checkout of it.` });
  const mainRoot = gitDir === commonDir ? root : await mainRootOf(context, commonDir, root);
  return ok({ root, gitDir, commonDir, mainRoot, head: head && /^[0-9a-f]{40,64}$/.test(head) ? head : undefined });
}

function notRepository(cwd: string, stderr: string): string {
  if (/dubious ownership/.test(stderr)) return `git does not trust the repository at ${cwd}, because another user owns it. Run: git config --global --add safe.directory ${cwd}`;
  if (/does not exist/.test(stderr)) return `The folder ${cwd} does not exist.`;
  return `${cwd} is in no git repository, so agents can’t have worktrees of their own here. Run "git init" and commit once to have them.`;
}

async function mainRootOf(context: WorktreeContext, commonDir: string, root: string): Promise<string> {
  if (basename(commonDir) === '.git') return dirname(commonDir);
  return (await listWorktrees(context, root))[0]?.path ?? root;
}

export async function listWorktrees(context: WorktreeContext, cwd: string): Promise<readonly ListedWorktree[]> {
  return parseWorktreeList((await git(context.git, ['worktree', 'list', '--porcelain', '-z'], { cwd })).bytes);
}

/** Waits up to 2 s for `index.lock` of a checkout to go; then names it. */
export async function waitForIndex(gitDir: string): Promise<Result<undefined, WorktreeProblem>> {
  const lock = join(gitDir, 'index.lock');
  for (let waitedMs = 0; await exists(lock); waitedMs += 50) {
    if (waitedMs >= 2_000) return err(lockedProblem(lock));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return ok(undefined);
}

/** A merge, rebase or the like that the person has not ended: `undefined` when there is none. */
export async function unfinishedWork(gitDir: string): Promise<string | undefined> {
  const marks: readonly (readonly [string, string])[] = [['MERGE_HEAD', 'merge'], ['rebase-merge', 'rebase'], ['rebase-apply', 'rebase'], ['CHERRY_PICK_HEAD', 'cherry-pick'], ['REVERT_HEAD', 'revert']];
  const found = await Promise.all(marks.map(([file]) => exists(join(gitDir, file))));
  return marks[found.indexOf(true)]?.[1];
}

export async function exists(path: string | Buffer): Promise<boolean> {
  return fs.lstat(path).then(
    () => true,
    () => false,
  );
}
