import type { Word } from './commandTypes';
import { commandName } from './commandWrappers';

/** The files a command names: what it shows and what it changes. Words that are no paths are harmless here. */
export interface FileTargets {
  readonly reads: readonly Word[];
  readonly edits: readonly Word[];
}

const readers = new Set(
  'cat head tail less more nl tac bat batcat od xxd hexdump strings base64 base32 sort uniq cut paste comm join diff cmp wc rev fold column source . sha256sum md5sum sha1sum cksum zcat view vim vi nano emacs code open xargs'.split(' '),
);
/** Their first operand is a pattern or a program. */
const filters = new Set('grep egrep fgrep rg ag ack awk gawk mawk jq yq perl'.split(' '));
const editors = new Set('rm rmdir unlink shred touch mkdir truncate tee chmod chown chgrp mkfifo'.split(' '));

export function fileTargets(words: readonly Word[]): FileTargets {
  const name = commandName(words);
  const args = words.slice(1);
  const plain = operands(args);
  if (readers.has(name)) return { reads: [...plain, ...optionPaths(args)], edits: name === 'sort' ? valuesOf(args, /^(-o|--output)(=|$)/) : [] };
  if (filters.has(name)) return { reads: [...filterFiles(args), ...optionPaths(args)], edits: [] };
  if (editors.has(name)) return { reads: [], edits: name.startsWith('ch') ? plain.slice(1) : plain };
  switch (name) {
    case 'sed':
      return sedTargets(args);
    case 'cp':
    case 'install':
    case 'rsync':
    case 'scp':
    case 'ln':
      return { reads: plain.slice(0, -1), edits: destinations(args, plain) };
    case 'mv':
      return { reads: plain.slice(0, -1), edits: [...plain.slice(0, -1), ...destinations(args, plain)] };
    case 'dd':
      return { reads: valuesOf(args, /^if=/), edits: valuesOf(args, /^of=/) };
    case 'git':
      return { reads: gitReads(args), edits: gitEdits(args) };
    case 'find':
      return { reads: [], edits: args.some((w) => w.text === '-delete') ? plain : valuesOf(args, /^-(fls|fprint0?|fprintf)$/) };
    case 'curl':
      return { reads: [], edits: valuesOf(args, /^(-o|--output)(=|$)/) };
    case 'wget':
      return { reads: [], edits: valuesOf(args, /^(-O|--output-document)(=|$)/) };
    default:
      return { reads: [], edits: [] };
  }
}

/** Words that are no options; after `--` all of them. */
export function operands(args: readonly Word[]): readonly Word[] {
  const end = args.findIndex((w) => w.text === '--');
  if (end === -1) return args.filter((w) => !isOption(w));
  return [...args.slice(0, end).filter((w) => !isOption(w)), ...args.slice(end + 1)];
}

function isOption(word: Word): boolean {
  return word.text.startsWith('-') && word.text !== '-';
}

/** Paths glued to an option: `--file=/etc/x`, `-f/etc/x`, `-f../x`. */
export function optionPaths(args: readonly Word[]): readonly Word[] {
  return args.filter(isOption).flatMap((word) => {
    const value = word.text.startsWith('--') ? word.text.replace(/^[^=]*=?/, '') : word.text.slice(2);
    return value !== '' && (/[/~\\]/.test(value) || value.includes('..') || word.dynamic || word.text.startsWith('--file')) ? [{ ...word, text: value, tilde: value.startsWith('~') }] : [];
  });
}

/** Without the pattern, unless an option already gives one. */
export function filterFiles(args: readonly Word[]): readonly Word[] {
  const known = /^--(recursive|files-with-matches|files-without-match|fixed-strings|files)$/;
  const givesPattern = args.some(({ text }) => (/^-[A-Za-z]*[ef]/.test(text) && !text.startsWith('--')) || (/^--[rf]/.test(text) && !known.test(text)) || text === '--files');
  const plain = operands(args);
  return givesPattern ? plain : plain.slice(1);
}

