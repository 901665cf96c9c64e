import { err, ok, type Result } from '../base/result';
import type { WorktreeProblem } from './worktreeProblem';

const first = ['amber', 'bold', 'brave', 'bright', 'calm', 'clear', 'crisp', 'deep', 'eager', 'fair', 'fleet', 'fresh', 'gentle', 'glad', 'keen', 'kind', 'lively', 'lucid', 'mellow', 'merry', 'neat', 'noble', 'quick', 'quiet', 'rapid', 'silent', 'snug', 'steady', 'sunny', 'swift', 'tidy', 'warm'];
const second = ['climbing', 'crossing', 'dancing', 'drifting', 'flying', 'gliding', 'humming', 'leaping', 'painting', 'racing', 'roaming', 'running', 'sailing', 'singing', 'soaring', 'walking'];
const third = ['badger', 'beaver', 'crane', 'curlew', 'dolphin', 'falcon', 'finch', 'fox', 'hare', 'heron', 'ibex', 'jay', 'kestrel', 'lark', 'lynx', 'marten', 'otter', 'owl', 'plover', 'raven', 'robin', 'seal', 'sparrow', 'stoat', 'swan', 'swift', 'tern', 'thrush', 'vole', 'weasel', 'wolf', 'wren'];

/** A name like `bright-running-fox`. @param random from 0 up to 1 */
export function autoName(random: () => number): string {
  const pick = (words: readonly string[]): string => words[Math.floor(random() * words.length)] ?? 'new';
  return `${pick(first)}-${pick(second)}-${pick(third)}`;
}

/**
 * A name as folder and branch take it: `/` becomes `+`. What git or a file system would read otherwise
 * (`..`, a leading `-` or `.`, control characters, `:`) is refused, not repaired.
 */
export function worktreeName(given: string): Result<string, WorktreeProblem> {
  const refuse = (why: string): Result<string, WorktreeProblem> => err({ code: 'bad-name', message: `The worktree name ${JSON.stringify(given.slice(0, 80))} can’t be used: ${why}. Use letters, digits, "-", "_", "." and "/".` });
  const name = given.replaceAll('/', '+');
  if (name === '') return refuse('it is empty');
  if (Buffer.byteLength(name) > 100) return refuse('it is longer than 100 bytes');
  if (/[\u0000-\u001f\u007f]/.test(name)) return refuse('it has control characters');
  if (name.startsWith('-')) return refuse('it begins with "-"');
  if (name.includes('..')) return refuse('it has ".."');
  if (/^[.+]|[.+]$|\.lock$/.test(name) || name.includes('++')) return refuse('it begins or ends with "." or "/", or ends with ".lock"');
  if (/[\s~^:?*[\]\\<>|"'`$&;(){}!#%@=,]/.test(name)) return refuse('it has blanks or signs with a meaning to git or to a shell');
  if (/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(name)) return refuse('Windows keeps it for a device');
  return ok(name);
}

/** `20260131-142530-123`, fit for a ref. */
export function timeStamp(atMs: number): string {
  return new Date(atMs).toISOString().replace(/[-:Z]/g, '').replace('T', '-').replace('.', '-');
}
