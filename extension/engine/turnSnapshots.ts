import { errorText } from '../base/errorText';
import { err, ok, type Result } from '../base/result';
import { dropSnapshots, hasSnapshot, takeSnapshot, undoTurn, type UndoOutcome } from '../worktree/snapshotRunner';
import type { WorktreeContext } from '../worktree/worktreeContext';
import type { WorktreeProblem } from '../worktree/worktreeProblem';
import type { TurnSnapshots } from './sessionKit';
import type { WorktreePorts } from './worktreePorts';

interface Desk {
  readonly ports: Pick<WorktreePorts, 'cwd' | 'log'>;
  readonly context: () => Promise<WorktreeContext>;
}

/** Snapshots of the folder an engine works in. Nothing here rejects. */
export function createTurnSnapshots({ ports, context }: Desk): Omit<TurnSnapshots, 'isBackup'> {
  const folder = ports.cwd;
  const safely = async <T>(work: (context: WorktreeContext) => Promise<Result<T, WorktreeProblem>>): Promise<Result<T, string>> => {
    try {
      const done = await work(await context());
      return done.ok ? done : err(done.problem.message);
    } catch (thrown) {
      return err(errorText(thrown));
    }
  };
  return {
    take: async (request) => {
      const taken = await safely((at) => takeSnapshot(at, { folder, ...request }));
      return taken.ok ? ok(undefined) : taken;
    },
    has: async (request) => {
      const found = await safely((at) => hasSnapshot(at, { folder, ...request }));
      return found.ok && found.value;
    },
    undo: (request) => safely<UndoOutcome>((at) => undoTurn(at, { folder, ...request })),
    drop: async (sessionId) => {
      const dropped = await safely((at) => dropSnapshots(at, { folder, sessionId }));
      if (!dropped.ok) ports.log.debug(`The snapshots of ${sessionId} stay: ${dropped.problem}`);
    },
  };
}
