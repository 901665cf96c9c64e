/** One word of a command after quote removal. */
export interface Word {
  readonly text: string;
  /** Holds something only the shell can know: a variable, a substitution, a brace list. */
  readonly dynamic: boolean;
  /** Unquoted `*`, `?` or `[`: names more than one file, unknown which. */
  readonly glob: boolean;
  /** Starts with an unquoted `~`. */
  readonly tilde: boolean;
  /** As written, quotes included. */
  readonly source: string;
}

export interface Assignment {
  readonly name: string;
  readonly value: string;
}

/**
 * `command` runs a program; `assignment` only sets variables of the shell; `evaluation` is arithmetic or an expansion
 * that can run code hidden in a variable's value (`$((x))`, `${x@P}`), so it is never free.
 */
export interface SimpleCommand {
  readonly kind: 'command' | 'assignment' | 'evaluation';
  /** As written, without redirections. */
  readonly text: string;
  readonly words: readonly Word[];
  readonly assignments: readonly Assignment[];
  /** What a heredoc or herestring gives it to read. */
  readonly input?: string;
}

export interface Redirect {
  readonly target: Word;
  readonly writes: boolean;
}

export type ParsedCommand =
  | { readonly ok: true; readonly parts: readonly SimpleCommand[]; readonly redirects: readonly Redirect[] }
  /** Nothing here may be allowed by a rule or a list. */
  | { readonly ok: false; readonly reason: string };

export type SplitCommand = (command: string) => Promise<ParsedCommand>;

export function plainWord(text: string): Word {
  return { text, dynamic: false, glob: false, tilde: false, source: text };
}
