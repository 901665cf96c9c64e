import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, expect } from 'vitest';
import { loadMemoryFiles, nestedMemoryFor, type MemoryPlaces, type MemoryReport } from '../../../extension/session/memoryFilesLoader';
import { importedPaths, withoutBlockComments } from '../../../extension/session/memoryFilesText';
import { verifies } from '../../support/verifies';

const roots: string[] = [];
afterAll(() => {
  for (const root of roots) rmSync(root, { recursive: true, force: true });
});

function tree(files: Readonly<Record<string, string>>, more: Partial<MemoryPlaces> = {}): { root: string; places: MemoryPlaces } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-memory-')));
  roots.push(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  mkdirSync(join(root, 'repo/app'), { recursive: true });
  return { root, places: { configRoot: join(root, 'home/.claude'), homeDir: join(root, 'home'), managedDir: join(root, 'managed'), cwd: join(root, 'repo/app'), projectRoot: join(root, 'repo'), excludes: [], mayImportOutside: false, ...more } };
}

const listed = (root: string, report: MemoryReport): string[] => report.files.filter((file) => file.path.startsWith(root)).map((file) => `${relative(root, file.path)}: ${file.text}`);

verifies('session:memory:order', async () => {
  const { root, places } = tree({
    'managed/CLAUDE.md': 'managed', 'home/.claude/CLAUDE.md': 'user', 'home/.claude/rules/tone.md': 'tone',
    'repo/CLAUDE.md': 'repo', 'repo/CLAUDE.local.md': 'repo local', 'repo/app/.claude/CLAUDE.md': 'app', 'repo/app/.claude/rules/deep/style.md': 'style',
    'repo/app/.claude/rules/ts.md': '---\npaths: "**/*.ts"\n---\nonly ts',
  });
  expect(listed(root, await loadMemoryFiles(places))).toEqual([
    'managed/CLAUDE.md: managed', 'home/.claude/CLAUDE.md: user', 'home/.claude/rules/tone.md: tone',
    'repo/CLAUDE.md: repo', 'repo/CLAUDE.local.md: repo local', 'repo/app/.claude/CLAUDE.md: app', 'repo/app/.claude/rules/deep/style.md: style',
  ]);
});

verifies('session:memory:agents-md', async () => {
  const { root, places } = tree({ 'repo/AGENTS.md': 'agents above', 'repo/app/AGENTS.md': 'not read', 'repo/app/CLAUDE.md': 'claude' });
  expect(listed(root, await loadMemoryFiles(places))).toEqual(['repo/AGENTS.md: agents above', 'repo/app/CLAUDE.md: claude']);
});

verifies('session:memory:same-file-once', async () => {
  const { root, places } = tree({ 'repo/AGENTS.md': 'shared' });
  symlinkSync('AGENTS.md', join(root, 'repo/CLAUDE.md'));
  symlinkSync('CLAUDE.md', join(root, 'repo/app/CLAUDE.md'));
  expect(listed(root, await loadMemoryFiles(places))).toEqual(['repo/CLAUDE.md: shared']);
});

verifies('session:memory:imports', async () => {
  const { root, places } = tree({
    'repo/app/CLAUDE.md': 'See @docs/one.md and `@docs/code.md`.\n```\n@docs/code.md\n```\n@missing.md mail a@docs/code.md',
    'repo/app/docs/one.md': 'one @two.md', 'repo/app/docs/two.md': 'two @three.md @one.md', 'repo/app/docs/three.md': 'three @four.md', 'repo/app/docs/four.md': 'four @five.md',
    'repo/app/docs/five.md': 'too deep', 'repo/app/docs/code.md': 'code',
  });
  const report = await loadMemoryFiles(places);
  expect(listed(root, report).slice(1)).toEqual(['repo/app/docs/one.md: one @two.md', 'repo/app/docs/two.md: two @three.md @one.md', 'repo/app/docs/three.md: three @four.md', 'repo/app/docs/four.md: four @five.md']);
  expect(report.files.find((file) => file.path.endsWith('one.md'))?.why).toBe(`imported by ${join(root, 'repo/app/CLAUDE.md')}`);
});

