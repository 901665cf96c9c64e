import { type CallPlace, isInsideAny, pathForms } from './callPlace';
import type { CommandPattern } from './commandPattern';
import type { SimpleCommand, SplitCommand, Word } from './commandTypes';
import { criticalRemoval } from './commandPaths';
import { byRule, type Judgement, type Reason } from './judgement';
import type { JudgedPart } from './judgeCommand';
import { firstRule, guardOf, judgePath } from './judgePath';
import { fixedFolder, LineFolders } from './lineFolders';
import { normalPath } from './pathForms';
import type { RuleBehavior } from './permissionTypes';
import { commandNames, editingCmdlets, lookingCmdlets, onlyExactCmdlets, quietCmdlets, readingCmdlets, renamingCmdlets, scriptCmdlets, writingCmdlets } from './powershellNames';
import { readOnlyUse } from './readOnlyCommands';

interface Line {
  readonly place: CallPlace;
  readonly command: string;
  readonly split: SplitCommand;
  readonly folders: LineFolders;
}

const longestFree = 10_000;
/** `Env:`, `HKLM:`, `Cert:`: no folder of the disk. */
const otherDrive = /^[A-Za-z]\w+:|^\w+::/;

/** Judges every command and redirection of a PowerShell line on its own: aliases by what they run, names without regard to case. */
export async function judgePowerShell(place: CallPlace, call: { readonly command: string; readonly cwd: string }, split: SplitCommand): Promise<readonly JudgedPart[]> {
  const line: Line = { place, command: call.command, split, folders: new LineFolders(call.cwd, place.policy.homeDir, call.command) };
  const parsed = await split(call.command);
  if (!parsed.ok) return [{ command: call.command, found: unparsable(line, parsed.reason) }];
  if (parsed.parts.some((part) => renamingCmdlets.has(nameOf(part)))) return [{ command: call.command, found: unparsable(line, 'it gives commands other names') }];
  const judged: JudgedPart[] = [];
  for (const part of parsed.parts) {
    judged.push({ command: part.text, found: await judgePart(line, part) });
    enter(line.folders, part);
  }
  for (const redirect of parsed.redirects) judged.push({ command: `> ${redirect.target.source}`, found: await judgeRedirect(line, redirect.target) });
  if (judged.length === 0) judged.push({ command: call.command, found: { free: 'it runs nothing', readOnly: true, otherwise: '' } });
  return judged;
}

function nameOf(part: SimpleCommand): string {
  return part.words[0]?.text.toLowerCase() ?? '';
}

/** Rules that deny still look at the pieces; nothing allows. */
function unparsable(line: Line, reason: string): Judgement {
  const pieces = [line.command, ...line.command.split(/[;&|\n(){}]+/)].map((p) => p.trim()).filter((p) => p !== '');
  const named = pieces.flatMap((piece) => {
    const [name = '', ...rest] = piece.split(/\s+/);
    return commandNames(name).map((one) => [one, ...rest].join(' '));
  });
  const on = (behavior: RuleBehavior): Reason | undefined => onTexts(line, behavior, [...pieces, ...named]);
  return { deny: on('deny'), ask: on('ask'), readOnly: false, otherwise: `the command can not be checked: ${reason}` };
}

function onTexts(line: Line, behavior: RuleBehavior, texts: readonly string[]): Reason | undefined {
  const lower = texts.map((text) => text.toLowerCase());
  const { index } = line.place;
  return byRule(index.tool(behavior, 'PowerShell') ?? index.command(behavior, 'PowerShell', (p) => lower.some((text) => p.matchesLoosely(text))));
}

async function judgePart(line: Line, part: SimpleCommand): Promise<Judgement> {
  if (part.kind === 'assignment') return { free: 'it only sets a variable of its own', readOnly: true, otherwise: '' };
  const all = await withScripts(line, part, 0);
  const texts = all.flatMap((one) => [one.text, ...spellings(one)]);
  const files = await fileRules(line, all);
  const guarded = await guardedEdit(line, all);
  const free = await freeReason(line, part);
  return {
    deny: onTexts(line, 'deny', texts) ?? files.deny,
    ask: onTexts(line, 'ask', texts) ?? files.ask,
    mustAsk: all.map((one) => critical(line, one)).find((reason) => reason !== undefined),
    guarded,
    free,
    edit: guarded === undefined && editingCmdlets.has(nameOf(part)) && (await allInside(line, part.words.slice(1))),
    allow: allowedBy(line, part),
    readOnly: free !== undefined,
    otherwise: part.kind === 'evaluation' ? `${part.text} runs code that no rule can see` : 'no rule allows it',
  };
}

/** The command and what it would run as text (`iex "…"`, `pwsh -c "…"`, `cmd /c …`). */
async function withScripts(line: Line, part: SimpleCommand, depth: number): Promise<readonly SimpleCommand[]> {
  const [name, ...args] = part.words;
  if (!name || depth >= 3 || !commandNames(name.text).some((one) => scriptCmdlets.has(one.toLowerCase()))) return [part];
  const out = [part];
  const scripts = [...args.filter((w) => /\s/.test(w.text)).map((w) => w.text), ...args.map((_w, i) => args.slice(i).map((w) => w.text).join(' '))];
  for (const script of scripts.slice(0, 12)) {
    const inner = await line.split(script);
    if (inner.ok) for (const one of inner.parts) out.push(...(await withScripts(line, one, depth + 1)));
    else out.push({ kind: 'command', text: script, words: [], assignments: [] });
  }
  return out;
}

function spellings(part: SimpleCommand): readonly string[] {
  const [name, ...args] = part.words;
  const rest = args.map((w) => ` ${w.text}`).join('');
  return name ? commandNames(name.text).map((one) => `${one}${rest}`) : [];
}

