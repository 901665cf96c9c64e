import { promises as fs } from 'node:fs';
import { err, ok, type Result } from '../base/result';
import { fromText, toText } from './bytePath';
import { captureTree } from './captureTreeRunner';
import { attempt, git, gitText } from './gitCall';
import { parseChanges, splitNul } from './parseGit';
import { loadRepoPlace, type RepoPlace } from './repoPlaceLoader';
import type { WorktreeContext } from './worktreeContext';
import type { WorktreeProblem } from './worktreeProblem';
import type { Worktree } from './worktreeRecord';

export interface ChangedFile {
  readonly path: string;
  /** Where it was, for a rename. */
  readonly oldPath?: string;
  readonly kind: 'added' | 'modified' | 'deleted' | 'renamed' | 'typeChanged';
  /** Lines; 0 for binary files. */
  readonly added: number;
  readonly removed: number;
  readonly isBinary: boolean;
  /** Some of it is in no commit yet. */
  readonly isUncommitted: boolean;
}

export interface WorktreeSummary {
  readonly files: readonly ChangedFile[];
  readonly added: number;
  readonly removed: number;
  readonly commits: number;
  readonly head: string;
  /** The whole state, uncommitted and untracked files included. */
  readonly tree: string;
  readonly isUnchanged: boolean;
  readonly skipped: readonly string[];
}

/** Where a worktree is and what it holds now, set-up left out. */
export interface WorktreeWork {
  readonly place: RepoPlace;
  readonly head: string;
  readonly headTree: string;
  readonly baseTree: string;
  readonly tree: string;
  readonly skipped: readonly string[];
}

/** @returns problem `folder-missing` when it was deleted by hand */
export async function loadWork(context: WorktreeContext, worktree: Worktree, signal?: AbortSignal): Promise<Result<WorktreeWork, WorktreeProblem>> {
  const missing: WorktreeProblem = { code: 'folder-missing', path: worktree.path, message: `The folder of the worktree ${worktree.name} is gone (${worktree.path}). Reload: what is on its branch is checked out again.` };
  if (!(await fs.stat(worktree.path).catch(() => undefined))?.isDirectory()) return err(missing);
  const placed = await loadRepoPlace(context, worktree.path, signal);
  if (!placed.ok) return placed;
  const place = placed.value;
  // Without its own .git the folder belongs to the main checkout: nothing may be read as the worktree's from there.
  if (place.root === place.mainRoot || place.root !== (await fs.realpath(worktree.path))) return err(missing);
  if (place.head === undefined) return err({ code: 'no-commits', message: `The worktree ${worktree.name} has no commit.` });
  const [captured, trees] = await Promise.all([
    captureTree(context, { root: place.root, gitDir: place.gitDir, indexName: 'work', leaveOut: worktree.setupPaths, ...(signal ? { signal } : {}) }),
    gitText(context.git, ['rev-parse', `${place.head}^{tree}`, `${worktree.baseSha}^{tree}`], { cwd: place.root }),
  ]);
  const [headTree = '', baseTree = ''] = trees.split('\n');
  return ok({ place, head: place.head, headTree, baseTree, tree: captured.tree, skipped: captured.skipped.map((file) => file.path) });
}

const kinds: Readonly<Record<string, ChangedFile['kind']>> = { A: 'added', D: 'deleted', R: 'renamed', T: 'typeChanged' };

