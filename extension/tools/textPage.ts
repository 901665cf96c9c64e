import { sizeText } from '../platform/fileStore';
import type { LinePage } from '../platform/linePage';
import { displayChars, headOf } from './cutText';
import { failure, text, type ToolResult } from './defineTool';

export interface PageRange {
  readonly from: number;
  readonly maxLines: number;
  readonly maxChars: number;
  readonly maxTokens: number;
  readonly maxLineChars: number;
  /** The caller chose the lines: a page over the limit is refused instead of cut. */
  readonly explicit: boolean;
}

/** The lines of a text in memory; the same shape as a page read from disk. */
export function pageOf(whole: string, range: PageRange): LinePage {
  const all = whole.split('\n');
  if (all.at(-1) === '') all.pop();
  const lines: { text: string; cutBytes: number }[] = [];
  let chars = 0;
  for (const raw of all.slice(range.from - 1, range.from - 1 + range.maxLines)) {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    const kept = headOf(line, range.maxLineChars);
    if (lines.length > 0 && chars + costOf(kept) >= range.maxChars) break;
    lines.push({ text: kept, cutBytes: line.length - kept.length });
    chars += costOf(kept) + 1;
  }
  return { lines, more: range.from - 1 + lines.length < all.length, totalLines: all.length };
}

/** Numbered lines for the model, with what it must know of what is missing. */
export function numberedPage(page: LinePage, range: PageRange, sizeBytes: number): ToolResult & { readonly partial: boolean } {
  const total = page.totalLines;
  if (page.lines.length === 0) {
    const why = total === 0 || sizeBytes === 0 ? 'The file is empty.' : `The file has only ${total} lines, so there is nothing at line ${range.from}. Use a smaller offset.`;
    return { ...text(`[${why}]`, { note: 'empty' }), partial: total !== 0 };
  }
  const last = range.from + page.lines.length - 1;
  const body = page.lines.map(({ text: line, cutBytes }, i) => `${String(range.from + i).padStart(6)}\t${line}${cutBytes > 0 ? ` [… line cut, ${cutBytes} more]` : ''}`);
  const whole = total === undefined ? sizeText(sizeBytes) : `${total} lines`;
  const fitted = fitting(body, range.maxChars);
  const overLimit = fitted < body.length || (page.more && page.lines.length < range.maxLines);
  if (range.explicit && overLimit) {
    return { ...failure(`Lines ${range.from} to ${range.from + range.maxLines - 1} are more than the ${range.maxTokens} tokens one call can return. Ask for fewer lines (about ${fitted} fit), or search with Grep.`), partial: true };
  }
  const shownLast = range.from + fitted - 1;
  const content = body.slice(0, fitted).join('\n');
  const partial = range.from > 1 || shownLast < last || page.more || page.lines.some((line) => line.cutBytes > 0);
  const notice = overLimit ? `\n\n[PARTIAL view: lines ${range.from} to ${shownLast} of ${whole}. Read on with offset ${shownLast + 1}, or search with Grep.]` : '';
  return {
    ...text(content + notice, { note: `${fitted} ${fitted === 1 ? 'line' : 'lines'}`, display: { kind: 'text', text: headOf(content, displayChars), ...(content.length > displayChars ? { cut: true } : {}) } }),
    partial,
  };
}

function fitting(lines: readonly string[], maxChars: number): number {
  let chars = 0;
  for (let i = 0; i < lines.length; i += 1) {
    chars += costOf(lines[i] ?? '') + 1;
    if (chars > maxChars && i > 0) return i;
  }
  return lines.length;
}

/** In plain letters: four make a token, while one of most other scripts is about a token by itself. */
function costOf(line: string): number {
  return line.length + 3 * (line.match(/[^\u0000-\u024F]/g)?.length ?? 0);
}
