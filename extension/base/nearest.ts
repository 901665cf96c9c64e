/** Known words that come close to a mistyped one, nearest first, at most three. */
export function didYouMean(word: string, known: readonly string[]): readonly string[] {
  const limit = Math.max(2, Math.floor(word.length / 3));
  return known
    .map((name) => ({ name, distance: name.toLowerCase().startsWith(word.toLowerCase()) ? 1 : editDistance(word.toLowerCase(), name.toLowerCase()) }))
    .filter((entry) => entry.distance <= limit)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map((entry) => entry.name);
}

/** Levenshtein distance. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length] ?? 0;
}
