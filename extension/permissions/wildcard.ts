/** `*` stands for any characters, also none. Linear in the length of the text, whatever the pattern. */
export function wildcardMatches(pattern: string, text: string): boolean {
  return piecesMatch(pattern.split('*'), text);
}

/** The same for a pattern that is already cut at its wildcards: text has to begin with the first piece and end with the last. */
export function piecesMatch(pieces: readonly string[], text: string): boolean {
  const first = pieces[0] ?? '';
  if (pieces.length === 1) return text === first;
  const last = pieces.at(-1) ?? '';
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  let at = first.length;
  const end = text.length - last.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at);
    if (found === -1 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}
