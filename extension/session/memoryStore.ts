import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import { errorCode, errorText } from '../base/errorText';
import { err, ok, type Result } from '../base/result';
import { writeFileAtomic } from '../platform/atomicFile';

export type MemoryScope = 'project' | 'local' | 'user';

export interface MemoryTargets {
  readonly configRoot: string;
  readonly projectRoot: string;
}

/** The file a note of this scope goes to. A project that lives by AGENTS.md keeps doing so: a new CLAUDE.md would hide it. */
export async function memoryFile({ configRoot, projectRoot }: MemoryTargets, scope: MemoryScope): Promise<string> {
  if (scope === 'user') return join(configRoot, 'CLAUDE.md');
  if (scope === 'local') return join(projectRoot, 'CLAUDE.local.md');
  for (const path of [join(projectRoot, 'CLAUDE.md'), join(projectRoot, '.claude', 'CLAUDE.md'), join(projectRoot, 'AGENTS.md')]) {
    if (await isFile(path)) return path;
  }
  return join(projectRoot, 'CLAUDE.md');
}

/** Adds one note as a list item at the end of a memory file; the rest of the file stays as it is, byte for byte. @returns the file, or why it could not be written */
export async function addMemory(targets: MemoryTargets, note: { readonly scope: MemoryScope; readonly text: string }): Promise<Result<string, string>> {
  const text = note.text.trim().replace(/\s*\n\s*/g, '\n  ');
  if (text === '') return err('There is nothing to remember: the note is empty.');
  const path = await memoryFile(targets, note.scope);
  try {
    const before = await readOrEmpty(path);
    const newline = before.includes('\r\n') ? '\r\n' : '\n';
    const gap = before === '' || before.endsWith('\n') ? '' : newline;
    const lastLine = before.trimEnd().split('\n').at(-1) ?? '';
    const separate = before === '' || /^\s*[-*] |^ {2}\S/.test(lastLine) ? '' : newline;
    await writeFileAtomic(path, `${before}${gap}${separate}- ${text.replaceAll('\n', newline)}${newline}`);
    return ok(path);
  } catch (thrown) {
    return err(`${path} could not be written: ${errorText(thrown)}. Nothing was changed.`);
  }
}

async function readOrEmpty(path: string): Promise<string> {
  try {
    return await fs.readFile(path, 'utf8');
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') return '';
    throw thrown;
  }
}

async function isFile(path: string): Promise<boolean> {
  return (await fs.stat(path).catch(() => undefined))?.isFile() ?? false;
}
