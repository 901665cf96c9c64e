import { readCommandTree } from './bashTree';
import type { ParsedCommand, SplitCommand } from './commandTypes';
import { loadGrammar } from './grammarLoader';
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
    if (!plain) loading ??= loadSplitter(assetsDir);
    const parsed = plain ?? (loading ? (await loading)(command) : unreachable());
    if (known.size >= remembered) known.clear();
    known.set(command, parsed);
    return parsed;
  };
}

function unreachable(): never {
  throw new Error('the grammar is loading');
}

async function loadSplitter(assetsDir: string): Promise<(command: string) => ParsedCommand> {
  const read = await loadGrammar(assetsDir, 'bash');
  return (command) => {
    if (misread.test(command)) return { ok: false, reason: 'it holds control characters' };
    if (brokenWord.test(command)) return { ok: false, reason: 'a line break inside a word' };
    return read(command, (root) => readCommandTree(root, command)) ?? { ok: false, reason: 'the parser gave up' };
  };
}
