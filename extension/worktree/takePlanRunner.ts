import { err, ok, type Result } from '../base/result';
import { type ApplyTarget, diffTrees, findInTheWay, ownCommit, stagedTree } from './applyTreeRunner';
import { toText } from './bytePath';
import { captureTree, maxPersonFileBytes } from './captureTreeRunner';
import { git, gitMaybe, gitText } from './gitCall';
import { parseMergeTree } from './parseGit';
import { listWorktrees, loadRepoPlace, unfinishedWork, waitForIndex } from './repoPlaceLoader';
import { loadWork, type WorktreeWork } from './worktreeChangesRunner';
import { ownIdentity, type WorktreeContext } from './worktreeContext';
import { conflictProblem, type ConflictReason, type MergeConflict, type WorktreeProblem } from './worktreeProblem';
import type { MergeJournal, Worktree } from './worktreeRecord';

export interface TakeRequest {
  /** `merge` ends in a commit on the branch; `apply` changes only the person's files. */
  readonly kind: 'merge' | 'apply';
  /** Branch to merge into. Left out: the one the main checkout is on. */
  readonly into?: string;
  /** First line of the commit for what the agent had not committed. */
  readonly message?: string;
}

export interface TakePlan {
  readonly work: WorktreeWork;
  readonly journal: Omit<MergeJournal, 'backupRef' | 'startedAtMs'>;
  /** Short name; undefined for a detached checkout, which can only be applied to. */
  readonly branch: string | undefined;
  /** Paths that change in the target's files, as text. */
  readonly files: readonly string[];
  /** The person has uncommitted work there; it stays. */
  readonly isDirty: boolean;
  readonly isFastForward: boolean;
}

interface Target {
  readonly ref: string;
  readonly branch: string | undefined;
  readonly commit: string;
  readonly checkout: ApplyTarget | undefined;
  readonly cwd: string;
}

/** Works out everything a merge or an apply would do, without touching a file, an index or a ref. */
export async function planTake(context: WorktreeContext, worktree: Worktree, request: TakeRequest): Promise<Result<TakePlan, WorktreeProblem>> {
  const work = await loadWork(context, worktree);
  if (!work.ok) return work;
  const target = await findTarget(context, worktree, request, work.value);
  if (!target.ok) return target;
  const incoming = await incomingCommit(context, worktree, work.value, request);
  const merged = worktree.carriedFrom === undefined ? await mergedCommit(context, target.value, incoming, worktree) : await mergedWithoutCarried(context, { target: target.value, incoming, worktree, request });
  if (!merged.ok) return merged;
  const { ref, branch, commit, checkout } = target.value;
  const toCommit = request.kind === 'merge' ? merged.value : commit;
  const base = { kind: request.kind, ref, fromCommit: commit, toCommit, headCommit: work.value.head, incomingCommit: incoming };
  const common = { work: work.value, branch, isFastForward: merged.value === incoming };
  if (!checkout) return ok({ ...common, journal: base, files: [], isDirty: false });
  const from = worktree.carriedFrom !== undefined && request.kind === 'apply' ? worktree.baseSha : commit;
  const state = await planCheckout(context, checkout, { from, to: merged.value, kind: request.kind });
  if (!state.ok) return state;
  const { files, isDirty, ...trees } = state.value;
  return ok({ ...common, files, isDirty, journal: { ...base, checkout: { root: checkout.root, gitDir: checkout.gitDir, ...trees } } });
}

