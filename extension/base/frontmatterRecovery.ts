import type { FrontmatterField } from './frontmatterField';
import { isKnownKey, isProseKey, keyOfLine } from './frontmatterKeys';
import type { Problem } from './problem';

type Reading = { readonly fields: Map<string, FrontmatterField>; readonly problems: readonly Problem[] };
/** Strict YAML of a piece; `undefined` when it refuses. */
type Strict = (source: string, startLine: number) => Reading | undefined;

interface Chunk {
  readonly key: string;
  readonly line: number;
  /** The rest of the key's line and what follows it up to the next key. */
  readonly lines: readonly string[];
}

/**
 * Reads a block that YAML refuses: first with tabs as blanks, then key by key, each by YAML where it can and as text
 * where it can't. Every value read in another way than YAML is named by a `yaml-recovered` problem.
 */
export function recoverBlock(block: string, startLine: number, strict: Strict): Reading & { readonly isUnreadable: boolean } {
  const detabbed = strict(detab(block), startLine);
  if (detabbed && detabbed.fields.size > 0) {
    return { fields: detabbed.fields, problems: [recovered('tabs were read as two blanks; YAML wants blanks', startLine), ...detabbed.problems], isUnreadable: false };
  }
  const fields = new Map<string, FrontmatterField>();
  const problems: Problem[] = [];
  for (const chunk of chunksOf(block.split('\n'), startLine)) {
    const { field, problem } = readChunk(chunk, strict);
    problems.push(...problem);
    const earlier = fields.get(chunk.key);
    if (earlier) problems.push({ severity: 'warning', code: 'duplicate-key', message: `${chunk.key} stands twice (first on line ${earlier.line}); remove one`, line: chunk.line, field: chunk.key });
    if (!earlier || field.value !== null) fields.set(chunk.key, field);
  }
  if (fields.size === 0) {
    return { fields, problems: [{ severity: 'error', code: 'yaml-unreadable', message: 'no field can be read between the --- lines; write them as "key: value"', line: startLine }], isUnreadable: true };
  }
  if (problems.length === 0) problems.push(recovered('the block is no valid YAML and was read key by key', startLine));
  return { fields, problems, isUnreadable: false };
}

function recovered(message: string, line: number, field?: string): Problem {
  return { severity: 'warning', code: 'yaml-recovered', message, line, ...(field === undefined ? {} : { field }) };
}

function detab(text: string): string {
  return text.replace(/^[ ]*\t[ \t]*/gm, (indent) => indent.replaceAll('\t', '  '));
}

function chunksOf(lines: readonly string[], startLine: number): Chunk[] {
  const chunks: { key: string; line: number; lines: string[] }[] = [];
  let current: { key: string; line: number; lines: string[] } | undefined;
  lines.forEach((line, index) => {
    const head = keyOfLine(line) ?? slippedKey(line, current?.lines[0]);
    if (head && startsField(head.key, current?.lines ?? [], lines.slice(index))) {
      current = { key: head.key, line: startLine + index, lines: [head.rest] };
      chunks.push(current);
    } else current?.lines.push(line);
  });
  return chunks;
}

/**
 * A known key without its blank (`name:x`), or indented by mistake. Under a key without a value, or one with a block
 * scalar, an indented key belongs to that value.
 */
function slippedKey(line: string, valueAbove: string | undefined): { readonly key: string; readonly rest: string } | undefined {
  const match = /^( *)([A-Za-z_][\w-]*):[ \t]*(.*)$/.exec(line);
  const key = match?.[2] ?? '';
  if (!match || !isKnownKey(key)) return undefined;
  if (match[1] !== '' && (valueAbove === undefined || valueAbove === '' || blockHeader.test(valueAbove))) return undefined;
  return { key, rest: (match[3] ?? '').trimEnd() };
}

const blockHeader = /^[|>][+-]?\d?$/;

/** A `word:` line is a field unless it is a line of dialogue: inside an open example, or unknown and after text at column 0. */
function startsField(key: string, before: readonly string[], ahead: readonly string[]): boolean {
  const text = before.join('\n');
  const opened = text.split('<example>').length - text.split('</example>').length;
  if (opened > 0 && ahead.some((line) => line.includes('</example>'))) return false;
  if (isKnownKey(key)) return true;
  return !before.slice(1).some((line) => /^[^\s#-]/.test(line));
}

function readChunk(chunk: Chunk, strict: Strict): { readonly field: FrontmatterField; readonly problem: readonly Problem[] } {
  const source = `${chunk.key}: ${chunk.lines.join('\n')}`;
  const asIs = strict(source, chunk.line);
  const field = asIs?.fields.get(chunk.key);
  if (asIs && field && asIs.fields.size === 1) return { field, problem: asIs.problems };
  const detabbed = strict(detab(source), chunk.line);
  const untabbed = detabbed?.fields.get(chunk.key);
  if (detabbed && untabbed && detabbed.fields.size === 1) return { field: untabbed, problem: [recovered(`${chunk.key}: tabs were read as blanks`, chunk.line, chunk.key), ...detabbed.problems] };
  const quoted = strict(quoteInner(source), chunk.line);
  const inner = quoted?.fields.get(chunk.key);
  if (quoted && inner && quoted.fields.size === 1 && typeof inner.value === 'object') {
    return { field: inner, problem: [recovered(`${chunk.key}: a value with a colon inside was read as text; put it in quotes`, chunk.line, chunk.key), ...quoted.problems] };
  }
  const list = isProseKey(chunk.key) ? undefined : dashedList(chunk.lines);
  if (list) return { field: { value: list, text: undefined, line: chunk.line }, problem: [recovered(`${chunk.key}: begin the list on the line after the key`, chunk.line, chunk.key)] };
  const text = plainText(chunk.lines);
  return {
    field: { value: text === '' ? null : text, text, line: chunk.line },
    problem: [recovered(`${chunk.key} is no valid YAML and was read as text; put the value in quotes or under "${chunk.key}: |"`, chunk.line, chunk.key)],
  };
}

/** Nested values that hold `: ` put in quotes, so that a hook's command does not cost the whole map. */
function quoteInner(source: string): string {
  return detab(source).replace(/^( +(?:- +)?[\w-]+: +)([^\s"'[{|>&*!].*: .*)$/gm, (_line, head: string, value: string) => head + JSON.stringify(value));
}

function dashedList(lines: readonly string[]): string[] | undefined {
  const items = lines.map((line) => line.trim()).filter((line) => line !== '');
  if (items.length === 0 || !items.every((line) => line.startsWith('- '))) return undefined;
  return items.map((line) => unquote(line.slice(2).trim()));
}

function plainText(lines: readonly string[]): string {
  const [first = '', ...rest] = lines;
  const kept = blockHeader.test(first.trim()) ? rest : lines;
  return unquote(
    kept
      .map((line) => line.trim())
      .join('\n')
      .trim(),
  );
}

/** Quotes round the whole value are YAML's, even where quotes inside made it refuse. */
function unquote(text: string): string {
  const match = /^(["'])(.*)\1$/s.exec(text);
  return match ? (match[2] ?? '') : text;
}
