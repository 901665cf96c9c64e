import type { GitRunner } from '../platform/gitRunner';
import { type GitState, readGitState } from '../session/contextMessage';

/** Branch, changes and last commits of a folder. @returns undefined outside a repository */
export async function gitState(git: GitRunner, cwd: string): Promise<GitState | undefined> {
  const [status, log] = await Promise.all([git.run(['status', '--porcelain=v1', '--branch', '--untracked-files=normal'], { cwd }), git.run(['log', '--oneline', '-5'], { cwd })]);
  if (status.exitCode !== 0) return undefined;
  return readGitState(status.stdout, log.exitCode === 0 ? log.stdout : '');
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
