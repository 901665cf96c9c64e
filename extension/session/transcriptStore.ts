import { closeSync, existsSync, fstatSync, fsyncSync, mkdirSync, openSync, promises as fs, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { errorText } from '../base/errorText';
import type { DurableEvent } from '../protocol/events';
import type { EventSink } from './eventLog';

export const eventsFile = 'events.jsonl';

/** What the person must know when the disk refuses: told once per failure, and when it works again. */
export interface WriteTrouble {
  readonly onTrouble: (message: string) => void;
  readonly onRecovered: () => void;
}

/**
 * One session's events as JSON lines, append-only. `append` writes at once. What can't be written (full disk) is kept
 * in memory and written, in order, with the next append; nothing is dropped while the process lives.
 */
export class TranscriptStore implements EventSink {
  private unwritten: Buffer[] = [];
  private troubled = false;
  private frozen = false;

  private constructor(
    private readonly fd: number,
    private readonly trouble: WriteTrouble,
    private readonly writeBytes: typeof writeSync,
  ) {}

  /** @param write in place of `fs.writeSync`, for a disk that refuses @throws when the folder can't be made or the file can't be opened */
  static open(sessionDir: string, trouble: WriteTrouble, write: typeof writeSync = writeSync): TranscriptStore {
    mkdirSync(sessionDir, { recursive: true, mode: 0o700 });
    const fd = openSync(join(sessionDir, eventsFile), 'a+', 0o600);
    const store = new TranscriptStore(fd, trouble, write);
    if (endsTorn(fd)) store.write(Buffer.from('\n')); // a crash cut the last line: it stands alone and is skipped
    return store;
  }

  /** Nothing is written from here on: the session is being closed in the middle of its work. */
  freeze(): void {
    this.frozen = true;
  }

  append(event: DurableEvent): void {
    if (this.frozen) return;
    this.write(Buffer.from(`${JSON.stringify(event)}\n`));
  }

  sync(): void {
    if (this.frozen) return;
    try {
      fsyncSync(this.fd);
    } catch (thrown) {
      this.failed(thrown);
    }
  }

  close(): void {
    this.flush();
    closeSync(this.fd);
  }

  private write(line: Buffer): void {
    this.unwritten.push(line);
    this.flush();
  }

  private flush(): void {
    try {
      for (let next = this.unwritten[0]; next; next = this.unwritten[0]) {
        const written = this.writeBytes(this.fd, next);
        if (written < next.length) this.unwritten[0] = next.subarray(written);
        else this.unwritten.shift();
      }
      if (this.troubled) {
        this.troubled = false;
        this.trouble.onRecovered();
      }
    } catch (thrown) {
      this.failed(thrown);
    }
  }

  private failed(thrown: unknown): void {
    if (this.troubled) return;
    this.troubled = true;
    this.trouble.onTrouble(errorText(thrown));
  }
}

function endsTorn(fd: number): boolean {
  const { size } = fstatSync(fd);
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  readSync(fd, last, 0, 1, size - 1);
  return last[0] !== 0x0a;
}

/**
 * All events on record, oldest first. Lines that are torn, foreign or out of order are skipped and counted: a
 * damaged line, or one of a newer version, never hides the rest.
 */
export async function readTranscript(sessionDir: string): Promise<{ readonly events: readonly DurableEvent[]; readonly skipped: number }> {
  const path = join(sessionDir, eventsFile);
  if (!existsSync(path)) return { events: [], skipped: 0 };
  const { parseDurableEvent } = await import('../protocol/events'); // only reading needs the shapes
  const handle = await fs.open(path, 'r');
  const events: DurableEvent[] = [];
  let skipped = 0;
  try {
    for await (const line of handle.readLines()) {
      if (line === '') continue;
      const event = parseLine(line, parseDurableEvent);
      if (event && event.seq > (events.at(-1)?.seq ?? 0)) events.push(event);
      else skipped++;
    }
  } finally {
    await handle.close();
  }
  return { events, skipped };
}

function parseLine(line: string, parse: (value: unknown) => DurableEvent | undefined): DurableEvent | undefined {
  try {
    return parse(JSON.parse(line));
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}
