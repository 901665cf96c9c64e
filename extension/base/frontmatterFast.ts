import type { FrontmatterField } from './frontmatterField';

/**
 * The subset of YAML that nearly every file uses, read line by line: plain, quoted and block scalars, one-line and
 * dashed lists, maps of such. Whatever is not certain to mean the same in YAML gives `undefined`.
 * `test/unit/base/frontmatterFast.test.ts` compares it with the `yaml` package on generated blocks.
 */
export function readPlainLines(block: string, startLine: number): Map<string, FrontmatterField> | undefined {
  if (odd.test(block)) return undefined;
  const lines = block.split('\n');
  const fields = new Map<string, FrontmatterField>();
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    if (isBlank(line) || line.charCodeAt(0) === 35 /* # */) {
      at += 1;
      continue;
    }
    const entry = readEntry(lines, at);
    if (!entry || fields.has(entry.key)) return undefined;
    fields.set(entry.key, { value: entry.value, text: entry.text, line: startLine + at });
    at = entry.next;
  }
  return fields;
}

/** Tabs, controls and exotic line breaks: leave them to YAML. */
const odd = /[\t\r\u0000-\u0008\u000b-\u001f\u007f\u0085\u2028\u2029\ufeff]/;
const keyLine = /^([A-Za-z_][\w-]*):(?: +([^ ].*))?$/;

interface Entry {
  readonly key: string;
  readonly value: unknown;
  readonly text: string | undefined;
  readonly next: number;
}

function readEntry(lines: readonly string[], at: number): Entry | undefined {
  const match = keyLine.exec((lines[at] ?? '').replace(/ +$/, ''));
  if (!match) return undefined;
  const key = match[1] ?? '';
  if (key === '__proto__' || words.has(key)) return undefined;
  const raw = match[2];
  const next = nextContent(lines, at + 1);
  const follow = lines[next] ?? '';
  if (raw === undefined) {
    if (next === lines.length || !/^(?: |- |-$)/.test(follow)) return { key, value: null, text: '', next: at + 1 };
    const nested = readNested(lines, next);
    return nested && { key, value: nested.value, text: undefined, next: nested.next };
  }
  if (/^[|>]-?$/.test(raw)) {
    const block = readBlockScalar(lines, at + 1, raw);
    return block && { key, value: block.value, text: block.value, next: block.next };
  }
  if (follow.startsWith(' ')) return undefined;
  const scalar = readScalar(raw);
  return scalar && { key, value: scalar.value, text: scalar.text, next: at + 1 };
}

function isBlank(line: string): boolean {
  return line === '' || /^ +$/.test(line);
}

function nextContent(lines: readonly string[], from: number): number {
  let at = from;
  while (at < lines.length && isBlank(lines[at] ?? '')) at += 1;
  return at;
}

function indentOf(line: string): number {
  let count = 0;
  while (line.charCodeAt(count) === 32) count += 1;
  return count;
}

/** A dashed list or a map under `key:`; no empty lines or comments inside. */
function readNested(lines: readonly string[], from: number): { readonly value: unknown; readonly next: number } | undefined {
  const indent = indentOf(lines[from] ?? '');
  const isList = (lines[from] ?? '').charCodeAt(indent) === 45 /* - */;
  if (!isList && indent === 0) return undefined;
  let end = from;
  while (end < lines.length && belongs(lines[end] ?? '', indent, isList)) end += 1;
  const after = lines[nextContent(lines, end)] ?? '';
  if (/^(?: |- |-$)/.test(after)) return undefined;
  const inner = lines.slice(from, end).map((line) => line.slice(indent));
  const value = isList ? readDashes(inner) : readMap(inner);
  return value === undefined ? undefined : { value, next: end };
}

function belongs(line: string, indent: number, isList: boolean): boolean {
  return !isBlank(line) && indentOf(line) >= indent && (indent > 0 || !isList || /^[- ]/.test(line));
}

function readDashes(lines: readonly string[]): unknown[] | undefined {
  const items: unknown[] = [];
  let at = 0;
  while (at < lines.length) {
    const match = /^(- +)([^ ].*?) *$/.exec(lines[at] ?? '');
    if (!match) return undefined;
    let end = at + 1;
    while (end < lines.length && (lines[end] ?? '').startsWith(' ')) end += 1;
    const item = readItem(match[2] ?? '', lines.slice(at + 1, end), (match[1] ?? '').length);
    if (!item) return undefined;
    items.push(item.value);
    at = end;
  }
  return items;
}

/** A scalar, or a map that begins on the line of the dash: its other keys stand under the first. */
function readItem(first: string, rest: readonly string[], indent: number): { readonly value: unknown } | undefined {
  const scalar = rest.length === 0 ? readScalar(first) : undefined;
  if (scalar) return scalar;
  if (rest.some((line) => indentOf(line) < indent)) return undefined;
  const value = readMap([first, ...rest.map((line) => line.slice(indent))]);
  return value && { value };
}

