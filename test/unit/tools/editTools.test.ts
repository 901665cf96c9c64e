import { chmodSync, lstatSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';
import type { ToolResult } from '../../../extension/tools/defineTool';
import { createEditTool } from '../../../extension/tools/editTool';
import { createNotebookEditTool } from '../../../extension/tools/notebookEditTool';
import { createReadTool } from '../../../extension/tools/readTool';
import { createWriteTool } from '../../../extension/tools/writeTool';
import { verifies } from '../../support/verifies';
import { createToolBench, textOf } from './toolBench';

const bench = createToolBench();
const unsaved = new Map<string, string>();
const ports = { store: bench.store, unsavedText: (path: string) => unsaved.get(path), diagnostics: async (paths: readonly string[]) => (paths[0]?.endsWith('bad.ts') ? 'bad.ts:1 error: no' : '') };
const [read, edit, write, notebook] = [createReadTool({ store: bench.store }), createEditTool(ports), createWriteTool(ports), createNotebookEditTool(ports)];
afterAll(() => bench.dispose());

async function known(name: string, content: string | Uint8Array): Promise<string> {
  const path = bench.write(name, content);
  await bench.call(read, { file_path: path });
  return path;
}
const change = (file_path: string, old_string: string, new_string: string, more = {}): Promise<ToolResult> => bench.call(edit, { file_path, old_string, new_string, ...more });
const now = (path: string): string => readFileSync(path, 'utf8');

verifies('edit:literal', async () => {
  const path = await known('a.ts', 'a $1 b\na $1 b\n');
  expect(textOf(await change(path, 'a $1 b', '$& $$', { replace_all: true }))).toBe(`Changed ${path}: 2 places, the first at line 1.`);
  expect(now(path)).toBe('$& $$\n$& $$\n');
  expect(await change(path, '$$\n$&', 'x')).toMatchObject({ note: '+1 −2', effects: [{ kind: 'touched', paths: [path] }], display: { kind: 'diff', diff: { path, kind: 'edit', added: 1, removed: 2 } } });
  expect(now(path)).toBe('$& x $$\n');
  expect(textOf(await change('new/deep.txt', '', 'hello\n'))).toContain('Created');
  expect(now(bench.path('new/deep.txt'))).toBe('hello\n');
  expect(textOf(await change(await known('bad.ts', 'x'), 'x', 'y'))).toContain('Errors and warnings in the file now:\nbad.ts:1 error: no');
});

verifies('edit:refuses', async () => {
  const path = await known('b.ts', 'x\ny\nx\n');
  const says = async (result: Promise<ToolResult>): Promise<string> => {
    const done = await result;
    expect(done.isError).toBe(true);
    return textOf(done);
  };
  expect(await says(change(path, 'x', 'z'))).toContain('old_string appears 2 times (lines 1, 3). Add more lines around the one you mean');
  expect(await says(change(path, 'y', 'y'))).toContain('are the same');
  expect(await says(change(path, '', 'z'))).toContain("an empty old_string can't be used");
  expect(await says(change(bench.write('unread.ts', 'x'), 'x', 'y'))).toContain('was not read yet. Read it first');
  expect(await says(change('missing.ts', 'x', 'y'))).toContain('does not exist');
  expect(await says(change(bench.dir, 'x', 'y'))).toContain('is a folder');
  expect(await says(change(await known('n0.ipynb', '{"cells":[]}'), 'x', 'y'))).toContain('NotebookEdit');
  expect(await says(bench.call(edit, { file_path: path, old_string: 'x' }))).toContain('new_string');
  expect(now(path)).toBe('x\ny\nx\n');
});

verifies('edit:near-miss', async () => {
  const path = await known('c.ts', 'function a() {\n\treturn “x”;\n}\nconst Name = 1;\n');
  const miss = async (old: string): Promise<string> => textOf(await change(path, old, 'z'));
  expect(await miss('return "x";')).toContain('other quotation marks');
  expect(await miss('function a() {\n  return “x”;\n}')).toContain('lines 1 to 3 differ only in blanks or tabs. Copy them exactly:\nfunction a() {\n\treturn');
  expect(await miss('const name = 1;')).toContain('line 4 has it with other upper and lower case');
  expect(await miss('     4\tconst Name = 1;')).toContain('holds the line numbers');
  expect(await miss('function a() {\n\treturn 5;\n}')).toContain('Its first line is at line 1, but what follows there differs');
  expect(await miss('nothing like it')).toContain('Read the file again');
});

verifies('edit:changed-since', async () => {
  const path = await known('d.ts', 'one\ntwo\n');
  writeFileSync(path, 'one\ntwo\nthree\n');
  expect(textOf(await change(path, 'o', 'u'))).toContain('changed on disk after it was read, and old_string does not occur exactly once');
  expect(textOf(await change(path, 'two', 'TWO'))).toContain('The file had changed on disk since you read it');
  expect(now(path)).toBe('one\nTWO\nthree\n');
  const touched = await known('e.ts', 'o o\n');
  utimesSync(touched, new Date(), new Date(Date.now() + 60_000));
  expect(textOf(await change(touched, 'o', 'u', { replace_all: true }))).toBe(`Changed ${touched}: 2 places, the first at line 1.`);
});

verifies('edit:keeps-form', async () => {
  const path = await known('crlf.txt', '\uFEFFone\r\ntwo\r\nthree\r\n');
  chmodSync(path, 0o755);
  expect((await change(path, 'one\ntwo', 'eins\nzwei\nzweieinhalb')).isError).toBeUndefined();
  expect([now(path), statSync(path).mode & 0o777]).toEqual(['\uFEFFeins\r\nzwei\r\nzweieinhalb\r\nthree\r\n', 0o755]);
  const mixed = await known('mixed.txt', 'a\r\nb\nc\r\n');
  await change(mixed, 'a\nb', 'A\nB');
  await change(mixed, 'B\nc', 'B\nC');
  expect(now(mixed)).toBe('A\r\nB\nC\r\n');
  const utf16 = await known('u.txt', Buffer.from('\uFEFFalt\r\n', 'utf16le'));
  await change(utf16, 'alt', 'neu');
  expect(readFileSync(utf16).toString('utf16le')).toBe('\uFEFFneu\r\n');
  const latin = await known('l.txt', Buffer.from('caf\xe9 x\n', 'latin1'));
  await change(latin, 'x', 'y');
  expect(readFileSync(latin).toString('latin1')).toBe('caf\xe9 y\n');
  expect(textOf(await change(latin, 'y', '€'))).toContain('is not UTF-8');
});

verifies('file:encoding:roundtrip', async () => {
  const be = bench.write('be.txt', Buffer.from('\uFEFFab', 'utf16le').swap16());
  const file = await bench.store.readText(be, 1000);
  expect(file).toMatchObject({ ok: true, value: { text: 'ab', encoding: 'utf16be', bom: true } });
  if (file.ok) await bench.store.writeText(be, { ...file.value, text: 'cd' });
  expect(readFileSync(be)).toEqual(Buffer.from('\uFEFFcd', 'utf16le').swap16());
});

verifies('file:write:keeps-mode', async () => {
  const target = await known('target.txt', 'x\n');
  symlinkSync(target, bench.path('link.txt'));
  expect((await change('link.txt', 'x', 'y')).isError).toBeUndefined();
  expect([now(target), lstatSync(bench.path('link.txt')).isSymbolicLink()]).toEqual(['y\n', true]);
  chmodSync(target, 0o444);
  expect(textOf(await change(target, 'y', 'z'))).toContain('is write-protected');
  expect(now(target)).toBe('y\n');
});

verifies('edit:diff', async () => {
  const path = await known('many.txt', Array.from({ length: 1000 }, (_, i) => `l${i}`).join('\n'));
  const subject = await bench.describe(edit, { file_path: path, old_string: 'l5\n', new_string: 'five\n' });
  expect(subject).toMatchObject({ kind: 'edit', paths: [path], readOnly: false, diff: { added: 1, removed: 1, hunks: [{ oldStart: 3, lines: [' l2', ' l3', ' l4', '-l5', '+five', ' l6', ' l7', ' l8'] }] } });
  expect(now(path)).toContain('l5\n');
  const all = await change(path, 'l', 'm', { replace_all: true });
  if (all.display?.kind !== 'diff') throw new Error('no diff');
  expect([all.display.diff.added, all.display.diff.removed, all.display.diff.cut, all.display.diff.hunks.flatMap((h) => h.lines).length]).toEqual([1000, 1000, true, 400]);
});

verifies('edit:unsaved', async () => {
  const path = await known('open.ts', 'saved\n');
  unsaved.set(path, 'typing\n');
  expect(textOf(await change(path, 'saved', 'x'))).toContain('has unsaved changes in the editor');
  expect(textOf(await bench.call(write, { file_path: path, content: 'x' }))).toContain('has unsaved changes in the editor');
  unsaved.set(path, 'saved\n');
  expect((await change(path, 'saved', 'x')).isError).toBeUndefined();
});

verifies('write:gate', async () => {
  const put = async (file_path: string, content: string): Promise<string> => textOf(await bench.call(write, { file_path, content }));
  expect(await put('w/deep/x.txt', 'a\nb\n')).toBe(`Created ${bench.path('w/deep/x.txt')} (2 lines).`);
  expect(await put('w/deep/x.txt', 'c\n')).toContain('Replaced the text');
  expect(await put(bench.write('w/unread.txt', 'x'), 'y')).toContain('exists and was not read yet');
  const part = bench.write('w/part.txt', 'a\nb\nc\n');
  await bench.call(read, { file_path: part, limit: 1 });
  expect(await put(part, 'y')).toContain('Only part of');
  const stale = await known('w/stale.txt', 'a');
  writeFileSync(stale, 'other');
  expect(await put(stale, 'y')).toContain('changed on disk after it was read');
  const crlf = await known('w/crlf.txt', 'a\r\nb\r\n');
  await put(crlf, 'x\ny\n');
  expect([now(crlf), now(stale), now(part)]).toEqual(['x\r\ny\r\n', 'other', 'a\nb\nc\n']);
  expect(await put('w', 'x')).toContain('is a folder');
});

verifies('notebook:edit:cells', async () => {
  const cell = (id: string, source: string): object => ({ cell_type: 'code', id, metadata: {}, source: [source], outputs: [{ output_type: 'stream', text: 'old' }], execution_count: 3 });
  const path = await known('nb.ipynb', `${JSON.stringify({ cells: [cell('a', 'x'), cell('b', 'y')], metadata: { k: 1 }, nbformat: 4, nbformat_minor: 5 }, undefined, 1)}\n`);
  const set = (input: object): Promise<ToolResult> => bench.call(notebook, { notebook_path: path, new_source: '', ...input });
  expect((await set({ cell_id: 'a', new_source: 'p\nq' })).isError).toBeUndefined();
  expect((await set({ edit_mode: 'insert', cell_type: 'markdown', new_source: '# top' })).isError).toBeUndefined();
  expect((await set({ cell_id: 'b', edit_mode: 'delete' })).isError).toBeUndefined();
  const cells: { cell_type: string; source: string[] }[] = JSON.parse(now(path)).cells;
  expect(cells.map((c) => [c.cell_type, c.source])).toEqual([['markdown', ['# top']], ['code', ['p\n', 'q']]]);
  expect(now(path)).toContain('"k": 1');
  expect(textOf(await set({ cell_id: 'zz', new_source: 'x' }))).toMatch(/There is no cell zz\. The cells are: \w+, a\./);
  expect(textOf(await set({ edit_mode: 'insert' }))).toContain('cell_type must say');
});
