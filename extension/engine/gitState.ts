import type { GitRunner } from '../platform/gitRunner';
import { type GitState, readGitState } from '../session/contextMessage';

/**
 * Both questions in one call: starting a process stops everything else for 10 ms, twice that at every start. Git runs
 * the alias with its own shell, Windows included; nothing of ours is put into it.
 */
const stateAlias = 'alias.troupe-state=!git status --porcelain=v1 --branch --untracked-files=normal; code=$?; printf "\\0"; git log --oneline -5 2>/dev/null; exit $code';

/** Branch, changes and last commits of a folder. @returns undefined outside a repository */
export async function gitState(git: GitRunner, cwd: string): Promise<GitState | undefined> {
  const { exitCode, stdout } = await git.run(['-c', stateAlias, 'troupe-state'], { cwd });
  if (exitCode !== 0) return undefined;
  const [status = '', log = ''] = stdout.split('\0');
  return readGitState(status, log);
}

/** What was asked for ahead of time is handed out once; after that it is read anew. */
export function firstFrom<T>(ahead: Promise<T> | undefined, read: () => Promise<T>): () => Promise<T> {
  let waiting = ahead;
  return () => {
    const first = waiting ?? read();
    waiting = undefined;
    return first;
  };
}
