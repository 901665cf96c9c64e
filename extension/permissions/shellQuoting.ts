import type { Word } from './commandTypes';

/** An unquoted word: backslashes go, globs and a leading tilde are noted. */
export function readBareWord(source: string): Word {
  let text = '';
  let glob = false;
  for (let i = 0; i < source.length; i++) {
    const char = source[i] ?? '';
    if (char === '\\') {
      i++;
      if (source[i] !== '\n') text += source[i] ?? '';
      continue;
    }
    if (char === '*' || char === '?' || char === '[') glob = true;
    text += char;
  }
  return { text, dynamic: false, glob, tilde: source.startsWith('~'), source };
}

/** Inside double quotes a backslash only escapes these. */
export function unescapeDouble(source: string): string {
  return source.replace(/\\([$`"\\\n])/g, (_all, char: string) => (char === '\n' ? '' : char));
}

const ansiEscapes: Readonly<Record<string, string>> = { a: '\x07', b: '\b', e: '\x1b', E: '\x1b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** The value of `$'…'`. */
export function unescapeAnsi(body: string): string {
  return body.replace(/\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,6})|([0-7]{1,3})|c(.)|([\s\S]))/g, (_all, ...groups: (string | undefined)[]) => {
    const [x, u, wide, octal, control, char] = groups;
    const hex = x ?? u ?? wide;
    if (hex !== undefined) return String.fromCodePoint(Math.min(Number.parseInt(hex, 16), 0x10ffff));
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
    if (control !== undefined) return String.fromCharCode(control.charCodeAt(0) & 0x1f);
    return ansiEscapes[char ?? ''] ?? char ?? '';
  });
}

/** Quotes a word so that a shell reads it back as it is. */
export function quoteWord(text: string): string {
  if (/^[A-Za-z0-9_./:=@%+,~-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * Splits a rule's text into words as a shell would, keeping `*` outside quotes apart.
 * @returns undefined when quotes are not closed
 */
export function splitPattern(text: string): readonly (readonly { readonly text: string; readonly star: boolean }[])[] | undefined {
  const words: { text: string; star: boolean }[][] = [];
  let word: { text: string; star: boolean }[] | undefined;
  const add = (piece: string, star = false): void => {
    word ??= [];
    const last = word.at(-1);
    if (!star && last && !last.star) last.text += piece;
    else word.push({ text: piece, star });
  };
  for (let i = 0; i < text.length; i++) {
    const char = text[i] ?? '';
    if (/\s/.test(char)) {
      if (word) words.push(word);
      word = undefined;
    } else if (char === '\\') {
      i++;
      add(text[i] ?? '\\');
    } else if (char === "'" || char === '"') {
      const end = closingQuote(text, i);
      if (end === -1) return undefined;
      const body = text.slice(i + 1, end);
      add(char === '"' ? unescapeDouble(body) : body);
      i = end;
    } else add(char === '*' ? '' : char, char === '*');
  }
  if (word) words.push(word);
  return words;
}

function closingQuote(text: string, start: number): number {
  const quote = text[start];
  for (let i = start + 1; i < text.length; i++) {
    if (quote === '"' && text[i] === '\\') i++;
    else if (text[i] === quote) return i;
  }
  return -1;
}
