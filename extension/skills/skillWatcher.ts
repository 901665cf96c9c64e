import { promises as fs, watch, type FSWatcher } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Disposable } from '../base/disposable';
import { errorText } from '../base/errorText';
import type { Clock } from '../ports';

export interface SkillWatchOptions {
  /** Folders of skills or commands; they need not exist yet. */
  readonly dirs: readonly string[];
  readonly clock: Pick<Clock, 'sleep'>;
  readonly onChange: () => void;
  /** A folder that can't be watched (too many watches): changes there need a reload. */
  readonly onProblem: (message: string) => void;
  /** Quiet time after the last change before `onChange`; 200 when absent. */
  readonly debounceMs?: number;
}

/** Deep enough for `commands/a/b/c.md` and `skills/<name>/SKILL.md`. */
const depth = 3;
const maxWatched = 4_000;

/**
 * Calls `onChange` once after each burst of changes below the folders. A folder that is missing is awaited through its
 * nearest parent that exists, so that a first `.claude/skills` is noticed.
 * @returns resolves when everything is watched
 */
export async function watchSkills(options: SkillWatchOptions): Promise<Disposable> {
  const watcher = new SkillWatcher(options);
  await watcher.rescan();
  return watcher;
}

class SkillWatcher implements Disposable {
  private readonly watched = new Map<string, { readonly watcher: FSWatcher; readonly awaited: string | undefined }>();
  private readonly ended = new AbortController();
  private burst: AbortController | undefined;

  constructor(private readonly options: SkillWatchOptions) {}

  dispose(): void {
    this.ended.abort();
    this.burst?.abort();
    for (const { watcher } of this.watched.values()) watcher.close();
    this.watched.clear();
  }

  /** Watches what has appeared and lets go of what is gone. */
  async rescan(): Promise<void> {
    const wanted = new Map<string, string | undefined>();
    for (const dir of this.options.dirs) await this.collect(dir, wanted);
    if (this.ended.signal.aborted) return;
    for (const [dir, { watcher, awaited }] of this.watched) {
      if (wanted.has(dir) && wanted.get(dir) === awaited) continue;
      watcher.close();
      this.watched.delete(dir);
    }
    for (const [dir, awaited] of wanted) if (!this.watched.has(dir)) this.open(dir, awaited);
  }

  private async collect(dir: string, wanted: Map<string, string | undefined>): Promise<void> {
    if (await isFolder(dir)) {
      await collectBelow(dir, depth, wanted);
      return;
    }
    let child = dir;
    while (!(await isFolder(dirname(child))) && dirname(child) !== child) child = dirname(child);
    const parent = dirname(child);
    // Two missing folders may wait in one parent; then any change there counts.
    wanted.set(parent, wanted.has(parent) && wanted.get(parent) !== child ? undefined : child);
  }

  private open(dir: string, awaited: string | undefined): void {
    try {
      const watcher = watch(dir, { persistent: false }, (_event, name) => {
        if (awaited === undefined || name === null || join(dir, name) === awaited) this.changed();
      });
      watcher.on('error', () => {
        watcher.close();
        this.watched.delete(dir);
        this.changed();
      });
      this.watched.set(dir, { watcher, awaited });
    } catch (thrown) {
      this.options.onProblem(`${dir} can't be watched (${errorText(thrown)}); use "Reload Plugins" after a change there`);
    }
  }

  private changed(): void {
    if (this.ended.signal.aborted) return;
    this.burst?.abort();
    const burst = new AbortController();
    this.burst = burst;
    void this.settle(burst.signal);
  }

  private async settle(signal: AbortSignal): Promise<void> {
    await this.options.clock.sleep(this.options.debounceMs ?? 200, signal);
    if (signal.aborted) return;
    await this.rescan();
    if (!this.ended.signal.aborted) this.options.onChange();
  }
}

async function collectBelow(dir: string, levels: number, wanted: Map<string, string | undefined>): Promise<void> {
  if (wanted.size >= maxWatched) return;
  wanted.set(dir, undefined);
  if (levels === 0) return;
  const entries = await fs.readdir(dir, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const path = join(dir, entry.name);
    if (entry.isDirectory() || (entry.isSymbolicLink() && levels === depth && (await isFolder(path)))) await collectBelow(path, levels - 1, wanted);
  }
}

async function isFolder(path: string): Promise<boolean> {
  return fs.stat(path).then(
    (stat) => stat.isDirectory(),
    () => false,
  );
}
