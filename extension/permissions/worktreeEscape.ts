import { type CallPlace, isInsideAny, type PathForms, pathForms } from './callPlace';
import { fileTargets, operands } from './commandPaths';
import type { Word } from './commandTypes';
import { commandName } from './commandWrappers';
import type { Reason } from './judgement';
import { fixedFolder, type LineFolders } from './lineFolders';
import { isInside } from './pathForms';

export interface Escape {
  readonly deny?: Reason;
  /** It may lead out of the worktree; only the shell knows. */
  readonly mustAsk?: string;
}

/** Each makes git work on another checkout than the one it stands in. */
const gitVariable = /(^|[\s;&|("'`])GIT_(DIR|WORK_TREE|COMMON_DIR|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|CEILING_DIRECTORIES)=/;
/** Options that name the folder a program works in. */
const folderOption = /^(-C|--git-dir|--work-tree|--prefix|--cwd|--directory|--chdir|--dir)(=|$)/;

/**
 * How a command of an agent in its own worktree would act in the main checkout or another agent's worktree: by `cd`, by
 * a folder option such as `git -C`, by git's variables or by the files it changes. Rules and modes don't lift it.
 */
export async function escapeOf(place: CallPlace, folders: LineFolders, looked: { readonly forms: readonly (readonly Word[])[]; readonly texts: readonly string[] }): Promise<Escape> {
  if (place.worktreeRoots.length === 0) return {};
  if (looked.texts.some((text) => gitVariable.test(text))) return { deny: { reason: `git's own variables lead it to another checkout; this agent works in ${place.worktreeRoots[0]} only, so leave them out` } };
  let mustAsk: string | undefined;
  for (const form of looked.forms) {
    const entered = enteredFolders(form);
    for (const word of [...entered, ...fileTargets(form).edits]) {
      const found = await leadsOut(place, folders, word);
      if (found === 'main') return { deny: { reason: `${word.source} belongs to the main checkout or to another agent; this agent works in ${place.worktreeRoots[0]} only` } };
      if (found === 'link') mustAsk ??= `${word.source} leads out of the agent's worktree`;
      if (found === 'unknown' && entered.includes(word)) mustAsk ??= `only the shell knows whether ${word.source} is inside the agent's worktree`;
    }
  }
  return mustAsk === undefined ? {} : { mustAsk };
}

/** The folders a program is told to work in. */
function enteredFolders(form: readonly Word[]): readonly Word[] {
  const name = commandName(form);
  const args = form.slice(1);
  if (name === 'cd' || name === 'pushd') return operands(args).slice(0, 1);
  return args.flatMap((word, i) => {
    if (/^-C./.test(word.text) && (name === 'git' || name === 'make' || name === 'tar')) return [{ ...word, text: word.text.slice(2) }];
    if (!folderOption.test(word.text)) return [];
    const glued = word.text.indexOf('=');
    const value = glued === -1 ? args[i + 1] : { ...word, text: word.text.slice(glued + 1), tilde: word.text[glued + 1] === '~' };
    return value ? [value] : [];
  });
}

async function leadsOut(place: CallPlace, folders: LineFolders, word: Word): Promise<'main' | 'link' | 'unknown' | undefined> {
  const paths = folders.resolve(word);
  if (!paths) return 'unknown';
  for (const path of paths) {
    const fixed = word.glob ? fixedFolder(path) : path;
    if (fixed === undefined) return 'unknown';
    const out = outOfWorktree(place, await pathForms(place, fixed));
    if (out) return out;
  }
  return undefined;
}

/** @returns `link`: only what is behind a link in the worktree lies outside */
export function outOfWorktree(place: CallPlace, forms: PathForms): 'main' | 'link' | undefined {
  if (place.worktreeRoots.length === 0 || isInsideAny(forms, place.exemptDirs)) return undefined;
  const isOut = (path: string): boolean => place.mainRoots.some((root) => isInside(path, root)) && !place.worktreeRoots.some((root) => isInside(path, root));
  if (isOut(forms.lexical)) return 'main';
  return isOut(forms.real) ? 'link' : undefined;
}
