import { err, ok, type Result } from '../base/result';
import { diffTrees, findInTheWay, lookAt, ownCommit, writeChanges } from './applyTreeRunner';
import { toText } from './bytePath';
import { captureTree, type SkippedFile } from './captureTreeRunner';
import { attempt, git, gitMaybe, gitText } from './gitCall';
import { parseTrailers, type TreeChange } from './parseGit';
import { loadSnapshotPlace, type SnapshotPlace } from './snapshotPlaceRunner';
import { ownIdentity, snapshotPrefix, type WorktreeContext } from './worktreeContext';
import type { WorktreeProblem } from './worktreeProblem';

export interface SnapshotRequest {
  readonly folder: string;
  readonly sessionId: string;
  /** Names the snapshot in its session: a turn id, with `-after` for its end. */
  readonly label: string;
  readonly signal?: AbortSignal;
}

export interface Snapshot {
  readonly ref: string;
  readonly commit: string;
  readonly tree: string;
  /** Not in it: undo leaves these alone. */
  readonly skipped: readonly SkippedFile[];
}

/** A larger file that is new or changed is not stored each turn. */
export const maxSnapshotFileBytes = 20 * 1024 * 1024;

/** Stores the state of a whole checkout, untracked files included, under `refs/troupe/snapshots/<session>/<label>`. */
export function takeSnapshot(context: WorktreeContext, request: SnapshotRequest): Promise<Result<Snapshot, WorktreeProblem>> {
  return attempt(async () => {
    const place = await loadSnapshotPlace(context, request.folder, request.signal);
    return place.ok ? ok(await snapshotAt(context, place.value, request)) : place;
  });
}

export function snapshotRef(sessionId: string, label: string): string {
  const safe = (part: string): string => part.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 100) || '_';
  return `${snapshotPrefix}${safe(sessionId)}/${safe(label)}`;
}

async function snapshotAt(context: WorktreeContext, place: SnapshotPlace, request: SnapshotRequest): Promise<Snapshot> {
  const { signal } = request;
  const { tree, skipped } = await captureTree(context, { ...place, indexName: 'snapshot', maxFileBytes: maxSnapshotFileBytes, ...(signal ? { signal } : {}) });
  const ref = snapshotRef(request.sessionId, request.label);
  const commit = await ownCommit(context, place.root, { tree, parents: [], message: `Snapshot ${request.label}\n\nTroupe-Head: ${place.head ?? ''}`, env: { ...ownIdentity, ...place.env } });
  await git(context.git, ['update-ref', ref, commit], { cwd: place.root, ...(place.env ? { env: place.env } : {}) });
  return { ref, commit, tree, skipped };
}

export function hasSnapshot(context: WorktreeContext, request: { readonly folder: string; readonly sessionId: string; readonly label: string }): Promise<Result<boolean, WorktreeProblem>> {
  return attempt(async () => {
    const place = await loadSnapshotPlace(context, request.folder);
    if (!place.ok) return place;
    const options = { cwd: place.value.root, ...(place.value.env ? { env: place.value.env } : {}) };
    return ok((await gitMaybe(context.git, ['rev-parse', '--verify', '-q', snapshotRef(request.sessionId, request.label)], options)) !== undefined);
  });
}

export interface UndoRequest {
  readonly folder: string;
  readonly sessionId: string;
  /** Labels or refs of the snapshots at the turn's start and end. */
  readonly before: string;
  readonly after: string;
  readonly signal?: AbortSignal;
}

export interface UndoOutcome {
  readonly restored: readonly string[];
  /** Left as they are, because they were changed after the turn; each is told. */
  readonly skipped: readonly { readonly path: string; readonly reason: 'edited-since' | 'in-the-way' | 'not-stored' }[];
  /** The state before the undo: undoing this undo takes it as `before`. */
  readonly backup: Snapshot;
  /** Commits of the turn stay; undo changes files only. */
  readonly commitsStay: boolean;
}

