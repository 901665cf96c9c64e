/**
 * The words of an argument string by shell quoting: quotes group, a backslash outside single quotes takes the next
 * character as it is. People type prose too: an apostrophe after a letter (`don't`) and a quote that never closes are
 * ordinary characters.
 */
export function splitArguments(raw: string): string[] {
  const words: string[] = [];
  let word = '';
  let open = false;
  for (let at = 0; at < raw.length; at += 1) {
    const char = raw[at] ?? '';
    if (/\s/.test(char)) {
      if (open) words.push(word);
      word = '';
      open = false;
      continue;
    }
    open = true;
    const quoted = readQuoted(raw, at);
    if (quoted) {
      word += quoted.text;
      at = quoted.end;
    } else if (char === '\\' && at + 1 < raw.length) {
      at += 1;
      word += raw[at] ?? '';
    } else word += char;
  }
  if (open) words.push(word);
  return words;
}

function readQuoted(raw: string, at: number): { readonly text: string; readonly end: number } | undefined {
  const quote = raw[at];
  if (quote !== '"' && quote !== "'") return undefined;
  if (quote === "'" && at > 0 && /[\p{L}\p{N}]/u.test(raw[at - 1] ?? '')) return undefined;
  let text = '';
  for (let i = at + 1; i < raw.length; i += 1) {
    const char = raw[i] ?? '';
    if (char === quote) return { text, end: i };
    if (char === '\\' && quote === '"' && /["\\$`]/.test(raw[i + 1] ?? '')) {
      i += 1;
      text += raw[i] ?? '';
    } else text += char;
  }
  return undefined;
}
