import { existsSync, type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname, isAbsolute, resolve } from 'node:path';
import type { Disposable } from '../base/disposable';
import { errorText } from '../base/errorText';

export interface WatchedFiles {
  /** Where names that are no absolute paths lie. */
  readonly cwd: string;
  readonly paths: readonly string[];
  readonly onChange: (path: string, event: 'change' | 'add' | 'unlink') => void;
  readonly onProblem: (message: string) => void;
}

/** A burst of writes to one file is told once. */
const settleMs = 50;

/** Watches single files by their folders, so that one that comes later or is replaced is noticed too. */
export function watchFiles({ cwd, paths, onChange, onProblem }: WatchedFiles): Disposable {
  const files = new Set(paths.map((path) => (isAbsolute(path) ? path : resolve(cwd, path))));
  const states = new Map([...files].map((file) => [file, stateOf(file)]));
  const timers = new Map<string, NodeJS.Timeout>();
  const look = (file: string): void => {
    const before = states.get(file);
    const now = stateOf(file);
    if (before === now) return;
    states.set(file, now);
    onChange(file, before === undefined ? 'add' : now === undefined ? 'unlink' : 'change');
  };
  const soon = (file: string): void => {
    clearTimeout(timers.get(file));
    timers.set(file, setTimeout(() => look(file), settleMs).unref());
  };
  const watchers: FSWatcher[] = [];
  for (const dir of new Set([...files].map(dirname))) {
    const names = new Map([...files].filter((file) => dirname(file) === dir).map((file) => [basename(file), file]));
    try {
      if (!existsSync(dir)) continue;
      const watcher = watch(dir, { persistent: false }, (_event, name) => {
        for (const [own, file] of names) if (name === null || name === own) soon(file);
      });
      watcher.on('error', () => watcher.close());
      watchers.push(watcher);
    } catch (thrown) {
      onProblem(`${dir} can't be watched for FileChanged hooks: ${errorText(thrown)}`);
    }
  }
  return {
    dispose: () => {
      for (const timer of timers.values()) clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
    },
  };
}

function stateOf(file: string): string | undefined {
  const info = statSync(file, { throwIfNoEntry: false });
  return info?.isFile() ? `${info.mtimeMs} ${info.size} ${info.ino}` : undefined;
}
