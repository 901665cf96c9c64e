import { locateBlock } from '../base/frontmatterFences';
import { keyOfLine } from '../base/frontmatterKeys';
import { type AuthoredKey, authoredKeys, type AuthoredKind } from './authoredKeys';

export interface Place {
  /** 1-based. */
  readonly line: number;
  /** Characters before the caret. */
  readonly column: number;
}

export interface Completion {
  readonly label: string;
  readonly insert: string;
  readonly about: string;
}

/** Keys that are not there yet at the start of a line of the block, words a key takes after its colon. `known` adds names the engine has (agents, tools). */
export function complete(text: string, at: Place, { kind, known = {} }: { readonly kind: AuthoredKind; readonly known?: Readonly<Record<string, readonly string[]>> }): readonly Completion[] {
  const block = blockOf(text);
  if (!block || at.line < block.from || at.line >= block.to) return [];
  const before = (block.lines[at.line - 1] ?? '').slice(0, at.column);
  const value = /^([A-Za-z_][\w-]*):\s*(\S*)$/.exec(before);
  if (value) {
    const key = authoredKeys(kind).find(({ name }) => name === value[1]);
    return [...(key?.values ?? []), ...(known[value[1] ?? ''] ?? [])].map((word) => ({ label: word, insert: before.endsWith(':') ? ` ${word}` : word, about: key?.about ?? '' }));
  }
  if (!/^[A-Za-z_-]*$/.test(before)) return [];
  const there = new Set(block.lines.slice(block.from - 1, block.to - 1).flatMap((line, i) => (i + block.from === at.line ? [] : (keyOfLine(line)?.key ?? []))));
  return authoredKeys(kind).filter(({ name }) => !there.has(name)).map((key) => ({ label: key.name, insert: inserted(key), about: key.about }));
}

function inserted({ name, sample }: AuthoredKey): string {
  return `${name}:${sample === undefined ? ' ' : sample.startsWith('\n') ? sample : ` ${sample}`}`;
}

/** What the key under the caret does. */
export function hover(text: string, at: Place, kind: AuthoredKind): string | undefined {
  const block = blockOf(text);
  const head = block && at.line >= block.from && at.line < block.to ? keyOfLine(block.lines[at.line - 1] ?? '') : undefined;
  if (!head || at.column > head.key.length) return undefined;
  const key = authoredKeys(kind).find(({ name }) => name === head.key);
  return key && `**${key.name}**: ${key.about}${key.values ? ` One of ${key.values.map((word) => `\`${word}\``).join(', ')}.` : ''}`;
}

function blockOf(text: string): { readonly lines: readonly string[]; readonly from: number; readonly to: number } | undefined {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const { block, blockStartLine } = locateBlock(text);
  if (block !== undefined) return { lines, from: blockStartLine, to: blockStartLine + block.replace(/\n$/, '').split('\n').length };
  // A block just begun has nothing in it that a loader would take for one.
  const close = lines.indexOf('---', 1);
  return lines[0] === '---' ? { lines, from: 2, to: close === -1 ? lines.length + 1 : close + 1 } : undefined;
}
