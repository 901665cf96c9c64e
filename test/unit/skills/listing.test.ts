import { mkdtempSync, readFileSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { quickFrontmatter } from '../../../extension/base/frontmatter';
import { fuzzyScore } from '../../../extension/base/fuzzyMatch';
import { listSkillsForModel, type SkillUsage } from '../../../extension/skills/listing';
import { matchSkills } from '../../../extension/skills/match';
import type { Skill } from '../../../extension/skills/skill';
import { readSkill } from '../../../extension/skills/skillSchema';
import { createSkillUsageStore } from '../../../extension/skills/usageStore';
import { verifies } from '../../support/verifies';

function named(name: string, front: string, plugin?: string): Skill {
  const file = quickFrontmatter(`---\n${front}\n---\nBody.`);
  if (!file) throw new Error('not plain');
  return readSkill(file, { kind: 'skill', source: plugin ? 'plugin' : 'user', path: `/s/${name}/SKILL.md`, dir: `/s/${name}`, placeName: name, isTrusted: true, variables: {}, ...(plugin ? { plugin } : {}) }).skill;
}
const used = (counts: Readonly<Record<string, number>>): SkillUsage => new Map(Object.entries(counts).map(([name, count]) => [name, { count, lastUsedAtMs: count }]));

verifies('skill:listing:what-is-listed', () => {
  const skills = [named('b', 'description: Bee.\nwhen_to_use: At noon.'), named('a', 'description: Ay.'), named('x', 'description: No.\ndisable-model-invocation: true'), named('p', 'description: Later.\npaths: "*.ts"'), named('off', 'description: Off.'), named('bare', 'description: Bare.'), named('q', 'description: Plugin.', 'p')];
  const options = { contextTokens: 200_000, usage: new Map(), overrides: { off: 'user-invocable-only', bare: 'name-only', 'p:q': 'off' } as const };
  expect(listSkillsForModel(skills, options).text).toBe('- a: Ay.\n- b: Bee. At noon.\n- bare\n- p:q: Plugin.');
  expect(listSkillsForModel(skills, { ...options, activated: new Set(['p']) }).text).toContain('- p: Later.');
  expect(listSkillsForModel([named('long', `description: ${'x'.repeat(3000)}`)], options).text.length).toBe('- long: '.length + 1536);
  expect(listSkillsForModel([], options).text).toBe('');
});

verifies('skill:listing:budget', () => {
  const skills = ['a', 'b', 'c'].map((name) => named(name, `description: ${name.repeat(50)}`));
  const usage = used({ a: 1, b: 9, c: 5 });
  const list = (budgetChars: number) => listSkillsForModel(skills, { contextTokens: undefined, usage, budgetChars });
  expect(list(1000)).toEqual({ text: skills.map((s) => `- ${s.name}: ${s.description}`).join('\n'), withoutDescription: [], leftOut: [] });
  expect(list(130)).toMatchObject({ withoutDescription: ['a'], leftOut: [] });
  expect(list(70)).toMatchObject({ withoutDescription: ['a', 'c'], leftOut: [] });
  expect(list(12).text).toBe('- a\n- b\n- c');
  const many = Array.from({ length: 40 }, (_, at) => named(`skill-${at}`, 'description: words'));
  const tight = listSkillsForModel(many, { contextTokens: undefined, usage: used({ 'skill-7': 3 }), budgetChars: 150 });
  expect(tight.text.split('\n')).toContain('- skill-7');
  expect(tight.text.split('\n').at(-1)).toBe(`(${tight.leftOut.length} more skills have no room here; the Skill tool still runs them by name.)`);
  expect(tight.text.length).toBeLessThanOrEqual(150);
});

verifies('skill:listing:share-of-context', () => {
  const skills = Array.from({ length: 200 }, (_, at) => named(`s${at}`, `description: ${'w'.repeat(200)}`));
  const size = (contextTokens: number | undefined): number => listSkillsForModel(skills, { contextTokens, usage: new Map() }).text.length;
  expect([size(200_000) <= 8_000, size(undefined) <= 8_000, size(1_000_000) > 30_000]).toEqual([true, true, true]);
});

verifies('skill:match:ranking', () => {
  const items = ['deploy', 'web:deploy', 'redeploy', 'draw-plan', 'lint'].map((name) => ({ qualified: name, name, description: name === 'lint' ? 'Checks before a deploy' : '' }));
  expect(matchSkills('deploy', items).map((item) => item.name)).toEqual(['deploy', 'web:deploy', 'redeploy', 'lint']);
  expect(matchSkills('/dp', items).map((item) => item.name)[0]).toBe('draw-plan');
  expect(matchSkills('', items, (name) => (name === 'lint' ? 2 : 0)).map((item) => item.name)[0]).toBe('lint');
  expect(matchSkills('zzz', items)).toEqual([]);
  expect(fuzzyScore('dpl', 'deploy')).toBeGreaterThan(0);
});

verifies('skill:usage:counts', async () => {
  const root = mkdtempSync(join(tmpdir(), 'troupe-usage-'));
  try {
    mkdirSync(join(root, 'troupe'));
    writeFileSync(join(root, 'troupe/skillUsage.json'), '{"kept":"by others","deploy":{"count":1,"lastUsedAtMs":5,"note":"x"}}');
    const stores = [createSkillUsageStore(root), createSkillUsageStore(root)];
    await Promise.all(Array.from({ length: 8 }, (_, at) => stores[at % 2]!.record('deploy', 100 + at)));
    expect(await stores[0]!.read()).toEqual(new Map([['deploy', { count: 9, lastUsedAtMs: 107 }]]));
    expect(JSON.parse(readFileSync(join(root, 'troupe/skillUsage.json'), 'utf8'))).toEqual({ kept: 'by others', deploy: { count: 9, lastUsedAtMs: 107, note: 'x' } });
    writeFileSync(join(root, 'troupe/skillUsage.json'), '{broken');
    expect(await stores[0]!.read()).toEqual(new Map());
  } finally {
    rmSync(root, { recursive: true });
  }
});
