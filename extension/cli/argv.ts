import { didYouMean as nearest } from '../base/nearest';
import { err, ok, type Result } from '../base/result';

/** How a flag takes its values. `words` is a list that is not split. `list` takes all words up to the next flag, may repeat, and splits at commas outside brackets. */
type FlagKind = 'switch' | 'value' | 'number' | 'list' | 'words';

const runFlags = {
  print: 'switch',
  'output-format': 'value',
  'input-format': 'value',
  model: 'value',
  'fallback-model': 'value',
  'max-turns': 'number',
  'permission-mode': 'value',
  allowedTools: 'list',
  disallowedTools: 'list',
  'add-dir': 'list',
  'plugin-dir': 'list',
  agent: 'value',
  agents: 'value',
  settings: 'value',
  'mcp-config': 'words',
  'strict-mcp-config': 'switch',
  'system-prompt': 'value',
  'append-system-prompt': 'value',
  continue: 'switch',
  resume: 'value',
  'session-id': 'value',
  cwd: 'value',
  verbose: 'switch',
  trust: 'switch',
  init: 'switch',
  maintenance: 'switch',
  'dangerously-skip-permissions': 'switch',
  stdio: 'switch',
  teammate: 'value',
  help: 'switch',
  version: 'switch',
  json: 'switch',
  'no-shell': 'switch',
  tool: 'value',
  input: 'value',
  mode: 'value',
  events: 'switch',
  into: 'value',
  message: 'value',
} as const satisfies Record<string, FlagKind>;

export type FlagName = keyof typeof runFlags;
export const flagNames = Object.keys(runFlags);
const kindOf = new Map<string, FlagKind>(Object.entries(runFlags));
const short: Readonly<Record<string, FlagName>> = { p: 'print', c: 'continue', r: 'resume', h: 'help', v: 'version', m: 'message' };
const spelledOtherwise: Readonly<Record<string, FlagName>> = { 'allowed-tools': 'allowedTools', 'disallowed-tools': 'disallowedTools' };

export interface Argv {
  readonly words: readonly string[];
  readonly switches: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, string>;
  readonly lists: ReadonlyMap<string, readonly string[]>;
}

/** @returns problem: names the argument, and the nearest known flag */
export function parseArgv(args: readonly string[]): Result<Argv, string> {
  const found = { words: [] as string[], switches: new Set<string>(), values: new Map<string, string>(), lists: new Map<string, string[]>() };
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (arg === '--') {
      found.words.push(...args.slice(at + 1));
      break;
    }
    if (!arg.startsWith('-') || arg === '-') {
      found.words.push(arg);
      continue;
    }
    const taken = takeFlag(args, at, found);
    if (!taken.ok) return taken;
    at = taken.value;
  }
  return ok(found);
}

interface Found {
  readonly switches: Set<string>;
  readonly values: Map<string, string>;
  readonly lists: Map<string, string[]>;
}

/** @returns the index of the last argument used */
function takeFlag(args: readonly string[], at: number, found: Found): Result<number, string> {
  const arg = args[at] ?? '';
  const [spelled = '', inline] = arg.startsWith('--') ? splitAtEquals(arg.slice(2)) : [arg.slice(1), undefined];
  const name = arg.startsWith('--') ? (spelledOtherwise[spelled] ?? spelled) : (short[spelled] ?? spelled);
  const kind = kindOf.get(name);
  if (!kind) return err(`unknown flag ${arg}${didYouMean(name, flagNames, '--')}`);
  if (kind === 'switch') {
    if (inline !== undefined) return err(`--${name} takes no value`);
    found.switches.add(name);
    return ok(at);
  }
  if (kind === 'list' || kind === 'words') return takeList(args, { at, name, inline }, found);
  const value = inline ?? args[at + 1];
  if (value === undefined || (inline === undefined && isFlag(value))) return err(`--${name} needs a value`);
  if (kind === 'number' && !/^[1-9]\d*$/.test(value)) return err(`--${name} needs a whole number above 0, not "${value}"`);
  found.values.set(name, value);
  return ok(inline === undefined ? at + 1 : at);
}

/** Texts may begin with a hyphen; what is a flag of ours means that the value was forgotten. */
function isFlag(word: string): boolean {
  return word.startsWith('--') || (word.startsWith('-') && Object.hasOwn(short, word.slice(1)));
}

function takeList(args: readonly string[], flag: { at: number; name: string; inline: string | undefined }, found: Found): Result<number, string> {
  const words: string[] = [];
  let last = flag.at;
  if (flag.inline !== undefined) words.push(flag.inline);
  else while (args[last + 1] !== undefined && !args[last + 1]?.startsWith('-')) words.push(args[++last] ?? '');
  if (words.length === 0) return err(`--${flag.name} needs at least one value`);
  found.lists.set(flag.name, [...(found.lists.get(flag.name) ?? []), ...(kindOf.get(flag.name) === 'words' ? words : words.flatMap(splitOutsideBrackets))]);
  return ok(last);
}

function splitAtEquals(flag: string): readonly [string, string | undefined] {
  const at = flag.indexOf('=');
  return at === -1 ? [flag, undefined] : [flag.slice(0, at), flag.slice(at + 1)];
}

/** `Bash(git add, x),Read` -> two entries. */
export function splitOutsideBrackets(list: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let current = '';
  for (const char of list) {
    if (char === '(') depth++;
    if (char === ')') depth = Math.max(0, depth - 1);
    if (char === ',' && depth === 0) {
      parts.push(current);
      current = '';
    } else current += char;
  }
  return [...parts, current].map((part) => part.trim()).filter((part) => part !== '');
}

export function didYouMean(word: string, known: readonly string[], prefix = ''): string {
  const [best] = nearest(word, known);
  return best === undefined ? '' : `; did you mean ${prefix}${best}?`;
}
