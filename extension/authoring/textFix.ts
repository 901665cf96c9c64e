/** Whole lines that give way to `text` (without the last line end); `from` is 1-based, `to` exclusive. `from === to`: inserted before. */
export interface LineEdit {
  readonly from: number;
  readonly to: number;
  readonly text: string | undefined;
}

/** One way to mend a problem. */
export interface TextFix {
  readonly title: string;
  readonly edits: readonly LineEdit[];
}

/** The text with a fix applied; line ends stay as the file has them. */
export function applyFix(text: string, { edits }: TextFix): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text.split(/\r?\n/);
  for (const { from, to, text: by } of edits.toSorted((a, b) => b.from - a.from)) lines.splice(from - 1, to - from, ...(by === undefined ? [] : by.split('\n')));
  return lines.join(eol);
}