/** What a word means as a path; PowerShell takes `\` for `/` everywhere. */
function resolve(line: Line, word: Word): readonly string[] | undefined {
  if (otherDrive.test(word.text) || /^[\\/]{2}/.test(word.text)) return undefined;
  return line.folders.resolve({ ...word, text: word.text.replaceAll('\\', '/') });
}

async function fileRules(line: Line, parts: readonly SimpleCommand[]): Promise<{ readonly deny?: Reason; readonly ask?: Reason }> {
  let ask: Reason | undefined;
  for (const part of parts) {
    const writes = writingCmdlets.has(nameOf(part));
    if (!writes && !readingCmdlets.has(nameOf(part))) continue;
    const accesses = writes ? (['edit', 'read'] as const) : (['read'] as const);
    for (const word of part.words.slice(1)) {
      for (const path of resolve(line, word) ?? []) {
        const globbed = word.glob ? accesses.map((access) => line.place.index.glob('deny', access, normalPath(path))).find((rule) => rule !== undefined) : undefined;
        if (globbed) ask ??= { rule: globbed, reason: `it may touch files that the rule ${globbed.text} speaks about` };
        const forms = await pathForms(line.place, path);
        const denied = firstRule(line.place, 'deny', accesses, forms);
        if (denied) return { deny: byRule(denied) };
        ask ??= byRule(firstRule(line.place, 'ask', accesses, forms));
      }
    }
  }
  return { ask };
}

async function guardedEdit(line: Line, parts: readonly SimpleCommand[]): Promise<string | undefined> {
  for (const part of parts) {
    if (!writingCmdlets.has(nameOf(part))) continue;
    for (const word of part.words.slice(1)) {
      for (const path of resolve(line, word) ?? []) {
        const guard = guardOf(line.place, await pathForms(line.place, fixedFolder(path) ?? path));
        if (guard) return guard;
      }
    }
  }
  return undefined;
}

function critical(line: Line, part: SimpleCommand): string | undefined {
  if (nameOf(part) !== 'remove-item') return undefined;
  const words = part.words.map((word, i) => (i === 0 ? { ...word, text: 'rm' } : word));
  const drive = words.slice(1).find((w) => /^[A-Za-z]:[\\/]?\*?$/.test(w.text));
  if (drive) return `it removes ${drive.text}`;
  return criticalRemoval(words, { cwd: normalPath(line.place.policy.cwd), homeDir: normalPath(line.place.policy.homeDir), resolve: (word) => resolve(line, word)?.map((p) => normalPath(p)) });
}

async function freeReason(line: Line, part: SimpleCommand): Promise<string | undefined> {
  if (line.command.length > longestFree || part.kind !== 'command') return undefined;
  const [name, ...args] = part.words;
  if (!name || name.dynamic) return undefined;
  if (quietCmdlets.has(nameOf(part))) return 'it only passes values on';
  const looks = lookingCmdlets.has(nameOf(part)) || (name.text === 'git' && !args.some((w) => w.glob) && !line.folders.hasMoved() && readOnlyUse(part, part.words) !== undefined);
  if (!looks) return undefined;
  if (line.place.index.hasPaths('deny', 'read') && args.some((w) => /^-r/i.test(w.text))) return undefined;
  return (await allInside(line, args)) ? 'it only reads, inside the working folders' : undefined;
}

async function allInside(line: Line, words: readonly Word[]): Promise<boolean> {
  for (const word of words) {
    if (word.text.startsWith('-') && !word.dynamic) continue;
    const paths = resolve(line, word);
    if (!paths) return false;
    for (const path of paths) {
      const fixed = word.glob ? fixedFolder(path) : path;
      if (fixed === undefined || !isInsideAny(await pathForms(line.place, fixed), line.place.workingDirs)) return false;
    }
  }
  return true;
}

function allowedBy(line: Line, part: SimpleCommand): Reason | undefined {
  const { index } = line.place;
  const whole = index.tool('allow', 'PowerShell') ?? index.command('allow', 'PowerShell', (p) => p.exact && p.source === line.command.trim());
  if (whole || part.kind !== 'command') return byRule(whole);
  const matches = (p: CommandPattern): boolean => (p.exact || !needsExact(part)) && p.matchesWordsLoosely(part.words);
  return byRule(index.command('allow', 'PowerShell', matches));
}

/** Names that run whatever follows: only a rule that spells out the call. */
function needsExact(part: SimpleCommand): boolean {
  return onlyExactCmdlets.has(nameOf(part)) && scriptCmdlets.has(nameOf(part));
}

async function judgeRedirect(line: Line, target: Word): Promise<Judgement> {
  const paths = target.glob ? undefined : resolve(line, target);
  const wholeTool = byRule(line.place.index.tool('allow', 'PowerShell'));
  const [path, second] = paths ?? [];
  if (path === undefined || second !== undefined) return { deny: byRule(line.place.index.tool('deny', 'Edit')), allow: wholeTool, readOnly: false, otherwise: `only the shell knows which file ${target.source} is` };
  const found = await judgePath(line.place, { access: 'edit', tool: 'Edit', path });
  return { ...found, allow: wholeTool ?? found.allow, otherwise: `it writes ${target.source}; ${found.otherwise}` };
}

function enter(folders: LineFolders, part: SimpleCommand): void {
  const shell = { 'set-location': 'cd', 'push-location': 'pushd', 'pop-location': 'popd' }[nameOf(part)];
  if (shell === undefined) return;
  folders.enter({ ...part, words: [{ text: shell, source: shell, dynamic: false, glob: false, tilde: false }, ...part.words.slice(1).map((w) => ({ ...w, text: w.text.replaceAll('\\', '/') }))] });
}
