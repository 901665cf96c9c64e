import { ownCommit } from './applyTreeRunner';
import { captureTree, maxPersonFileBytes } from './captureTreeRunner';
import { git, gitText } from './gitCall';
import type { RepoPlace } from './repoPlaceLoader';
import { backupPrefix, ownIdentity, type WorktreeContext } from './worktreeContext';

export interface CarriedWork {
  /** A commit of ours on `from` with the whole state of the checkout. */
  readonly base: string;
  readonly from: string;
  /** Files too large or unreadable, as text: they are not in it. */
  readonly left: readonly string[];
}

/**
 * The person's uncommitted and untracked work as a commit a worktree can start from. Their files, index and branch are
 * only read. @returns undefined where nothing is uncommitted
 */
export async function captureCarried(context: WorktreeContext, place: RepoPlace, { head, leaveOut }: { readonly head: string; readonly leaveOut: readonly string[] }): Promise<CarriedWork | undefined> {
  const { tree, skipped } = await captureTree(context, { root: place.root, gitDir: place.gitDir, indexName: 'carry', leaveOut, maxFileBytes: maxPersonFileBytes });
  const left = skipped.map((file) => file.path);
  if (tree === (await gitText(context.git, ['rev-parse', `${head}^{tree}`], { cwd: place.root }))) return left.length > 0 ? { base: head, from: head, left } : undefined;
  const base = await ownCommit(context, place.root, { tree, parents: [head], message: 'Uncommitted work, carried over', env: ownIdentity });
  return { base, from: head, left };
}

/** The carried work stays reachable when the worktree goes: it may be the last copy of what the person had then. */
export async function keepCarried(context: WorktreeContext, place: RepoPlace, { name, base }: { readonly name: string; readonly base: string }): Promise<void> {
  await git(context.git, ['update-ref', `${backupPrefix}${name}-carried-${base.slice(0, 12)}`, base], { cwd: place.mainRoot });
}