/** Takes back what changed between two snapshots, file by file, where the file is still as the turn left it. */
export function undoTurn(context: WorktreeContext, request: UndoRequest): Promise<Result<UndoOutcome, WorktreeProblem>> {
  return attempt(async () => {
    const placed = await loadSnapshotPlace(context, request.folder, request.signal);
    if (!placed.ok) return placed;
    const place = placed.value;
    const [before, after] = [await findSnapshot(context, place, request, request.before), await findSnapshot(context, place, request, request.after)];
    if (!before.ok) return before;
    if (!after.ok) return after;
    const changes = (await diffTrees(context, place, after.value.tree, before.value.tree)).filter((change) => change.from?.mode !== '160000' && change.to?.mode !== '160000');
    const looks = await lookAt(place.root, changes);
    const now = await snapshotAt(context, place, { folder: request.folder, sessionId: request.sessionId, label: `undo-${context.nowMs()}` });
    const edited = new Set((await diffTrees(context, place, now.tree, after.value.tree)).map((change) => change.path));
    const undone = new Set((await diffTrees(context, place, now.tree, before.value.tree)).map((change) => change.path));
    const unstored = new Set(now.skipped.map((file) => file.path));
    const left: UndoOutcome['skipped'][number][] = [];
    const todo: TreeChange[] = [];
    for (const change of changes) {
      const path = toText(change.path);
      if (unstored.has(path)) left.push({ path, reason: 'not-stored' });
      else if (!undone.has(change.path)) continue;
      else if (edited.has(change.path)) left.push({ path, reason: 'edited-since' });
      else todo.push(change);
    }
    const blocked = new Set(await findInTheWay(place, todo));
    left.push(...[...blocked].map((path) => ({ path: toText(path), reason: 'in-the-way' as const })));
    const restored = await writeEach(context, place, { changes: todo.filter((change) => !blocked.has(change.path)), tree: before.value.commit, looks });
    left.push(...restored.stopped.map((path) => ({ path: toText(path), reason: 'edited-since' as const })));
    return ok({ restored: restored.done.map(toText), skipped: left, backup: now, commitsStay: place.head !== undefined && before.value.head !== place.head });
  });
}

/** A file that changes under our hands is left out, and the rest goes on. */
async function writeEach(context: WorktreeContext, place: SnapshotPlace, request: { readonly changes: readonly TreeChange[]; readonly tree: string; readonly looks: Awaited<ReturnType<typeof lookAt>> }): Promise<{ readonly done: readonly string[]; readonly stopped: readonly string[] }> {
  const stopped: string[] = [];
  const looks = new Map(request.looks);
  for (let changes = request.changes; ; ) {
    const at = await writeChanges(context, place, { ...request, changes, looks });
    if (at === undefined) return { done: request.changes.map((change) => change.path).filter((path) => !stopped.includes(path)), stopped };
    stopped.push(at);
    // Those written before it look different now: what is as it should be is not written again.
    const now = (await captureTree(context, { ...place, indexName: 'snapshot', maxFileBytes: maxSnapshotFileBytes })).tree;
    const open = new Set((await diffTrees(context, place, now, request.tree)).map((change) => change.path));
    changes = changes.filter((change) => change.path !== at && open.has(change.path));
  }
}

async function findSnapshot(context: WorktreeContext, place: SnapshotPlace, request: UndoRequest, label: string): Promise<Result<{ readonly commit: string; readonly tree: string; readonly head: string | undefined }, WorktreeProblem>> {
  const ref = label.startsWith(snapshotPrefix) ? label : snapshotRef(request.sessionId, label);
  const options = { cwd: place.root, ...(place.env ? { env: place.env } : {}) };
  const found = await gitMaybe(context.git, ['log', '-1', '--format=%H%n%T%n%B', ref, '--'], options);
  if (found === undefined) return err({ code: 'no-such-snapshot', message: `There is no snapshot of this turn (${ref}), so it can’t be undone.` });
  const [commit = '', tree = '', ...body] = found.split('\n');
  return ok({ commit, tree, head: parseTrailers(body.join('\n')).get('Head') || undefined });
}

/** Forgets the snapshots of a session that is deleted. */
export function dropSnapshots(context: WorktreeContext, request: { readonly folder: string; readonly sessionId: string }): Promise<Result<number, WorktreeProblem>> {
  return attempt(async () => {
    const place = await loadSnapshotPlace(context, request.folder);
    if (!place.ok) return place;
    const options = { cwd: place.value.root, ...(place.value.env ? { env: place.value.env } : {}) };
    const prefix = snapshotRef(request.sessionId, 'x').slice(0, -1);
    const refs = (await gitText(context.git, ['for-each-ref', '--format=%(refname)', prefix], options)).split('\n').filter((ref) => ref !== '');
    if (refs.length > 0) await git(context.git, ['update-ref', '--stdin', '-z'], { ...options, stdin: refs.map((ref) => `delete ${ref}\0\0`).join('') });
    return ok(refs.length);
  });
}
