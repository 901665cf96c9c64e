import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import type { FileStore } from '../platform/fileStore';
import type { RipgrepRunner } from '../platform/ripgrepRunner';
import { displayChars, headOf } from './cutText';
import { defineTool, failure, text, type Tool, type ToolContext, type ToolResult } from './defineTool';
import { absolutePath, shownPath } from './toolPaths';

export interface GrepPorts {
  readonly ripgrep: RipgrepRunner;
  readonly store: FileStore;
  readonly hidden?: ((ctx: ToolContext, paths: readonly string[]) => Promise<ReadonlySet<string>>) | undefined;
}

const count = z.coerce.number().int().min(0).optional();
const input = z.object({
  pattern: z.string().min(1).describe('Regular expression in ripgrep syntax; escape literal braces: interface\\{\\}'),
  path: z.string().optional().describe('File or folder to search. Default: the current folder'),
  glob: z.string().optional().describe('Only files that match, for example "*.ts" or "src/**"'),
  type: z.string().optional().describe('Only files of this ripgrep type, for example js, py, rust'),
  output_mode: z.enum(['files_with_matches', 'content', 'count']).optional().describe('Default files_with_matches: paths only, newest first'),
  '-i': z.boolean().optional().describe('Ignore case'),
  '-n': z.boolean().optional().describe('Line numbers in content mode. Default true'),
  '-o': z.boolean().optional().describe('Only the matching part of each line (content mode)'),
  '-A': count.describe('Lines after each match (content mode)'),
  '-B': count.describe('Lines before each match (content mode)'),
  '-C': count.describe('Lines before and after each match (content mode)'),
  context: count.describe('The same as -C'),
  head_limit: count.describe('At most this many lines, files or counts. Default 250; 0 for all'),
  offset: count.describe('Leave out this many of them first'),
  multiline: z.boolean().optional().describe('Matches may span lines and . matches line breaks'),
});
type Input = z.infer<typeof input>;

const defaultLimit = 250;

export function createGrepTool(ports: GrepPorts): Tool {
  return defineTool({
    name: 'Grep',
    description: 'Searches in files with ripgrep. Files that git ignores are skipped, unless path names them. Prefer it to grep or rg in Bash. Modes: paths of files with a match (default), the matching lines, or counts.',
    kind: 'search',
    input,
    readOnly: true,
    maxResultChars: 30_000,
    title: (call) => (call.path ? `${call.pattern} in ${call.path}` : call.pattern),
    describe: (call, ctx) => ({ title: `search for ${headOf(call.pattern, 80)}`, paths: [absolutePath(call.path ?? '.', ctx.cwd)] }),
    run: (call, ctx) => grep(call, ctx, ports),
  });
}

/** One line of output and the file it belongs to; `--` between groups belongs to none. */
interface Row {
  readonly path: string | undefined;
  readonly rest: string;
}

async function grep(call: Input, ctx: ToolContext, ports: GrepPorts): Promise<ToolResult> {
  if ([call.pattern, call.path, call.glob].some((value) => value?.includes('\0'))) return failure('The input has a NUL byte. Remove it.');
  const target = absolutePath(call.path ?? '.', ctx.cwd);
  const info = await ports.store.info(target);
  if (!info) return failure(`${target} does not exist. Check path, or leave it out to search the current folder.`);
  const folder = info.kind === 'folder';
  const cwd = folder ? target : dirname(target);
  const found = await ports.ripgrep.search([...argsOf(call), '--', folder ? './' : basename(target)], { cwd, signal: ctx.signal });
  if (!found.ok) return failure(`${found.problem}${/regex parse error/.test(found.problem) ? '\nThe pattern is a regular expression: escape special characters with a backslash to find them literally.' : ''}`);
  const rows = rowsOf(found.value.stdout, cwd, call);
  const files = [...new Set(rows.flatMap((row) => (row.path === undefined ? [] : [row.path])))];
  const hidden = (await ports.hidden?.(ctx, files)) ?? new Set();
  const seen = rows.filter((row) => row.path === undefined || !hidden.has(row.path));
  const result = await resultOf({ call, ctx, rows: seen, store: ports.store });
  if (!found.value.cut || typeof result.content !== 'string') return result;
  return { ...result, content: `${result.content}\n[The search found too much and was ended early. Use a narrower pattern, path or glob.]` };
}

