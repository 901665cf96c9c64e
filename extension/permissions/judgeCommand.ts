import { type CallPlace, isInsideAny, pathForms } from './callPlace';
import { criticalRemoval, fileTargets } from './commandPaths';
import type { Redirect, SimpleCommand, SplitCommand, Word } from './commandTypes';
import { allowForms, commandName, innerCommands, isPrivateVariable, isSafeVariable, needsExactRule } from './commandWrappers';
import { byRule, type Judgement, type Reason } from './judgement';
import { type Access, firstRule, guardOf, judgePath } from './judgePath';
import { fixedFolder, LineFolders } from './lineFolders';
import { normalPath } from './pathForms';
import type { RuleBehavior } from './permissionTypes';
import { escapeOf } from './worktreeEscape';
import { isEditCommand, readOnlyUse } from './readOnlyCommands';

export interface JudgedPart {
  readonly command: string;
  readonly found: Judgement;
}

interface Line {
  readonly place: CallPlace;
  readonly tool: string;
  readonly command: string;
  readonly split: SplitCommand;
  readonly folders: LineFolders;
}

const longestFree = 10_000;
const harmlessTargets = /^\/dev\/(null|stdout|stderr|tty|fd\/\d+)$/;

/** Judges every simple command and every redirection of a line on its own. */
export async function judgeCommand(place: CallPlace, call: { readonly tool: string; readonly command: string; readonly cwd: string }, split: SplitCommand): Promise<readonly JudgedPart[]> {
  const line: Line = { place, tool: call.tool, command: call.command, split, folders: new LineFolders(call.cwd, place.policy.homeDir, call.command) };
  const parsed = await split(call.command);
  if (!parsed.ok) return [{ command: call.command, found: unparsable(line, parsed.reason) }];
  const judged: JudgedPart[] = [];
  for (const part of parsed.parts) {
    judged.push({ command: part.text, found: await judgePart(line, part) });
    line.folders.enter(part);
  }
  for (const redirect of parsed.redirects) {
    if (harmlessTargets.test(redirect.target.text) && !redirect.target.dynamic) continue;
    judged.push({ command: `${redirect.writes ? '>' : '<'} ${redirect.target.source}`, found: await judgeRedirect(line, redirect) });
  }
  if (judged.length === 0) judged.push({ command: call.command, found: { free: 'it runs nothing', readOnly: true, otherwise: '' } });
  return judged;
}

/** Rules that deny still look at the pieces; nothing allows. */
function unparsable(line: Line, reason: string): Judgement {
  const texts = [line.command, ...roughPieces(line.command)];
  const on = (behavior: RuleBehavior): Reason | undefined => byRule(line.place.index.tool(behavior, line.tool) ?? line.place.index.command(behavior, line.tool, (p) => texts.some((t) => p.matchesText(t))));
  const mustAsk = line.place.worktreeRoots.length > 0 ? `it can not be checked whether the command stays in the agent's worktree: ${reason}` : undefined;
  return { deny: on('deny'), ask: on('ask'), mustAsk, readOnly: false, otherwise: `the command can not be checked: ${reason}` };
}

