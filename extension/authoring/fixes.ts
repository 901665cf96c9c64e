import { readFrontmatter, type Frontmatter } from '../base/frontmatter';
import { locateBlock } from '../base/frontmatterFences';
import { isKnownKey, keyOfLine } from '../base/frontmatterKeys';
import { didYouMean } from '../base/nearest';
import type { Problem } from '../base/problem';
import { authoredKeys, type AuthoredKind, otherSpellings } from './authoredKeys';
import type { LineEdit, TextFix } from './textFix';

interface Broken {
  readonly lines: readonly string[];
  readonly file: Frontmatter;
  readonly kind: AuthoredKind;
  readonly path: string;
  readonly problem: Problem;
  /** Line after the last one of the block. */
  readonly endLine: number;
}

/** What would mend a problem without a person's words; empty where only they know. Each is a plain edit of lines. */
export async function fixesFor(text: string, problem: Problem, { kind, path }: { readonly kind: AuthoredKind; readonly path: string }): Promise<readonly TextFix[]> {
  const make = makers[problem.code];
  if (!make) return [];
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const located = locateBlock(text);
  const endLine = located.block === undefined ? 1 : located.blockStartLine + located.block.replace(/\n$/, '').split('\n').length;
  return make({ lines, file: await readFrontmatter(text), kind, path, problem, endLine });
}

type Maker = (broken: Broken) => readonly TextFix[];

const makers: Readonly<Record<string, Maker>> = {
  'yaml-recovered': (broken) => (broken.problem.field === undefined ? untab(broken) : [...untab(broken, broken.problem), ...quote(broken)].slice(0, 1)),
  'comment-cuts-value': quoteWholeLine,
  'fence-irregular': fences,
  'duplicate-key': ({ lines, problem, endLine }) => (problem.line === undefined ? [] : [{ title: `Remove the second ${problem.field}`, edits: [{ from: problem.line, to: chunkEnd(lines, problem.line, endLine), text: undefined }] }]),
  'unknown-key': (broken) => rename(broken, didYouMean(broken.problem.field ?? '', authoredKeys(broken.kind).map(({ name }) => name))),
  'tools-key-misspelt': (broken) => rename(broken, [otherSpellings[broken.kind][broken.problem.field ?? ''] ?? '']),
  'bad-value': badValue,
  'name-not-kebab': kebab,
  'description-missing': (broken) => insert(broken, 'description: What it does, and when to use it'),
  'agent-skipped': (broken) => {
    if (/has no name/.test(broken.problem.message)) return insert(broken, `name: ${slug(fileName(broken.path)) || 'agent'}`);
    return /has no description/.test(broken.problem.message) ? insert(broken, 'description: When to use this agent') : [];
  },
};

