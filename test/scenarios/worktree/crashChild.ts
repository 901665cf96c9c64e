import { tmpdir } from 'node:os';
import { createGitRunner } from '../../../extension/platform/gitRunner';
import { createWorktree } from '../../../extension/worktree/createWorktreeRunner';
import { finishWorktree } from '../../../extension/worktree/finishWorktreeRunner';
import { makeLease } from '../../../extension/worktree/leaseLoader';
import { takeWorktree } from '../../../extension/worktree/mergeWorktreeRunner';
import { discardWorktree, listTrash, restoreWorktree } from '../../../extension/worktree/trashRunner';
import type { WorktreeContext } from '../../../extension/worktree/worktreeContext';

export interface CrashJob {
  readonly repoRoot: string;
  readonly stateDir: string;
  readonly op: 'create' | 'finish' | 'merge' | 'apply' | 'discard' | 'restore';
  readonly name: string;
  /** Dies right before this step that changes something, counted from 0; -1 never. */
  readonly crashAt: number;
  /** Dies before the first call that begins with this, whatever its number. */
  readonly crashBefore?: string;
}

/** Calls that only read can't leave anything half done: dying there is dying before the next one that writes. */
const writes = /^(update-ref|update-index|checkout-index|read-tree|worktree (add|remove|lock|unlock)|branch|commit-tree|sparse-checkout)/;

function crashing(context: WorktreeContext, { crashAt, crashBefore }: CrashJob): WorktreeContext {
  let step = 0;
  const run: WorktreeContext['git']['run'] = (args, options) => {
    const call = args.join(' ');
    if ((crashBefore !== undefined && call.startsWith(crashBefore)) || (writes.test(call) && step++ === crashAt)) process.kill(process.pid, 'SIGKILL');
    return context.git.run(args, options);
  };
  return { ...context, git: { ...context.git, run } };
}

async function perform(context: WorktreeContext, job: CrashJob): Promise<unknown> {
  const at = { repoRoot: job.repoRoot, name: job.name };
  switch (job.op) {
    case 'create':
      return createWorktree(context, { repoRoot: job.repoRoot, slug: job.name, baseRef: 'head', owner: { agentId: 'agent-1', sessionId: 's' }, settings: {} });
    case 'finish':
      return finishWorktree(context, at);
    case 'merge':
    case 'apply':
      return takeWorktree(context, at, { kind: job.op });
    case 'discard':
      return discardWorktree(context, at);
    case 'restore': {
      const [entry] = await listTrash(context, job.repoRoot);
      return entry ? restoreWorktree(context, { repoRoot: job.repoRoot, id: entry.id }, {}) : undefined;
    }
  }
}

const job: CrashJob = JSON.parse(process.argv[2] ?? '');
const context = { git: createGitRunner(tmpdir()), stateDir: job.stateDir, nowMs: Date.now, random: Math.random, self: await makeLease() };
await perform(crashing(context, job), job);
