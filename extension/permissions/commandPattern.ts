import type { Word } from './commandTypes';
import { canonicalCommand } from './powershellNames';
import { splitPattern } from './shellQuoting';
import { piecesMatch } from './wildcard';

/** No word of a command can hold it: lines with it are unparsable. */
const between = '\x1f';

/** The inside of a `Bash(...)` rule, ready to compare. */
export interface CommandPattern {
  readonly exact: boolean;
  /** As written in the rule, for a rule that spells out a whole line. */
  readonly source: string;
  /** Compares word by word, so that a quoted blank is not a border between words. */
  readonly matchesWords: (words: readonly Word[]) => boolean;
  /** The same without regard to case. */
  readonly matchesWordsLoosely: (words: readonly Word[]) => boolean;
  /** Compares loosely, as a deny or ask must: a blank is a blank. */
  readonly matchesText: (text: string) => boolean;
  /** The same without regard to case; `text` is lower case. */
  readonly matchesLoosely: (text: string) => boolean;
}

/**
 * `npm run *` and `npm run:*` end at a word (`npm run`, `npm run x`, not `npm runx`); any other `*` is any text.
 * A `:` elsewhere is only a colon.
 */
export function compileCommandPattern(specifier: string): CommandPattern {
  const text = specifier.trim().replace(/:\*$/, ' *');
  const words = splitPattern(text) ?? text.split(/\s+/).map((w) => [{ text: w, star: false }]);
  const last = words.at(-1);
  const prefix = words.length > 1 && last?.length === 1 && last[0]?.star === true;
  const body = prefix ? words.slice(0, -1) : words;
  const strict = cut(body, between);
  const loose = cut(body, ' ');
  const open = body[0]?.[0]?.star === true;
  const exact = !prefix && strict.length === 1;
  const further = (pieces: readonly string[], border: string): readonly string[] => [...pieces.slice(0, -1), `${pieces.at(-1) ?? ''}${border}`, ''];
  const [strictOpen, looseOpen] = [further(strict, between), further(loose, ' ')];
  const lower = (pieces: readonly string[]): readonly string[] => pieces.map((piece) => piece.toLowerCase());
  const compare = (pieces: readonly string[], openPieces: readonly string[], own: string): boolean => piecesMatch(pieces, own) || (prefix && piecesMatch(openPieces, own));
  return {
    exact,
    source: specifier.trim(),
    matchesWords: (given) => {
      if (given[0] === undefined) return false;
      // A name only the shell knows is matched by nothing but its own spelling.
      if ((given[0].dynamic || given[0].glob) && open) return false;
      return compare(strict, strictOpen, given.map((w) => w.text).join(between));
    },
    matchesWordsLoosely: (given) => {
      if (given[0] === undefined || ((given[0].dynamic || given[0].glob) && open)) return false;
      return compare(lower(strict), lower(strictOpen), given.map((w) => w.text).join(between).toLowerCase());
    },
    matchesText: (given) => compare(loose, looseOpen, given),
    matchesLoosely: (given) => compare(lower(loose), lower(looseOpen), given),
  };
}

/**
 * The inside of a `PowerShell(...)` rule: a backslash is a plain character there, and an alias means its cmdlet.
 */
export function compilePowerShellPattern(specifier: string): CommandPattern {
  const text = specifier.trim();
  const [name = ''] = /^\S+/.exec(text.replace(/:\*$/, ' *')) ?? [];
  const canonical = `${canonicalCommand(name)}${text.slice(name.length)}`;
  return { ...compileCommandPattern(canonical.replace(/('[^']*')|\\/g, (all: string, quoted: string | undefined) => quoted ?? all.repeat(2))), source: text };
}

/** Joins words by `border` and cuts the whole at its stars. */
function cut(words: readonly (readonly { readonly text: string; readonly star: boolean }[])[], border: string): readonly string[] {
  const pieces = [''];
  words.forEach((word, index) => {
    if (index > 0) pieces[pieces.length - 1] += border;
    for (const piece of word) {
      if (piece.star) pieces.push('');
      else pieces[pieces.length - 1] += piece.text;
    }
  });
  return pieces;
}
