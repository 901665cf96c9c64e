import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import { gitMaybe } from './gitCall';
import type { RepoPlace } from './repoPlaceLoader';
import type { WorktreeContext } from './worktreeContext';

const fetchAfterMs = 24 * 3_600_000;
const fetchLimitMs = 5_000;

/** The remote's default branch, fetched when a day old; the checkout's own commit where there is no remote. */
export async function freshCommit(context: WorktreeContext, place: RepoPlace, signal: AbortSignal | undefined): Promise<string | undefined> {
  const cwd = place.root;
  const remoteHead = await gitMaybe(context.git, ['symbolic-ref', '-q', 'refs/remotes/origin/HEAD'], { cwd });
  const branch = remoteHead?.replace(/^refs\/remotes\/origin\//, '') ?? (await guessDefault(context, cwd));
  if (branch === undefined) return place.head;
  const fetched = await fs.stat(join(place.commonDir, 'FETCH_HEAD')).catch(() => undefined);
  if (!fetched || context.nowMs() - fetched.mtimeMs > fetchAfterMs) {
    const limit = AbortSignal.timeout(fetchLimitMs);
    // Offline or refused: what was fetched last is the freshest there is.
    await context.git.runRemote(['fetch', '--quiet', '--no-tags', 'origin', branch], { cwd, signal: signal ? AbortSignal.any([signal, limit]) : limit });
  }
  return (await gitMaybe(context.git, ['rev-parse', '--verify', '-q', `refs/remotes/origin/${branch}^{commit}`], { cwd })) ?? place.head;
}

async function guessDefault(context: WorktreeContext, cwd: string): Promise<string | undefined> {
  for (const name of ['main', 'master']) if ((await gitMaybe(context.git, ['rev-parse', '--verify', '-q', `refs/remotes/origin/${name}`], { cwd })) !== undefined) return name;
  return undefined;
}
