import { type FileStore, sizeText } from '../platform/fileStore';
import type { CapturedOutput } from '../platform/outputSink';
import type { ProcessEnd } from '../platform/processRunner';
import { exitOneIsFine } from './bashHints';
import { displayChars, excerpt, headOf, tailOf } from './cutText';
import { failure, text, type ToolResult } from './defineTool';

const successChars = 30_000;
const mostChars = 150_000;
const failureChars = 10_000;
const previewChars = 4_000;

/** What the model reads of a command that has ended. */
export async function bashResult(run: {
  readonly command: string;
  readonly end: ProcessEnd;
  readonly timeoutMs: number;
  readonly maxChars: number | undefined;
  readonly store: FileStore;
  readonly pid: number;
}): Promise<ToolResult & { readonly content: string }> {
  const { end, command } = run;
  const out = end.stdout;
  const output = out.whole ? out.head.replace(/^(\s*\n)+/, '').trimEnd() : out.head;
  const good = end.reason === 'exit' && (end.exitCode === 0 || (end.exitCode === 1 && exitOneIsFine(command, output)));
  const limit = Math.min(Math.max(run.maxChars ?? successChars, 1_000), mostChars);
  const keepFile = (good || end.reason !== 'exit') && !(out.whole && output.length <= limit);
  const kept = keepFile ? out.file : undefined;
  if (out.file !== undefined && !keepFile) await run.store.remove(out.file);
  const fullPath = keepFile ? (kept ?? (await writeWhole(run.store, out))) : undefined;
  const body = good ? successBody(out, output, limit, fullPath) : failureBody(out, output, fullPath);
  const head = headline(end, run.timeoutMs, good);
  const left = end.leftover && end.reason === 'exit' ? `[Something this command started is still running (process group ${run.pid}). It ends with the session; for servers use run_in_background.]` : '';
  const content = [head, body, left].filter((part) => part !== '').join('\n');
  const more = {
    note: noteOf(end),
    display: {
      kind: 'output' as const,
      text: excerpt(out.whole ? output : `${headOf(out.head, displayChars)}\n${tailOf(out.tail, displayChars)}`, displayChars),
      ...(end.exitCode === null ? {} : { exitCode: end.exitCode }),
      ...(out.totalBytes > displayChars ? { cutBytes: out.totalBytes - displayChars } : {}),
      ...(fullPath === undefined ? {} : { fullPath }),
    },
  };
  const result = good ? text(content === '' ? '[The command ended without output.]' : content, more) : failure(content, more);
  return { ...result, content: typeof result.content === 'string' ? result.content : content };
}

function headline(end: ProcessEnd, timeoutMs: number, good: boolean): string {
  if (end.reason === 'timeout') return `The command ran longer than ${timeoutMs} ms and was ended, with everything it had started. Give a longer timeout (at most 600000), or run it with run_in_background.`;
  if (end.reason === 'stopped') return 'The command was stopped by the person before it ended.';
  if (end.reason === 'outputLimit') return 'The command wrote more than 5 GB and was ended. Send its output to a file, or filter it.';
  if (good) return '';
  return end.exitCode === null ? `The command was ended by the signal ${end.signal}.` : `Exit code ${end.exitCode}`;
}

function noteOf(end: ProcessEnd): string {
  if (end.reason === 'timeout') return 'timed out';
  if (end.reason !== 'exit') return 'stopped';
  return end.exitCode === null ? `${end.signal}` : `exit ${end.exitCode}`;
}

function successBody(out: CapturedOutput, output: string, limit: number, fullPath: string | undefined): string {
  if (out.whole && output.length <= limit) return output;
  const cap = out.fileBytes > 0 && out.fileBytes < out.totalBytes ? ` (the file ends after ${sizeText(out.fileBytes)})` : '';
  return `The output is ${sizeText(out.totalBytes)}, too long to show. All of it is in ${fullPath ?? 'no file'}${cap}: use Grep, or Read with offset and limit.\nIt begins:\n${headOf(out.head, previewChars)}\n[…]\nand ends:\n${tailOf(out.whole ? output : out.tail, previewChars)}`;
}

function failureBody(out: CapturedOutput, output: string, fullPath: string | undefined): string {
  if (out.whole && output.length <= failureChars) return output;
  const half = failureChars / 2;
  const end = tailOf(out.whole ? output : out.tail, half);
  const where = fullPath === undefined ? '' : `; all of it is in ${fullPath}`;
  return `${headOf(out.head, half)}\n[… of ${sizeText(out.totalBytes)} the middle is left out${where} …]\n${end}`;
}

/** For output that fits the memory but not the conversation. */
async function writeWhole(store: FileStore, out: CapturedOutput): Promise<string | undefined> {
  if (out.spillPath === undefined) return undefined;
  const written = await store.writeBytes(out.spillPath, Buffer.from(out.head, 'utf8'));
  return written.ok ? out.spillPath : undefined;
}
