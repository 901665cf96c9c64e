import { type ParsedCommand, plainWord } from './commandTypes';

/**
 * Words of harmless characters with single blanks between them, not starting with an assignment or a word the shell's
 * grammar knows. Such a line needs no parser: it is one command with these words.
 */
const plain = /^[A-Za-z0-9_./:@%+,-]+(?: [A-Za-z0-9_./:=@%+,-]+)*$/;
const keywords = new Set(
  'if then elif else fi for while until do done case esac in select function time coproc declare typeset export readonly local unset unsetenv'.split(' '),
);

export function splitPlainCommand(command: string): ParsedCommand | undefined {
  if (command.length > 2000 || !plain.test(command)) return undefined;
  const words = command.split(' ');
  const [name] = words;
  if (name === undefined || keywords.has(name) || /^\d+$/.test(name)) return undefined;
  return { ok: true, parts: [{ kind: 'command', text: command, words: words.map(plainWord), assignments: [] }], redirects: [] };
}
