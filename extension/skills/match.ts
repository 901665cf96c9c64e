import { fuzzyScore } from '../base/fuzzyMatch';

/** What the `/` menu and the palette match against. */
export interface Matchable {
  readonly qualified: string;
  readonly name: string;
  readonly label?: string;
  readonly description: string;
}

/**
 * The entries a query fits, best first: names before labels before descriptions, then the more used, then by name.
 * An empty query keeps all.
 */
export function matchSkills<T extends Matchable>(query: string, items: readonly T[], timesUsed: (qualified: string) => number = () => 0): readonly T[] {
  const wanted = query.trim().replace(/^\//, '');
  return items
    .map((item) => ({ item, score: scoreOf(wanted, item) }))
    .filter((entry) => entry.score !== undefined)
    .sort((a, b) => (b.score ?? 0) - (a.score ?? 0) || timesUsed(b.item.qualified) - timesUsed(a.item.qualified) || (a.item.qualified < b.item.qualified ? -1 : 1))
    .map((entry) => entry.item);
}

function scoreOf(wanted: string, item: Matchable): number | undefined {
  const names = [fuzzyScore(wanted, item.name), fuzzyScore(wanted, item.qualified), item.label === undefined ? undefined : minus(fuzzyScore(wanted, item.label), 50)];
  const best = names.reduce((a, b) => (b === undefined || (a ?? -1) >= b ? a : b), undefined);
  if (best !== undefined) return best;
  return wanted.length >= 3 && item.description.toLowerCase().includes(wanted.toLowerCase()) ? 0.5 : undefined;
}

function minus(score: number | undefined, by: number): number | undefined {
  return score === undefined ? undefined : Math.max(1, score - by);
}
