import { spawnSync } from 'node:child_process';
import { symlinkSync, utimesSync } from 'node:fs';
import { afterAll, expect } from 'vitest';
import { createProcessRunner } from '../../../extension/platform/processRunner';
import { createRipgrepRunner } from '../../../extension/platform/ripgrepRunner';
import { createGlobTool } from '../../../extension/tools/globTool';
import { createGrepTool } from '../../../extension/tools/grepTool';
import { verifies } from '../../support/verifies';
import { createToolBench, textOf } from './toolBench';

const bench = createToolBench();
const processes = createProcessRunner();
const env = { PATH: process.env['PATH'] ?? '' };
const hidden = async (_ctx: unknown, paths: readonly string[]): Promise<ReadonlySet<string>> => new Set(paths.filter((path) => path.endsWith('secret.ts')));
const glob = createGlobTool({ store: bench.store, hidden });
const grep = createGrepTool({ ripgrep: createRipgrepRunner({ processes, env }), store: bench.store, hidden });
afterAll(async () => {
  await processes.close();
  bench.dispose();
});

spawnSync('git', ['init', '-q'], { cwd: bench.dir });
bench.write('.gitignore', 'out/\n');
for (const [name, text] of [['src/a.ts', 'alpha\nbeta\nalpha x\n'], ['src/b.ts', 'beta Alpha\n'], ['src/deep/c.js', 'gamma interface{}\n'], ['out/gen.ts', 'alpha generated\n'], ['src/secret.ts', 'alpha secret\n'], ['.hidden.ts', 'alpha hidden\n'], ['.claude/worktrees/w/z.ts', 'alpha elsewhere\n']] as const) bench.write(name, text);
utimesSync(bench.path('src/a.ts'), 2_000_000_000, 2_000_000_000);
utimesSync(bench.path('src/b.ts'), 1_000_000_000, 1_000_000_000);

const found = async (input: Record<string, unknown>): Promise<string> => textOf(await bench.call(grep, input));

verifies('glob:finds', async () => {
  const list = async (pattern: string, path?: string): Promise<string> => textOf(await bench.call(glob, { pattern, ...(path ? { path } : {}) }));
  expect((await list('**/*.ts')).split('\n')).toEqual(['src/a.ts', '.hidden.ts', 'out/gen.ts', 'src/b.ts']);
  expect(await list('src/**/*.{js,mjs}')).toBe('src/deep/c.js');
  expect(await list('a.ts', bench.path('src'))).toBe('src/a.ts');
  expect(await list('*.js')).toContain('"**/*.js" looks in all below it');
  expect(await list('**/*.ts', '.claude/worktrees/w')).toBe('.claude/worktrees/w/z.ts');
  expect(await list('a\0b')).toContain('NUL byte');
  expect(await list('*.ts', 'nope')).toContain('does not exist');
  expect(await bench.describe(glob, { pattern: '../../x/*.ts' })).toMatchObject({ paths: [bench.path('../../x')], kind: 'search', readOnly: true });
  expect(await bench.describe(glob, { pattern: '/etc/**' })).toMatchObject({ paths: ['/etc'] });
  bench.write('app/[id]/page.tsx', '');
  expect(await list('app/[id]/*.tsx')).toBe('app/[id]/page.tsx');
  symlinkSync(bench.dir, bench.path('src/ring'));
  for (let i = 0; i < 105; i += 1) bench.write(`many/${i}.md`, '');
  expect((await list('**/*.md')).split('\n').at(-1)).toBe('[Only the 100 newest of 105 files are listed. Use a narrower pattern or path.]');
});

verifies('grep:modes', async () => {
  expect(await found({ pattern: 'alpha', '-i': true })).toBe('src/a.ts\n.hidden.ts\nsrc/b.ts');
  expect(await found({ pattern: 'alpha', output_mode: 'content', path: 'src' })).toBe('src/a.ts:1:alpha\nsrc/a.ts:3:alpha x');
  expect(await found({ pattern: 'alpha', output_mode: 'content', path: 'src/a.ts', '-n': false })).toBe('src/a.ts:alpha\nsrc/a.ts:alpha x');
  expect(await found({ pattern: 'a.pha', output_mode: 'content', '-o': true, glob: '*.ts', type: 'ts', path: 'src', head_limit: 1 })).toBe('src/a.ts:1:alpha\n[1 more. Use offset 1 for the next, or head_limit 0 for all.]');
  expect(await found({ pattern: 'beta$', output_mode: 'content', path: 'src', '-A': 1, '-B': 1 })).toBe('src/a.ts:1-alpha\nsrc/a.ts:2:beta\nsrc/a.ts:3-alpha x');
  expect(await found({ pattern: 'alpha', output_mode: 'count', path: 'src', head_limit: 1 })).toBe('src/a.ts:2\n\n2 matching lines in 1 file.');
  expect(await found({ pattern: 'alpha\\nbeta', output_mode: 'content', multiline: true, path: 'src' })).toBe('src/a.ts:1:alpha\nsrc/a.ts:2:beta');
  expect(await found({ pattern: 'alpha', offset: 50 })).toBe('No entries at this offset: there are 2.');
  bench.write('odd/a\nb: 1:c.txt', 'odd one\n');
  expect(await found({ pattern: 'odd' })).toBe('odd/a\nb: 1:c.txt');
  expect(await found({ pattern: '-zzz' })).toBe('No matches for -zzz.');
});

verifies('grep:ignored', async () => {
  expect(await found({ pattern: 'generated' })).toBe('No matches for generated.');
  expect(await found({ pattern: 'generated', path: 'out' })).toBe('out/gen.ts');
  expect(await found({ pattern: 'generated', path: 'out/gen.ts' })).toBe('out/gen.ts');
  expect(await found({ pattern: 'elsewhere' })).toBe('No matches for elsewhere.');
  expect(await found({ pattern: 'elsewhere', path: '.claude/worktrees/w' })).toBe('.claude/worktrees/w/z.ts');
});

verifies('grep:problems', async () => {
  const bad = await bench.call(grep, { pattern: 'interface{}' });
  expect([bad.isError, textOf(bad)]).toEqual([true, expect.stringMatching(/regex parse error[\s\S]*escape special characters/)]);
  expect(await found({ pattern: 'interface\\{\\}' })).toBe('src/deep/c.js');
  expect(await found({ pattern: 'x', path: 'nope' })).toContain('does not exist');
  expect(await found({ pattern: 'x', type: 'nope' })).toContain('unrecognized file type');
  const none = createGrepTool({ ripgrep: createRipgrepRunner({ processes, env: { PATH: '/nowhere' } }), store: bench.store });
  expect(textOf(await bench.call(none, { pattern: 'x' }))).toContain('The program rg was not found on PATH. Searching needs ripgrep: ask the person to install it');
});
