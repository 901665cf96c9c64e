import * as z from 'zod';
import { err, ok, type Result } from '../base/result';
import type { TextFile } from '../platform/fileStore';
import { defineTool, failure, type Tool, type ToolContext } from './defineTool';
import { changedResult, type EditPorts, unsavedProblem } from './editTool';
import { freshness, noteText } from './knownFiles';
import { makeDiff } from './makeDiff';
import { type Cell, cellName, type Notebook, parseNotebook } from './notebook';
import { absolutePath, shownPath } from './toolPaths';

const input = z.object({
  notebook_path: z.string().min(1).describe('Path of the .ipynb file, best absolute'),
  new_source: z.string().describe('The new text of the cell'),
  cell_id: z.string().optional().describe('The cell to change, as Read names it; for insert the cell to put it after (none: at the start)'),
  cell_type: z.enum(['code', 'markdown']).optional().describe('Needed for insert'),
  edit_mode: z.enum(['replace', 'insert', 'delete']).optional().describe('Default replace'),
});
type Input = z.infer<typeof input>;

const maxNotebookBytes = 100 * 1024 * 1024;

interface Planned {
  readonly path: string;
  readonly before: TextFile;
  readonly after: string;
  readonly done: string;
}

export function createNotebookEditTool(ports: EditPorts): Tool {
  return defineTool({
    name: 'NotebookEdit',
    description: 'Changes one cell of a Jupyter notebook: replaces its text, inserts a cell after another (or at the start), or deletes it. Read the notebook first to see the cell ids.',
    kind: 'edit',
    input,
    readOnly: false,
    title: (call) => call.notebook_path,
    check: async (call, ctx) => {
      const planned = await plan(call, ctx, ports);
      return planned.ok ? undefined : planned.problem;
    },
    describe: async (call, ctx) => {
      const path = absolutePath(call.notebook_path, ctx.cwd);
      const planned = await plan(call, ctx, ports);
      const diff = planned.ok ? await makeDiff({ path, before: planned.value.before.text, after: planned.value.after }) : undefined;
      return { title: `edit ${shownPath(path, ctx.cwd)}`, paths: [path], ...(diff ? { diff } : {}) };
    },
    run: async (call, ctx) => {
      const planned = await plan(call, ctx, ports);
      if (!planned.ok) return failure(planned.problem);
      const { path, before, after, done } = planned.value;
      const written = await ports.store.writeText(path, { ...before, text: after });
      if (!written.ok) return failure(written.problem.message);
      noteText(ctx.files, await ports.store.realPath(path), written.value);
      return changedResult({ path, before: before.text, after, message: `${done} in ${path}.` }, ports);
    },
  });
}

async function plan(call: Input, ctx: ToolContext, ports: EditPorts): Promise<Result<Planned, string>> {
  const path = absolutePath(call.notebook_path, ctx.cwd);
  if (!path.endsWith('.ipynb')) return err(`${path} is no notebook (.ipynb). Use Edit for other files.`);
  if (!(await ports.store.info(path))) return err(`${path} does not exist. Find it with Glob.`);
  const state = await freshness(ports.store, ctx.files, await ports.store.realPath(path));
  if (state === 'unknown') return err(`${path} was not read yet. Read it first, then edit.`);
  if (state === 'changed') return err(`${path} changed on disk after it was read. Read it again, then edit.`);
  const before = await ports.store.readText(path, maxNotebookBytes);
  if (!before.ok) return err(before.problem.message);
  const unsaved = unsavedProblem(path, before.value, ports);
  if (unsaved) return err(unsaved);
  const parsed = parseNotebook(path, before.value.text);
  if (!parsed.ok) return err(parsed.problem);
  const edited = editCells(parsed.value, call);
  if (!edited.ok) return edited;
  const indent = before.value.text.match(/^\{\r?\n([ \t]+)/)?.[1] ?? 1;
  return ok({ path, before: before.value, after: `${JSON.stringify(edited.value.notebook, undefined, indent)}${before.value.text.endsWith('\n') ? '\n' : ''}`, done: edited.value.done });
}

function editCells(notebook: Notebook, call: Input): Result<{ readonly notebook: Notebook; readonly done: string }, string> {
  const mode = call.edit_mode ?? 'replace';
  const at = notebook.cells.findIndex((cell, i) => cellName(cell, i) === call.cell_id);
  const known = notebook.cells.map(cellName);
  if (call.cell_id !== undefined && at === -1) return err(`There is no cell ${call.cell_id}. The cells are: ${known.slice(0, 50).join(', ')}${known.length > 50 ? ', …' : ''}.`);
  if (mode === 'insert') {
    if (!call.cell_type) return err('To insert a cell, cell_type must say "code" or "markdown".');
    const cell = newCell(notebook, call.cell_type, call.new_source);
    return ok({ notebook: { ...notebook, cells: notebook.cells.toSpliced(at + 1, 0, cell) }, done: `Inserted a ${call.cell_type} cell${cell.id ? ` ${cell.id}` : ''}` });
  }
  const old = notebook.cells[at];
  if (!old) return err(`cell_id is needed to ${mode} a cell. The cells are: ${known.slice(0, 50).join(', ')}.`);
  if (mode === 'delete') return ok({ notebook: { ...notebook, cells: notebook.cells.toSpliced(at, 1) }, done: `Deleted cell ${call.cell_id}` });
  const type = call.cell_type ?? old.cell_type;
  const { outputs: _outputs, execution_count: _count, ...rest } = old;
  const cell: Cell = { ...rest, cell_type: type, source: sourceLines(call.new_source), ...(type === 'code' ? { outputs: [], execution_count: null } : {}) };
  return ok({ notebook: { ...notebook, cells: notebook.cells.with(at, cell) }, done: `Replaced cell ${call.cell_id}` });
}

function newCell(notebook: Notebook, type: 'code' | 'markdown', source: string): Cell {
  const hasIds = (notebook.nbformat ?? 4) > 4 || (notebook.nbformat_minor ?? 0) >= 5;
  const id = hasIds ? { id: globalThis.crypto.randomUUID().slice(0, 8) } : {};
  return { ...id, cell_type: type, metadata: {}, source: sourceLines(source), ...(type === 'code' ? { outputs: [], execution_count: null } : {}) };
}

/** The format keeps each line with its line break. */
function sourceLines(source: string): string[] {
  return source === '' ? [] : source.split(/(?<=\n)/);
}
