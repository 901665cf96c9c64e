/** How well a query fits a name: the higher the better; `undefined` when its letters are not in it in order. */
export function fuzzyScore(query: string, name: string): number | undefined {
  const wanted = query.toLowerCase();
  const text = name.toLowerCase();
  if (wanted === '') return 0;
  if (text === wanted) return 1_000;
  if (text.startsWith(wanted)) return 900 - Math.min(text.length - wanted.length, 99);
  const wordAt = wordStart(text, wanted);
  if (wordAt !== -1) return 700 - Math.min(wordAt, 99);
  const inside = text.indexOf(wanted);
  if (inside !== -1) return 500 - Math.min(inside, 99);
  return scattered(wanted, text);
}

function isBoundary(text: string, at: number): boolean {
  return at === 0 || /[^a-z0-9]/.test(text[at - 1] ?? '');
}

function wordStart(text: string, wanted: string): number {
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) if (isBoundary(text, at)) return at;
  return -1;
}

/** Letters in order with gaps: starts of words and neighbours count, gaps cost. */
function scattered(wanted: string, text: string): number | undefined {
  let score = 200;
  let last = -1;
  for (const letter of wanted) {
    const boundary = nextBoundary(text, letter, last + 1);
    const at = text[last + 1] === letter ? last + 1 : boundary !== -1 ? boundary : text.indexOf(letter, last + 1);
    if (at === -1) return undefined;
    score += at === last + 1 || isBoundary(text, at) ? 5 : -Math.min(at - last, 10);
    last = at;
  }
  return Math.max(1, score);
}

function nextBoundary(text: string, letter: string, from: number): number {
  for (let at = text.indexOf(letter, from); at !== -1; at = text.indexOf(letter, at + 1)) if (isBoundary(text, at)) return at;
  return -1;
}
