/**
 * A body cut into what is live and what is text, by one pass over the text as written: neither arguments nor command
 * output can make a new placeholder.
 */
export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  /** `$ARGUMENTS`: the words as typed. */
  | { readonly kind: 'arguments'; readonly raw: string }
  /** `$0`, `$ARGUMENTS[0]`: one word, counted from 0. */
  | { readonly kind: 'position'; readonly raw: string; readonly index: number }
  /** `$name` of a declared argument. */
  | { readonly kind: 'named'; readonly raw: string; readonly index: number }
  /** `${CLAUDE_…}` and `${user_config.…}`. */
  | { readonly kind: 'variable'; readonly raw: string; readonly name: string }
  /** A backslash that kept a placeholder from being one is dropped. */
  | { readonly kind: 'escape'; readonly raw: string; readonly text: string }
  | { readonly kind: 'shell'; readonly raw: string; readonly command: readonly TemplatePart[] };

export interface Template {
  readonly parts: readonly TemplatePart[];
  /** Paths written as `@path` outside code, in order, each once. */
  readonly mentions: readonly string[];
}

export function parseTemplate(body: string, argumentNames: readonly string[]): Template {
  const holes = placeholderPattern(argumentNames);
  const parts: TemplatePart[] = [];
  let at = 0;
  for (const shell of findShell(body)) {
    parts.push(...cutText(body.slice(at, shell.start), holes, argumentNames));
    parts.push({ kind: 'shell', raw: body.slice(shell.start, shell.end), command: cutText(shell.command, holes, argumentNames) });
    at = shell.end;
  }
  parts.push(...cutText(body.slice(at), holes, argumentNames));
  return { parts, mentions: findMentions(body) };
}

export function hasShellCommands(body: string): boolean {
  return /!`|(?:```|~~~)[ \t]*!/.test(body) && findShell(body).length > 0;
}

interface ShellSpan {
  readonly start: number;
  readonly end: number;
  readonly command: string;
}

interface Fence {
  readonly start: number;
  readonly end: number;
  readonly inner: string;
  readonly isShell: boolean;
}

/** Fenced blocks; a fence that is never closed reaches to the end and is text. */
function findFences(body: string): Fence[] {
  const fences: Fence[] = [];
  const opening = /^[ \t]*(`{3,}|~{3,})(.*)$/gm;
  for (let open = opening.exec(body); open; open = opening.exec(body)) {
    const mark = open[1] ?? '```';
    const info = (open[2] ?? '').trim();
    if (mark.startsWith('`') && info.includes('`')) continue;
    const from = open.index + open[0].length;
    const closing = new RegExp(`^[ \\t]*${mark[0]}{${mark.length},}[ \\t]*$`, 'gm');
    closing.lastIndex = from;
    const close = closing.exec(body);
    const end = close ? close.index + close[0].length : body.length;
    fences.push({ start: open.index, end, inner: close ? body.slice(from + 1, Math.max(from + 1, close.index - 1)) : '', isShell: close !== null && info === '!' });
    opening.lastIndex = end;
  }
  return fences;
}

function findShell(body: string): ShellSpan[] {
  const fences = findFences(body);
  const spans: ShellSpan[] = fences.filter((fence) => fence.isShell).map((fence) => ({ start: fence.start, end: fence.end, command: fence.inner }));
  const inline = /(?<=^|\s)!`([^`\n]+)`/gm;
  for (let match = inline.exec(body); match; match = inline.exec(body)) {
    const { index } = match;
    if (fences.some((fence) => index >= fence.start && index < fence.end)) continue;
    spans.push({ start: index, end: index + match[0].length, command: match[1] ?? '' });
  }
  return spans.sort((a, b) => a.start - b.start);
}

/** Longest name first, so that `$issue_id` is not `$issue` and `_id`. */
function placeholderPattern(names: readonly string[]): RegExp {
  const declared = [...names]
    .filter((name) => /^[A-Za-z_][\w-]*$/.test(name))
    .sort((a, b) => b.length - a.length)
    .join('|');
  const word = `ARGUMENTS\\[\\d+\\]|ARGUMENTS(?!\\w)|\\d+${declared === '' ? '' : `|(?:${declared})(?!\\w)`}`;
  return new RegExp(`(\\\\*)\\$(${word})|\\$\\{((?:CLAUDE_|user_config\\.)\\w+)\\}`, 'g');
}

function cutText(text: string, holes: RegExp, names: readonly string[]): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let at = 0;
  for (const match of text.matchAll(holes)) {
    const slashes = match[1] ?? '';
    const start = match.index + slashes.length;
    const end = match.index + match[0].length;
    if (slashes.length === 1) {
      pushText(parts, text.slice(at, match.index));
      parts.push({ kind: 'escape', raw: match[0], text: text.slice(start, end) });
    } else {
      pushText(parts, text.slice(at, start));
      parts.push(match[3] === undefined ? placeholder(match[2] ?? '', names) : { kind: 'variable', raw: match[0], name: match[3] });
    }
    at = end;
  }
  pushText(parts, text.slice(at));
  return parts;
}

function pushText(parts: TemplatePart[], text: string): void {
  if (text !== '') parts.push({ kind: 'text', text });
}

function placeholder(word: string, names: readonly string[]): TemplatePart {
  const raw = `$${word}`;
  if (word === 'ARGUMENTS') return { kind: 'arguments', raw };
  const index = /^(?:ARGUMENTS\[)?(\d+)\]?$/.exec(word)?.[1];
  return index === undefined ? { kind: 'named', raw, index: names.indexOf(word) } : { kind: 'position', raw, index: Number(index) };
}

/** `@path` at the start of a word and outside code; e-mails and `name@place` are none. */
function findMentions(body: string): string[] {
  if (!body.includes('@')) return [];
  const prose = blankOut(body);
  const found = new Set<string>();
  for (const match of prose.matchAll(/(?<![\w@/\\])@(?:"([^"\n]+)"|([^\s"'<>()[\]{},;`]+))/g)) {
    const path = match[1] ?? (match[2] ?? '').replace(/[.:!?]+$/, '');
    if (path !== '') found.add(path);
  }
  return [...found];
}

/** Code fences, code spans and `!` commands made empty. */
function blankOut(body: string): string {
  let text = body;
  for (const fence of findFences(body)) text = text.slice(0, fence.start) + ' '.repeat(fence.end - fence.start) + text.slice(fence.end);
  return text.replace(/(`+)(?:(?!\1)[^\n])+\1/g, (span) => ' '.repeat(span.length));
}
