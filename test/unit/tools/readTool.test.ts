import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, symlinkSync, truncateSync, writeSync } from 'node:fs';
import { PDFDocument } from 'pdf-lib';
import { afterAll, expect } from 'vitest';
import { createReadTool } from '../../../extension/tools/readTool';
import { verifies } from '../../support/verifies';
import { createToolBench, textOf } from './toolBench';

const bench = createToolBench();
const unsaved = new Map<string, string>();
const read = createReadTool({ store: bench.store, maxTokens: 500, unsavedText: (path) => unsaved.get(path) });
afterAll(() => bench.dispose());

verifies('read:text:numbered', async () => {
  const path = bench.write('a.txt', '\uFEFFone\r\ntwo\r\n\r\nfour');
  expect(await bench.call(read, { file_path: path })).toMatchObject({ content: '     1\tone\n     2\ttwo\n     3\t\n     4\tfour', note: '4 lines' });
  expect(textOf(await bench.call(read, { file_path: 'a.txt', offset: 2, limit: 1 }))).toBe('     2\ttwo');
  expect(await bench.describe(read, { file_path: 'a.txt' })).toMatchObject({ tool: 'Read', kind: 'read', paths: [path], readOnly: true, title: 'read a.txt' });
});

verifies('read:text:numbered', async () => {
  const path = bench.write('utf16.txt', Buffer.from('\uFEFFgrüße\nzwei\n', 'utf16le'));
  expect(textOf(await bench.call(read, { file_path: path }))).toBe('     1\tgrüße\n     2\tzwei');
  expect(textOf(await bench.call(read, { file_path: bench.write('latin.txt', Buffer.from('caf\xe9\n', 'latin1')) }))).toBe('     1\tcafé');
}, { case: 'in other encodings' });

verifies('read:text:partial', async () => {
  const path = bench.write('long.txt', Array.from({ length: 500 }, (_, i) => `line ${i + 1}`).join('\n'));
  const whole = textOf(await bench.call(read, { file_path: path }));
  expect(whole.split('\n').at(-1)).toMatch(/^\[PARTIAL view: lines 1 to \d+ of 500 lines\. Read on with offset \d+, or search with Grep\.\]$/);
  expect(whole.length).toBeLessThan(2_200);
  const next = Number(whole.match(/offset (\d+)/)?.[1]);
  expect(textOf(await bench.call(read, { file_path: path, offset: next }))).toContain(`   ${next}\tline ${next}\n`);
  expect(await bench.call(read, { file_path: path, offset: 1, limit: 400 })).toMatchObject({ isError: true, content: expect.stringMatching(/^Lines 1 to 400 are more than the 500 tokens one call can return\. Ask for fewer lines \(about \d+ fit\)/) });
  expect(bench.files.get(path)?.partial).toBe(true);
  expect(textOf(await bench.call(read, { file_path: bench.write('min.js', 'x'.repeat(9_000)) }))).toMatch(/^ {5}1\tx{1900,2000} \[… line cut, 7000 more\]/);
});

verifies('read:text:notices', async () => {
  expect(await bench.call(read, { file_path: bench.write('empty.txt', '') })).toMatchObject({ content: '[The file is empty.]', note: 'empty' });
  const past = await bench.call(read, { file_path: bench.write('two.txt', 'a\nb\n'), offset: 9 });
  expect([past.isError, past.content]).toEqual([undefined, '[The file has only 2 lines, so there is nothing at line 9. Use a smaller offset.]']);
});

verifies('read:refuses', async () => {
  mkdirSync(bench.path('folder'));
  spawnSync('mkfifo', [bench.path('pipe')]);
  bench.write('conf.yaml', 'x');
  symlinkSync(bench.path('loop'), bench.path('loop'));
  const says = async (file_path: string): Promise<string> => {
    const result = await bench.call(read, { file_path });
    expect(result.isError).toBe(true);
    return textOf(result);
  };
  expect(await says('folder')).toContain('is a folder. Use Glob');
  expect(await says(bench.write('bin.dat', Buffer.from([1, 2, 0, 3])))).toContain('is a binary file (4 bytes)');
  expect(await says('pipe')).toContain('no regular file');
  expect(await says('conf.yml')).toContain('does not exist. In that folder there is conf.yaml.');
  expect(await says(bench.path('nope'))).toBe(`${bench.path('nope')} does not exist. Find it with Glob.`);
  expect(await says('loop')).toContain('does not exist');
  expect(await says('a\0b')).toContain('does not exist');
  expect(textOf(await bench.call(read, { path: 'x' }))).toContain('file_path');
});

