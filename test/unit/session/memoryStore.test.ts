import { lstatSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { addMemory, type MemoryScope } from '../../../extension/session/memoryStore';
import { verifies } from '../../support/verifies';

function world() {
  const root = mkdtempSync(join(tmpdir(), 'troupe-memory-'));
  const targets = { configRoot: join(root, 'home/.claude'), projectRoot: join(root, 'repo') };
  mkdirSync(targets.projectRoot);
  const add = async (scope: MemoryScope, text: string): Promise<string> => {
    const added = await addMemory(targets, { scope, text });
    return added.ok ? readFileSync(added.value, 'utf8') : added.problem;
  };
  return { root, targets, add, at: (path: string) => join(targets.projectRoot, path) };
}

verifies('memory:add:file', async () => {
  const { targets, add, at } = world();
  expect(await add('project', ' use tabs ')).toBe('- use tabs\n');
  expect(await add('project', 'two\nlines')).toBe('- use tabs\n- two\n  lines\n');
  expect(await add('local', 'mine')).toBe('- mine\n');
  expect(await add('user', 'always')).toBe('- always\n');
  expect(readFileSync(join(targets.configRoot, 'CLAUDE.md'), 'utf8')).toBe('- always\n');
  writeFileSync(at('CLAUDE.md'), '# House rules\r\n\r\nBe kind.');
  expect(await add('project', 'and quick')).toBe('# House rules\r\n\r\nBe kind.\r\n\r\n- and quick\r\n');
  expect(await add('project', '  ')).toBe('There is nothing to remember: the note is empty.');
});

verifies('memory:add:file', async () => {
  const { add, at } = world();
  writeFileSync(at('AGENTS.md'), 'Agents.\n');
  expect(await add('project', 'note')).toBe('Agents.\n\n- note\n');
  writeFileSync(at('real.md'), 'Real.\n');
  symlinkSync('real.md', at('CLAUDE.md'));
  expect(await add('project', 'linked')).toBe('Real.\n\n- linked\n');
  expect([lstatSync(at('CLAUDE.md')).isSymbolicLink(), readFileSync(at('real.md'), 'utf8')]).toEqual([true, 'Real.\n\n- linked\n']);
  mkdirSync(at('CLAUDE.local.md'));
  expect(await add('local', 'x')).toMatch(/CLAUDE.local.md could not be written: .*Nothing was changed\.$/s);
}, { case: 'AGENTS.md, links, a folder in the way' });
