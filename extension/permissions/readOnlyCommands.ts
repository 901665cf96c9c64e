import { filterFiles, operands, optionPaths } from './commandPaths';
import type { SimpleCommand, Word } from './commandTypes';

/** A use that only looks. `paths` have to lie in the working folders; `recursive` reads whatever lies below them. */
export interface ReadOnlyUse {
  readonly paths: readonly Word[];
  readonly recursive: boolean;
}

type Check = (args: readonly Word[]) => ReadOnlyUse | undefined;

const noPaths: Check = () => ({ paths: [], recursive: false });
const onPaths: Check = (args) => ({ paths: [...operands(args), ...optionPaths(args)], recursive: false });

/** Options are refused by prefix too, since programs take any clear abbreviation of a long one. */
function without(args: readonly Word[], banned: readonly string[]): boolean {
  return args.every(({ text, dynamic }) => {
    if (dynamic && text.startsWith('-')) return false;
    const name = text.split('=')[0] ?? '';
    return !banned.some((b) => (b.startsWith('--') ? name.length > 2 && name.startsWith('--') && b.startsWith(name) : text.startsWith(b)));
  });
}

function unless(banned: readonly string[], check: Check): Check {
  return (args) => (without(args, banned) && !args.some((w) => w.dynamic) ? check(args) : undefined);
}

const search: Check = (args) => ({ paths: [...filterFiles(args), ...optionPaths(args)], recursive: true });
const findBanned = ['-exec', '-ok', '-delete', '-fls', '-fprint', '-files0-from'];

const commands = new Map<string, Check>([
  ...['echo', 'pwd', 'true', 'false', ':', 'whoami', 'uname'].map((name): [string, Check] => [name, noPaths]),
  ...['ls', 'cat', 'stat', 'nl', 'cmp', 'sha256sum', 'md5sum', 'basename', 'dirname', 'realpath', 'readlink', 'cut', 'rev'].map((name): [string, Check] => [name, unless([], onPaths)]),
  ...['head', 'tail'].map((name): [string, Check] => [name, unless([], onPaths)]),
  ['wc', unless(['--files0-from'], onPaths)],
  ['du', unless(['--files0-from', '--exclude-from', '-X'], onPaths)],
  ['diff', unless(['--output', '--from-file', '--to-file'], onPaths)],
  ['which', noPaths],
  ...['grep', 'egrep', 'fgrep'].map((name): [string, Check] => [name, unless([], search)]),
  ['rg', unless(['--pre', '--hostname-bin', '--search-zip', '-z'], search)],
  ['find', unless(findBanned, (args) => ({ paths: findStarts(args), recursive: false }))],
  ['sort', unless(['-o', '--output', '--compress-program', '-T', '--temporary-directory', '--files0-from'], (args) => (args.some((w) => /^-[a-zA-Z]*[oT]/.test(w.text)) ? undefined : onPaths(args)))],
  ['uniq', unless([], (args) => (operands(args).length <= 1 ? onPaths(args) : undefined))],
  ['sed', sedPrint],
  ['tr', noPaths],
  ['file', unless(['-m', '--magic-file', '-f', '--files-from', '-C', '--compile'], (args) => (args.some((w) => /^-[a-zA-Z]*[mfC]/.test(w.text)) ? undefined : onPaths(args)))],
  ['cd', unless([], onPaths)],
  ['git', gitLook],
  ['docker', dockerLook],
  ['command', (args) => (args[0] && /^-[vV]$/.test(args[0].text) ? { paths: [], recursive: false } : undefined)],
  ['[', fileTest],
  ['test', fileTest],
]);

/** @returns undefined when the command may do more than look */
export function readOnlyUse(part: SimpleCommand, words: readonly Word[]): ReadOnlyUse | undefined {
  const [name, ...args] = words;
  if (part.kind !== 'command' || !name || name.dynamic || name.glob || part.assignments.some((a) => a.name === '')) return undefined;
  if (words.some((w) => /^(\\\\|\/\/)[^/\\]/.test(w.text))) return undefined;
  if (/^(find|sort|sed|git)$/.test(name.text) && args.some((w) => w.glob)) return undefined;
  return commands.get(name.text)?.(args);
}