function sedTargets(args: readonly Word[]): FileTargets {
  const plain = operands(args);
  const scripted = args.some((w) => /^(-[a-zA-Z]*[ef]|--expression|--file)/.test(w.text) && !/^-(i|-in-place)/.test(w.text));
  const files = scripted ? plain : plain.slice(1);
  const inPlace = args.some((w) => /^(-[nErsuz]*i|--in-place)/.test(w.text));
  return { reads: files, edits: inPlace ? files : [] };
}

/** The last operand or `-t DIR`; what lands inside a folder is named too. */
function destinations(args: readonly Word[], plain: readonly Word[]): readonly Word[] {
  const folders = valuesOf(args, /^(-t|--target-directory)(=|$)/);
  const targets = folders.length > 0 ? folders : plain.slice(-1);
  const sources = folders.length > 0 ? plain : plain.slice(0, -1);
  return targets.flatMap((target) => [target, ...sources.map((source) => ({ ...target, text: `${target.text}/${lastSegment(source.text)}`, glob: target.glob || source.glob, dynamic: target.dynamic || source.dynamic }))]);
}

function lastSegment(path: string): string {
  return path.replace(/\/+$/, '').split('/').at(-1) ?? path;
}

/** Values of an option, glued (`--output=x`, `of=x`, `-ox`) or as the next word. */
function valuesOf(args: readonly Word[], option: RegExp): readonly Word[] {
  return args.flatMap((word, i) => {
    if (!option.test(word.text)) return /^-o./.test(word.text) && option.test('-o') ? [{ ...word, text: word.text.slice(2) }] : [];
    const glued = word.text.indexOf('=');
    const value = glued === -1 ? args[i + 1] : { ...word, text: word.text.slice(glued + 1), tilde: false };
    return value ? [value] : [];
  });
}

function gitReads(args: readonly Word[]): readonly Word[] {
  const [command, ...rest] = operands(args);
  if (!command || !/^(diff|show|blame|log|grep|cat-file|annotate|add|stash|checkout|restore)$/.test(command.text)) return [];
  return rest.map((word) => (word.text.includes(':') ? { ...word, text: word.text.slice(word.text.indexOf(':') + 1) } : word));
}

function gitEdits(args: readonly Word[]): readonly Word[] {
  const [command, ...rest] = operands(args);
  return command && /^(rm|mv|restore|checkout)$/.test(command.text) ? rest : [];
}

/**
 * Whether an rm or rmdir would take away something nobody gets back: the root, a top-level folder, home, the working
 * folder or what holds it, or `"$VAR"/…` that may turn out to be `/`.
 * @param resolve absolute normal paths a word may mean; undefined when only the shell knows
 */
export function criticalRemoval(words: readonly Word[], places: { readonly cwd: string; readonly homeDir: string; readonly resolve: (word: Word) => readonly string[] | undefined }): string | undefined {
  const name = commandName(words);
  if (name !== 'rm' && name !== 'rmdir') return undefined;
  for (const word of operands(words.slice(1))) {
    if (word.dynamic) {
      if (/^["']?(\$\{?\w+\}?|\$\(.*\)|`.*`)["']?\/+(\*|\.\*|$)/s.test(word.source)) return `it removes ${word.source}, which is everything when the variable is empty`;
      if (/^\$\{?(HOME|PWD)\}?\/?$/.test(word.text)) return `it removes ${word.text}`;
      continue;
    }
    const bare = word.text.replace(/(^|\/)(\*|\.\*|\{\*,\.\*\}|\*\*)$/, '$1');
    for (const path of places.resolve({ ...word, text: bare === '' ? '.' : bare }) ?? []) {
      if (/^\/[^/]*$/.test(path)) return `it removes ${path}`;
      if (path === places.homeDir || places.homeDir.startsWith(`${path}/`)) return `it removes the home folder (${path})`;
      if (path === places.cwd || places.cwd.startsWith(`${path}/`)) return `it removes the working folder (${path})`;
    }
  }
  return undefined;
}
