import { err, type Result } from '../base/result';
import type { GitOptions, GitOutput, GitRunner } from '../platform/gitRunner';
import type { WorktreeProblem } from './worktreeProblem';

/** Git refused what should have worked: carried to the edge of the folder, where it becomes a problem for the person. */
export class GitFailure extends Error {
  constructor(readonly problem: WorktreeProblem) {
    super(problem.message);
  }
}

/** How long another git may hold its lock before we name it. */
const lockWaitMs = 2_000;
const lockStepMs = 50;

/** Runs git; waits briefly while another process holds a lock. @throws GitFailure for an exit code not in `allow` */
export async function git(runner: GitRunner, args: readonly string[], options: GitOptions & { readonly allow?: readonly number[] } = {}): Promise<GitOutput> {
  const { allow = [0], ...rest } = options;
  for (let waitedMs = 0; ; waitedMs += lockStepMs) {
    const out = await runner.run(args, rest);
    if (allow.includes(out.exitCode)) return out;
    if (options.signal?.aborted) throw new GitFailure({ code: 'stopped', message: 'It was stopped.' });
    const lock = lockOf(out.stderr);
    if (lock === undefined) throw new GitFailure(failure(args, out));
    if (waitedMs >= lockWaitMs) throw new GitFailure(lockedProblem(lock));
    await new Promise((resolve) => setTimeout(resolve, lockStepMs));
  }
}

/** Standard output without its last line break. */
export async function gitText(runner: GitRunner, args: readonly string[], options: GitOptions = {}): Promise<string> {
  return (await git(runner, args, options)).stdout.replace(/\n$/, '');
}

/** Standard output, or undefined where git says no. */
export async function gitMaybe(runner: GitRunner, args: readonly string[], options: GitOptions = {}): Promise<string | undefined> {
  const out = await runner.run(args, options);
  return out.exitCode === 0 ? out.stdout.replace(/\n$/, '') : undefined;
}

/** Turns what git refused into a problem; bugs go on up. */
export async function attempt<T>(work: () => Promise<Result<T, WorktreeProblem>>): Promise<Result<T, WorktreeProblem>> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof GitFailure) return err(thrown.problem);
    throw thrown;
  }
}

export function lockedProblem(path: string): WorktreeProblem {
  return { code: 'locked', path, message: `Another git process holds ${path}. Wait for it to end; if none runs, delete that file and try again.` };
}

function lockOf(stderr: string): string | undefined {
  return /Unable to create '(.+\.lock)': File exists/.exec(stderr)?.[1];
}

function failure(args: readonly string[], out: GitOutput): WorktreeProblem {
  const verb = args.find((arg, i) => !arg.startsWith('-') && args[i - 1] !== '-c') ?? '';
  const text = out.stderr.trim() || `exit code ${out.exitCode}`;
  if (/unknown option `?(write-tree|path-format|name-only)|usage: git merge-tree/.test(text)) return { code: 'git-too-old', message: 'This needs git 2.38 or newer. Update git and try again.' };
  return { code: 'git-failed', message: `git ${verb} failed: ${text.slice(0, 1_000)}` };
}
