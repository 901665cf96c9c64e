import type { ParsedCommand, SplitCommand } from './commandTypes';
import { loadGrammar } from './grammarLoader';
import { readPowerShellTree } from './powershellTree';

/**
 * PowerShell takes curly quotes for quotes, long dashes for dashes and odd blanks for blanks; the grammar does not.
 * A backtick before a line break joins lines; `--%` hands the rest over unread.
 */
const misread = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\xa0\u1680\u180e\u2000-\u200f\u2010-\u201f\u2028-\u202f\u205f\u3000\ufeff]|`\r?\n|--%/;
const remembered = 500;

/** Splits PowerShell lines with VS Code's own grammar, loaded at the first line. */
export function createPowerShellParser(assetsDir: string): SplitCommand {
  let loading: ReturnType<typeof loadGrammar> | undefined;
  const known = new Map<string, ParsedCommand>();
  return async (command) => {
    const seen = known.get(command);
    if (seen) return seen;
    loading ??= loadGrammar(assetsDir, 'powershell');
    const read = await loading;
    const parsed: ParsedCommand = misread.test(command)
      ? { ok: false, reason: 'it holds characters that PowerShell reads in its own way' }
      : (read(command, (root) => readPowerShellTree(root, command)) ?? { ok: false, reason: 'the parser gave up' });
    if (known.size >= remembered) known.clear();
    known.set(command, parsed);
    return parsed;
  };
}
