import { err, ok, type Result } from '../base/result';
import { diffTrees, ownCommit, stagedTree } from './applyTreeRunner';
import { folderOf, freeNameLike } from './createWorktreeRunner';
import { findWorktree } from './findWorktree';
import { attempt, git, gitMaybe, gitText } from './gitCall';
import { isHeldByOther } from './leaseLoader';
import type { NamedWorktree } from './mergeWorktreeRunner';
import { parseTrailers } from './parseGit';
import { exists, loadRepoPlace, type RepoPlace } from './repoPlaceLoader';
import { loadWork, type WorktreeWork } from './worktreeChangesRunner';
import { ownIdentity, trashPrefix, type WorktreeContext } from './worktreeContext';
import { timeStamp } from './worktreeName';
import type { WorktreeProblem } from './worktreeProblem';
import { branchOf, type Worktree } from './worktreeRecord';
import { applySetup, excludeWorktrees, planSetup, removeSetup, type WorktreeSettings } from './worktreeSetupRunner';
import { type WorktreeRecords, withWorktrees } from './worktreeStore';

export interface TrashEntry {
  /** `<name>-<time>`: what restore takes. */
  readonly id: string;
  readonly ref: string;
  readonly name: string;
  readonly agentId: string;
  readonly baseSha: string;
  readonly discardedAtMs: number;
}

/** Puts everything of a worktree, uncommitted and untracked files too, under a trash ref, then removes it. The one forced path. */
export function discardWorktree(context: WorktreeContext, at: NamedWorktree): Promise<Result<TrashEntry, WorktreeProblem>> {
  return attempt(async () => {
    const place = await loadRepoPlace(context, at.repoRoot);
    if (!place.ok) return place;
    return withWorktrees(context.stateDir, place.value.commonDir, async (records) => {
      const found = findWorktree(records.all(), at.name);
      if (!found.ok) return found;
      const worktree = found.value;
      if (await isHeldByOther(worktree.lease, context.self)) return err({ code: 'in-use', message: `Another window works in the worktree ${worktree.name}. End that work first.` });
      const work = await loadWork(context, worktree);
      if (!work.ok) return work;
      if (work.value.skipped.length > 0) return err({ code: 'has-work', message: `Nothing was discarded: ${work.value.skipped.slice(0, 5).join(', ')} can’t be read and so can’t be kept in Trash. Make it readable or delete it.` });
      const entry = await saveToTrash(context, worktree, work.value);
      await records.put({ ...worktree, journal: { kind: 'discard', trashRef: entry.ref, tree: work.value.tree } });
      const removed = await removeDiscarded(context, { records, place: place.value, worktree }, work.value.tree);
      return removed.ok ? ok(entry) : removed;
    });
  });
}

async function saveToTrash(context: WorktreeContext, worktree: Worktree, work: WorktreeWork): Promise<TrashEntry> {
  const cwd = worktree.path;
  const atMs = context.nowMs();
  const id = `${worktree.name}-${timeStamp(atMs)}`;
  const staged = await stagedTree(context, cwd);
  const extra = staged === undefined || staged === work.headTree || staged === work.tree ? [] : [await ownCommit(context, cwd, { tree: staged, parents: [work.head], message: 'What was staged', env: ownIdentity })];
  const branchTip = await gitMaybe(context.git, ['rev-parse', '--verify', '-q', `refs/heads/${worktree.branch}`], { cwd });
  // The agent may have left its branch with commits on it.
  const aside = branchTip === undefined || branchTip === work.head ? [] : [branchTip];
  const facts = { Name: worktree.name, Base: worktree.baseSha, Head: work.head, Agent: worktree.ownerAgentId, Session: worktree.sessionId, Staged: extra[0] ?? '', Aside: aside[0] ?? '', 'At-Ms': String(atMs) };
  const message = `Discarded worktree ${worktree.name}\n\n${Object.entries(facts).map(([key, value]) => `Troupe-${key}: ${value}`).join('\n')}`;
  const commit = await ownCommit(context, cwd, { tree: work.tree, parents: [work.head, ...extra, ...aside], message, env: ownIdentity });
  await git(context.git, ['update-ref', '-m', 'troupe: discard', `${trashPrefix}${id}`, commit, ''], { cwd });
  return { id, ref: `${trashPrefix}${id}`, name: worktree.name, agentId: worktree.ownerAgentId, baseSha: worktree.baseSha, discardedAtMs: atMs };
}

interface Holding {
  readonly records: WorktreeRecords;
  readonly place: RepoPlace;
  readonly worktree: Worktree;
}

/** Removes a folder whose content lies in Trash; what was written since stops it. Also ends a removal that a crash cut short. */
export async function removeDiscarded(context: WorktreeContext, { records, place, worktree }: Holding, trashedTree: string): Promise<Result<undefined, WorktreeProblem>> {
  const cwd = place.mainRoot;
  const keep = async (message: string): Promise<Result<undefined, WorktreeProblem>> => {
    const { journal: _ended, ...rest } = worktree;
    await records.put({ ...rest, state: 'ready' });
    return err({ code: 'changed-meanwhile', path: worktree.path, message });
  };
  const work = await loadWork(context, worktree);
  if (work.ok) {
    const added = (await diffTrees(context, { root: worktree.path, gitDir: work.value.place.gitDir }, trashedTree, work.value.tree)).some((change) => change.to !== undefined);
    if (added) return keep(`The worktree ${worktree.name} stays, because files were written into it while it was being discarded. What it held before is in Trash.`);
    await removeSetup(worktree.path, worktree.setupPaths);
    await context.git.run(['worktree', 'unlock', '--', worktree.path], { cwd });
    const removed = await context.git.run(['worktree', 'remove', '--force', '--', worktree.path], { cwd });
    if (removed.exitCode !== 0) return keep(`git did not remove ${worktree.path}: ${removed.stderr.trim()} What it held is in Trash.`);
  } else if (work.problem.code !== 'folder-missing') return work;
  else if (await exists(worktree.path)) return keep(`The folder ${worktree.path} is no whole worktree any more; look at it and delete it by hand. What it held before is in Trash.`);
  else await context.git.run(['worktree', 'prune'], { cwd });
  await removeTrashedBranch(context, cwd, worktree);
  await records.remove(worktree.name);
  return ok(undefined);
}

