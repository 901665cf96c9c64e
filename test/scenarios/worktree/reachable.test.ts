import fc from 'fast-check';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect } from 'vitest';
import { reconcileWorktrees } from '../../../extension/worktree/reconcileRunner';
import { verifies } from '../../support/verifies';
import type { CrashJob } from './crashChild';
import { blobsOf, crashRunner, lostBlobs } from './crashKit';
import { makeContext, makeRepo, must, type Repo, tempDir } from './worktreeKit';

let run: (job: CrashJob) => Promise<boolean>;
beforeAll(async () => {
  run = await crashRunner();
});

const names = ['one', 'two'] as const;
const files = ['a.txt', 'b c.txt', 'd/e.txt', '-dash', "qu'ote\".txt"] as const;

type Step =
  | { readonly kind: 'edit'; readonly at: number; readonly file: number; readonly text: number }
  | { readonly kind: 'delete' | 'stage'; readonly at: number; readonly file: number }
  | { readonly kind: 'commit'; readonly at: number }
  | { readonly kind: 'ours'; readonly op: CrashJob['op']; readonly name: number; readonly crashAt: number };

/** `at`: 0 is the person's checkout, the others are worktrees. */
const at = fc.nat(names.length);
const file = fc.nat(files.length - 1);
const byHand: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('edit' as const), at, file, text: fc.nat(999) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('delete' as const, 'stage' as const), at, file }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('commit' as const), at }) },
);
const ours: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('ours' as const),
  op: fc.constantFrom('merge', 'merge', 'apply', 'discard', 'discard', 'restore', 'finish', 'create'),
  name: fc.nat(names.length - 1),
  crashAt: fc.oneof(fc.constant(-1), fc.nat(14)),
});
/** A few edits, then one step of ours, again and again. */
const story = fc.array(fc.tuple(fc.array(byHand, { minLength: 1, maxLength: 4 }), ours), { minLength: 2, maxLength: 4 }).map((parts) => parts.flatMap(([edits, step]) => [...edits, step]));

interface World {
  readonly repo: Repo;
  readonly stateDir: string;
}

function place({ repo }: World, index: number): Repo | undefined {
  const name = names[index - 1];
  if (name === undefined) return repo;
  const root = join(repo.root, '.claude/worktrees', name);
  return existsSync(join(root, '.git')) ? repo.at(root) : undefined;
}

function edit(where: Repo, step: Exclude<Step, { kind: 'ours' }>): void {
  if (step.kind === 'commit') {
    where.git('add', '-A');
    where.git('commit', '-q', '--allow-empty', '-m', 'by hand');
    return;
  }
  const path = files[step.file] ?? 'a.txt';
  if (step.kind === 'edit') where.write({ [path]: `${'same\n'.repeat(8)}${step.text}\n${'same\n'.repeat(8)}` });
  else if (step.kind === 'delete') rmSync(join(where.root, path), { force: true });
  else if (existsSync(join(where.root, path))) where.git('add', '--', path);
}

async function play(world: World, step: Step): Promise<void> {
  const { repo, stateDir } = world;
  if (step.kind !== 'ours') {
    const where = place(world, step.at);
    if (where) edit(where, step);
    return;
  }
  const blobs = blobsOf(repo);
  await run({ repoRoot: repo.root, stateDir, op: step.op, name: names[step.name] ?? 'one', crashAt: step.crashAt });
  expect({ step, lost: lostBlobs(repo, blobs) }).toEqual({ step, lost: [] });
  // The next start brings in order what the kill has left, and loses nothing either.
  must(await reconcileWorktrees(await makeContext(stateDir), { repoRoot: repo.root, settings: {} }));
  expect({ step, next: 'start', lost: lostBlobs(repo, blobs) }).toEqual({ step, next: 'start', lost: [] });
}

/** FC_RUNS=200 for a long look. */
const numRuns = Number(process.env['FC_RUNS'] ?? 4);

verifies('worktree:reachable:random', async () => {
  const property = fc.asyncProperty(story, async (steps) => {
    const world: World = { repo: makeRepo({ 'a.txt': `${'same\n'.repeat(16)}`, 'b c.txt': 'b\n' }), stateDir: tempDir('state') };
    for (const name of names) await run({ repoRoot: world.repo.root, stateDir: world.stateDir, op: 'create', name, crashAt: -1 });
    for (const step of steps) await play(world, step);
    rmSync(world.repo.root, { recursive: true, force: true });
    rmSync(world.stateDir, { recursive: true, force: true });
  });
  await fc.assert(property, { numRuns, endOnFailure: true });
}, { timeoutMs: 200_000 + numRuns * 60_000 });
