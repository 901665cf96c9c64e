import type { Engine } from '../engine';
import { err, ok, type Result } from '../base/result';
import type { Caller } from '../protocol/methods';
import type { MergeConflictView, WorktreesView, WorktreeView } from '../protocol/worktree';
import { type Argv, didYouMean } from './argv';
import type { VerbOutput, VerbProblem } from './verbOutput';

type Done = Promise<Result<VerbOutput, VerbProblem>>;

interface Call {
  readonly engine: Engine;
  readonly name: string;
  readonly path: string | undefined;
  readonly argv: Argv;
  readonly worktrees: WorktreesView;
}

const caller: Caller = { viewId: 'cli', subscribe: () => undefined };

const needName: Readonly<Record<string, (call: Call) => Done>> = { show, diff, preview, merge: (call) => take(call, 'merge'), apply: (call) => take(call, 'apply'), discard };
const mayName: Readonly<Record<string, (call: Call) => Done>> = { list, restore, clean };
export const worktreeWords = [...Object.keys(mayName), ...Object.keys(needName)];

/** `troupe worktree …`: what the Review tab does, for scripts. */
export async function worktreeVerb(engine: Engine, words: readonly string[], argv: Argv): Done {
  const [verb = 'list', name = '', path] = words;
  const run = needName[verb] ?? mayName[verb];
  if (!run) return err({ code: 'usage', message: `worktree knows no "${verb}"${didYouMean(verb, worktreeWords)}` });
  if (name === '' && verb in needName) return err({ code: 'usage', message: `worktree ${verb} needs the name of a worktree; "troupe worktree list" shows them` });
  const tooMany = words[verb === 'diff' ? 3 : 2];
  if (tooMany !== undefined) return err({ code: 'usage', message: `worktree ${verb} takes no "${tooMany}"` });
  if (verb in needName) return run({ engine, name, path, argv, worktrees: { worktrees: [], trash: [] } });
  await engine.handlers['worktree/refresh']({}, caller);
  const { worktrees } = engine.workspace();
  return worktrees.off === undefined ? run({ engine, name, path, argv, worktrees }) : failed(worktrees.off);
}

function failed(message: string): Result<VerbOutput, VerbProblem> {
  return err({ code: 'failed', message });
}

/** JSON where it was asked for, else the text. */
function print({ argv }: Call, value: unknown, text: string, exitCode = 0): Result<VerbOutput, VerbProblem> {
  return ok({ stdout: argv.switches.has('json') ? `${JSON.stringify(value)}\n` : text, exitCode });
}

/** For people the reason goes to stderr; a script reads it with the rest. */
function refused(call: Call, value: Readonly<Record<string, unknown>>, problem: string): Result<VerbOutput, VerbProblem> {
  return call.argv.switches.has('json') ? print(call, { ...value, problem }, '', 1) : failed(problem);
}

async function list(call: Call): Done {
  const { worktrees, trash } = call.worktrees;
  const rows = worktrees.map((one) => ({ name: one.name, path: one.path, branch: one.branch, baseSha: one.baseSha, state: one.state, ...(one.ownerAgentId === '' ? {} : { agent: one.ownerAgentId }), files: fileCount(one), added: one.added, removed: one.removed, ...(one.problem === undefined ? {} : { problem: one.problem }) }));
  const shown = worktrees.map((one) => `${one.name}  ${one.state}  ${size(one)}  ${one.branch}${one.problem === undefined ? '' : `  ${one.problem}`}\n`);
  const inTrash = trash.length === 0 ? '' : `In Trash: ${trash.map((entry) => entry.id).join(', ')}\n`;
  return print(call, rows, `${shown.length === 0 ? 'There are no worktrees.\n' : shown.join('')}${inTrash}`);
}

function fileCount({ files, moreFiles }: WorktreeView): number {
  return files.length + moreFiles;
}

function size(one: WorktreeView): string {
  const files = fileCount(one);
  return `${files} ${files === 1 ? 'file' : 'files'} +${one.added} -${one.removed}`;
}