function argsOf(call: Input): string[] {
  const mode = call.output_mode ?? 'files_with_matches';
  const context = call['-C'] ?? call.context;
  const content: [boolean, string[]][] = [
    [true, ['--no-heading', '--with-filename', '-M', '500', '--max-columns-preview']],
    [call['-n'] !== false, ['-n']],
    [call['-n'] === false, ['-N']],
    [call['-o'] === true, ['-o']],
    [context !== undefined, ['-C', String(context)]],
    [call['-A'] !== undefined, ['-A', String(call['-A'])]],
    [call['-B'] !== undefined, ['-B', String(call['-B'])]],
  ];
  return [
    ...['--hidden', '--null', '--color', 'never', '--glob', '!.git', '--glob', '!**/.claude/worktrees/**'],
    ...(mode === 'files_with_matches' ? ['-l'] : mode === 'count' ? ['-c', '--with-filename'] : content.flatMap(([on, args]) => (on ? args : []))),
    ...(call['-i'] ? ['-i'] : []),
    ...(call.multiline ? ['-U', '--multiline-dotall'] : []),
    ...(call.type ? ['--type', call.type] : []),
    ...globsOf(call.glob).flatMap((glob) => ['--glob', glob]),
    ...['-e', call.pattern],
  ];
}

/** Several globs may be given, divided by blanks or commas outside braces. */
function globsOf(glob: string | undefined): string[] {
  return (glob ?? '').split(/[\s,]+(?![^{]*\})/).filter((part) => part !== '');
}

function rowsOf(stdout: string, cwd: string, call: Input): Row[] {
  const mode = call.output_mode ?? 'files_with_matches';
  // -l ends each path with NUL instead of a line break.
  if (mode === 'files_with_matches') return stdout.split('\0').flatMap((path) => (path === '' ? [] : [{ path: join(cwd, path), rest: '' }]));
  const rows: Row[] = [];
  for (const line of stdout.split('\n')) {
    if (line === '') continue;
    const at = line.indexOf('\0');
    if (at !== -1) rows.push({ path: join(cwd, line.slice(0, at)), rest: line.slice(at + 1) });
    else if (line === '--') rows.push({ path: undefined, rest: line });
    else if (call.multiline) rows.push({ path: rows.at(-1)?.path, rest: line });
  }
  return rows;
}

async function resultOf({ call, ctx, rows, store }: { readonly call: Input; readonly ctx: ToolContext; readonly rows: readonly Row[]; readonly store: FileStore }): Promise<ToolResult> {
  const mode = call.output_mode ?? 'files_with_matches';
  const hits = rows.filter((row) => row.path !== undefined);
  if (hits.length === 0) return text(`No matches for ${call.pattern}.`, { note: 'no matches' });
  const ordered = mode === 'files_with_matches' ? await newestFirst(hits, store) : rows;
  const from = call.offset ?? 0;
  if (from >= ordered.length) return text(`No entries at this offset: there are ${ordered.length}.`, { note: 'no entries' });
  const limit = call.head_limit === undefined ? defaultLimit : call.head_limit;
  const page = ordered.slice(from, limit === 0 ? undefined : from + limit);
  const lines = page.map((row) => (row.path === undefined ? row.rest : mode === 'files_with_matches' ? shownPath(row.path, ctx.cwd) : `${shownPath(row.path, ctx.cwd)}:${row.rest}`));
  const more = ordered.length - from - page.length;
  const rest = more > 0 ? `\n[${more} more. Use offset ${from + page.length} for the next, or head_limit 0 for all.]` : '';
  const paths = [...new Set(page.flatMap((row) => row.path ?? []))];
  const body = lines.join('\n');
  if (mode === 'files_with_matches') {
    return text(body + rest, { note: `${hits.length} ${hits.length === 1 ? 'file' : 'files'}`, display: { kind: 'files', paths: paths.slice(0, 100), total: hits.length, cut: hits.length > 100 } });
  }
  const total = mode === 'count' ? hits.reduce((sum, row) => sum + Number(row.rest), 0) : hits.length;
  const sum = mode === 'count' ? `\n\n${total} matching lines in ${hits.length} ${hits.length === 1 ? 'file' : 'files'}.` : '';
  return text(body + rest + sum, { note: `${total} ${mode === 'count' ? 'matches' : 'lines'}`, display: { kind: 'text', text: headOf(body, displayChars), ...(body.length > displayChars ? { cut: true } : {}) } });
}

async function newestFirst(rows: readonly Row[], store: FileStore): Promise<readonly Row[]> {
  if (rows.length > 5_000) return rows;
  const dated = await Promise.all(rows.map(async (row) => ({ row, at: (await store.info(row.path ?? ''))?.mtimeMs ?? 0 })));
  return dated.sort((a, b) => b.at - a.at || ((a.row.path ?? '') < (b.row.path ?? '') ? -1 : 1)).map(({ row }) => row);
}
