import { err, ok, type Result } from '../base/result';
import { lineEndingOf } from '../platform/textEncoding';
import { nearMiss } from './nearMiss';

export interface TextEdit {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
}

export interface EditedText {
  readonly text: string;
  readonly count: number;
  /** Line of the first change, from 1. */
  readonly line: number;
}

/** Literal replacement. Line endings: a file of CRLF lines takes edits written with LF and stays CRLF. @returns problem: for the model */
export function applyEdit(text: string, edit: TextEdit): Result<EditedText, string> {
  const { oldText, newText } = edit;
  if (oldText === newText) return err('old_string and new_string are the same, so nothing would change. Give the text as it should become in new_string.');
  const ending = lineEndingOf(text);
  if (ending === 'crlf') {
    const edited = replaceIn(toLf(text), { ...edit, oldText: toLf(oldText), newText: toLf(newText) });
    return edited.ok ? ok({ ...edited.value, text: toCrlf(edited.value.text) }) : edited;
  }
  if (ending === 'mixed' && !text.includes(oldText) && text.includes(toCrlf(toLf(oldText)))) {
    return replaceIn(text, { ...edit, oldText: toCrlf(toLf(oldText)), newText: toCrlf(toLf(newText)) });
  }
  if (ending === 'lf' && oldText.includes('\r\n')) return replaceIn(text, { ...edit, oldText: toLf(oldText), newText: toLf(newText) });
  return replaceIn(text, edit);
}

function replaceIn(text: string, { oldText, newText, replaceAll }: TextEdit): Result<EditedText, string> {
  const places = placesOf(text, oldText);
  const [first] = places;
  if (first === undefined) return err(nearMiss(text, oldText));
  if (places.length > 1 && !replaceAll) {
    const lines = places.slice(0, 10).map((at) => lineAt(text, at));
    return err(
      `old_string appears ${places.length} times (lines ${lines.join(', ')}${places.length > 10 ? ', …' : ''}). Add more lines around the one you mean until it is unique, or set replace_all to change all of them.`,
    );
  }
  return ok({ text: text.split(oldText).join(newText), count: places.length, line: lineAt(text, first) });
}

function placesOf(text: string, part: string): number[] {
  const places: number[] = [];
  if (part === '') return places;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) places.push(at);
  return places;
}

function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < index; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

function toLf(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

function toCrlf(text: string): string {
  return text.replaceAll('\n', '\r\n');
}
