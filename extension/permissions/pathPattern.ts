import { expandHome, folded, isInside, normalPath } from './pathForms';
import type { RuleBehavior } from './permissionTypes';

export interface PathAnchors {
  readonly ruleDir: string;
  readonly cwd: string;
  readonly homeDir: string;
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
  const floats = !pinned && (isBareName(rest) || (behavior !== 'allow' && /^[^/]+\/\*\*\/?$/.test(rest)));
  const all = floats ? ['**', ...segments] : segments;
  const fold = behavior === 'deny' ? folded : same;
  const anchorDir = fold(normalPath(anchor));
  const covers = behavior !== 'allow' || !/[*?[]/.test(segments.at(-1) ?? '') || segments.at(-1) === '**';
  const body = all.map(fold);
  const literal = body.findIndex((s) => /[*?[\\]/.test(s));
  const base = join(anchorDir, literal === -1 ? body : body.slice(0, literal));
  const regex = new RegExp(`^${escapeRegExp(anchorDir === '/' ? '' : anchorDir)}${body.map(segmentSource).join('')}${covers && body.at(-1) !== '**' ? '(?:/.*)?' : ''}$`, 's');
  return {
    base,
    matches: (path) => regex.test(path),
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

function segmentSource(segment: string, index: number, all: readonly string[]): string {
  if (segment === '**') return index === all.length - 1 ? '(?:/.*)?' : '(?:/[^/]+)*';
  return `/${[...tokens(segment)].map((t) => (t.kind === 'many' ? '[^/]*' : t.kind === 'one' ? '[^/]' : t.kind === 'class' ? t.text : escapeRegExp(t.text))).join('')}`;
}

interface Token {
  readonly kind: 'many' | 'one' | 'class' | 'char';
  readonly text: string;
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
        yield { kind: 'class', text: `[${set[1] ? '^/' : ''}${(set[2] ?? '').replace(/[\\\]^[]/g, '\\$&')}]` };
        i += set[0].length - 1;
      }
    } else yield { kind: 'char', text: char };
  }
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

function globsOverlap(a: readonly string[], b: readonly string[]): boolean {
  const [x, ...restA] = a;
  const [y, ...restB] = b;
  if (x === undefined) return b.every((s) => s === '**');
  if (y === undefined) return a.every((s) => s === '**');
  if (x === '**') return globsOverlap(restA, b) || globsOverlap(a, restB);
  if (y === '**') return globsOverlap(a, restB) || globsOverlap(restA, b);
  return segmentsOverlap([...tokens(x)], [...tokens(y)]) && globsOverlap(restA, restB);
}

function segmentsOverlap(a: readonly Token[], b: readonly Token[]): boolean {
  const [x, ...restA] = a;
  const [y, ...restB] = b;
  if (!x) return b.every((t) => t.kind === 'many');
  if (!y) return a.every((t) => t.kind === 'many');
  if (x.kind === 'many') return segmentsOverlap(restA, b) || segmentsOverlap(a, restB);
  if (y.kind === 'many') return segmentsOverlap(a, restB) || segmentsOverlap(restA, b);
  if (x.kind === 'char' && y.kind === 'char' && x.text !== y.text) return false;
  return segmentsOverlap(restA, restB);
}
