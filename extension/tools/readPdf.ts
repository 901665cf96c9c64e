import { err, ok, type Result } from '../base/result';
import { type FileStore, sizeText } from '../platform/fileStore';
import { failure, type ToolResult } from './defineTool';

const maxPdfBytes = 100 * 1024 * 1024;
/** Models take 32 MB per request, base64 included. */
const maxSentBytes = 20 * 1024 * 1024;
const maxWithoutPages = 10;
const maxPages = 20;

export async function readPdf(pdf: { readonly path: string; readonly pages: string | undefined; readonly store: FileStore }): Promise<ToolResult> {
  const bytes = await pdf.store.readBytes(pdf.path, maxPdfBytes);
  if (!bytes.ok) return failure(bytes.problem.message);
  const { PDFDocument } = await import('pdf-lib');
  // A damaged file may load and then have no page tree.
  const opened = await PDFDocument.load(bytes.value, { ignoreEncryption: true, updateMetadata: false })
    .then((source) => ({ source, total: source.getPageCount() }))
    .catch(() => undefined);
  if (!opened) return failure(`${pdf.path} can't be opened as a PDF; it may be damaged. Try \`pdftotext\` in Bash.`);
  const { source, total } = opened;
  if (pdf.pages === undefined && total <= maxWithoutPages) return documentResult(pdf.path, bytes.value, `${total} pages`);
  if (pdf.pages === undefined) return failure(`${pdf.path} has ${total} pages. Say which to read with pages, for example "1-5"; at most ${maxPages} at a time.`);
  const range = pageRange(pdf.pages, total);
  if (!range.ok) return failure(range.problem);
  if (source.isEncrypted) return failure(`${pdf.path} is encrypted, so single pages can't be taken out. Try \`pdftotext -f ${range.value.first} -l ${range.value.last}\` in Bash.`);
  const part = await PDFDocument.create();
  const indices = Array.from({ length: range.value.last - range.value.first + 1 }, (_, i) => range.value.first - 1 + i);
  for (const page of await part.copyPages(source, indices)) part.addPage(page);
  return documentResult(pdf.path, Buffer.from(await part.save()), `pages ${range.value.first}-${range.value.last} of ${total}`);
}

/** "3", "1-5", "7-" (to the end, at most 20). */
export function pageRange(pages: string, total: number): Result<{ readonly first: number; readonly last: number }, string> {
  const match = pages.trim().match(/^(\d+)(?:\s*-\s*(\d*))?$/);
  if (!match) return err(`pages "${pages}" is not a page or range. Write it like "3" or "1-5".`);
  const first = Number(match[1]);
  const open = match[2] === '';
  const last = match[2] === undefined ? first : open ? Math.min(total, first + maxPages - 1) : Number(match[2]);
  if (first < 1 || last < first) return err(`pages "${pages}" is not a range: pages count from 1, and the second number must not be smaller than the first.`);
  if (first > total) return err(`The PDF has only ${total} pages, so there is no page ${first}.`);
  if (last - first + 1 > maxPages) return err(`pages "${pages}" are ${last - first + 1} pages; at most ${maxPages} can be read at a time. Start with "${first}-${first + maxPages - 1}".`);
  return ok({ first, last: Math.min(last, total) });
}

function documentResult(path: string, bytes: Buffer, note: string): ToolResult {
  if (bytes.length > maxSentBytes) return failure(`${path} (${note}) is ${sizeText(bytes.length)}; at most ${sizeText(maxSentBytes)} can be sent. Ask for fewer pages, or use \`pdftotext\` in Bash.`);
  const title = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return {
    content: [{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: bytes.toString('base64') }, title }],
    note,
    display: { kind: 'text', text: `PDF, ${note}, ${sizeText(bytes.length)}` },
  };
}
