import type { ParsedCommand, SimpleCommand, Word } from './commandTypes';
import { commandName } from './commandWrappers';
import { operands } from './commandPaths';
import { expandHome, normalPath } from './pathForms';

/**
 * The folders a line may be in while it runs: `cd` adds one, none is ever taken away, since it may have failed or run
 * in a subshell. `undefined` once only the shell knows.
 */
export class LineFolders {
  private folders: readonly string[] | undefined;
  private moved = false;
  private readonly loops: boolean;

  constructor(
    cwd: string,
    private readonly homeDir: string,
    command: string,
  ) {
    this.folders = [cwd];
    this.loops = /\b(while|until|for|select|function)\b|\(\s*\)/.test(command);
  }

  /** Whether the line has left the folder it began in. */
  hasMoved(): boolean {
    return this.moved;
  }

  /** Takes in what a part does to the folder. */
  enter(part: SimpleCommand): void {
    const name = commandName(part.words);
    if (name !== 'cd' && name !== 'pushd' && name !== 'popd') return;
    const [target] = operands(part.words.slice(1));
    const before = this.folders;
    const reached = name === 'popd' || target?.text === '-' ? undefined : target ? this.resolve(target) : [this.homeDir];
    const relativeLoop = this.loops && target !== undefined && !target.text.startsWith('/');
    if (!before || !reached || relativeLoop || target?.glob) this.folders = undefined;
    else this.folders = [...new Set([...before, ...reached.map((p) => normalPath(p))])];
    if ((this.folders?.length ?? 0) > 16) this.folders = undefined;
    this.moved ||= this.folders === undefined || this.folders.length > 1;
  }

  /** Every absolute path the word may mean, not normalised; undefined when only the shell knows. */
  resolve(word: Word): readonly string[] | undefined {
    if (word.dynamic) return undefined;
    if (word.tilde) return /^~(\/|$)/.test(word.text) ? [expandHome(word.text, this.homeDir)] : undefined;
    if (/^(\/|\\\\|[A-Za-z]:[\\/])/.test(word.text)) return [word.text];
    return this.folders?.map((folder) => `${folder}/${word.text}`);
  }
}

/** The part of a wildcard path before its first wildcard; undefined when it may climb up after it. */
export function fixedFolder(path: string): string | undefined {
  const segments = path.split('/');
  const wild = segments.findIndex((s) => /[*?[]/.test(s));
  if (wild === -1) return path;
  return segments.slice(wild).includes('..') ? undefined : segments.slice(0, wild).join('/') || '/';
}

export type Parsed = Extract<ParsedCommand, { ok: true }>;
