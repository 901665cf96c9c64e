import { isAbsolute, join } from 'node:path';
import * as z from 'zod';
import { err, ok, type Result } from '../base/result';
import type { FileStore } from '../platform/fileStore';
import { defineTool, failure, text, type Tool, type ToolContext, type ToolResult } from './defineTool';
import { absolutePath, shownPath } from './toolPaths';

export interface GlobPorts {
  readonly store: FileStore;
  /** Of these absolute paths, those a deny rule hides from this agent. */
  readonly hidden?: ((ctx: ToolContext, paths: readonly string[]) => Promise<ReadonlySet<string>>) | undefined;
}

const input = z.object({
  pattern: z.string().min(1).describe('Glob like "src/**/*.ts" or "**/*.{md,txt}"'),
  path: z.string().optional().describe('Folder to search in. Default: the current folder'),
});
type Input = z.infer<typeof input>;

const maxFiles = 100;
const timeoutMs = 20_000;

export function createGlobTool(ports: GlobPorts): Tool {
  return defineTool({
    name: 'Glob',
    description: 'Finds files by name pattern, newest first, at most 100. "*.ts" looks in the folder itself only, "**/*.ts" in all folders below. Files that git ignores are found too. To search in files use Grep.',
    kind: 'search',
    input,
    readOnly: true,
    title: (call) => (call.path ? `${call.pattern} in ${call.path}` : call.pattern),
    describe: async (call, ctx) => {
      const where = await searchRoot(call, ctx);
      return { title: `find files ${call.pattern}`, paths: [where.ok ? where.value.root : absolutePath(call.path ?? '.', ctx.cwd)] };
    },
    run: (call, ctx) => glob(call, ctx, ports),
  });
}

/** The folder the walk starts in: the pattern's fixed beginning belongs to it, so that `../x/*` is judged as what it is. */
async function searchRoot(call: Input, ctx: ToolContext): Promise<Result<{ readonly root: string; readonly pattern: string }, string>> {
  if (call.pattern.includes('\0') || call.path?.includes('\0')) return err('The pattern has a NUL byte, which no file name can have. Remove it.');
  const { default: picomatch } = await import('picomatch');
  const { base, glob: rest } = picomatch.scan(call.pattern);
  const start = absolutePath(call.path ?? '.', ctx.cwd);
  // Without a wildcard the whole pattern is "base": its last part is the file to find.
  if (rest === '') {
    const whole = isAbsolute(call.pattern) ? call.pattern : join(start, call.pattern);
    const at = whole.lastIndexOf('/');
    return ok({ root: whole.slice(0, at) || '/', pattern: whole.slice(at + 1) });
  }
  return ok({ root: isAbsolute(base) ? base : join(start, base), pattern: rest });
}

async function glob(call: Input, ctx: ToolContext, ports: GlobPorts): Promise<ToolResult> {
  const where = await searchRoot(call, ctx);
  if (!where.ok) return failure(where.problem);
  const { root, pattern } = where.value;
  const info = await ports.store.info(root);
  if (info?.kind !== 'folder') return failure(`The folder ${root} does not exist. Check path and the beginning of the pattern.`);
  const { default: picomatch } = await import('picomatch');
  // Brackets are common in the names of routes (`[id]/page.tsx`): they match as written, too.
  const matches = picomatch([pattern, pattern.replace(/[[\]()]/g, '\\$&')], { dot: true });
  const { files, timedOut } = await ports.store.walk({ root, matches, enter: (rel, name) => entered(root, rel, name), signal: ctx.signal, timeoutMs });
  const hidden = (await ports.hidden?.(ctx, files.map((f) => f.path))) ?? new Set();
  const paths = files.map((f) => f.path).filter((path) => !hidden.has(path));
  const shown = paths.slice(0, maxFiles);
  if (shown.length === 0) return text(nothingFound(call, root, timedOut), { note: 'no files' });
  const rest = paths.length > shown.length ? `\n[Only the ${maxFiles} newest of ${paths.length} files are listed. Use a narrower pattern or path.]` : '';
  const late = timedOut ? `\n[The search was ended after ${timeoutMs / 1000} s; there may be more. Use a narrower path.]` : '';
  return text(shown.map((path) => shownPath(path, ctx.cwd)).join('\n') + rest + late, {
    note: `${paths.length} ${paths.length === 1 ? 'file' : 'files'}`,
    display: { kind: 'files', paths: shown, total: paths.length, cut: paths.length > shown.length },
  });
}

/** Repository internals and other agents' worktrees are not looked into, unless the search starts there. */
function entered(root: string, rel: string, name: string): boolean {
  if (name === '.git') return false;
  return !`/${rel}`.endsWith('/.claude/worktrees') && !(root.endsWith('/.claude') && rel === 'worktrees');
}

function nothingFound(call: Input, root: string, timedOut: boolean): string {
  if (timedOut) return `No file found in ${timeoutMs / 1000} s; the search was ended. Use a narrower path.`;
  const flat = !call.pattern.includes('/') && !call.pattern.includes('**');
  return `No files match ${call.pattern} in ${root}.${flat ? ` "${call.pattern}" looks only in that folder itself; "**/${call.pattern}" looks in all below it.` : ''}`;
}
