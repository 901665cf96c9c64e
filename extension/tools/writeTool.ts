import * as z from 'zod';
import { err, ok, type Result } from '../base/result';
import type { TextFile } from '../platform/fileStore';
import { lineEndingOf } from '../platform/textEncoding';
import { defineTool, failure, type Tool, type ToolContext, type ToolResult } from './defineTool';
import { changedResult, type EditPorts, maxEditBytes, unsavedProblem } from './editTool';
import { freshness, noteText } from './knownFiles';
import { makeDiff } from './makeDiff';
import { absolutePath, shownPath } from './toolPaths';

const input = z.object({
  file_path: z.string().min(1).describe('Path of the file, best absolute'),
  content: z.string().describe('The whole text of the file'),
});
type Input = z.infer<typeof input>;

interface Planned {
  readonly path: string;
  readonly before: TextFile | undefined;
  readonly after: string;
}

export function createWriteTool(ports: EditPorts): Tool {
  return defineTool({
    name: 'Write',
    description:
      'Creates a file or replaces its whole text; missing folders are made. An existing file must have been read whole first. To change part of a file use Edit, which is shorter and safer. Do not create documentation files unless asked to.',
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
      const diff = planned.ok ? await makeDiff({ path, before: planned.value.before?.text, after: planned.value.after }) : undefined;
      return { title: `write ${shownPath(path, ctx.cwd)}`, paths: [path], ...(diff ? { diff } : {}) };
    },
    run: async (call, ctx) => {
      const planned = await plan(call, ctx, ports);
      return planned.ok ? carryOut(planned.value, ctx, ports) : failure(planned.problem);
    },
  });
}

async function plan(call: Input, ctx: ToolContext, ports: EditPorts): Promise<Result<Planned, string>> {
  const path = absolutePath(call.file_path, ctx.cwd);
  const info = await ports.store.info(path);
  if (!info) return ok({ path, before: undefined, after: call.content });
  if (info.kind !== 'file') return err(`${path} is ${info.kind === 'folder' ? 'a folder' : 'no regular file'}, so it can't be written. Choose another path.`);
  const state = await freshness(ports.store, ctx.files, await ports.store.realPath(path));
  if (state === 'unknown') return err(`${path} exists and was not read yet. Read it first; to change part of it use Edit.`);
  if (state === 'partial') return err(`Only part of ${path} was read, so replacing it could lose text you have not seen. Read the rest, or change it with Edit.`);
  if (state === 'changed') return err(`${path} changed on disk after it was read. Read it again before you write it, so that the change is not lost.`);
  const before = await ports.store.readText(path, maxEditBytes);
  if (!before.ok) return err(before.problem.message);
  const unsaved = unsavedProblem(path, before.value, ports);
  if (unsaved) return err(unsaved);
  const keepCrlf = lineEndingOf(before.value.text) === 'crlf' && !call.content.includes('\r\n');
  return ok({ path, before: before.value, after: keepCrlf ? call.content.replaceAll('\n', '\r\n') : call.content });
}

async function carryOut({ path, before, after }: Planned, ctx: ToolContext, ports: EditPorts): Promise<ToolResult> {
  const written = await ports.store.writeText(path, { encoding: before?.encoding ?? 'utf8', bom: before?.bom ?? false, text: after });
  if (!written.ok) return failure(written.problem.message);
  noteText(ctx.files, await ports.store.realPath(path), written.value);
  const lines = after === '' ? 0 : after.split('\n').length - (after.endsWith('\n') ? 1 : 0);
  return changedResult({ path, before: before?.text, after, message: `${before ? 'Replaced the text of' : 'Created'} ${path} (${lines} ${lines === 1 ? 'line' : 'lines'}).` }, ports);
}
