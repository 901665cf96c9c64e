import { err, ok, type Result } from '../base/result';
import { type ApplyTarget, asText, diffTrees, findInTheWay, type Looks, lookAt, moveIndex, writeChanges } from './applyTreeRunner';
import { captureTree, maxPersonFileBytes } from './captureTreeRunner';
import { gitMaybe } from './gitCall';
import type { TreeChange } from './parseGit';
import { exists } from './repoPlaceLoader';
import type { WorktreeContext } from './worktreeContext';
import type { WorktreeProblem } from './worktreeProblem';
import type { MergeJournal } from './worktreeRecord';

type Checkout = NonNullable<MergeJournal['checkout']>;

interface Standing {
  /** Not yet as it is to be. */
  readonly todo: readonly TreeChange[];
  readonly done: readonly TreeChange[];
  /** Neither the old nor the new: the person edited it since. */
  readonly foreign: readonly TreeChange[];
  readonly looks: Looks;
}

/**
 * Brings a journalled merge to its end, from whatever point it is at: at the beginning, or after a crash between any two
 * steps. Forward if every file is either as before or as it is to be and the branch is where it was; else back.
 * @param mainCwd a checkout that exists, for refs
 * @returns problem `changed-meanwhile` when it was taken back
 */
export async function settleTake(context: WorktreeContext, journal: MergeJournal, mainCwd: string): Promise<Result<undefined, WorktreeProblem>> {
  const cwd = journal.checkout?.root ?? mainCwd;
  if (!(await exists(cwd))) return err({ code: 'changed-meanwhile', path: cwd, message: `The merge ended where it was, because ${cwd} is gone.` });
  const refNow = await gitMaybe(context.git, ['rev-parse', '--verify', '-q', journal.ref], { cwd });
  const movesRef = journal.toCommit !== journal.fromCommit;
  if (movesRef && refNow === journal.toCommit) return ok(undefined);
  if (refNow !== journal.fromCommit) return takeBack(context, journal, `the branch ${journal.ref.replace('refs/heads/', '')} moved`);
  if (journal.checkout) {
    const blocked = await goForward(context, journal.checkout);
    if (blocked) return takeBack(context, journal, `${blocked} changed`);
    await moveIndex(context, journal.checkout, journal.checkout.fromIndex, journal.checkout.toIndex);
  }
  if (!movesRef) return ok(undefined);
  const moved = await context.git.run(['update-ref', '-m', 'troupe: merge worktree', journal.ref, journal.toCommit, journal.fromCommit], { cwd });
  return moved.exitCode === 0 ? ok(undefined) : takeBack(context, journal, `git could not move ${journal.ref} (${moved.stderr.trim()})`);
}

/** @returns the path that stopped it */
async function goForward(context: WorktreeContext, checkout: Checkout): Promise<string | undefined> {
  const standing = await standingOf(context, checkout);
  const inTheWay = standing.foreign[0]?.path ?? (await findInTheWay(checkout, standing.todo))[0];
  const stopped = inTheWay ?? (await writeChanges(context, checkout, { changes: standing.todo, tree: checkout.toTree, looks: standing.looks }));
  return stopped === undefined ? undefined : asText([stopped])[0];
}

async function standingOf(context: WorktreeContext, checkout: Checkout): Promise<Standing> {
  const changes = await diffTrees(context, checkout, checkout.fromTree, checkout.toTree);
  const looks = await lookAt(checkout.root, changes);
  const now = (await captureTree(context, { ...checkout, indexName: 'take', maxFileBytes: maxPersonFileBytes })).tree;
  const paths = async (tree: string): Promise<ReadonlySet<string>> => new Set((await diffTrees(context, checkout, now, tree)).map((change) => change.path));
  const [offNew, offOld] = [await paths(checkout.toTree), await paths(checkout.fromTree)];
  return {
    looks,
    done: changes.filter((change) => !offNew.has(change.path)),
    todo: changes.filter((change) => offNew.has(change.path) && !offOld.has(change.path)),
    foreign: changes.filter((change) => offNew.has(change.path) && offOld.has(change.path)),
  };
}

async function takeBack(context: WorktreeContext, journal: MergeJournal, why: string): Promise<Result<undefined, WorktreeProblem>> {
  const left: string[] = [];
  if (journal.checkout) {
    const { checkout } = journal;
    const standing = await standingOf(context, checkout);
    const reversed = standing.done.map((change): TreeChange => ({ path: change.path, from: change.to, to: change.from }));
    const stopped = await writeBack(context, checkout, reversed, standing.looks);
    left.push(...asText([...standing.foreign.map((change) => change.path), ...(stopped === undefined ? [] : [stopped])]));
    await moveIndex(context, checkout, checkout.toIndex, checkout.fromIndex);
  }
  const kept = left.length > 0 ? ` Left as you have it: ${left.join(', ')}.` : '';
  return err({ code: 'changed-meanwhile', message: `The merge was taken back, because ${why} while it ran.${kept} Try again.`, conflicts: left.map((path) => ({ path, reason: 'uncommitted' })) });
}

async function writeBack(context: WorktreeContext, checkout: ApplyTarget & Checkout, changes: readonly TreeChange[], looks: Looks): Promise<string | undefined> {
  const blocked = new Set(await findInTheWay(checkout, changes));
  const free = changes.filter((change) => !blocked.has(change.path));
  return (await writeChanges(context, checkout, { changes: free, tree: checkout.fromTree, looks })) ?? [...blocked][0];
}