function readMap(lines: readonly string[]): Record<string, unknown> | undefined {
  const map: Record<string, unknown> = {};
  let at = 0;
  while (at < lines.length) {
    const entry = readEntry(lines, at);
    if (!entry || Object.hasOwn(map, entry.key)) return undefined;
    map[entry.key] = entry.value;
    at = entry.next;
  }
  return map;
}

function readBlockScalar(lines: readonly string[], from: number, header: string): { readonly value: string; readonly next: number } | undefined {
  const indent = indentOf(lines[from] ?? '');
  if (indent === 0 || isBlank(lines[from] ?? '')) return undefined;
  const folded = header.startsWith('>');
  const content: string[] = [];
  let at = from;
  for (; at < lines.length && (lines[at] ?? '').startsWith(' '); at += 1) {
    const line = lines[at] ?? '';
    if (isBlank(line) || indentOf(line) < indent) return undefined;
    const inner = line.slice(indent);
    if (folded && /^ | $/.test(inner)) return undefined;
    content.push(inner);
  }
  const next = nextContent(lines, at);
  if ((lines[next] ?? '').startsWith(' ') || (next > at && (lines[at] ?? '') !== '')) return undefined;
  return { value: content.join(folded ? ' ' : '\n') + (header.endsWith('-') ? '' : '\n'), next };
}

function readScalar(raw: string): { readonly value: unknown; readonly text: string } | undefined {
  const first = raw.charCodeAt(0);
  if (first === 34 /* " */) {
    const match = /^"([^"\\]*)"$/.exec(raw);
    return match ? { value: match[1] ?? '', text: match[1] ?? '' } : undefined;
  }
  if (first === 39 /* ' */) {
    const match = /^'((?:[^']|'')*)'$/.exec(raw);
    const text = match?.[1]?.replaceAll("''", "'");
    return text === undefined ? undefined : { value: text, text };
  }
  if (first === 91 /* [ */) {
    const value = readFlowList(raw);
    return value && { value, text: raw };
  }
  if (first === 123 /* { */) {
    const value = readFlowMap(raw);
    return value && { value, text: raw };
  }
  if (/^[\]{}#&*!|>%@`,?:]|^-(?: |$)/.test(raw) || raw.includes(': ') || raw.endsWith(':') || raw.includes(' #')) return undefined;
  const value = readPlain(raw);
  return value === undefined ? undefined : { value, text: raw };
}

const words: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ...['~', 'null', 'Null', 'NULL'].map((w): [string, unknown] => [w, null]),
  ...['true', 'True', 'TRUE'].map((w): [string, unknown] => [w, true]),
  ...['false', 'False', 'FALSE'].map((w): [string, unknown] => [w, false]),
]);

/** @returns `undefined` for what looks like a number of a less usual form */
function readPlain(raw: string): unknown {
  if (words.has(raw)) return words.get(raw);
  if (!/^[-+.]?[.\d]|^[-+]?\.[a-z]/i.test(raw)) return raw;
  if (/^(?:0|-?[1-9]\d{0,14})$/.test(raw)) return Number(raw);
  return /^\d+\.\d+\.[\w.-]*$|^\d+[A-Za-df-z ][\w ,.-]*$/.test(raw) && !/^0[xo]/.test(raw) ? raw : undefined;
}

const flowItem = / *(?:"([^"\\]*)"|'([^']*)'|([^\s,"'[\]{}#&*!|>%@`?:.+\-\d][^,"'[\]{}#:]*?)) *(,|$)/y;

/** One line, no nesting, nothing that YAML could read as a map or a number. */
function readFlowList(raw: string): unknown[] | undefined {
  const inner = /^\[(.*)\]$/.exec(raw)?.[1];
  if (inner === undefined) return undefined;
  if (/^ *$/.test(inner)) return [];
  const items: unknown[] = [];
  const matcher = new RegExp(flowItem.source, 'y');
  while (matcher.lastIndex < inner.length) {
    const match = matcher.exec(inner);
    if (!match) return undefined;
    const quoted = match[1] ?? match[2];
    items.push(quoted ?? readPlain(match[3] ?? ''));
    if (match[4] === ',' && matcher.lastIndex === inner.length) return undefined;
  }
  return items;
}

const flowPair = / *([A-Za-z_][\w-]*): +(?:"([^"\\]*)"|([A-Za-z_\d./][^,"'[\]{}#:]*?)) *(,|$)/y;

/** `{type: command, timeout: 5}`: plain keys with one word or quoted value each. */
function readFlowMap(raw: string): Record<string, unknown> | undefined {
  const inner = /^\{(.*)\}$/.exec(raw)?.[1];
  if (inner === undefined) return undefined;
  const map: Record<string, unknown> = {};
  const matcher = new RegExp(flowPair.source, 'y');
  while (matcher.lastIndex < inner.length) {
    const match = matcher.exec(inner);
    const key = match?.[1] ?? '';
    if (!match || key === '__proto__' || words.has(key) || Object.hasOwn(map, key)) return undefined;
    const value = match[2] ?? readPlain(match[3] ?? '');
    if (value === undefined || (match[4] === ',' && matcher.lastIndex === inner.length)) return undefined;
    map[key] = value;
  }
  return matcher.lastIndex === 0 ? undefined : map;
}
