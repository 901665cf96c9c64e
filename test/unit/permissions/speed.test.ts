import { expect } from 'vitest';
import { verifies } from '../../support/verifies';
import { evaluator, linkFacts, policy, subject } from './permissionWorld';

async function perSecond(count: number, run: (i: number) => Promise<unknown>): Promise<number> {
  for (let i = 0; i < 200; i++) await run(i);
  const start = performance.now();
  for (let i = 0; i < count; i++) await run(i);
  return Math.round((count / (performance.now() - start)) * 1000);
}

const shapes = ['Read(/src/area#/**)', 'Edit(/pkg#/*.ts)', '.secret#', 'Bash(tool# run *)', 'Read(~/notes#/**)'];
const rules = policy(Array.from({ length: 500 }, (_, i) => `${i % 3 === 0 ? 'deny' : 'allow'} ${(shapes[i % 5] ?? '').replace(/^\./, 'Read(.').replace('#', String(i)).replace(/^(Read\(\.[^)]*)$/, '$1)')}`));
const facts = linkFacts();

/** The floors are far below what an idle machine does, so that a busy one does not fail. */
verifies('permissions:speed', async () => {
  const paths = await perSecond(10_000, (i) => evaluator.evaluate(subject('Read', `/p/src/area${i % 900}/file${i % 2000}.ts`), rules, facts));
  const commands = await perSecond(2_000, (i) => evaluator.evaluate(subject('Bash', `tool${i % 500} run x && git status | head -${i % 40}`), rules, facts));
  console.info(`path decisions/s ${paths}, Bash decisions/s ${commands}`);
  expect(paths).toBeGreaterThan(2_000);
  expect(commands).toBeGreaterThan(200);
});