/** First line after a key and its value, as the reader takes it: after text at column 0 only a known key begins another. */
function chunkEnd(lines: readonly string[], line: number, endLine: number): number {
  let hasText = false;
  for (let end = line + 1; end < endLine; end += 1) {
    const written = lines[end - 1] ?? '';
    const head = keyOfLine(written);
    if (head && (isKnownKey(head.key) || !hasText)) return end;
    hasText ||= /^[^\s#-]/.test(written);
  }
  return endLine;
}

function quote({ lines, file, problem, endLine }: Broken): readonly TextFix[] {
  const key = problem.field ?? '';
  const value = file.fields.get(key)?.value;
  if (problem.line === undefined || typeof value !== 'string') return [];
  const edit: LineEdit = { from: problem.line, to: chunkEnd(lines, problem.line, endLine), text: scalar(key, value) };
  return [{ title: `Quote the value of ${key}`, edits: [edit] }];
}

/** In quotes on one line, under a block mark over several. */
function scalar(key: string, value: string): string {
  if (!value.includes('\n')) return `${key}: ${JSON.stringify(value)}`;
  return `${key}: |-\n${value.split('\n').map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}`;
}

function quoteWholeLine({ lines, problem }: Broken): readonly TextFix[] {
  const line = problem.line ?? 0;
  const head = keyOfLine(lines[line - 1] ?? '');
  return head ? [{ title: `Quote the value of ${head.key}`, edits: [{ from: line, to: line + 1, text: `${head.key}: ${JSON.stringify(head.rest)}` }] }] : [];
}

function untab({ lines, endLine }: Pick<Broken, 'lines' | 'endLine'>, only?: Problem): readonly TextFix[] {
  const from = only?.line ?? 1;
  const to = only === undefined ? endLine : chunkEnd(lines, from, endLine);
  const edits = lines.slice(from - 1, to - 1).flatMap((line, i): readonly LineEdit[] => (/^ *\t/.test(line) ? [{ from: from + i, to: from + i + 1, text: line.replace(/^[ \t]+/, (indent) => indent.replaceAll('\t', '  ')) }] : []));
  return edits.length === 0 ? [] : [{ title: 'Write blanks for tabs', edits }];
}

/** The block between two `---` lines, at the top; the body stays as it is. */
function fences({ lines, problem }: Broken): readonly TextFix[] {
  const { block, bodyStartLine } = locateBlock(lines.join('\n'));
  if (block === undefined) return [];
  const inner = block.replace(/\n+$/, '');
  const edits: LineEdit[] = [{ from: 1, to: bodyStartLine, text: `---\n${inner}\n---` }];
  // A code fence round the whole file ends below the body.
  const last = lines.findLastIndex((line) => line.trim() !== '');
  if (/code fence/.test(problem.message) && last + 1 > bodyStartLine && /^(`{3,}|~{3,})\s*$/.test((lines[last] ?? '').trim())) edits.push({ from: last + 1, to: last + 2, text: undefined });
  return [{ title: /never closed/.test(problem.message) ? 'Close the block with ---' : 'Put the block between --- lines', edits }];
}

function rename({ lines, problem }: Broken, names: readonly string[]): readonly TextFix[] {
  const line = problem.line ?? 0;
  const key = problem.field ?? '';
  const written = lines[line - 1] ?? '';
  if (!written.startsWith(key)) return [];
  return names.filter((name) => name !== '').map((name) => ({ title: `Rename ${key} to ${name}`, edits: [{ from: line, to: line + 1, text: `${name}${written.slice(key.length)}` }] }));
}

function badValue({ file, kind, problem }: Broken): readonly TextFix[] {
  const key = authoredKeys(kind).find(({ name }) => name === problem.field);
  const field = file.fields.get(problem.field ?? '');
  if (!key?.values || !field || field.text?.includes('\n')) return [];
  const near = didYouMean(String(field.text ?? field.value ?? ''), key.values);
  return (near.length > 0 ? near : key.values).map((value) => ({ title: `Write ${key.name}: ${value}`, edits: [{ from: field.line, to: field.line + 1, text: `${key.name}: ${value}` }] }));
}

function kebab({ file, problem }: Broken): readonly TextFix[] {
  const field = file.fields.get('name');
  const name = slug(String(field?.value ?? ''));
  if (!field || name === '' || problem.field !== 'name') return [];
  return [{ title: `Rename it to ${name}`, edits: [{ from: field.line, to: field.line + 1, text: `name: ${name}` }] }];
}

function insert({ file, lines }: Broken, line: string): readonly TextFix[] {
  const title = `Add "${line.slice(0, line.indexOf(':'))}"`;
  if (!file.hasBlock) return [{ title, edits: [{ from: 1, to: 1, text: `---\n${line}\n---\n` }] }];
  const open = lines.findIndex((one) => one.trim() === '---') + 1;
  const empty = [...file.fields.values()].find((field) => field.value === null && lines[field.line - 1]?.startsWith(line.slice(0, line.indexOf(':') + 1)));
  return [{ title, edits: [empty ? { from: empty.line, to: empty.line + 1, text: line } : { from: open + 1, to: open + 1, text: line }] }];
}

function slug(words: string): string {
  return words.normalize('NFKD').replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '');
}

function fileName(path: string): string {
  return (path.replaceAll('\\', '/').split('/').at(-1) ?? '').replace(/\.md$/i, '');
}
