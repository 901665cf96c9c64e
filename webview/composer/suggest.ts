/** The word being typed that opens a list: `/skill` at the very start, `@file` anywhere. */
export interface Trigger {
  readonly kind: 'skill' | 'file';
  readonly query: string;
  /** Where the trigger character stands. */
  readonly start: number;
  readonly end: number;
}

export function triggerAt(text: string, caret: number): Trigger | undefined {
  const before = text.slice(0, caret);
  const skill = /^\/(\S*)$/.exec(before);
  if (skill) return { kind: 'skill', query: skill[1] ?? '', start: 0, end: caret };
  const file = /(?:^|\s)@(\S*)$/.exec(before);
  return file ? { kind: 'file', query: file[1] ?? '', start: caret - (file[1] ?? '').length - 1, end: caret } : undefined;
}

/** @returns the text with the trigger word replaced, and where the caret goes. */
export function replaceTrigger(text: string, trigger: Trigger, by: string): { readonly text: string; readonly caret: number } {
  const after = text.slice(trigger.end);
  const gap = after.startsWith(' ') ? '' : ' ';
  return { text: `${text.slice(0, trigger.start)}${by}${gap}${after}`, caret: trigger.start + by.length + 1 };
}

export interface Match {
  readonly score: number;
  /** Positions in the candidate that the query matched. */
  readonly at: readonly number[];
}

/** Letters in order, not necessarily together. Starts of words and runs count more. @returns undefined for no match. */
export function fuzzyMatch(query: string, candidate: string): Match | undefined {
  const wanted = query.toLowerCase();
  const text = candidate.toLowerCase();
  const whole = text.indexOf(wanted);
  if (whole !== -1) return { score: 100 - whole + (whole === 0 ? 50 : 0) - text.length / 100, at: Array.from(wanted, (_, i) => whole + i) };
  const at: number[] = [];
  let score = 0;
  for (const letter of wanted) {
    const found = text.indexOf(letter, (at.at(-1) ?? -1) + 1);
    if (found === -1) return undefined;
    score += found === (at.at(-1) ?? -2) + 1 ? 3 : /[a-z0-9]/.test(text[found - 1] ?? '-') ? 0 : 2;
    at.push(found);
  }
  return { score: score - text.length / 100, at };
}

/** Cuts a candidate into parts that matched and parts that did not. */
export function marked(text: string, at: readonly number[]): readonly { readonly text: string; readonly hit: boolean; readonly at: number }[] {
  const hits = new Set(at);
  const parts: { text: string; hit: boolean; at: number }[] = [];
  for (const [i, letter] of Array.from(text).entries()) {
    const last = parts.at(-1);
    if (last?.hit === hits.has(i)) last.text += letter;
    else parts.push({ text: letter, hit: hits.has(i), at: i });
  }
  return parts;
}
