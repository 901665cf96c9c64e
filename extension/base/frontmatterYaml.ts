import type { FrontmatterField, YamlModule } from './frontmatterField';
import { isProseKey } from './frontmatterKeys';
import { recoverBlock } from './frontmatterRecovery';
import type { Problem } from './problem';

export interface BlockReading {
  readonly fields: Map<string, FrontmatterField>;
  readonly problems: readonly Problem[];
  readonly isUnreadable: boolean;
}

/** Reads a block by YAML, and what YAML refuses key by key. */
export function readYamlBlock(block: string, startLine: number, yaml: YamlModule): BlockReading {
  const strict = readStrict(block, startLine, yaml);
  if (strict) return { ...strict, isUnreadable: false };
  return recoverBlock(block, startLine, (source, line) => readStrict(source, line, yaml));
}

export type StrictReading = { readonly fields: Map<string, FrontmatterField>; readonly problems: readonly Problem[] };

/** @returns `undefined` when YAML refuses the block or reads no map from it */
export function readStrict(block: string, startLine: number, yaml: YamlModule): StrictReading | undefined {
  const source = `${block}\n`;
  const doc = yaml.parseDocument(source, { uniqueKeys: false, prettyErrors: false, logLevel: 'silent' });
  if (doc.errors.length > 0 || doc.warnings.length > 0) return undefined;
  if (doc.contents === null) return { fields: new Map(), problems: [] };
  if (!yaml.isMap(doc.contents)) return undefined;
  const fields = new Map<string, FrontmatterField>();
  const problems: Problem[] = [];
  for (const pair of doc.contents.items) {
    if (!yaml.isScalar(pair.key)) return undefined;
    const key = String(pair.key.value);
    const line = startLine + newlines(source, pair.key.range?.[0] ?? 0);
    const field = fieldOf(pair.value, { source, line, yaml, toJs: () => toJs(pair.value, doc) });
    if (!field) return undefined;
    const cut = commentCut(key, pair.value, source);
    if (cut) problems.push({ severity: 'warning', code: 'comment-cuts-value', message: `${key}: YAML takes "${cut}" as a comment; put the value in quotes to keep it`, line, field: key });
    addField(fields, problems, key, field);
  }
  return { fields, problems };
}

/** The later one that says something wins. */
export function addField(fields: Map<string, FrontmatterField>, problems: Problem[], key: string, field: FrontmatterField): void {
  const earlier = fields.get(key);
  if (earlier) problems.push({ severity: 'warning', code: 'duplicate-key', message: `${key} stands twice (first on line ${earlier.line}); remove one`, line: field.line, field: key });
  if (!earlier || field.value !== null) fields.set(key, field);
}

/** @returns `undefined` for aliases that grow without end, or lead nowhere */
function toJs(node: unknown, doc: ReturnType<YamlModule['parseDocument']>): unknown {
  if (typeof node !== 'object' || node === null || !('toJS' in node) || typeof node.toJS !== 'function') return null;
  try {
    return node.toJS(doc);
  } catch (thrown) {
    if (thrown instanceof ReferenceError) return undefined;
    throw thrown;
  }
}

interface FieldContext {
  readonly source: string;
  readonly line: number;
  readonly yaml: YamlModule;
  readonly toJs: () => unknown;
}

function fieldOf(node: unknown, { source, line, yaml, toJs }: FieldContext): FrontmatterField | undefined {
  if (node === null) return { value: null, text: '', line };
  if (yaml.isScalar(node)) {
    // `&x` alone or `!word`: a person meant text, not an anchor or a tag.
    if (node.anchor !== undefined || node.tag !== undefined) return undefined;
    const raw = rawOf(node, source);
    const isWritten = node.type === 'PLAIN' && !raw.includes('\n');
    return { value: node.value, text: isWritten ? raw : typeof node.value === 'string' ? node.value : raw, line };
  }
  if (yaml.isAlias(node) || !yaml.isCollection(node)) return undefined;
  const raw = rawOf(node, source);
  if (node.flow && /^\{\{.*\}\}$/s.test(raw)) return { value: raw, text: raw, line };
  const value = toJs();
  return value === undefined ? undefined : { value, text: node.flow ? raw : undefined, line };
}

function rawOf(node: { readonly range?: readonly [number, number, number] | null | undefined }, source: string): string {
  return node.range ? source.slice(node.range[0], node.range[1]) : '';
}

/** What a ` #` took away from a value of prose, or `#word` from an otherwise empty value. */
function commentCut(key: string, node: unknown, source: string): string | undefined {
  if (typeof node !== 'object' || node === null || !('range' in node) || !Array.isArray(node.range)) return undefined;
  const end: unknown = node.range[1];
  if (typeof end !== 'number') return undefined;
  const rest = /^[ \t]*(#[^\n]*)/.exec(source.slice(end))?.[1];
  if (rest === undefined) return undefined;
  const isPlain = 'type' in node && node.type === 'PLAIN';
  if (!isPlain) return undefined;
  const isEmpty = 'value' in node && node.value === null;
  return isProseKey(key) || (isEmpty && /^#\S/.test(rest)) ? rest : undefined;
}

function newlines(text: string, upTo: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < upTo; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
