import { promises as fs } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { readCommandTree } from './bashTree';
import type { ParsedCommand, SplitCommand } from './commandTypes';
import { splitPlainCommand } from './plainCommand';

/** Bash reads these as part of a word, the grammar as blanks; \x1f is what patterns use between words. */
const misread = /[\0\r\v\f\x1f]/;
/** The shell takes such a line break out and joins the word; the grammar splits it. */
const brokenWord = /[^ \t\n\\]\\\n(?=[^ \t\n])/;
const remembered = 500;

/**
 * Splits command lines with VS Code's own bash grammar. The grammar (1.4 MB of wasm) is loaded at the first line that
 * needs it; lines without any shell syntax never do.
 * @param assetsDir folder of `tree-sitter.wasm` and `tree-sitter-bash.wasm`; the package's own folder when they are not there
 */
export function createBashParser(assetsDir: string): SplitCommand {
  let loading: Promise<(command: string) => ParsedCommand> | undefined;
  const known = new Map<string, ParsedCommand>();
  return async (command) => {
    const seen = known.get(command);
    if (seen) return seen;
    const plain = splitPlainCommand(command);
    if (!plain) loading ??= loadGrammar(assetsDir);
    const parsed = plain ?? (loading ? (await loading)(command) : unreachable());
    if (known.size >= remembered) known.clear();
    known.set(command, parsed);
    return parsed;
  };
}

function unreachable(): never {
  throw new Error('the grammar is loading');
}

async function loadGrammar(assetsDir: string): Promise<(command: string) => ParsedCommand> {
  const module = await import('@vscode/tree-sitter-wasm');
  const { Parser, Language } = 'default' in module && module.default ? module.default : module;
  const folder = await grammarFolder(assetsDir);
  await Parser.init({ locateFile: (file: string) => join(folder, file) });
  const bash = await Language.load(await fs.readFile(join(folder, 'tree-sitter-bash.wasm')));
  const parser = new Parser();
  parser.setLanguage(bash);
  return (command) => {
    if (misread.test(command)) return { ok: false, reason: 'it holds control characters' };
    if (brokenWord.test(command)) return { ok: false, reason: 'a line break inside a word' };
    const tree = parser.parse(command);
    if (!tree) return { ok: false, reason: 'the parser gave up' };
    const parsed = readCommandTree(tree.rootNode, command);
    tree.delete();
    return parsed;
  };
}

async function grammarFolder(assetsDir: string): Promise<string> {
  const there = await fs.access(join(assetsDir, 'tree-sitter-bash.wasm')).then(
    () => true,
    () => false,
  );
  return there ? assetsDir : dirname(createRequire(import.meta.url).resolve('@vscode/tree-sitter-wasm'));
}