verifies('session:memory:outside-imports', async () => {
  const files = { 'repo/app/CLAUDE.md': 'see @~/notes.md', 'home/notes.md': 'notes', 'home/.claude/CLAUDE.md': 'mine @../own.md', 'home/own.md': 'own' };
  const waiting = tree(files);
  const report = await loadMemoryFiles(waiting.places);
  expect(listed(waiting.root, report)).toEqual(['home/.claude/CLAUDE.md: mine @../own.md', 'home/own.md: own', 'repo/app/CLAUDE.md: see @~/notes.md']);
  expect(report.outsideImports).toEqual([join(waiting.root, 'home/notes.md')]);
  const approved = tree(files, { mayImportOutside: true });
  expect(listed(approved.root, await loadMemoryFiles(approved.places))).toContain('home/notes.md: notes');
});

verifies('session:memory:comments-and-caps', async () => {
  expect(withoutBlockComments('a\n<!-- note\nfor people -->\nb <!-- stays -->\n```\n<!-- code -->\n```\n')).toBe('a\nb <!-- stays -->\n```\n<!-- code -->\n```\n');
  expect(importedPaths('@a/b\\ c.md, (@d.md) x@y.z @scope/pkg.')).toEqual(['a/b c.md', 'd.md', 'scope/pkg']);
  const { root, places } = tree({ 'repo/CLAUDE.md': 'x'.repeat(4 * 1024 * 1024 + 1), 'repo/app/CLAUDE.md': 'small', 'repo/app/CLAUDE.local.md': '<!-- nothing else -->' });
  const report = await loadMemoryFiles(places);
  expect(listed(root, report)).toEqual(['repo/app/CLAUDE.md: small']);
  expect(report.problems.map((problem) => [problem.code, problem.path])).toEqual([['file-too-big', join(root, 'repo/CLAUDE.md')]]);
});

verifies('session:memory:excludes', async () => {
  const { root, places } = tree({ 'repo/CLAUDE.md': 'repo', 'repo/app/CLAUDE.md': 'app', 'managed/CLAUDE.md': 'managed' });
  const report = await loadMemoryFiles({ ...places, excludes: [join(root, 'repo/*.md'), join(root, 'managed/**')] });
  expect(listed(root, report)).toEqual(['managed/CLAUDE.md: managed', 'repo/app/CLAUDE.md: app']);
});

verifies('session:memory:nested', async () => {
  const { root, places } = tree({
    'repo/app/CLAUDE.md': 'app', 'repo/app/lib/CLAUDE.md': 'lib', 'repo/app/lib/deep/AGENTS.md': 'deep', 'repo/app/other/CLAUDE.md': 'other', 'repo/app/node_modules/p/CLAUDE.md': 'foreign',
    'repo/app/.claude/rules/ts.md': '---\npaths: lib/**/*.ts, "[bad"\n---\nonly ts', 'repo/app/.claude/rules/py.md': '---\npaths: "*.py"\n---\nonly py', 'repo/app/.claude/rules/all.md': 'always',
  });
  const start = await loadMemoryFiles(places);
  const loaded = new Set(start.files.map((file) => file.realPath));
  const touched = await nestedMemoryFor(places, join(root, 'repo/app/lib/deep/x.ts'), loaded);
  expect(listed(root, touched)).toEqual(['repo/app/.claude/rules/ts.md: only ts', 'repo/app/lib/CLAUDE.md: lib', 'repo/app/lib/deep/AGENTS.md: deep']);
  const again = await nestedMemoryFor(places, join(root, 'repo/app/lib/deep/y.ts'), new Set([...loaded, ...touched.files.map((file) => file.realPath)]));
  expect(again.files).toEqual([]);
  expect((await nestedMemoryFor(places, join(root, 'repo/app/node_modules/p/i.js'), loaded)).files).toEqual([]);
  expect((await nestedMemoryFor(places, join(root, 'elsewhere/i.js'), loaded)).files).toEqual([]);
});
