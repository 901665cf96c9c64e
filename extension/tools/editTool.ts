import * as z from 'zod';
import { err, ok, type Result } from '../base/result';
import type { FileStore, TextFile } from '../platform/fileStore';
import { applyEdit, type EditedText } from './applyEdit';
import { defineTool, failure, text, type Tool, type ToolContext, type ToolResult } from './defineTool';
import { freshness, noteText } from './knownFiles';
import { makeDiff } from './makeDiff';
import { absolutePath, shownPath } from './toolPaths';

/** What Write, Edit and NotebookEdit use of the outside. */
export interface EditPorts {
  readonly store: FileStore;
  readonly unsavedText?: ((path: string) => string | undefined) | undefined;
  /** Errors and warnings of changed files; empty when there are none. */
  readonly diagnostics?: ((paths: readonly string[]) => Promise<string>) | undefined;
}

export const maxEditBytes = 16 * 1024 * 1024;

const input = z.object({
  file_path: z.string().min(1).describe('Path of the file, best absolute'),
  old_string: z.string().describe('Text to replace, exactly as it stands in the file. Empty only to create a new file'),
  new_string: z.string().describe('Text to put in its place'),
  replace_all: z.boolean().optional().describe('Replace every place it occurs. Default false: it must occur once'),
});
type Input = z.infer<typeof input>;

interface Planned {
  readonly path: string;
  readonly before: TextFile | undefined;
  readonly edited: EditedText;
  readonly changedSince: boolean;
}

export function createEditTool(ports: EditPorts): Tool {
  return defineTool({
    name: 'Edit',
    description:
      'Replaces text in a file. Read the file first. old_string must match the file exactly, with its indentation and without the line numbers Read shows, and must occur once unless replace_all is set. An empty old_string creates a new file with new_string as its text.',
    kind: 'edit',
    input,
    readOnly: false,
    title: (call) => call.file_path,
    check: async (call, ctx) => {
      const planned = await plan(call, ctx, ports);
      return planned.ok ? undefined : planned.problem;
    },
    describe: async (call, ctx) => {
      const path = absolutePath(call.file_path, ctx.cwd);
      const planned = await plan(call, ctx, ports);
      const diff = planned.ok ? await makeDiff({ path, before: planned.value.before?.text, after: planned.value.edited.text }) : undefined;
      return { title: `edit ${shownPath(path, ctx.cwd)}`, paths: [path], ...(diff ? { diff } : {}) };
    },
    run: async (call, ctx) => {
      const planned = await plan(call, ctx, ports);
      return planned.ok ? carryOut(planned.value, ctx, ports) : failure(planned.problem);
    },
  });
}

/** What would be written, or why not. Never says anything about the content of a file the agent has not read. */
async function plan(call: Input, ctx: ToolContext, ports: EditPorts): Promise<Result<Planned, string>> {
  const path = absolutePath(call.file_path, ctx.cwd);
  const info = await ports.store.info(path);
  if (!info) {
    if (call.old_string !== '') return err(`${path} does not exist. Check the path with Glob, or create the file with Write.`);
    return ok({ path, before: undefined, edited: { text: call.new_string, count: 1, line: 1 }, changedSince: false });
  }
  if (path.endsWith('.ipynb')) return err(`${path} is a notebook: use NotebookEdit to change its cells.`);
  const real = await ports.store.realPath(path);
  const state = await freshness(ports.store, ctx.files, real);
  if (state === 'unknown' && info.kind === 'file') return err(`${path} was not read yet. Read it first, then edit.`);
  const before = await ports.store.readText(path, maxEditBytes);
  if (!before.ok) return err(before.problem.message);
  const unsaved = unsavedProblem(path, before.value, ports);
  if (unsaved) return err(unsaved);
  if (call.old_string === '' && before.value.text !== '') return err(`${path} exists and is not empty, so an empty old_string can't be used. Give the text to replace, or use Write to replace the whole file.`);
  const edited: Result<EditedText, string> =
    call.old_string === '' ? ok({ text: call.new_string, count: 1, line: 1 }) : applyEdit(before.value.text, { oldText: call.old_string, newText: call.new_string, replaceAll: call.replace_all ?? false });
  if (state !== 'changed') return edited.ok ? ok({ path, before: before.value, edited: edited.value, changedSince: false }) : err(`${edited.problem}\nFile: ${path}`);
  // Somebody else changed the file: only a change that can't be misplaced goes through.
  if (!edited.ok || edited.value.count !== 1) return err(`${path} changed on disk after it was read, and old_string does not occur exactly once in it now. Read it again, then edit.`);
  return ok({ path, before: before.value, edited: edited.value, changedSince: true });
}

export function unsavedProblem(path: string, saved: TextFile | undefined, ports: EditPorts): string | undefined {
  const open = ports.unsavedText?.(path);
  if (open === undefined || open.replaceAll('\r\n', '\n') === saved?.text.replaceAll('\r\n', '\n')) return undefined;
  return `${path} has unsaved changes in the editor, which an edit on disk would put at risk. Ask the person to save or discard them, then try again.`;
}

async function carryOut({ path, before, edited, changedSince }: Planned, ctx: ToolContext, ports: EditPorts): Promise<ToolResult> {
  const written = await ports.store.writeText(path, { encoding: before?.encoding ?? 'utf8', bom: before?.bom ?? false, text: edited.text });
  if (!written.ok) return failure(written.problem.message);
  const partial = before !== undefined && ctx.files.get(await ports.store.realPath(path))?.partial === true;
  noteText(ctx.files, await ports.store.realPath(path), written.value, partial || changedSince);
  const done = before ? `Changed ${path}: ${edited.count === 1 ? 'one place' : `${edited.count} places`}, the first at line ${edited.line}.` : `Created ${path}.`;
  const warning = changedSince ? ' The file had changed on disk since you read it; the edit fitted all the same, but read it again before you rely on the rest.' : '';
  return changedResult({ path, before: before?.text, after: edited.text, message: done + warning }, ports);
}

/** The result of any tool that changed one text file: diff for the person, errors and warnings for the model. */
export async function changedResult(change: { readonly path: string; readonly before: string | undefined; readonly after: string; readonly message: string }, ports: EditPorts): Promise<ToolResult> {
  const diff = await makeDiff(change);
  const problems = ((await ports.diagnostics?.([change.path])) ?? '').trim();
  return text(problems === '' ? change.message : `${change.message}\n\nErrors and warnings in the file now:\n${problems}`, {
    display: { kind: 'diff', diff },
    note: `+${diff.added} −${diff.removed}`,
    effects: [{ kind: 'touched', paths: [change.path] }],
  });
}
