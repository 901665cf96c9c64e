import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

/**
 * The layers of extension/ARCHITECTURE.md section 2, checked on every import, type-only ones included.
 * A folder may import itself and every rank below its own; names in one rank may not import each other.
 */
const ranks: readonly (readonly string[])[] = [
  ['base'],
  ['protocol'],
  ['ports', 'platform'],
  ['permissions'],
  ['hooks', 'model', 'session', 'worktree'],
  ['settings'],
  ['tools'],
  ['mcp', 'lsp', 'skills'],
  ['agents'],
  ['authoring', 'teams', 'schedule', 'plugins'],
  ['engine'],
];
/** Front ends see the engine only through these. */
const frontEnds: Readonly<Record<string, readonly string[]>> = {
  vscode: ['base', 'protocol', 'ports', 'authoring', 'engine', 'vscode'],
  cli: ['base', 'protocol', 'ports', 'authoring', 'engine', 'cli'],
  webview: ['base', 'protocol', 'webview'],
};
/** Entries are wired by hand: their own front end, and what builds ports. */
const entries: Readonly<Record<string, readonly string[]>> = {
  'extension/extension.ts': ['base', 'protocol', 'ports', 'platform', 'engine', 'vscode'],
  'extension/headless.ts': ['base', 'protocol', 'ports', 'platform', 'engine', 'cli'],
};
const fences: readonly { readonly module: RegExp; readonly allowed: (file: string) => boolean }[] = [
  { module: /^vscode$/, allowed: (f) => f.startsWith('extension/vscode/') || f === 'extension/extension.ts' },
  { module: /^@anthropic-ai\/sdk/, allowed: (f) => f === 'extension/model/anthropicClient.ts' },
  { module: /^@modelcontextprotocol\//, allowed: (f) => f.startsWith('extension/mcp/') },
  { module: /^@anthropic-ai\/sandbox-runtime/, allowed: (f) => f === 'extension/platform/sandboxRuntime.ts' },
  { module: /^simple-git$/, allowed: (f) => f === 'extension/platform/gitRunner.ts' },
  { module: /^@vscode\/webview-ui-toolkit/, allowed: (f) => f.startsWith('webview/ui/') },
  { module: /^react(-dom)?(\/|$)/, allowed: (f) => f.startsWith('webview/') },
];
const ioModule = /^(node:)?(fs|child_process|net|http|https|tls|dgram|worker_threads)(\/|$)/;
const ioFile = /(Store|Runner|Client|Loader|Watcher|Server)\.ts$/;
/** file -> reason why it may be longer. */
const longFiles: Readonly<Record<string, string>> = {};
const maxLines = 400;
const entryLines: Readonly<Record<string, number>> = { 'extension/extension.ts': 120, 'extension/headless.ts': 150, 'extension/engine.ts': 300 };

const root = process.cwd();
const sources = ['extension', 'webview'].flatMap((top) =>
  readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })
    .filter((f) => /\.tsx?$/.test(f))
    .map((f) => join(top, f).split(sep).join('/')),
);
const textOf = new Map(sources.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
const importsOf = new Map(sources.map((file) => [file, ts.preProcessFile(textOf.get(file) ?? '', true, true).importedFiles.map((i) => i.fileName)]));

function area(file: string): string {
  if (file.startsWith('webview/')) return 'webview';
  const [, folder, rest] = file.split('/');
  return rest === undefined ? (folder ?? '').replace(/\.ts$/, '') : (folder ?? '');
}

function mayImport(from: string, to: string, file: string): boolean {
  const listed = entries[file] ?? frontEnds[from];
  if (listed) return listed.includes(to);
  if (from === to) return true;
  const rank = (name: string): number => ranks.findIndex((row) => row.includes(name));
  return rank(to) !== -1 && rank(from) !== -1 && rank(to) < rank(from);
}

function violations(file: string): string[] {
  const found: string[] = [];
  const lines = (textOf.get(file) ?? '').split('\n').length;
  const limit = entryLines[file] ?? (longFiles[file] ? Number.POSITIVE_INFINITY : maxLines);
  if (lines > limit) found.push(`${file}: ${lines} lines, over ${limit}`);
  if (/(^|\/)index\.tsx?$/.test(file)) found.push(`${file}: no barrels`);
  if (/^export default /m.test(textOf.get(file) ?? '')) found.push(`${file}: default export`);
  if (/acquireVsCodeApi/.test(textOf.get(file) ?? '') && file !== 'webview/transport/vscodeTransport.ts') found.push(`${file}: only webview/transport/vscodeTransport.ts calls acquireVsCodeApi`);
  const from = area(file);
  const mayDoIo = from === 'platform' || from === 'vscode' || file in entries || ioFile.test(file);
  for (const spec of importsOf.get(file) ?? []) {
    if (ioModule.test(spec) && !mayDoIo) found.push(`${file}: does I/O (${spec}) without an I/O suffix`);
    if (from === 'webview' && spec.startsWith('node:')) found.push(`${file}: ${spec} in the browser`);
    for (const fence of fences) if (fence.module.test(spec) && !fence.allowed(file)) found.push(`${file}: may not import ${spec}`);
    if (!spec.startsWith('.')) continue;
    const target = normalize(join(dirname(file), spec)).split(sep).join('/');
    const to = area(target.includes('.') ? target : `${target}.ts`);
    if (!mayImport(from, to, file)) found.push(`${file}: ${from} may not import ${to} (${spec})`);
  }
  return found;
}

test('imports point down the layers, I/O stays in its files and files stay small', () => {
  expect(sources.flatMap(violations)).toEqual([]);
});

test('there are no import cycles, not even of types', () => {
  const graph = new Map(
    sources.map((file) => [
      file.replace(/\.tsx?$/, ''),
      (importsOf.get(file) ?? []).filter((s) => s.startsWith('.')).map((s) => normalize(join(dirname(file), s)).split(sep).join('/')),
    ]),
  );
  const done = new Set<string>();
  const visit = (node: string, path: readonly string[]): string | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node].join(' -> ');
    if (done.has(node)) return undefined;
    for (const next of graph.get(node) ?? []) {
      const cycle = visit(next, [...path, node]);
      if (cycle) return cycle;
    }
    done.add(node);
    return undefined;
  };
  expect([...graph.keys()].map((node) => visit(node, [])).filter(Boolean)).toEqual([]);
});

test('the median file is small', () => {
  const sizes = sources.map((file) => (textOf.get(file) ?? '').split('\n').length).sort((a, b) => a - b);
  expect(sizes[Math.floor(sizes.length / 2)] ?? 0).toBeLessThanOrEqual(200);
});
