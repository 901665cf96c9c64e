/** Why `wanted` was not found, in the words that help most to get it right the next time. */
export function nearMiss(text: string, wanted: string): string {
  if (wanted === '') return 'old_string is empty, which only creates a new file. Give the text to replace, or use Write to replace the whole file.';
  const bare = wanted.replace(/^ *\d+\t/gm, '');
  if (bare !== wanted && text.includes(bare)) return 'old_string was not found: it holds the line numbers that Read puts before each line. Leave the numbers and the tab after them out.';
  const quotes = foundAs(text, wanted, straightQuotes);
  if (quotes) return `old_string was not found, but the file has the same text with other quotation marks (curly instead of straight, or the other way round) at line ${quotes.line}. Copy it exactly:\n${quotes.text}`;
  const blanks = foundLines(text, wanted, (line) => line.trim().replace(/\s+/g, ' '));
  if (blanks) return `old_string was not found, but lines ${blanks.line} to ${blanks.line + blanks.count - 1} differ only in blanks or tabs. Copy them exactly:\n${blanks.text}`;
  const letters = foundAs(text, wanted, (value) => value.toLowerCase());
  if (letters) return `old_string was not found, but line ${letters.line} has it with other upper and lower case. Copy it exactly:\n${letters.text}`;
  return firstLineHint(text, wanted) ?? 'old_string was not found in the file. Read the file again and copy the text to replace exactly, with its indentation.';
}

const maxShown = 2_000;

function straightQuotes(value: string): string {
  return value.replace(/[\u2018\u2019\u201A\u201B]/g, "'").replace(/[\u201C\u201D\u201E\u201F]/g, '"');
}

/** `same` must keep lengths. */
function foundAs(text: string, wanted: string, same: (value: string) => string): { readonly line: number; readonly text: string } | undefined {
  const folded = same(text);
  const at = folded.length === text.length ? folded.indexOf(same(wanted)) : -1;
  if (at === -1) return undefined;
  return { line: text.slice(0, at).split('\n').length, text: text.slice(at, at + wanted.length).slice(0, maxShown) };
}

function foundLines(text: string, wanted: string, same: (line: string) => string): { readonly line: number; readonly count: number; readonly text: string } | undefined {
  const lines = text.split('\n');
  const folded = lines.map(same);
  const looked = wanted.replace(/^\n+|\n+$/g, '').split('\n').map(same);
  if (looked.every((line) => line === '')) return undefined;
  for (let at = 0; at + looked.length <= lines.length; at += 1) {
    if (!looked.every((line, i) => folded[at + i] === line)) continue;
    return { line: at + 1, count: looked.length, text: lines.slice(at, at + looked.length).join('\n').slice(0, maxShown) };
  }
  return undefined;
}

function firstLineHint(text: string, wanted: string): string | undefined {
  const looked = wanted.split('\n');
  const first = looked.find((line) => line.trim() !== '')?.trim();
  if (first === undefined || looked.length < 2) return undefined;
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.trim() === first);
  if (at === -1) return undefined;
  const shown = lines.slice(at, at + looked.length).join('\n').slice(0, maxShown);
  return `old_string was not found. Its first line is at line ${at + 1}, but what follows there differs:\n${shown}`;
}