async function findTarget(context: WorktreeContext, worktree: Worktree, request: TakeRequest, work: WorktreeWork): Promise<Result<Target, WorktreeProblem>> {
  const cwd = work.place.root;
  const listed = await listWorktrees(context, cwd);
  const main = listed[0];
  const branch = request.into ?? main?.branch;
  if (branch === undefined && request.kind === 'merge') return err({ code: 'detached-head', message: `The main checkout is on no branch (detached HEAD), so a merge would be on none either. Check out a branch, name one to merge into, or apply the changes without a commit.` });
  const at = request.into === undefined ? main : listed.find((entry) => entry.branch === request.into);
  if (at?.path === worktree.path) return err({ code: 'no-such-branch', message: `${branch} is the worktree's own branch. Name another one to merge into.` });
  if (request.kind === 'apply' && !at) return err({ code: 'no-such-branch', message: `${branch} is checked out nowhere, so there are no files to apply to. Check it out, or merge into it.` });
  const ref = branch === undefined ? 'HEAD' : `refs/heads/${branch}`;
  const commit = await gitMaybe(context.git, ['rev-parse', '--verify', '-q', '--end-of-options', branch === undefined ? `${main?.head ?? ''}^{commit}` : `${ref}^{commit}`], { cwd });
  if (commit === undefined) return err({ code: 'no-such-branch', message: `There is no branch ${branch}. Name one that exists.` });
  if (!at || at.isBare) return ok({ ref, branch, commit, checkout: undefined, cwd });
  const place = await loadRepoPlace(context, at.path);
  if (!place.ok) return place;
  return ok({ ref, branch, commit, cwd, checkout: { root: place.value.root, gitDir: place.value.gitDir } });
}

/** The worktree's head, or a commit on top of it that holds what is not committed. It is on no branch yet. */
async function incomingCommit(context: WorktreeContext, worktree: Worktree, work: WorktreeWork, request: TakeRequest): Promise<string> {
  if (work.tree === work.headTree) return work.head;
  const subject = request.message?.trim() || `Changes from worktree ${worktree.name}`;
  const message = `${subject}\n\nTroupe-Agent: ${worktree.ownerAgentId}`;
  return personsCommit(context, work.place.root, { tree: work.tree, parents: [work.head], message });
}

/** By the person, who took the change in; with a name of ours where git knows none. */
async function personsCommit(context: WorktreeContext, cwd: string, commit: { readonly tree: string; readonly parents: readonly string[]; readonly message: string }): Promise<string> {
  const args = ['commit-tree', commit.tree, ...commit.parents.flatMap((parent) => ['-p', parent])];
  const made = await gitMaybe(context.git, args, { cwd, stdin: `${commit.message}\n` });
  return made ?? ownCommit(context, cwd, { ...commit, env: ownIdentity });
}

async function mergedCommit(context: WorktreeContext, target: Target, incoming: string, worktree: Worktree): Promise<Result<string, WorktreeProblem>> {
  const { cwd, commit } = target;
  if (await isAncestor(context, cwd, incoming, commit)) return ok(commit);
  if (await isAncestor(context, cwd, commit, incoming)) return ok(incoming);
  const merged = await mergeTrees(context, cwd, commit, incoming);
  if (!merged.ok) return err(conflictProblem(merged.problem.map((path) => ({ path, reason: 'branch' }))));
  const message = `Merge worktree ${worktree.name}\n\nTroupe-Agent: ${worktree.ownerAgentId}`;
  return ok(await personsCommit(context, cwd, { tree: merged.value, parents: [commit, incoming], message }));
}

/**
 * Of a worktree that began with the person's uncommitted work only what came on top is taken in: a merge is one commit
 * without that work, which stays uncommitted; an apply goes onto the person's files as they are.
 */
async function mergedWithoutCarried(context: WorktreeContext, { target, incoming, worktree, request }: { readonly target: Target; readonly incoming: string; readonly worktree: Worktree; readonly request: TakeRequest }): Promise<Result<string, WorktreeProblem>> {
  const { cwd, commit } = target;
  if (request.kind === 'apply') return ok(incoming);
  const side = await ownCommit(context, cwd, { tree: await gitText(context.git, ['rev-parse', `${commit}^{tree}`], { cwd }), parents: [worktree.baseSha], message: 'target', env: ownIdentity });
  const merged = await mergeTrees(context, cwd, side, incoming);
  if (!merged.ok) return err(conflictProblem(merged.problem.map((path) => ({ path, reason: 'uncommitted' }))));
  const message = `${request.message?.trim() || `Changes from worktree ${worktree.name}`}\n\nTroupe-Agent: ${worktree.ownerAgentId}`;
  return ok(await personsCommit(context, cwd, { tree: merged.value, parents: [commit], message }));
}

export async function isAncestor(context: WorktreeContext, cwd: string, older: string, newer: string): Promise<boolean> {
  return (await git(context.git, ['merge-base', '--is-ancestor', older, newer], { cwd, allow: [0, 1] })).exitCode === 0;
}

