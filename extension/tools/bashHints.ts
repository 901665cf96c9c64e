import { type SimpleCommand, shellCommands } from './shellWords';

const saysNoWithOne = new Set(['grep', 'rg', 'egrep', 'fgrep', 'find', 'diff', 'test', '[']);

/** Exit 1 of these means "no" or "different", not "failed". A chain counts only when each part that could have ended it with 1 is one of them. */
export function exitOneIsFine(command: string, output: string): boolean {
  const commands = shellCommands(command) ?? [];
  let at = commands.length - 1;
  if (at < 0) return false;
  while (at >= 0) {
    const part = commands[at];
    // A `cd` that fails says so.
    if (!part || !(answersWithOne(part) || (words(part)[0] === 'cd' && output.trim() === ''))) return false;
    // What stands before a pipe or `;` does not decide the exit code.
    while (at > 0 && commands[at]?.joinedBy === '|') at -= 1;
    if (commands[at]?.joinedBy !== '&&' && commands[at]?.joinedBy !== '||') return true;
    at -= 1;
  }
  return true;
}

function answersWithOne(command: SimpleCommand): boolean {
  const [name, sub] = words(command);
  return saysNoWithOne.has(name ?? '') || (name === 'git' && (sub === 'diff' || sub === 'grep'));
}

/** Without leading `VAR=value`. */
function words(command: SimpleCommand): readonly string[] {
  const at = command.words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  return at === -1 ? [] : command.words.slice(at);
}

/** Whether a command over its time goes on in the background: not one that only waits, not git (half a commit helps nobody), not what can't be read. */
export function mayMoveToBackground(command: string): boolean {
  const commands = shellCommands(command);
  if (!commands || /\bgit\b/.test(command)) return false;
  const [first] = commands;
  return first !== undefined && words(first)[0] !== 'sleep';
}

const wholeReaders = new Set(['cat', 'nl', 'bat', 'batcat']);
const partReaders = new Set(['head', 'tail']);
const searchers = new Set(['grep', 'egrep', 'fgrep', 'rg']);

/** The one file a plain command shows, so that it counts as read; `whole` when all of it is shown. */
export function fileShownBy(command: string): { readonly path: string; readonly whole: boolean } | undefined {
  const commands = shellCommands(command);
  const [only] = commands ?? [];
  if (!only || commands?.length !== 1 || only.redirects || /[$`*?]/.test(command)) return undefined;
  const [name, ...args] = only.words;
  const plain = args.filter((arg) => !arg.startsWith('-'));
  const [first, second] = plain;
  if (wholeReaders.has(name ?? '')) return first !== undefined && plain.length === 1 ? { path: first, whole: true } : undefined;
  if (partReaders.has(name ?? '')) {
    const files = plain.filter((arg) => !/^\d+$/.test(arg));
    return files[0] !== undefined && files.length === 1 ? { path: files[0], whole: false } : undefined;
  }
  if (name === 'sed') return args[0] === '-n' && second !== undefined && plain.length === 2 && /^\d+(,\d+)?p$/.test(first ?? '') ? { path: second, whole: false } : undefined;
  return searchers.has(name ?? '') && second !== undefined && plain.length === 2 ? { path: second, whole: false } : undefined;
}
