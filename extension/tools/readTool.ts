import * as z from 'zod';
import type { FileInfo, FileStore } from '../platform/fileStore';
import { sizeText } from '../platform/fileStore';
import { bomOf, looksBinary } from '../platform/textEncoding';
import { defineTool, failure, type Tool, type ToolContext, type ToolResult, text } from './defineTool';
import { imageTypeOf, readImage } from './readImage';
import { readNotebook } from './readNotebook';
import { readPdf } from './readPdf';
import { noteSeen, noteText } from './knownFiles';
import { numberedPage, pageOf, type PageRange } from './textPage';
import { absolutePath, shownPath } from './toolPaths';

export interface ReadPorts {
  readonly store: FileStore;
  readonly unsavedText?: ((path: string) => string | undefined) | undefined;
  /** Default 25,000. */
  readonly maxTokens?: number | undefined;
}

const input = z.object({
  file_path: z.string().min(1).describe('Path of the file, best absolute'),
  offset: z.coerce.number().int().min(0).optional().describe('First line to show, from 1'),
  limit: z.coerce.number().int().min(1).optional().describe('How many lines to show'),
  pages: z.string().optional().describe('Pages of a PDF, for example "1-5" or "3"; at most 20 at a time'),
});
export type ReadInput = z.infer<typeof input>;

/** Files up to here are read at once; longer ones are walked line by line. */
const wholeBytes = 8 * 1024 * 1024;
const maxLineChars = 2_000;

export function createReadTool(ports: ReadPorts): Tool {
  return defineTool({
    name: 'Read',
    description:
      'Reads a file. Text comes back with line numbers; a long file shows its first part, use offset and limit for the rest. Also shows images, PDF files (give pages for more than 10) and notebooks with their outputs. Folders can not be read: use Glob or ls.',
    kind: 'read',
    input,
    readOnly: true,
    maxResultChars: Number.POSITIVE_INFINITY,
    title: (call) => (call.offset ? `${call.file_path}:${call.offset}` : call.file_path),
    describe: (call, ctx) => {
      const path = absolutePath(call.file_path, ctx.cwd);
      return { title: `read ${shownPath(path, ctx.cwd)}`, paths: [path] };
    },
    run: async (call, ctx) => {
      const result = await readFile(call, ctx, ports);
      return result.isError ? result : { ...result, effects: [{ kind: 'touched', paths: [absolutePath(call.file_path, ctx.cwd)] }] };
    },
  });
}

async function readFile(call: ReadInput, ctx: ToolContext, ports: ReadPorts): Promise<ToolResult> {
  const path = absolutePath(call.file_path, ctx.cwd);
  const unsaved = ports.unsavedText?.(path);
  const info = await ports.store.info(path);
  if (!info) return unsaved === undefined ? failure(await notFoundText(path, call.file_path, ctx, ports)) : readUnsaved(unsaved, call, ports);
  const start = info.kind === 'file' ? await ports.store.start(path, 8192) : await ports.store.readBytes(path, 0);
  if (!start.ok) return failure(start.problem.message);
  const real = await ports.store.realPath(path);
  const lower = path.toLowerCase();
  if (lower.endsWith('.ipynb')) return readNotebook({ path, real, files: ctx.files, store: ports.store });
  if (start.value.subarray(0, 5).toString('latin1') === '%PDF-') return readPdf({ path, pages: call.pages, store: ports.store });
  const imageType = imageTypeOf(start.value);
  if (imageType) return readImage({ path, real, type: imageType, info, files: ctx.files, store: ports.store });
  if (looksBinary(start.value)) {
    return failure(`${path} is a binary file (${sizeText(info.sizeBytes)}) and can't be shown as text. Use Bash with a program that understands it, for example \`file\`, \`strings\` or \`xxd | head\`.`);
  }
  if (unsaved !== undefined) {
    await noteSeen(ports.store, ctx.files, real, false);
    return readUnsaved(unsaved, call, ports);
  }
  return readText({ call, path, real, info, utf16: bomOf(start.value)?.encoding.startsWith('utf16') ?? false, ctx, ports });
}

interface TextRead {
  readonly call: ReadInput;
  readonly path: string;
  readonly real: string;
  readonly info: FileInfo;
  readonly utf16: boolean;
  readonly ctx: ToolContext;
  readonly ports: ReadPorts;
}

async function readText({ call, path, real, info, utf16, ctx, ports }: TextRead): Promise<ToolResult> {
  const range = rangeOf(call, ports);
  if (utf16 || info.sizeBytes <= wholeBytes) {
    const file = await ports.store.readText(path, utf16 ? wholeBytes * 4 : wholeBytes);
    if (!file.ok) return failure(file.problem.message);
    const page = pageOf(file.value.text, range);
    const shown = numberedPage(page, range, info.sizeBytes);
    if (!shown.isError) noteText(ctx.files, real, file.value, shown.partial);
    return shown;
  }
  const page = await ports.store.readLines(path, { from: range.from, maxLines: range.maxLines, maxBytes: range.maxChars + 1, maxLineBytes: maxLineChars, signal: ctx.signal });
  if (!page.ok) return failure(page.problem.message);
  const shown = numberedPage(page.value, range, info.sizeBytes);
  if (!shown.isError) await noteSeen(ports.store, ctx.files, real, shown.partial);
  return shown;
}

function readUnsaved(unsaved: string, call: ReadInput, ports: ReadPorts): ToolResult {
  const range = rangeOf(call, ports);
  const shown = numberedPage(pageOf(unsaved, range), range, unsaved.length);
  if (typeof shown.content !== 'string') return shown;
  const { content, partial: _partial, ...more } = shown;
  return text(`${content}\n\n[This is the text in the editor, with changes that are not saved to disk yet.]`, more);
}

function rangeOf(call: ReadInput, ports: ReadPorts): PageRange {
  const maxTokens = ports.maxTokens ?? 25_000;
  const explicit = call.limit !== undefined;
  return { from: Math.max(1, call.offset ?? 1), maxLines: call.limit ?? Number.MAX_SAFE_INTEGER, maxChars: maxTokens * 4, maxTokens, maxLineChars, explicit };
}

async function notFoundText(path: string, given: string, ctx: ToolContext, ports: ReadPorts): Promise<string> {
  const at = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
  const name = path.slice(at + 1).toLowerCase();
  const siblings = await ports.store.list(path.slice(0, at) || '/');
  const stem = name.replace(/\.[^.]*$/, '');
  const similar = siblings.filter((e) => !e.folder && stem !== '' && e.name.toLowerCase().replace(/\.[^.]*$/, '') === stem).map((e) => e.name);
  const relative = given === path ? '' : ` (taken from ${ctx.cwd})`;
  return `${path}${relative} does not exist.${similar.length > 0 ? ` In that folder there is ${similar.slice(0, 3).join(', ')}.` : ' Find it with Glob.'}`;
}