/** Of text no grammar reads: what may be a command of its own. */
function roughPieces(text: string): readonly string[] {
  return text.replace(/\\\r?\n/g, '').split(/[;&|\n()`{}]+|\$\(/).map((t) => t.trim()).filter((t) => t !== '');
}

async function judgePart(line: Line, part: SimpleCommand): Promise<Judgement> {
  const { index } = line.place;
  const looked = await lookInside(line, part, 0);
  const on = (behavior: 'deny' | 'ask'): Reason | undefined => byRule(index.tool(behavior, line.tool) ?? index.command(behavior, line.tool, (p) => looked.texts.some((t) => p.matchesText(t))));
  const files = await fileRules(line, looked.forms);
  const leaving = await escapeOf(line.place, line.folders, looked);
  const guarded = await guardedEdit(line, looked.forms);
  const free = await freeReason(line, part);
  return {
    deny: on('deny') ?? files.deny ?? leaving.deny,
    ask: on('ask') ?? files.ask,
    mustAsk: critical(line, looked.forms) ?? leaving.mustAsk,
    guarded,
    free,
    edit: guarded === undefined && (await isInsideEdit(line, part)),
    allow: allowedBy(line, part, looked.unread),
    readOnly: free !== undefined,
    otherwise: looked.unread !== undefined ? `the script in it can not be checked: ${looked.unread}` : part.kind === 'evaluation' ? `${part.text} can run code hidden in a variable` : 'no rule allows it',
  };
}

interface Looked {
  readonly forms: readonly (readonly Word[])[];
  readonly texts: readonly string[];
  /** Why a script it would run can't be read. */
  readonly unread?: string | undefined;
}

/** The command and all its wrappers, interpreters and scripts would run, in every spelling a deny may use. */
async function lookInside(line: Line, part: SimpleCommand, depth: number): Promise<Looked> {
  const { forms, scripts } = innerCommands(part.words, part.input);
  const allForms = [...forms];
  const prefix = part.assignments.map((a) => `${a.name}=${a.value} `).join('');
  const texts = [part.text, `${prefix}${joined(part.words)}`, ...forms.flatMap((words) => [joined(words), `${commandName(words)}${joined(words).slice((words[0]?.text ?? '').length)}`])];
  let unread = depth < 3 || scripts.length === 0 ? undefined : 'scripts within scripts';
  for (const script of depth < 3 ? scripts : []) {
    texts.push(script);
    const inner = await line.split(script);
    if (!inner.ok) {
      unread ??= inner.reason;
      texts.push(...roughPieces(script));
    }
    for (const innerPart of inner.ok ? inner.parts : []) {
      const found = await lookInside(line, innerPart, depth + 1);
      allForms.push(...found.forms);
      texts.push(...found.texts);
      unread ??= found.unread;
    }
    for (const redirect of inner.ok ? inner.redirects : []) allForms.push([{ ...redirect.target, text: redirect.writes ? 'tee' : 'cat' }, redirect.target]);
  }
  return { forms: allForms, texts: [...new Set(texts)], unread };
}

function joined(words: readonly Word[]): string {
  return words.map((w) => w.text).join(' ');
}

/** Path rules on the files a command names. A wildcard that might name a ruled file is asked about. */
async function fileRules(line: Line, forms: readonly (readonly Word[])[]): Promise<{ readonly deny?: Reason; readonly ask?: Reason }> {
  const { index } = line.place;
  if (!['deny', 'ask'].some((b) => index.hasPaths(b === 'deny' ? 'deny' : 'ask', 'read') || index.hasPaths(b === 'deny' ? 'deny' : 'ask', 'edit'))) return {};
  let ask: Reason | undefined;
  for (const form of forms) {
    const { reads, edits } = fileTargets(form);
    const deep = /^(rm|mv|cp|rsync|tar|scp|chmod|chown)$/.test(commandName(form));
    for (const { word, accesses } of [...reads.map((w) => ({ word: w, accesses: ['read'] as const })), ...edits.map((w) => ({ word: w, accesses: ['edit', 'read'] as const }))]) {
      for (const path of line.folders.resolve(word) ?? []) {
        if (word.glob) {
          ask ??= maybe(line, accesses, path);
          continue;
        }
        const forms = await pathForms(line.place, path);
        const denied = firstRule(line.place, 'deny', accesses, forms);
        if (denied) return { deny: byRule(denied) };
        ask ??= byRule(firstRule(line.place, 'ask', accesses, forms));
        if (deep) ask ??= within(line, accesses, forms.forRules);
      }
    }
  }
  return { ask };
}

function maybe(line: Line, accesses: readonly Access[], glob: string): Reason | undefined {
  for (const behavior of ['deny', 'ask'] as const) for (const access of accesses) {
    const rule = line.place.index.glob(behavior, access, normalPath(glob));
    if (rule) return { rule, reason: `it may touch files that the rule ${rule.text} speaks about` };
  }
  return undefined;
}

function within(line: Line, accesses: readonly Access[], dirs: readonly string[]): Reason | undefined {
  for (const behavior of ['deny', 'ask'] as const) for (const access of accesses) for (const dir of dirs) {
    const rule = line.place.index.below(behavior, access, dir);
    if (rule) return { rule, reason: `the folder holds files that the rule ${rule.text} speaks about` };
  }
  return undefined;
}

async function guardedEdit(line: Line, forms: readonly (readonly Word[])[]): Promise<string | undefined> {
  for (const form of forms) {
    for (const word of fileTargets(form).edits) {
      for (const path of line.folders.resolve(word) ?? []) {
        if (word.glob && path.split('/').some((s) => /^\..*[*?[]/.test(s))) return `${word.source} may name protected files`;
        const folder = fixedFolder(path);
        const guard = guardOf(line.place, await pathForms(line.place, folder ?? path));
        if (guard) return guard;
      }
    }
  }
  return undefined;
}

function critical(line: Line, forms: readonly (readonly Word[])[]): string | undefined {
  const places = { cwd: normalPath(line.place.policy.cwd), homeDir: normalPath(line.place.policy.homeDir), resolve: (word: Word) => line.folders.resolve(word)?.map((p) => normalPath(p)) };
  for (const form of forms) {
    const reason = criticalRemoval(form, places);
    if (reason) return reason;
  }
  return undefined;
}

async function freeReason(line: Line, part: SimpleCommand): Promise<string | undefined> {
  if (line.command.length > longestFree || part.kind === 'evaluation') return undefined;
  if (part.kind === 'assignment') return part.assignments.every((a) => isPrivateVariable(a.name)) ? 'it only sets variables of its own' : undefined;
  if (part.words[0]?.text === 'export') return part.words.slice(1).every((w) => isPrivateVariable(w.text.split('=')[0] ?? '')) ? 'it only sets harmless variables' : undefined;
  if (part.assignments.some((a) => !isSafeVariable(a.name))) return undefined;
  for (const words of allowForms({ ...part, assignments: [] })) {
    const use = readOnlyUse(part, words);
    if (!use) continue;
    if (words[0]?.text === 'git' && line.folders.hasMoved()) continue;
    if (use.recursive && line.place.index.hasPaths('deny', 'read')) continue;
    if (await allInside(line, use.paths)) return 'it only reads, inside the working folders';
  }
  return undefined;
}

async function allInside(line: Line, words: readonly Word[]): Promise<boolean> {
  if (line.folders.hasMoved() && line.folders.resolve({ text: '.', source: '.', dynamic: false, glob: false, tilde: false }) === undefined) return false;
  for (const word of words) {
    if (word.text === '-' && !word.dynamic) continue;
    const paths = line.folders.resolve(word);
    if (!paths) return false;
    for (const path of paths) {
      const fixed = word.glob ? fixedFolder(path) : path;
      if (fixed === undefined || !isInsideAny(await pathForms(line.place, fixed), line.place.workingDirs)) return false;
    }
  }
  return true;
}

async function isInsideEdit(line: Line, part: SimpleCommand): Promise<boolean> {
  if (part.kind !== 'command' || part.assignments.some((a) => !isSafeVariable(a.name)) || !isEditCommand(part.words)) return false;
  const { reads, edits } = fileTargets(part.words);
  return edits.length > 0 && (await allInside(line, [...reads, ...edits]));
}

function allowedBy(line: Line, part: SimpleCommand, unread: string | undefined): Reason | undefined {
  const { index } = line.place;
  const whole = (unread === undefined ? index.tool('allow', line.tool) : undefined) ?? index.command('allow', line.tool, (p) => p.exact && p.source === line.command.trim());
  if (whole || part.kind === 'evaluation') return byRule(whole);
  const forms = allowForms(part);
  return byRule(index.command('allow', line.tool, (p) => forms.some((words) => (p.exact || !needsExactRule(words)) && p.matchesWords(words))));
}

/** A target is an edit (or a read) like any other; one that only the shell knows is asked about. */
async function judgeRedirect(line: Line, redirect: Redirect): Promise<Judgement> {
  const paths = redirect.target.glob ? undefined : line.folders.resolve(redirect.target);
  const wholeTool = byRule(line.place.index.tool('allow', line.tool));
  const access = redirect.writes ? 'edit' : 'read';
  const tool = redirect.writes ? 'Edit' : 'Read';
  if (!paths) return { deny: byRule(line.place.index.tool('deny', tool)), allow: wholeTool, mustAsk: redirect.writes && line.place.worktreeRoots.length > 0 ? `only the shell knows whether ${redirect.target.source} is inside the agent's worktree` : undefined, readOnly: false, otherwise: `only the shell knows which file ${redirect.target.source} is` };
  const all = await Promise.all(paths.map((path) => judgePath(line.place, { access, tool, path })));
  const first = <T>(of: (j: Judgement) => T | undefined): T | undefined => all.map(of).find((v) => v !== undefined);
  const each = <T>(of: (j: Judgement) => T | undefined): T | undefined => (all.every((j) => of(j) !== undefined) ? first(of) : undefined);
  const sure = !redirect.target.tilde;
  return {
    deny: first((j) => j.deny),
    ask: first((j) => j.ask),
    mustAsk: first((j) => j.mustAsk),
    guarded: first((j) => j.guarded),
    free: sure ? each((j) => j.free) : undefined,
    edit: sure && all.every((j) => j.edit === true),
    own: sure ? each((j) => j.own) : undefined,
    allow: wholeTool ?? (sure ? each((j) => j.allow) : undefined),
    readOnly: !redirect.writes,
    otherwise: redirect.writes ? `it writes ${redirect.target.source}; ${all[0]?.otherwise ?? ''}` : (all[0]?.otherwise ?? ''),
  };
}