/** @returns problem: the paths that conflict, as text */
async function mergeTrees(context: WorktreeContext, cwd: string, ours: string, theirs: string): Promise<Result<string, readonly string[]>> {
  const out = await git(context.git, ['-c', 'merge.conflictStyle=merge', 'merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ours, theirs], { cwd, allow: [0, 1] });
  const { tree, conflicts } = parseMergeTree(out.bytes);
  // Where a file and a folder clash git names the file `<path>~<commit>`.
  return out.exitCode === 0 ? ok(tree) : err([...new Set(conflicts.map((path) => toText(path).replace(/~[0-9a-f]{40,64}$/, '')))]);
}

interface CheckoutPlan {
  readonly fromTree: string;
  readonly toTree: string;
  readonly fromIndex: string;
  readonly toIndex: string;
  readonly files: readonly string[];
  readonly isDirty: boolean;
}

/** Three-way over the person's whole state: base is their commit, theirs the merge result. */
async function planCheckout(context: WorktreeContext, checkout: ApplyTarget, take: { readonly from: string; readonly to: string; readonly kind: TakeRequest['kind'] }): Promise<Result<CheckoutPlan, WorktreeProblem>> {
  const unfinished = await unfinishedWork(checkout.gitDir);
  if (unfinished) return err({ code: 'merge-in-progress', path: checkout.root, message: `A ${unfinished} is under way in ${checkout.root}. End it (or "git ${unfinished} --abort") and try again.` });
  const free = await waitForIndex(checkout.gitDir);
  if (!free.ok) return free;
  const fromIndex = await stagedTree(context, checkout.root);
  if (fromIndex === undefined) return err({ code: 'merge-in-progress', path: checkout.root, message: `Conflicts are still open in ${checkout.root}. Settle them and try again.` });
  const captured = await captureTree(context, { ...checkout, indexName: 'take', maxFileBytes: maxPersonFileBytes });
  const fromTree = captured.tree;
  const trees = (await gitText(context.git, ['rev-parse', `${take.from}^{tree}`, `${take.to}^{tree}`], { cwd: checkout.root })).split('\n');
  const [baseTree = '', mergedTree = ''] = trees;
  const files = await mergeState(context, checkout, { state: fromTree, ...{ base: take.from, baseTree, mergedTree }, reason: 'uncommitted' });
  if (!files.ok) return err(conflictProblem(files.problem));
  const staged = take.kind === 'apply' ? ok(fromIndex) : fromIndex === fromTree ? files : await mergeState(context, checkout, { state: fromIndex, base: take.from, baseTree, mergedTree, reason: 'staged' });
  if (!staged.ok) return err(conflictProblem(staged.problem));
  const changes = await diffTrees(context, checkout, fromTree, files.value);
  const unstored = new Set(captured.skipped.map((file) => file.path));
  const blocked = new Set(await findInTheWay(checkout, changes));
  const conflicts = changes.filter((change) => blocked.has(change.path) || unstored.has(toText(change.path))).map((change): MergeConflict => ({ path: toText(change.path), reason: 'in-the-way' }));
  if (conflicts.length > 0) return err(conflictProblem(conflicts));
  return ok({ fromTree, toTree: files.value, fromIndex, toIndex: staged.value, files: changes.map((change) => toText(change.path)), isDirty: fromTree !== baseTree || fromIndex !== baseTree });
}

async function mergeState(context: WorktreeContext, checkout: ApplyTarget, side: { readonly state: string; readonly base: string; readonly baseTree: string; readonly mergedTree: string; readonly reason: ConflictReason }): Promise<Result<string, readonly MergeConflict[]>> {
  if (side.state === side.baseTree || side.state === side.mergedTree) return ok(side.mergedTree);
  if (side.mergedTree === side.baseTree) return ok(side.state);
  const commitOf = (tree: string): Promise<string> => ownCommit(context, checkout.root, { tree, parents: [side.base], message: 'state', env: ownIdentity });
  const merged = await mergeTrees(context, checkout.root, await commitOf(side.state), await commitOf(side.mergedTree));
  return merged.ok ? merged : err(merged.problem.map((path) => ({ path, reason: side.reason })));
}
