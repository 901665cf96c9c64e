/** A line is one message; a longer one is dropped, not kept in memory. */
export const maxMessageBytes = 32 * 1024 * 1024;

export interface LineFeedPorts {
  readonly onLine: (line: string) => void;
  /** A line over the limit: how it began, and its whole length. */
  readonly onTooLong: (head: string, bytes: number) => void;
  readonly maxBytes?: number;
}

/** Cuts a stream of bytes into lines. What a broken server writes can't fill the memory. */
export class LineFeed {
  private parts: Buffer[] = [];
  private bytes = 0;
  private head = '';

  constructor(private readonly ports: LineFeedPorts) {}

  take(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      this.keep(chunk.subarray(from, end));
      this.finish();
      from = end + 1;
    }
    if (from < chunk.length) this.keep(chunk.subarray(from));
  }

  private keep(part: Buffer): void {
    this.bytes += part.length;
    if (this.bytes <= (this.ports.maxBytes ?? maxMessageBytes)) {
      this.parts.push(part);
      return;
    }
    if (this.parts.length > 0) this.head = Buffer.concat(this.parts).toString('utf8', 0, 1_000);
    this.parts = [];
  }

  private finish(): void {
    const { parts, bytes, head } = this;
    this.parts = [];
    this.bytes = 0;
    this.head = '';
    if (bytes > (this.ports.maxBytes ?? maxMessageBytes)) return this.ports.onTooLong(head, bytes);
    const line = Buffer.concat(parts).toString('utf8').replace(/\r$/, '');
    if (line.trim() !== '') this.ports.onLine(line);
  }
}

/** The id of a response whose text was too long to keep, when it stands at the start. */
export function idOf(head: string): number | undefined {
  const match = /^[^[]{0,200}?"id"\s*:\s*(\d+)/.exec(head);
  return match?.[1] === undefined ? undefined : Number(match[1]);
}
