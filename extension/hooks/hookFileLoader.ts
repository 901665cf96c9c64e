import type { Problem } from '../base/problem';
import { readTextFile } from '../platform/textFile';
import type { HookOrigin } from './hook';
import { type ReadHooks, readHooks } from './readHooks';

/**
 * A plugin's `hooks.json`: `{"description"?, "hooks": {…}}`, or the map of events bare. A file that is not there has
 * no hooks and no problem.
 */
export async function loadHookFile(path: string, origin: Omit<HookOrigin, 'path' | 'keys'>): Promise<ReadHooks> {
  const file = await readTextFile(path);
  if (!file.ok) return { hooks: [], problems: file.problem.code === 'file-missing' ? [] : [file.problem] };
  const { text } = file.value;
  let raw: unknown;
  try {
    raw = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (thrown) {
    const { parse } = await import('jsonc-parser');
    const errors: { offset: number; error: number; length: number }[] = [];
    parse(text, errors, { disallowComments: true });
    const line = text.slice(0, errors[0]?.offset ?? 0).split('\n').length;
    return { hooks: [], problems: [{ severity: 'error', code: 'json-invalid', message: `is no JSON (${thrown instanceof Error ? thrown.message : 'unreadable'}); its hooks are left out`, path, line }] };
  }
  const wrapped = hasHooks(raw);
  const read = readHooks(hasHooks(raw) ? raw.hooks : raw, { ...origin, path, keys: wrapped ? ['hooks'] : [] });
  return { ...read, problems: await withLines(read.problems) };
}

function hasHooks(raw: unknown): raw is { readonly hooks: unknown } {
  return typeof raw === 'object' && raw !== null && 'hooks' in raw;
}

/** Adds the line each problem's field stands in. Files are read only when there is a problem. */
export async function withLines(problems: readonly Problem[]): Promise<readonly Problem[]> {
  if (problems.length === 0) return problems;
  const { findNodeAtLocation, parseTree } = await import('jsonc-parser');
  const texts = new Map<string, string>();
  for (const path of new Set(problems.map((problem) => problem.path ?? ''))) {
    const file = path.endsWith('.json') ? await readTextFile(path) : undefined;
    if (file?.ok) texts.set(path, file.value.text);
  }
  return problems.map((problem) => {
    const text = texts.get(problem.path ?? '');
    if (text === undefined || problem.field === undefined || problem.line !== undefined) return problem;
    const keys = problem.field.split('.').map((key) => (/^\d+$/.test(key) ? Number(key) : key));
    const tree = parseTree(text);
    for (let depth = keys.length; tree && depth > 0; depth--) {
      const node = findNodeAtLocation(tree, keys.slice(0, depth));
      if (node) return { ...problem, line: text.slice(0, (node.parent?.type === 'property' ? node.parent : node).offset).split('\n').length };
    }
    return problem;
  });
}