async function show(call: Call): Done {
  const looked = await call.engine.worktreeLook(call.name);
  if (!looked.ok) return failed(looked.problem);
  const one = looked.value;
  const files = one.files.map((file) => `  ${file.kind}  ${file.oldPath === undefined ? '' : `${file.oldPath} -> `}${file.path}  ${file.isBinary ? 'binary' : `+${file.added} -${file.removed}`}${file.isUncommitted ? '  uncommitted' : ''}\n`);
  const head = `${one.name}  ${one.state}  ${size(one)}, ${one.commits} ${one.commits === 1 ? 'commit' : 'commits'}\n${one.path}\n${one.branch}, from ${one.baseSha}\n`;
  return print(call, one, `${head}${files.join('')}${conflictLines(one.conflicts)}`);
}

async function diff(call: Call): Done {
  const made = await call.engine.worktreeDiff(call.name, call.path);
  return made.ok ? print(call, made.value, made.value.text) : failed(made.problem);
}

async function preview(call: Call): Done {
  const seen = await call.engine.handlers['worktree/preview']({ name: call.name, kind: 'merge', ...target(call) }, caller);
  if (seen.problem !== undefined) return refused(call, seen, seen.problem);
  const into = `${seen.branch ?? 'no branch'}${seen.isFastForward ? ', fast-forward' : ''}${seen.isDirty ? '; what is uncommitted there stays' : ''}`;
  return print(call, seen, `Would change ${seen.files.length} ${seen.files.length === 1 ? 'file' : 'files'} in ${into}.\n${lines(seen.files)}`);
}

async function take(call: Call, kind: 'merge' | 'apply'): Done {
  const message = call.argv.values.get('message');
  const taken = await call.engine.handlers['worktree/take']({ name: call.name, kind, ...target(call), ...(message === undefined ? {} : { message }) }, caller);
  if (taken.problem !== undefined) return refused(call, taken, taken.problem);
  const backup = taken.backupRef === undefined ? '' : `Your uncommitted files as they were before: ${taken.backupRef}\n`;
  const done = kind === 'merge' ? `Merged ${call.name} as ${taken.commit}.${taken.removed ? ' The worktree is gone.' : ''}\n` : `Applied ${call.name} to your files, without a commit.\n`;
  return print(call, taken, `${done}${lines(taken.files)}${backup}`);
}

function target({ argv }: Call): { into?: string } {
  const into = argv.values.get('into');
  return into === undefined ? {} : { into };
}

async function discard(call: Call): Done {
  const gone = await call.engine.handlers['worktree/discard']({ name: call.name }, caller);
  if (gone.problem !== undefined) return refused(call, gone, gone.problem);
  return print(call, gone, `Discarded ${call.name}. To have it back: troupe worktree restore ${gone.trashId}\n`);
}

/** By its id, or the one last discarded of that name; without a name it lists what is in Trash. */
async function restore(call: Call): Done {
  const { trash } = call.worktrees;
  if (call.name === '') return print(call, trash, trash.length === 0 ? 'Trash is empty.\n' : trash.map((entry) => `${entry.id}  ${entry.files} files  ${new Date(entry.discardedAtMs).toISOString()}\n`).join(''));
  const entry = trash.find((one) => one.id === call.name) ?? trash.find((one) => one.name === call.name);
  if (!entry) return failed(`there is no "${call.name}" in Trash${didYouMean(call.name, trash.map((one) => one.name))}`);
  const restored = await call.engine.handlers['worktree/restore']({ trashId: entry.id }, caller);
  return restored.problem === undefined ? print(call, restored, `Restored ${restored.name}.\n`) : refused(call, restored, restored.problem);
}

async function clean(call: Call): Done {
  const cleaned = await call.engine.cleanWorktrees(call.name === '' ? undefined : call.name);
  if (!cleaned.ok) return failed(cleaned.problem);
  const { removed, kept } = cleaned.value;
  const text = `${removed.map((name) => `Removed ${name}.\n`).join('')}${kept.map(({ name, reason }) => `Kept ${name}: ${reason}\n`).join('')}`;
  return print(call, cleaned.value, text === '' ? 'There are no worktrees.\n' : text, call.name !== '' && removed.length === 0 ? 1 : 0);
}

function lines(paths: readonly string[]): string {
  return paths.map((path) => `  ${path}\n`).join('');
}

function conflictLines(conflicts: readonly MergeConflictView[]): string {
  return conflicts.map(({ path, reason }) => `  conflict (${reason}): ${path}\n`).join('');
}