/** What an agent changed since its base: commits, uncommitted and untracked files, from git and not from any log of tools. */
export function summarise(context: WorktreeContext, worktree: Worktree, signal?: AbortSignal): Promise<Result<WorktreeSummary, WorktreeProblem>> {
  return attempt(async () => {
    const work = await loadWork(context, worktree, signal);
    if (!work.ok) return work;
    const { head, tree, headTree, baseTree } = work.value;
    const options = { cwd: worktree.path, ...(signal ? { signal } : {}) };
    const [diff, uncommitted, commits] = await Promise.all([
      git(context.git, ['diff-tree', '-r', '-z', '-M', '--raw', '--numstat', baseTree, tree], options),
      tree === headTree ? undefined : git(context.git, ['diff-tree', '-r', '-z', '--no-renames', '--name-only', headTree, tree], options),
      gitText(context.git, ['rev-list', '--count', `${worktree.baseSha}..${head}`], options),
    ]);
    const open = new Set(uncommitted ? splitNul(uncommitted.bytes) : []);
    const { changes, counts } = parseChanges(diff.bytes);
    const files = changes.map((change): ChangedFile => {
      const count = counts.get(change.path);
      const lines = count === undefined || count === 'binary' ? { added: 0, removed: 0 } : count;
      return {
        path: toText(change.path),
        ...(change.oldPath === undefined ? {} : { oldPath: toText(change.oldPath) }),
        kind: kinds[change.status] ?? 'modified',
        ...lines,
        isBinary: count === 'binary',
        isUncommitted: open.has(change.path) || (change.oldPath !== undefined && open.has(change.oldPath)),
      };
    });
    return ok({
      files,
      added: files.reduce((sum, file) => sum + file.added, 0),
      removed: files.reduce((sum, file) => sum + file.removed, 0),
      commits: Number(commits),
      head,
      tree,
      isUnchanged: isUnchanged(worktree, work.value),
      skipped: work.value.skipped,
    });
  });
}

export function isUnchanged(worktree: Worktree, work: WorktreeWork): boolean {
  return work.head === worktree.baseSha && work.tree === work.baseTree && work.skipped.length === 0;
}

/** A file as it was when the worktree was made, with the line ends a checkout gives it. @returns undefined where there was none */
export function baseContent(context: WorktreeContext, worktree: Worktree, path: string): Promise<Result<Uint8Array | undefined, WorktreeProblem>> {
  return attempt(async () => {
    const cwd = (await fs.stat(worktree.path).catch(() => undefined)) ? worktree.path : await mainOf(worktree);
    const listed = await git(context.git, ['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', worktree.baseSha, '--', path], { cwd });
    const entry = splitNul(listed.bytes).find((line) => line.endsWith(`\t${fromText(path)}`));
    if (entry === undefined || !/^\d+ blob /.test(entry)) return ok(undefined);
    const oid = entry.split(/[ \t]/)[2] ?? '';
    if (entry.startsWith('120000')) return ok((await git(context.git, ['cat-file', 'blob', oid], { cwd })).bytes);
    return ok((await git(context.git, ['cat-file', '--filters', `--path=${path}`, oid], { cwd })).bytes);
  });
}

async function mainOf(worktree: Worktree): Promise<string> {
  return worktree.path.replace(/[\\/]\.claude[\\/]worktrees[\\/][^\\/]+$/, '');
}

export interface DiffText {
  readonly text: string;
  /** More was there than `maxBytes`. */
  readonly isCut: boolean;
}

/** One unified diff of everything, untracked files included. @param options.path only this file */
export function unifiedDiff(context: WorktreeContext, worktree: Worktree, options: { readonly path?: string; readonly maxBytes: number; readonly signal?: AbortSignal }): Promise<Result<DiffText, WorktreeProblem>> {
  return attempt(async () => {
    const work = await loadWork(context, worktree, options.signal);
    if (!work.ok) return work;
    const limits = { cwd: worktree.path, maxBytes: options.maxBytes, ...(options.signal ? { signal: options.signal } : {}) };
    const out = await git(context.git, ['--literal-pathspecs', 'diff-tree', '-r', '-p', '-M', '--no-color', '--no-ext-diff', '--no-textconv', work.value.baseTree, work.value.tree, ...(options.path === undefined ? [] : ['--', options.path])], limits);
    return ok({ text: out.stdout, isCut: out.isCut ?? false });
  });
}
