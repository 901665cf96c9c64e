/** The most a display keeps of a text; the front end opens the file for more. */
export const displayChars = 8 * 1024;

/** At most `max` UTF-16 units, never half a surrogate pair. */
export function headOf(text: string, max: number): string {
  if (text.length <= max) return text;
  const code = text.charCodeAt(max - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? max - 1 : max);
}

export function tailOf(text: string, max: number): string {
  if (text.length <= max) return text;
  const code = text.charCodeAt(text.length - max);
  return text.slice(text.length - (code >= 0xdc00 && code <= 0xdfff ? max - 1 : max));
}

/** Start and end, with what is left out said between them. */
export function excerpt(text: string, max: number): string {
  if (text.length <= max) return text;
  const half = Math.floor(max / 2);
  return `${headOf(text, half)}\n[… ${text.length - 2 * half} characters left out …]\n${tailOf(text, half)}`;
}
