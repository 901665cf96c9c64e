import { promises as fs } from 'node:fs';
import { isUtf8 } from 'node:buffer';

export interface LineRange {
  /** First line, from 1. */
  readonly from: number;
  readonly maxLines: number;
  readonly maxBytes: number;
  /** Longer lines are cut here. */
  readonly maxLineBytes: number;
  readonly skipBytes?: number;
  readonly signal?: AbortSignal;
}

export interface LinePage {
  readonly lines: readonly { readonly text: string; readonly cutBytes: number }[];
  /** The page ended because of a limit; there is more. */
  readonly more: boolean;
  /** Known only when the end was reached. */
  readonly totalLines: number | undefined;
}

const chunkBytes = 1024 * 1024;
const newline = 10;

/** Walks the file in chunks; only the lines of the page are kept. */
export async function readLinePage(path: string, range: LineRange): Promise<LinePage> {
  const handle = await fs.open(path, 'r');
  const page = new PageBuilder(range);
  try {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    for (let position = range.skipBytes ?? 0; ; ) {
      range.signal?.throwIfAborted();
      const { bytesRead } = await handle.read(chunk, 0, chunkBytes, position);
      if (bytesRead === 0) return page.finish();
      position += bytesRead;
      if (page.take(chunk.subarray(0, bytesRead))) return page.stopped();
    }
  } finally {
    await handle.close();
  }
}

class PageBuilder {
  private readonly lines: { text: string; cutBytes: number }[] = [];
  private line = 1;
  private parts: Buffer[] = [];
  private kept = 0;
  private length = 0;
  private bytes = 0;

  constructor(private readonly range: LineRange) {}

  /** @returns true when the page is full */
  take(chunk: Buffer): boolean {
    for (let at = 0; at < chunk.length; ) {
      const end = chunk.indexOf(newline, at);
      const stop = end === -1 ? chunk.length : end;
      if (this.line >= this.range.from) {
        if (this.full()) return true;
        this.keep(chunk.subarray(at, stop));
      } else this.length += stop - at;
      if (end === -1) return false;
      this.endLine();
      at = end + 1;
    }
    return false;
  }

  finish(): LinePage {
    if (this.length > 0) this.endLine();
    return { lines: this.lines, more: false, totalLines: this.line - 1 };
  }

  stopped(): LinePage {
    return { lines: this.lines, more: true, totalLines: undefined };
  }

  private full(): boolean {
    return this.lines.length >= this.range.maxLines || (this.lines.length > 0 && this.bytes + Math.min(this.length, this.range.maxLineBytes) >= this.range.maxBytes);
  }

  private keep(part: Buffer): void {
    const room = this.range.maxLineBytes - this.kept;
    if (room > 0 && part.length > 0) {
      this.parts.push(Buffer.from(part.subarray(0, room)));
      this.kept += Math.min(room, part.length);
    }
    this.length += part.length;
  }

  private endLine(): void {
    if (this.line >= this.range.from) {
      const bytes = Buffer.concat(this.parts);
      this.lines.push({ text: lineText(bytes, this.length > this.kept), cutBytes: this.length - this.kept });
      this.bytes += bytes.length + 1;
    }
    this.line += 1;
    this.parts = [];
    this.kept = 0;
    this.length = 0;
  }
}

function lineText(bytes: Buffer, cut: boolean): string {
  const body = bytes.at(-1) === 13 ? bytes.subarray(0, -1) : bytes;
  if (isUtf8(body)) return body.toString('utf8');
  if (!cut) return body.toString('latin1');
  const text = body.toString('utf8').replace(/\uFFFD+$/, ''); // the cut may have split a character
  return text.includes('\uFFFD') ? body.toString('latin1') : text;
}
