import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

export interface SinkOptions {
  /** Bytes kept in memory from the start. */
  readonly keepBytes: number;
  /** Where everything goes once it is more than that, and the most bytes written there. */
  readonly spill?: { readonly path: string; readonly maxBytes: number };
}

const tailBytes = 16 * 1024;

/** Takes a program's output without limit: the start and the end stay in memory, the whole goes to a file. */
export class OutputSink {
  private readonly head: Buffer[] = [];
  private headBytes = 0;
  private tail: Buffer = Buffer.alloc(0);
  private fd: number | undefined;
  private filed = 0;
  total = 0;

  constructor(private readonly options: SinkOptions) {}

  write(chunk: Buffer): void {
    this.total += chunk.length;
    const fits = this.fd === undefined && this.headBytes + chunk.length <= this.options.keepBytes;
    if (!fits) this.openFile();
    this.toFile(chunk);
    const room = this.options.keepBytes - this.headBytes;
    if (room > 0) {
      this.head.push(chunk.length <= room ? chunk : chunk.subarray(0, room));
      this.headBytes += Math.min(room, chunk.length);
    }
    if (chunk.length >= tailBytes) this.tail = Buffer.from(chunk.subarray(chunk.length - tailBytes));
    else {
      const all = Buffer.concat([this.tail, chunk]);
      this.tail = all.length > tailBytes ? all.subarray(all.length - tailBytes) : all;
    }
  }

  /** The file that has (or, past its limit, had until then) all output; made now if there is none yet. */
  openFile(): string | undefined {
    const { spill } = this.options;
    if (!spill || this.fd !== undefined) return spill?.path;
    mkdirSync(dirname(spill.path), { recursive: true });
    this.fd = openSync(spill.path, 'w', 0o600);
    for (const kept of this.head) this.toFile(kept);
    return spill.path;
  }

  captured(): CapturedOutput {
    return {
      head: Buffer.concat(this.head).toString('utf8'),
      tail: this.tail.toString('utf8'),
      totalBytes: this.total,
      whole: this.total === this.headBytes,
      file: this.fd === undefined && this.filed === 0 ? undefined : this.options.spill?.path,
      fileBytes: this.filed,
      spillPath: this.options.spill?.path,
    };
  }

  close(): void {
    if (this.fd !== undefined) closeSync(this.fd);
    this.fd = undefined;
  }

  private toFile(chunk: Buffer): void {
    if (this.fd === undefined || !this.options.spill) return;
    const room = this.options.spill.maxBytes - this.filed;
    if (room <= 0) return;
    const part = chunk.length <= room ? chunk : chunk.subarray(0, room);
    for (let at = 0; at < part.length; ) at += writeSync(this.fd, part, at);
    this.filed += part.length;
  }
}

export interface CapturedOutput {
  readonly head: string;
  readonly tail: string;
  readonly totalBytes: number;
  /** `head` is everything. */
  readonly whole: boolean;
  readonly file: string | undefined;
  readonly fileBytes: number;
  /** Where `file` is or would be. */
  readonly spillPath: string | undefined;
}
