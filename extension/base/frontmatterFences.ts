import { isKnownKey, keyOfLine } from './frontmatterKeys';
import type { Problem } from './problem';

export interface LocatedBlock {
  /** Text between the fences, without them; absent when the file has no block. */
  readonly block: string | undefined;
  readonly blockStartLine: number;
  readonly body: string;
  readonly bodyStartLine: number;
  readonly irregular?: Problem;
}

const closeFence = /^---[ \t]*$/m;

/** Finds the block and the body. Byte-order mark and CR LF are taken off. */
export function locateBlock(text: string): LocatedBlock {
  const clean = normalise(text);
  if (/^---[ \t]*\n/.test(clean)) return regular(clean) ?? withoutClose(clean.split('\n'), 0, 'the block is never closed');
  if (!/^\s*(?:---|```|~~~|[A-Za-z_][\w-]*[ \t]*:)/.test(clean)) return whole(clean);
  return irregularStart(clean.split('\n'));
}

function normalise(text: string): string {
  const plain = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  return plain.includes('\r') ? plain.replace(/\r\n?/g, '\n') : plain;
}

function whole(text: string): LocatedBlock {
  return { block: undefined, blockStartLine: 1, body: text, bodyStartLine: 1 };
}

/** The usual file: `---` on the first line and again later, and no Markdown heading with prose in between. */
function regular(text: string): LocatedBlock | undefined {
  const start = text.indexOf('\n') + 1;
  const close = closeFence.exec(text.slice(start));
  if (!close) return undefined;
  const block = text.slice(start, start + close.index);
  if (/^#{1,6} /m.test(block) && bodyInside(block.split('\n')) !== undefined) return undefined;
  const end = start + close.index + close[0].length;
  return { block, blockStartLine: 2, body: text.slice(end + 1), bodyStartLine: lineCount(block) + 3 };
}

function lineCount(block: string): number {
  let count = 0;
  for (let at = block.indexOf('\n'); at !== -1; at = block.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Index of a heading that begins the body of a block nobody closed: prose follows it, where a comment would be followed by keys. */
function bodyInside(lines: readonly string[]): number | undefined {
  for (let i = 1; i < lines.length; i += 1) {
    if (!/^#{1,6} +\S/.test(lines[i] ?? '') || (lines[i - 1] ?? '').trim() !== '') continue;
    if (lines.slice(i + 1).some((line) => isProse(line))) return i;
  }
  return undefined;
}

function isProse(line: string): boolean {
  return line.trim() !== '' && !/^[\s#-]/.test(line) && keyOfLine(line) === undefined;
}

/** `open` is the index of the opening fence. The body starts at the first empty line that no key, list or indented text follows. */
function withoutClose(lines: readonly string[], open: number, why: string): LocatedBlock {
  const first = lines.slice(open + 1).find((line) => line.trim() !== '');
  if (first === undefined || keyOfLine(first) === undefined) return whole(lines.join('\n'));
  let bodyAt = lines.length;
  for (let i = open + 1; i < lines.length; i += 1) {
    if (/^#{1,6} +\S/.test(lines[i] ?? '') && lines.slice(i + 1).some(isProse)) {
      bodyAt = i;
      break;
    }
    if ((lines[i] ?? '').trim() !== '') continue;
    const next = lines.slice(i + 1).find((line) => line.trim() !== '');
    if (next !== undefined && keyOfLine(next) === undefined && !/^(\s|- )/.test(next)) {
      bodyAt = i + 1;
      break;
    }
  }
  while (bodyAt < lines.length && (lines[bodyAt] ?? '').trim() === '') bodyAt += 1;
  return {
    block: lines.slice(open + 1, bodyAt).join('\n'),
    blockStartLine: open + 2,
    body: lines.slice(bodyAt).join('\n'),
    bodyStartLine: bodyAt + 1,
    irregular: irregular(`${why}: put a line --- after the last field`, open + 1),
  };
}

/** The first line is no fence: look for one under empty lines, an indent or a code fence, or for a closing one alone. */
function irregularStart(lines: readonly string[]): LocatedBlock {
  const text = lines.join('\n');
  const first = lines.findIndex((line) => line.trim() !== '');
  const line = lines[first] ?? '';
  const indent = /^[ \t]*/.exec(line)?.[0] ?? '';
  if (line.trim() === '---') {
    const moved = lines.slice(first).map((l) => (l.startsWith(indent) ? l.slice(indent.length) : l.trimStart()));
    return shifted(locateBlock(moved.join('\n')), first, irregular('--- must stand on the first line, without an indent', first + 1));
  }
  if (/^(`{3,}|~{3,})\w*\s*$/.test(line.trim()) && nextText(lines, first + 1)?.trim() === '---') return insideCodeFence(lines, first);
  return withoutOpen(lines, first) ?? whole(text);
}

function nextText(lines: readonly string[], from: number): string | undefined {
  return lines.slice(from).find((line) => line.trim() !== '');
}

function insideCodeFence(lines: readonly string[], first: number): LocatedBlock {
  const marker = /^(`{3,}|~{3,})/.exec((lines[first] ?? '').trim())?.[0] ?? '```';
  const inner = lines.slice(first + 1);
  const last = inner.findLastIndex((line) => line.trim() !== '');
  if ((inner[last] ?? '').trim() === marker) inner.length = last;
  const located = shifted(locateBlock(inner.join('\n')), first + 1, irregular('the file stands in a code fence; remove the fence', first + 1));
  // The fence closed right after the block: it was round the block only.
  const afterBlock = new RegExp(`^\\s*${marker}[ \\t]*\\n`).exec(located.body);
  return afterBlock ? { ...located, body: located.body.slice(afterBlock[0].length), bodyStartLine: located.bodyStartLine + lineCount(afterBlock[0]) } : located;
}

/** Known fields on top, then `---`: only the opening fence is missing. */
function withoutOpen(lines: readonly string[], first: number): LocatedBlock | undefined {
  const close = lines.findIndex((line) => closeFence.test(line));
  if (close <= first) return undefined;
  const block = lines.slice(first, close);
  const head = keyOfLine(block[0] ?? '');
  if (!head || !isKnownKey(head.key) || block.some(isProse) || bodyInside(block) !== undefined) return undefined;
  return {
    block: block.join('\n'),
    blockStartLine: first + 1,
    body: lines.slice(close + 1).join('\n'),
    bodyStartLine: close + 2,
    irregular: irregular('the opening --- is missing; put it on the first line', first + 1),
  };
}

function shifted(located: LocatedBlock, by: number, problem: Problem): LocatedBlock {
  return { ...located, blockStartLine: located.blockStartLine + by, bodyStartLine: located.bodyStartLine + by, irregular: problem };
}

function irregular(message: string, line: number): Problem {
  return { severity: 'warning', code: 'fence-irregular', message, line };
}
