import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { requirements } from '../requirements';

const root = process.cwd();
const testFiles = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((f) => /\.(test\.tsx?|walk\.mjs|spec\.mjs)$/.test(f) && !/(^|[\\/])fixtures[\\/]/.test(f))
  .map((f) => join('test', f));
const cited = new Map<string, string[]>();
for (const file of testFiles) {
  for (const match of readFileSync(join(root, file), 'utf8').matchAll(/verifies\(\s*'([^']+)'/g)) {
    const id = match[1] ?? '';
    cited.set(id, [...(cited.get(id) ?? []), file]);
  }
}

test('every claimed behaviour has a test', () => {
  expect(Object.keys(requirements).filter((id) => !cited.has(id))).toEqual([]);
});

test('every cited behaviour is claimed', () => {
  expect([...cited.keys()].filter((id) => !Object.hasOwn(requirements, id))).toEqual([]);
});

test('ids name their area, thing and claim', () => {
  expect(Object.keys(requirements).filter((id) => !/^[a-z]+(:[a-z0-9-]+){1,3}$/.test(id))).toEqual([]);
});