function findStarts(args: readonly Word[]): readonly Word[] {
  const end = args.findIndex((w) => /^[-(!]/.test(w.text) && !/^-[HLPDO]/.test(w.text));
  const starts = (end === -1 ? args : args.slice(0, end)).filter((w) => !/^-[HLPDO]/.test(w.text));
  const compared = args.filter((_w, i) => /^-(newer\w*|anewer|cnewer|samefile)$/.test(args[i - 1]?.text ?? ''));
  return [...starts, ...compared];
}

/** Only `sed -n` with line numbers to print. */
function sedPrint(args: readonly Word[]): ReadOnlyUse | undefined {
  const [script, ...files] = operands(args);
  const options = args.filter((w) => w.text.startsWith('-') && w.text !== '-');
  if (!script || options.some((w) => !/^(-n|--quiet|--silent|-E|-r)$/.test(w.text))) return undefined;
  return /^(\d+|\$)?(,(\d+|\$))?p?$/.test(script.text) && !script.dynamic ? { paths: files, recursive: false } : undefined;
}

const gitLooks = new Set(
  'status log diff show rev-parse ls-files ls-tree blame annotate describe shortlog cat-file merge-base rev-list name-rev for-each-ref grep count-objects diff-tree diff-index diff-files show-ref check-ignore check-attr whatchanged cherry range-diff version var'.split(' '),
);
const gitBanned = ['--output', '--ext-diff', '--textconv', '--no-index', '--open-files-in-pager', '-O', '--exec', '--upload-pack', '--exec-path', '--filters', '--contents', '--exclude-from', '--stdin'];

function gitLook(args: readonly Word[]): ReadOnlyUse | undefined {
  const [command, ...rest] = args[0]?.text === '--no-pager' ? args.slice(1) : args;
  if (!command || command.dynamic || rest.some((w) => w.dynamic) || !without(rest, gitBanned)) return undefined;
  const paths = operands(rest).filter((w) => /^([/~]|\.\.(\/|$))|\/\.\.(\/|$)/.test(w.text));
  const fine = { paths, recursive: false };
  if (gitLooks.has(command.text)) return fine;
  const words = operands(rest);
  const options = rest.filter((w) => w.text.startsWith('-')).map((w) => w.text);
  const onlyOptions = (allowed: RegExp): boolean => options.every((o) => allowed.test(o));
  switch (command.text) {
    case 'branch':
      return words.length === 0 && onlyOptions(/^(-[avr]+|-vv|--all|--list|-l|--remotes|--show-current|--verbose|--(no-)?color|--(no-)?column|--sort=.*|--format=.*)$/) ? fine : undefined;
    case 'tag':
      return words.length === 0 && onlyOptions(/^(-l|--list|-n\d*|--sort=.*|--format=.*)$/) ? fine : undefined;
    case 'remote':
      return words.length === 0 && onlyOptions(/^(-v|--verbose)$/) ? fine : undefined;
    case 'stash':
      return words[0]?.text === 'list' || words[0]?.text === 'show' ? fine : undefined;
    case 'worktree':
      return words[0]?.text === 'list' ? fine : undefined;
    case 'reflog':
      return words.length === 0 || words[0]?.text === 'show' ? fine : undefined;
    case 'config':
      return options.length > 0 && onlyOptions(/^(--get|--get-all|--get-regexp|--list|-l|--local|--global|--system|--show-origin|--name-only)$/) && options.some((o) => /^(--get|-l$|--list)/.test(o)) ? fine : undefined;
    default:
      return undefined;
  }
}

function dockerLook(args: readonly Word[]): ReadOnlyUse | undefined {
  const elsewhere = args.some((w) => /^(-H|-c$|--ho|--con)/.test(w.text) || w.dynamic);
  return !elsewhere && /^(ps|images|version)$/.test(args[0]?.text ?? '') ? { paths: [], recursive: false } : undefined;
}

/** File and text tests; number comparisons and `-v` evaluate what they compare. */
function fileTest(args: readonly Word[]): ReadOnlyUse | undefined {
  const words = args.filter((w) => w.text !== ']' && w.text !== '!');
  const [first, second, third] = words;
  if (words.length === 2 && first && second && /^-[bcdefhkprsuwxzLnS]$/.test(first.text)) return { paths: /^-[zn]$/.test(first.text) ? [] : [unquotedWord(second)], recursive: false };
  if (words.length === 3 && second && third && /^(=|==|!=)$/.test(second.text)) return { paths: [], recursive: false };
  return undefined;
}

/** Words of `[ … ]` are kept as written. */
function unquotedWord(word: Word): Word {
  return { ...word, text: word.text.replace(/^(["'])(.*)\1$/s, '$2') };
}

const edits = new Set(['mkdir', 'touch', 'rm', 'rmdir', 'mv', 'cp', 'sed']);
const harmlessScript = /^(\d+|\$)?(,(\d+|\$))?(p|d|s([/|#,:@])(?:(?!\5)[^\\\n]|\\.)*\5(?:(?!\5)[^\\\n]|\\.)*\5[gpiI0-9]*)$/;

/** The commands acceptEdits takes for edits; sed only with a script that can neither write elsewhere nor run things. */
export function isEditCommand(words: readonly Word[]): boolean {
  const name = words[0]?.text ?? '';
  if (!edits.has(name) || words.some((w) => w.dynamic)) return false;
  if (name !== 'sed') return true;
  const args = words.slice(1);
  if (args.some((w) => /^-/.test(w.text) && !/^(-n|-E|-r|-i(\.\w+)?|--in-place(=\.\w+)?|-e)$/.test(w.text))) return false;
  const scripts = args.some((w) => w.text === '-e') ? args.filter((_w, i) => args[i - 1]?.text === '-e') : operands(args).slice(0, 1);
  return scripts.length > 0 && scripts.every((w) => harmlessScript.test(w.text));
}
