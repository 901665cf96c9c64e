import * as z from 'zod';
import type { ResultBlock } from '../protocol/content';
import type { FileStore } from '../platform/fileStore';
import { displayChars, excerpt, headOf } from './cutText';
import { failure, type ToolResult } from './defineTool';
import type { FileState } from './fileState';
import { noteText } from './knownFiles';
import { type Cell, cellName, joined, parseNotebook } from './notebook';

const maxNotebookBytes = 100 * 1024 * 1024;
const maxOutputChars = 10_000;
const maxTextChars = 100_000;
const maxImages = 20;
/** Base64; what models take of one picture. */
const maxImageChars = 5_000_000;

const Output = z.looseObject({
  output_type: z.string(),
  text: z.union([z.string(), z.array(z.string())]).optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  ename: z.string().optional(),
  evalue: z.string().optional(),
});

export async function readNotebook(notebook: { readonly path: string; readonly real: string; readonly files: FileState; readonly store: FileStore }): Promise<ToolResult> {
  const file = await notebook.store.readText(notebook.path, maxNotebookBytes);
  if (!file.ok) return failure(file.problem.message);
  const parsed = parseNotebook(notebook.path, file.value.text);
  if (!parsed.ok) return failure(parsed.problem);
  const blocks = merged(parsed.value.cells.flatMap(cellBlocks));
  const chars = blocks.reduce((sum, block) => sum + (block.type === 'text' ? block.text.length : 0), 0);
  noteText(notebook.files, notebook.real, file.value, chars > maxTextChars);
  const content = chars > maxTextChars ? cutBlocks(blocks) : blocks;
  const first = blocks.find((block) => block.type === 'text');
  return {
    content: content.length > 0 ? content : '[The notebook has no cells.]',
    note: `${parsed.value.cells.length} cells`,
    display: { kind: 'text', text: headOf(first?.type === 'text' ? first.text : '', displayChars), ...(chars > displayChars ? { cut: true } : {}) },
  };
}

function cellBlocks(cell: Cell, index: number): ResultBlock[] {
  const head = `<cell id="${cellName(cell, index)}" type="${cell.cell_type}">\n${joined(cell.source)}\n</cell>`;
  return [{ type: 'text', text: head }, ...(cell.outputs ?? []).flatMap(outputBlocks)];
}

function outputBlocks(raw: unknown): ResultBlock[] {
  const parsed = Output.safeParse(raw);
  if (!parsed.success) return [];
  const { text, data, ename, evalue } = parsed.data;
  if (ename !== undefined) return [outputText(`${ename}: ${evalue ?? ''}`)];
  if (text !== undefined) return [outputText(joined(text))];
  for (const type of ['image/png', 'image/jpeg'] as const) {
    const image = data?.[type];
    if (typeof image === 'string' && image.length > maxImageChars) return [outputText('(a picture too large to show)')];
    if (typeof image === 'string') return [{ type: 'image', source: { type: 'base64', media_type: type, data: image.replace(/\s/g, '') } }];
  }
  const plain = z.union([z.string(), z.array(z.string())]).safeParse(data?.['text/plain']);
  return plain.success ? [outputText(joined(plain.data))] : [];
}

function outputText(text: string): ResultBlock {
  return { type: 'text', text: `<output>\n${excerpt(text, maxOutputChars)}\n</output>` };
}

/** Neighbouring texts become one block; models take few images. */
function merged(blocks: readonly ResultBlock[]): ResultBlock[] {
  const result: ResultBlock[] = [];
  let images = 0;
  for (const block of blocks) {
    const last = result.at(-1);
    if (block.type === 'image' && ++images > maxImages) continue;
    if (block.type === 'text' && last?.type === 'text') result[result.length - 1] = { type: 'text', text: `${last.text}\n${block.text}` };
    else result.push(block);
  }
  return result;
}

function cutBlocks(blocks: readonly ResultBlock[]): ResultBlock[] {
  const result: ResultBlock[] = [];
  let room = maxTextChars;
  for (const block of blocks) {
    if (room <= 0) break;
    result.push(block.type === 'text' ? { type: 'text', text: headOf(block.text, room) } : block);
    if (block.type === 'text') room -= block.text.length;
  }
  return [...result, { type: 'text', text: '[PARTIAL view: the notebook is longer. Look at single cells with Bash, for example with `jq .cells[12]`.]' }];
}
