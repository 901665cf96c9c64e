import { expandHome, folded, isInside, normalPath } from './pathForms';
import type { RuleBehavior } from './permissionTypes';

export interface PathAnchors {
  readonly ruleDir: string;
  readonly cwd: string;
  readonly homeDir: string;
  /** The path itself, nothing below it, and from its anchor on (`Cd` rules). */
  readonly whole?: boolean;
}

/** A compiled gitignore-style pattern. `base` has no wildcard: everything it can match lies at or below it. */
export interface PathMatcher {
  readonly base: string;
  /** @param path at or below `base`; spelled by `comparable` */
  readonly matches: (path: string) => boolean;
  /** Whether some path that the wildcard path `glob` names could be matched. */
  readonly overlaps: (glob: string) => boolean;
  /** Whether all it can match lies below `dir`: whoever takes the folder away takes that away too. */
  readonly isBelow: (dir: string) => boolean;
}

/**
 * Anchors: `//p` the root of the file system, `~/p` home, `/p` the rule's own folder, `p` and `./p` cwd.
 * A bare name matches at any depth; `dir/**` with one segment does so in deny and ask, in allow only at the top.
 * What a pattern names as a folder covers what is in it, unless an allow ends in a wildcard. Deny folds case.
 */
export function compilePathPattern(pattern: string, behavior: RuleBehavior, anchors: PathAnchors): PathMatcher {
  const { anchor, rest, pinned } = anchored(pattern, anchors);
  const segments = rest.split('/').filter((s) => s !== '' && s !== '.');
  const floats = !pinned && !anchors.whole && (isBareName(rest) || (behavior !== 'allow' && /^[^/]+\/\*\*\/?$/.test(rest)));
  const all = floats ? ['**', ...segments] : segments;
  const fold = behavior === 'deny' ? folded : same;
  const anchorDir = fold(normalPath(anchor));
  const covers = !anchors.whole && (behavior !== 'allow' || !/[*?[]/.test(segments.at(-1) ?? '') || segments.at(-1) === '**');
  const body = all.map(fold);
  const literal = body.findIndex((s) => /[*?[\\]/.test(s));
  const base = join(anchorDir, literal === -1 ? body : body.slice(0, literal));
  const open = covers && body.at(-1) !== '**' ? [...body, '**'] : body;
  const skip = anchorDir === '/' ? 0 : anchorDir.length;
  const compiled = open.map(compileSegment);
  // Most paths lack the pattern's longest plain name: cheaper to see than to compare segment by segment.
  const needle = body.filter((s) => !/[*?[\\]/.test(s)).reduce((longest, s) => (s.length > longest.length ? s : longest), '');
  return {
    base,
    matches: (path) => path.includes(needle) && isInside(path, anchorDir) && segmentsMatch(compiled, path.slice(skip).split('/').filter((s) => s !== '')),
    isBelow: (dir) => !floats && base !== fold(dir) && isInside(base, fold(dir)),
    overlaps: (glob) => globsOverlap(fold(glob).split('/').filter((s) => s !== ''), [...anchorDir.split('/').filter((s) => s !== ''), ...body, ...(covers ? ['**'] : [])]),
  };
}

/** A path as patterns of this kind compare it. */
export function comparable(path: string, behavior: RuleBehavior): string {
  return behavior === 'deny' ? folded(path) : path;
}

function anchored(pattern: string, anchors: PathAnchors): { readonly anchor: string; readonly rest: string; readonly pinned: boolean } {
  if (pattern.startsWith('//')) return { anchor: '/', rest: pattern.slice(2), pinned: true };
  if (/^[A-Za-z]:[\\/]/.test(pattern)) return { anchor: '/', rest: normalPath(pattern).slice(1), pinned: true };
  if (pattern === '~' || pattern.startsWith('~/')) return { anchor: expandHome('~', anchors.homeDir), rest: pattern.slice(2), pinned: true };
  if (pattern.startsWith('/')) return { anchor: anchors.ruleDir, rest: pattern.slice(1), pinned: true };
  let rest = pattern;
  let anchor = anchors.cwd;
  while (/^\.\.?\//.test(rest)) {
    if (rest.startsWith('../')) anchor = normalPath('..', anchor);
    rest = rest.replace(/^\.\.?\//, '');
  }
  return { anchor, rest, pinned: anchor !== anchors.cwd };
}

function isBareName(rest: string): boolean {
  return !rest.replace(/\/$/, '').includes('/');
}

function same(text: string): string {
  return text;
}

function join(dir: string, segments: readonly string[]): string {
  return [dir === '/' ? '' : dir, ...segments].join('/') || '/';
}

interface Token {
  readonly kind: 'many' | 'one' | 'class' | 'char';
  readonly text: string;
  /** Of a class: one character that is in it. */
  readonly set?: RegExp;
}

function* tokens(segment: string): Generator<Token> {
  for (let i = 0; i < segment.length; i++) {
    const char = segment[i] ?? '';
    if (char === '\\') yield { kind: 'char', text: segment[++i] ?? '\\' };
    else if (char === '*') {
      if (segment[i - 1] !== '*') yield { kind: 'many', text: '*' };
    } else if (char === '?') yield { kind: 'one', text: '?' };
    else if (char === '[') {
      const set = /^\[([!^]?)(\]?[^\]]*)\]/.exec(segment.slice(i));
      if (!set || set[2] === '') yield { kind: 'char', text: '[' };
      else {
        yield { kind: 'class', text: set[0], set: classOf(set[1] !== '', set[2] ?? '') };
        i += set[0].length - 1;
      }
    } else yield { kind: 'char', text: char };
  }
}

/** A range that runs backwards matches nothing, or, when negated, anything. */
function classOf(negated: boolean, body: string): RegExp {
  try {
    return new RegExp(`^[${negated ? '^/' : ''}${body.replace(/[\\\]^[]/g, '\\$&')}]$`, 's');
  } catch {
    return negated ? /^[^/]$/ : /^(?!)/; // `[z-a]`
  }
}

/** `undefined` stands for any number of segments (`**`); a plain segment is its own text. */
type Segment = string | readonly Token[] | undefined;

function compileSegment(segment: string): Segment {
  if (segment === '**') return undefined;
  return /[*?[\\]/.test(segment) ? [...tokens(segment)] : segment;
}

/** Never more than pattern times path steps, whatever either looks like: only the last `**` is ever taken up again. */
function segmentsMatch(pattern: readonly Segment[], path: readonly string[]): boolean {
  return stepsMatch(pattern.length, path.length, {
    isMany: (p) => pattern[p] === undefined,
    accepts: (p, i) => segmentMatches(pattern[p], path[i] ?? ''),
  });
}

function segmentMatches(segment: Segment, text: string): boolean {
  if (segment === undefined || typeof segment === 'string') return segment === text;
  return stepsMatch(segment.length, text.length, {
    isMany: (p) => segment[p]?.kind === 'many',
    accepts: (p, i) => tokenMatches(segment[p], text[i] ?? ''),
  });
}

function tokenMatches(token: Token | undefined, char: string): boolean {
  if (token?.kind === 'class') return token.set?.test(char) ?? false;
  return token?.kind === 'one' || token?.text === char;
}

function stepsMatch(patternLength: number, length: number, of: { readonly isMany: (p: number) => boolean; readonly accepts: (p: number, i: number) => boolean }): boolean {
  let p = 0;
  let star = -1;
  let from = 0;
  for (let i = 0; i < length; ) {
    if (p < patternLength && of.isMany(p)) {
      star = p++;
      from = i;
    } else if (p < patternLength && of.accepts(p, i)) {
      p++;
      i++;
    } else if (star >= 0) {
      p = star + 1;
      i = ++from;
    } else return false;
  }
  while (p < patternLength && of.isMany(p)) p++;
  return p === patternLength;
}

/** Whether two patterns have a text in common, by a table instead of trying every split. */
function overlap(a: number, b: number, of: { readonly anyA: (i: number) => boolean; readonly anyB: (j: number) => boolean; readonly fit: (i: number, j: number) => boolean }): boolean {
  let below = Array.from({ length: b + 1 }, () => false);
  for (let i = a; i >= 0; i--) {
    const row = Array.from({ length: b + 1 }, () => false);
    for (let j = b; j >= 0; j--) {
      if (i === a && j === b) row[j] = true;
      else if (i < a && of.anyA(i) && (below[j] || (j < b && row[j + 1]))) row[j] = true;
      else if (j < b && of.anyB(j) && (row[j + 1] || (i < a && below[j]))) row[j] = true;
      else row[j] = i < a && j < b && !of.anyA(i) && !of.anyB(j) && of.fit(i, j) && below[j + 1] === true;
    }
    below = row;
  }
  return below[0] === true;
}

function globsOverlap(a: readonly string[], b: readonly string[]): boolean {
  return overlap(a.length, b.length, { anyA: (i) => a[i] === '**', anyB: (j) => b[j] === '**', fit: (i, j) => segmentsOverlap([...tokens(a[i] ?? '')], [...tokens(b[j] ?? '')]) });
}

function segmentsOverlap(a: readonly Token[], b: readonly Token[]): boolean {
  const fits = (x: Token | undefined, y: Token | undefined): boolean => x?.kind !== 'char' || y?.kind !== 'char' || x.text === y.text;
  return overlap(a.length, b.length, { anyA: (i) => a[i]?.kind === 'many', anyB: (j) => b[j]?.kind === 'many', fit: (i, j) => fits(a[i], b[j]) });
}
