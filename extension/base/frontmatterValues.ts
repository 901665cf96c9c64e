import type { Frontmatter } from './frontmatter';
import type { FrontmatterField } from './frontmatterField';

/** true/false/yes/no/on/off/1/0 in any case; `undefined` for anything else. */
export function looseBoolean(field: FrontmatterField | undefined): boolean | undefined {
  const word = textOf(field)?.toLowerCase();
  if (word === undefined) return undefined;
  if (['true', 'yes', 'on', '1'].includes(word)) return true;
  return ['false', 'no', 'off', '0'].includes(word) ? false : undefined;
}

/** The value as text, whatever YAML makes of it (2024, 1.10, [depth in metres]); `undefined` when it says nothing. */
export function textOf(field: FrontmatterField | undefined): string | undefined {
  if (field === undefined || field.value === null) return undefined;
  const text = (field.text ?? joined(field.value)).trim();
  return text === '' ? undefined : text;
}

function joined(value: unknown): string {
  if (Array.isArray(value)) return value.map((item: unknown) => (typeof item === 'object' ? JSON.stringify(item) : String(item))).join(' ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** An argument hint as a person wrote it: brackets stay. */
export function hintText(field: FrontmatterField | undefined): string | undefined {
  return textOf(field);
}

/** A list, or text split at commas and blanks: names of arguments, skills. */
export function stringList(field: FrontmatterField | undefined): string[] {
  return itemsOf(field).flatMap((item) => item.split(/[\s,]+/)).filter((item) => item !== '');
}

/** Globs: a list, or text split at commas outside braces, so that `src/{a,b}/**` stays one. */
export function globList(field: FrontmatterField | undefined): string[] {
  if (Array.isArray(field?.value)) return itemsOf(field);
  return splitOutside(textOf(field) ?? '', ',', '{', '}');
}

/** @returns `null` when the key is absent, `[]` when it says nothing: an empty list grants or leaves nothing */
export function toolList(field: FrontmatterField | undefined): string[] | null {
  if (field === undefined) return null;
  return itemsOf(field).flatMap((item) => splitOutside(item, ', \t\n', '(', ')'));
}

function itemsOf(field: FrontmatterField | undefined): string[] {
  if (field === undefined || field.value === null) return [];
  if (Array.isArray(field.value)) return field.value.map((item: unknown) => (item === null ? '' : String(item)).trim()).filter((item) => item !== '');
  const text = textOf(field);
  return text === undefined ? [] : [text];
}

/** A tool's arguments may hold commas and blanks: `Agent(nav:pilot, nav:cook)` is one entry. */
export function splitOutside(text: string, separators: string, open: string, close: string): string[] {
  const items: string[] = [];
  let depth = 0;
  let item = '';
  for (const char of text) {
    if (char === open) depth += 1;
    if (char === close && depth > 0) depth -= 1;
    if (depth === 0 && separators.includes(char)) {
      if (item.trim() !== '') items.push(item.trim());
      item = '';
    } else item += char;
  }
  if (item.trim() !== '') items.push(item.trim());
  return items;
}

/** The first of several spellings that stands in the block. */
export function firstField(frontmatter: Frontmatter, ...keys: readonly string[]): FrontmatterField | undefined {
  for (const key of keys) {
    const field = frontmatter.fields.get(key);
    if (field) return field;
  }
  return undefined;
}

/** First paragraph of a body that is no heading, comment, fence or rule; white space made single. */
export function firstParagraph(body: string): string | undefined {
  const head = body.slice(0, 8_000).replace(/<!--[\s\S]*?-->/g, '');
  for (const block of head.split(/\n[ \t]*\n/)) {
    const lines = block.split('\n').filter((line) => line.trim() !== '' && !/^\s*#{1,6} /.test(line));
    const first = lines[0]?.trim();
    if (first === undefined || /^(```|~~~|---|\*\*\*|===)/.test(first)) continue;
    return lines.join(' ').replace(/\s+/g, ' ').trim();
  }
  return undefined;
}
