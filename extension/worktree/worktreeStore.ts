import { createHash } from 'node:crypto';
import { promises as fs } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../base/errorText';
import { writeFileAtomic } from '../platform/atomicFile';
import { withFileLock } from '../platform/fileLock';
import { type Worktree, WorktreeFile } from './worktreeRecord';

/** The record of one repository while its lock is held: what is put is on disk when `put` resolves. */
export interface WorktreeRecords {
  readonly all: () => readonly Worktree[];
  readonly find: (name: string) => Worktree | undefined;
  readonly put: (worktree: Worktree) => Promise<void>;
  readonly remove: (name: string) => Promise<void>;
}

/** Readable and unique: `<folder>-<12 hex of the common git folder>`. */
export function repoKey(commonDir: string): string {
  const folder = basename(commonDir) === '.git' ? basename(dirname(commonDir)) : basename(commonDir);
  return `${folder.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, 60)}-${createHash('sha256').update(commonDir).digest('hex').slice(0, 12)}`;
}

function recordPath(stateDir: string, commonDir: string): string {
  return join(stateDir, 'worktrees', `${repoKey(commonDir)}.json`);
}

export async function readWorktrees(stateDir: string, commonDir: string): Promise<readonly Worktree[]> {
  return (await readFile(recordPath(stateDir, commonDir), commonDir)).worktrees;
}

/** Serialises everything that changes worktrees of one repository, over all windows. */
export async function withWorktrees<T>(stateDir: string, commonDir: string, work: (records: WorktreeRecords) => Promise<T>): Promise<T> {
  const path = recordPath(stateDir, commonDir);
  return withFileLock(path, async () => {
    let file = await readFile(path, commonDir);
    const save = async (worktrees: readonly Worktree[]): Promise<void> => {
      file = { ...file, worktrees: [...worktrees] };
      await writeFileAtomic(path, `${JSON.stringify(file, null, 1)}\n`, { mode: 0o600 });
    };
    return work({
      all: () => file.worktrees,
      find: (name) => file.worktrees.find((w) => w.name === name),
      put: (worktree) => save([...file.worktrees.filter((w) => w.name !== worktree.name), worktree]),
      remove: (name) => save(file.worktrees.filter((w) => w.name !== name)),
    });
  });
}

async function readFile(path: string, commonDir: string): Promise<WorktreeFile> {
  const empty: WorktreeFile = { version: 1, commonDir, worktrees: [] };
  try {
    const parsed = WorktreeFile.safeParse(JSON.parse(await fs.readFile(path, 'utf8')));
    if (parsed.success) return parsed.data;
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') return empty;
    if (!(thrown instanceof SyntaxError)) throw thrown;
  }
  // Damaged: kept aside for a person to look at; git itself still knows the worktrees.
  await fs.rename(path, `${path}.damaged`);
  return empty;
}
