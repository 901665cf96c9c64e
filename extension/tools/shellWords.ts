/** One simple command of a line: its words after quote removal, and what joins it to the one before. */
export interface SimpleCommand {
  readonly words: readonly string[];
  readonly joinedBy: '' | '|' | '&&' | '||' | ';' | '&';
  readonly redirects: boolean;
}

/**
 * A rough reading of a shell line, for hints only (never for permissions, which have a real parser).
 * @returns undefined for what it can't read: unclosed quotes or brackets, here-documents, control words
 */
export function shellCommands(line: string): readonly SimpleCommand[] | undefined {
  const commands: SimpleCommand[] = [];
  let words: string[] = [];
  let word: string | undefined;
  let redirects = false;
  let joinedBy: SimpleCommand['joinedBy'] = '';
  const endWord = (): void => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  const endCommand = (next: SimpleCommand['joinedBy']): void => {
    endWord();
    if (words.length > 0) commands.push({ words, joinedBy, redirects });
    words = [];
    redirects = false;
    joinedBy = next;
  };
  for (let at = 0; at < line.length; ) {
    const quoted = quotedPart(line, at);
    if (quoted === 'broken') return undefined;
    if (quoted) {
      word = (word ?? '') + quoted.text;
      at = quoted.end;
      continue;
    }
    const char = line.charAt(at);
    const two = line.slice(at, at + 2);
    if (two === '<<') return undefined;
    if (two === '&&' || two === '||') {
      endCommand(two);
      at += 2;
      continue;
    }
    if (char === '>' || char === '<') {
      redirects = true;
      word = undefined; // the number before it, if any
      at += line.slice(at).match(/^[<>&|]+\s*/)?.[0].length ?? 1;
      const target = line.slice(at).match(/^[^\s;&|<>]+/)?.[0] ?? '';
      at += target.length;
      continue;
    }
    if (char === '|' || char === ';' || char === '&' || char === '\n') endCommand(char === '\n' ? ';' : char === '|' || char === '&' ? char : ';');
    else if (char === '(' || char === ')' || char === '{' || char === '}') return word === undefined || char === '(' || char === ')' ? undefined : undefined;
    else if (/\s/.test(char)) endWord();
    else if (char === '#' && word === undefined) at = line.indexOf('\n', at) === -1 ? line.length : line.indexOf('\n', at) - 1;
    else word = (word ?? '') + char;
    at += 1;
  }
  endCommand('');
  return commands.some((c) => controlWords.has(c.words[0] ?? '')) ? undefined : commands;
}

const controlWords = new Set(['if', 'then', 'else', 'elif', 'fi', 'for', 'while', 'until', 'do', 'done', 'case', 'esac', 'function', 'select', '!', '[[', 'time', 'coproc']);

/** Quotes, escapes, `$()`, `${}` and backticks starting at `at`; their inside stays as it is. */
function quotedPart(line: string, at: number): { readonly text: string; readonly end: number } | 'broken' | undefined {
  const char = line.charAt(at);
  if (char === '\\') return at + 1 < line.length ? { text: line.charAt(at + 1) === '\n' ? '' : line.charAt(at + 1), end: at + 2 } : 'broken';
  if (char === "'" || char === '`') {
    const end = line.indexOf(char, at + 1);
    return end === -1 ? 'broken' : { text: line.slice(at + 1, end), end: end + 1 };
  }
  if (char === '"') return doubleQuoted(line, at);
  const two = line.slice(at, at + 2);
  if (two === '$(' || two === '${') return bracketed(line, at, two === '$(' ? '()' : '{}');
  return undefined;
}

function doubleQuoted(line: string, start: number): { readonly text: string; readonly end: number } | 'broken' {
  let text = '';
  for (let at = start + 1; at < line.length; at += 1) {
    const char = line.charAt(at);
    if (char === '"') return { text, end: at + 1 };
    if (char === '\\') {
      at += 1;
      text += line.charAt(at);
    } else if (line.startsWith('$(', at)) {
      const inner = bracketed(line, at, '()');
      if (inner === 'broken') return 'broken';
      text += inner.text;
      at = inner.end - 1;
    } else text += char;
  }
  return 'broken';
}

function bracketed(line: string, start: number, pair: '()' | '{}'): { readonly text: string; readonly end: number } | 'broken' {
  let depth = 0;
  for (let at = start + 1; at < line.length; ) {
    const char = line.charAt(at);
    if (char === pair.charAt(0)) depth += 1;
    if (char === pair.charAt(1) && --depth === 0) return { text: line.slice(start, at + 1), end: at + 1 };
    const quoted = char === '"' || char === "'" || char === '\\' ? quotedPart(line, at) : undefined;
    if (quoted === 'broken') return 'broken';
    at = quoted ? quoted.end : at + 1;
  }
  return 'broken';
}