/** Only a branch tip that Trash (or another ref) holds goes, and only if it still is that. */
async function removeTrashedBranch(context: WorktreeContext, cwd: string, worktree: Worktree): Promise<void> {
  const tip = await gitMaybe(context.git, ['rev-parse', '--verify', '-q', `refs/heads/${worktree.branch}`], { cwd });
  if (tip === undefined || worktree.branch !== branchOf(worktree.name)) return;
  const holders = (await git(context.git, ['for-each-ref', `--contains=${tip}`, '--count=2', '--format=%(refname)'], { cwd })).stdout.split('\n').filter((ref) => ref !== '' && ref !== `refs/heads/${worktree.branch}`);
  if (holders.length > 0) await context.git.run(['update-ref', '-d', `refs/heads/${worktree.branch}`, tip], { cwd });
}

export async function listTrash(context: WorktreeContext, repoRoot: string): Promise<readonly TrashEntry[]> {
  const out = await gitText(context.git, ['for-each-ref', '--sort=-refname', '--format=%(refname)%00%(contents)%00%01', trashPrefix], { cwd: repoRoot });
  const entries = out.split('\0\u0001').flatMap((block): TrashEntry[] => {
    const [ref = '', message = ''] = block.replace(/^\n/, '').split('\0');
    if (!ref.startsWith(trashPrefix)) return [];
    const facts = parseTrailers(message);
    return [{ id: ref.slice(trashPrefix.length), ref, name: facts.get('Name') ?? '', agentId: facts.get('Agent') ?? '', baseSha: facts.get('Base') ?? '', discardedAtMs: Number(facts.get('At-Ms') ?? 0) }];
  });
  return entries.sort((a, b) => b.discardedAtMs - a.discardedAtMs);
}

/** How many files differ from its base. */
export async function countTrashed(context: WorktreeContext, repoRoot: string, entry: TrashEntry): Promise<number> {
  const names = await gitMaybe(context.git, ['diff-tree', '-r', '-z', '-M', '--name-only', entry.baseSha, entry.ref], { cwd: repoRoot });
  return names === undefined ? 0 : names.split('\0').filter((name) => name !== '').length;
}

/** Brings a discarded worktree back as it was: commits on its branch, the rest uncommitted. Its name gets a number if it is taken. */
export function restoreWorktree(context: WorktreeContext, at: { readonly repoRoot: string; readonly id: string }, settings: WorktreeSettings): Promise<Result<Worktree, WorktreeProblem>> {
  return attempt(async () => {
    const placed = await loadRepoPlace(context, at.repoRoot);
    if (!placed.ok) return placed;
    const place = placed.value;
    return withWorktrees(context.stateDir, place.commonDir, async (records) => {
      const entry = (await listTrash(context, place.mainRoot)).find((candidate) => candidate.id === at.id || candidate.ref === at.id);
      if (!entry) return err({ code: 'no-such-trash', message: `There is nothing in Trash named ${at.id}. "troupe worktree list" shows what there is.` });
      const facts = parseTrailers(await gitText(context.git, ['log', '-1', '--format=%B', entry.ref], { cwd: place.mainRoot }));
      const name = await freeNameLike(context, place, records, entry.name);
      const worktree: Worktree = {
        name,
        path: folderOf(place, name),
        branch: branchOf(name),
        baseSha: facts.get('Base') ?? '',
        ownerAgentId: entry.agentId,
        sessionId: facts.get('Session') ?? '',
        state: 'ready',
        setupPaths: [],
        createdAtMs: context.nowMs(),
        isPersonal: false,
        journal: { kind: 'restore', trashRef: entry.ref },
      };
      await records.put(worktree);
      return ok(await fillRestored(context, { records, place, worktree }, { ref: entry.ref, head: facts.get('Head') ?? '', staged: facts.get('Staged') ?? '', isRefNeeded: (facts.get('Staged') ?? '') + (facts.get('Aside') ?? '') !== '' }, settings));
    });
  });
}

async function fillRestored(context: WorktreeContext, { records, place, worktree }: Holding, trash: { readonly ref: string; readonly head: string; readonly staged: string; readonly isRefNeeded: boolean }, settings: WorktreeSettings): Promise<Worktree> {
  await excludeWorktrees(place.commonDir);
  await git(context.git, ['worktree', 'add', '--quiet', '--no-track', '-b', worktree.branch, '--', worktree.path, trash.head], { cwd: place.mainRoot });
  const cwd = worktree.path;
  await git(context.git, ['read-tree', '-m', '-u', 'HEAD', `${trash.ref}^{tree}`], { cwd });
  await git(context.git, ['read-tree', trash.staged === '' ? 'HEAD' : `${trash.staged}^{tree}`], { cwd });
  await context.git.run(['update-index', '-q', '--refresh'], { cwd });
  const setup = await applySetup(await planSetup(context, place, settings), cwd);
  const { journal: _done, ...rest } = worktree;
  const restored: Worktree = { ...rest, setupPaths: [...setup.paths] };
  await records.put(restored);
  // What was staged, or lay on a branch the agent had left, is only there.
  if (!trash.isRefNeeded) await context.git.run(['update-ref', '-d', trash.ref], { cwd: place.mainRoot });
  return restored;
}