verifies('read:huge', async () => {
  const path = bench.path('huge.log');
  const fd = openSync(path, 'w');
  const block = Buffer.from('some log line of usual length, written again and again\n'.repeat(20_000));
  for (let i = 0; i < 10; i += 1) writeSync(fd, block);
  closeSync(fd);
  truncateSync(path, 1024 ** 3);
  const before = process.memoryUsage().arrayBuffers;
  const begun = performance.now();
  expect(textOf(await bench.call(read, { file_path: path }))).toContain('[PARTIAL view: lines 1 to');
  expect(performance.now() - begun).toBeLessThan(500);
  expect(textOf(await bench.call(read, { file_path: path, offset: 199_999, limit: 1 }))).toBe('199999\tsome log line of usual length, written again and again');
  // The sparse rest is one line of 1 GB.
  expect(textOf(await bench.call(read, { file_path: path, offset: 300_000 }))).toContain('has only 200001 lines');
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
}, { timeoutMs: 30_000 });

verifies('read:image', async () => {
  const png = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), Buffer.alloc(10, 1)]);
  expect(await bench.call(read, { file_path: bench.write('shot.txt', png) })).toMatchObject({ content: [{ type: 'image', source: { media_type: 'image/png', data: png.toString('base64') } }], display: { kind: 'image' } });
  const big = await bench.call(read, { file_path: bench.write('big.png', Buffer.concat([png, Buffer.alloc(4_000_000)])) });
  const sized = (width: number): Buffer => {
    const header = Buffer.alloc(16);
    header.writeUInt32BE(width, 8);
    header.writeUInt32BE(10, 12);
    return Buffer.concat([png.subarray(0, 8), header, Buffer.alloc(20)]);
  };
  expect(textOf(await bench.call(read, { file_path: bench.write('wide.png', sized(8001)) }))).toContain('has 8001 x 10 pixels; models take at most 8000');
  expect((await bench.call(read, { file_path: bench.write('fits.png', sized(8000)) })).isError).toBeUndefined();
  expect([big.isError, textOf(big)]).toEqual([true, expect.stringContaining('Make a smaller copy first')]);
});

verifies('read:pdf', async () => {
  const pdf = await PDFDocument.create();
  for (let i = 0; i < 25; i += 1) pdf.addPage([100, 100]);
  const path = bench.write('doc.pdf', await pdf.save());
  const says = async (pages?: string): Promise<unknown> => textOf(await bench.call(read, { file_path: path, ...(pages ? { pages } : {}) }));
  expect(await says()).toContain('has 25 pages. Say which to read with pages');
  expect(await says('1-21')).toContain('at most 20 can be read at a time. Start with "1-20"');
  expect(await says('30')).toContain('has only 25 pages');
  expect(await says('b')).toContain('is not a page or range');
  const part = await bench.call(read, { file_path: path, pages: '24-30' });
  expect(part.note).toBe('pages 24-25 of 25');
  const block = Array.isArray(part.content) ? part.content[0] : undefined;
  expect((await PDFDocument.load(block.source.data)).getPageCount()).toBe(2);
  expect(textOf(await bench.call(read, { file_path: bench.write('bad.pdf', '%PDF-1.4 nothing') }))).toContain("can't be opened as a PDF");
});

verifies('read:notebook', async () => {
  const cells = [
    { cell_type: 'markdown', id: 'm1', source: ['# Hi\n', 'there'], metadata: {} },
    { cell_type: 'code', source: 'print(1)', metadata: {}, outputs: [{ output_type: 'stream', text: ['1\n'] }, { output_type: 'display_data', data: { 'image/png': 'AAAA' } }, { output_type: 'error', ename: 'E', evalue: 'bad' }] },
  ];
  const result = await bench.call(read, { file_path: bench.write('n.ipynb', JSON.stringify({ cells, nbformat: 4, nbformat_minor: 4 })) });
  expect(textOf(result)).toBe('<cell id="m1" type="markdown">\n# Hi\nthere\n</cell>\n<cell id="cell-1" type="code">\nprint(1)\n</cell>\n<output>\n1\n\n</output>\n<image>\n<output>\nE: bad\n</output>');
  expect(textOf(await bench.call(read, { file_path: bench.write('broken.ipynb', '{"cells": [') }))).toContain("its JSON can't be read");
  expect(textOf(await bench.call(read, { file_path: bench.write('old.ipynb', '{"worksheets": []}') }))).toContain('is no notebook');
});

verifies('read:unsaved', async () => {
  const path = bench.write('open.ts', 'saved\n');
  unsaved.set(path, 'not saved\n');
  expect(textOf(await bench.call(read, { file_path: path }))).toBe('     1\tnot saved\n\n[This is the text in the editor, with changes that are not saved to disk yet.]');
});
