import { relative } from 'node:path';
import type { RipgrepRunner } from '../platform/ripgrepRunner';
import type { Clock, Log } from '../ports';

export interface FileIndexPorts {
  readonly ripgrep: RipgrepRunner;
  readonly root: string;
  readonly clock: Clock;
  readonly log: Log;
}

const freshMs = 5_000;

/** The files of the project for the `@` menu: what git does not ignore, read at first need and again when it grows old. */
export class FileIndex {
  private files: readonly string[] = [];
  private readAtMs = Number.NEGATIVE_INFINITY;
  private reading: Promise<void> | undefined;

  constructor(private readonly ports: FileIndexPorts) {}

  /** Project-relative paths, best match first. */
  async search(query: string, limit: number): Promise<{ files: string[]; cut: boolean }> {
    if (this.ports.clock.nowMs() - this.readAtMs > freshMs) {
      this.reading ??= this.read();
      await this.reading;
    }
    const ranked = rankFiles(this.files, query);
    return { files: ranked.slice(0, limit), cut: ranked.length > limit };
  }

  private async read(): Promise<void> {
    const { ripgrep, root, clock, log } = this.ports;
    const listed = await ripgrep.search(['--files', '--hidden', '--glob', '!.git', '--glob', '!.claude/worktrees', '.'], { cwd: root, signal: AbortSignal.timeout(10_000) });
    if (listed.ok) this.files = listed.value.stdout.split('\n').filter((line) => line !== '').map((line) => relative('.', line));
    else log.warn(`Files could not be listed: ${listed.problem}`);
    this.readAtMs = clock.nowMs();
    this.reading = undefined;
  }
}

/** Names that begin with the query, then names that hold it, then paths that hold it, then paths that hold its letters in order. */
export function rankFiles(files: readonly string[], query: string): string[] {
  const wanted = query.toLowerCase();
  if (wanted === '') return [...files].sort((a, b) => depth(a) - depth(b) || compare(a, b));
  const scored = files.map((path) => ({ path, score: scoreOf(path.toLowerCase(), wanted) })).filter((entry) => entry.score > 0);
  return scored.sort((a, b) => b.score - a.score || a.path.length - b.path.length || compare(a.path, b.path)).map((entry) => entry.path);
}

function scoreOf(path: string, wanted: string): number {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === wanted || path === wanted) return 6;
  if (name.startsWith(wanted)) return 5;
  if (name.includes(wanted)) return 4;
  if (path.startsWith(wanted)) return 3;
  if (path.includes(wanted)) return 2;
  let at = 0;
  for (const char of path) if (char === wanted[at]) at++;
  return at === wanted.length ? 1 : 0;
}

function depth(path: string): number {
  return path.split('/').length;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
