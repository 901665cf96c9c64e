import { join } from 'node:path';
import type { ChangesReview, Editor } from '../ports';
import { CallError } from '../protocol/callError';
import type { Handlers } from '../protocol/methods';
import type { WorktreeFileView } from '../protocol/worktree';
import type { Sessions } from './sessions';
import type { WorktreeDoor } from './worktreeDoor';

export interface WorktreeHandlerPorts {
  readonly worktrees: WorktreeDoor;
  readonly editor: Editor | undefined;
  readonly sessions: Sessions;
}

type WorktreeRows = Extract<keyof Handlers, `worktree/${string}` | 'turn/undo' | 'turn/redo'>;

/** What a person does with worktrees. Expected failures come back as `problem`, in words to show. */
export function worktreeHandlers({ worktrees, editor, sessions }: WorktreeHandlerPorts): Pick<Handlers, WorktreeRows> {
  const can = <T>(door: T | undefined): T => {
    if (door === undefined) throw new CallError('unavailable', 'There is no editor here that could show it.');
    return door;
  };
  return {
    'worktree/refresh': async () => {
      await (await worktrees.desk()).refresh();
      return {};
    },
    'worktree/openDiff': async ({ name, path }) => {
      const openChanges = can(editor?.openChanges);
      const looked = await (await worktrees.desk()).look(name);
      if (!looked.ok) throw new CallError('notFound', looked.problem.message);
      const files = looked.value.files.filter((file) => path === undefined || file.path === path);
      if (files.length === 0) throw new CallError('notFound', path === undefined ? `Nothing has changed in the worktree ${name}.` : `${path} has not changed in the worktree ${name}.`);
      await openChanges({ title: path === undefined ? `Changes in ${name}` : `${path} (${name})`, files: files.map((file) => changeOf(looked.value.worktree, file)) });
      return {};
    },
    'worktree/open': async ({ name, where }) => {
      const openFolder = can(editor?.openFolder);
      const found = await (await worktrees.desk()).find(name);
      if (!found.ok) throw new CallError('notFound', found.problem.message);
      await openFolder(found.value.path, where);
      return {};
    },
    'worktree/branches': async () => (await worktrees.desk()).branches(),
    'worktree/preview': async (params) => (await worktrees.desk()).preview(params),
    'worktree/take': async (params) => {
      const desk = await worktrees.desk();
      const taken = await desk.take(params);
      await desk.lookAgain();
      if (!taken.ok) return { files: [], removed: false, conflicts: [...(taken.problem.conflicts ?? [])], problem: taken.problem.message };
      const { files, commit, backupRef, removed } = taken.value;
      return { files: [...files], ...(params.kind === 'merge' ? { commit } : {}), ...(backupRef === undefined ? {} : { backupRef }), removed, conflicts: [] };
    },
    'worktree/discard': async ({ name }) => {
      const desk = await worktrees.desk();
      const entry = await desk.discard(name);
      await desk.lookAgain();
      return entry.ok ? { trashId: entry.value.id } : { problem: entry.problem.message };
    },
    'worktree/restore': async ({ trashId }) => {
      const desk = await worktrees.desk();
      const restored = await desk.restore(trashId);
      await desk.lookAgain();
      return restored.ok ? { name: restored.value.name } : { problem: restored.problem.message };
    },
    'turn/undo': async ({ sessionId, turnId }) => (await sessions.get(sessionId).undo?.undo(turnId)) ?? noUndo,
    'turn/redo': async ({ sessionId, turnId, backup }) => (await sessions.get(sessionId).undo?.redo(turnId, backup)) ?? noUndo,
  };
}

const noUndo = { restored: [], skipped: [], commitsStay: false, problem: 'Turns can’t be undone here.' };

function changeOf({ name, path }: { readonly name: string; readonly path: string }, file: WorktreeFileView): ChangesReview['files'][number] {
  return {
    path: join(path, file.path),
    before: file.kind === 'added' ? 'absent' : { worktree: name, path: file.oldPath ?? file.path },
    after: file.kind === 'deleted' ? 'absent' : 'file',
  };
}
