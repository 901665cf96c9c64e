import { expect } from 'vitest';
import { parseArgv, splitOutsideBrackets } from '../../../extension/cli/argv';
import { verifies } from '../../support/verifies';

/** A command line, split at blanks outside quotes, and what is read from it. */
function read(line: string): unknown {
  const args = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? '');
  const parsed = parseArgv(args);
  if (!parsed.ok) return parsed.problem;
  const { words, switches, values, lists } = parsed.value;
  return { ...(words.length > 0 ? { words } : {}), ...Object.fromEntries([...switches].map((name) => [name, true])), ...Object.fromEntries(values), ...Object.fromEntries(lists) };
}
const table = (rows: readonly (readonly [string, unknown])[]): void => {
  for (const [line, expected] of rows) expect(read(line), line).toEqual(expected);
};

verifies('cli:argv:flags', () =>
  table([
    ['', {}],
    ['-p "fix it"', { words: ['fix it'], print: true }],
    ['--print hi there', { words: ['hi', 'there'], print: true }],
    ['-c -r abc -h -v', { continue: true, resume: 'abc', help: true, version: true }],
    ['--model=opus --max-turns=3', { model: 'opus', 'max-turns': '3' }],
    ['--model opus --model sonnet', { model: 'sonnet' }],
    ['--settings={"a":"b=c"}', { settings: '{"a":"b=c"}' }],
    ['--append-system-prompt "- be brief"', { 'append-system-prompt': '- be brief' }],
    ['--append-system-prompt "-be brief"', { 'append-system-prompt': '-be brief' }],
    ['--append-system-prompt=--strict', { 'append-system-prompt': '--strict' }],
    ['--append-system-prompt=', { 'append-system-prompt': '' }],
    ['- -p', { words: ['-'], print: true }],
    ['skill render deploy --no-shell -- --flag -x', { words: ['skill', 'render', 'deploy', '--flag', '-x'], 'no-shell': true }],
  ]));

verifies('cli:argv:lists', () =>
  table([
    ['--allowedTools Read Edit -p go', { allowedTools: ['Read', 'Edit'], print: true, words: ['go'] }],
    ['--allowedTools "Bash(git add, git commit:*),Read" Write', { allowedTools: ['Bash(git add, git commit:*)', 'Read', 'Write'] }],
    ['--allowedTools Read --disallowedTools Bash --allowedTools Edit', { allowedTools: ['Read', 'Edit'], disallowedTools: ['Bash'] }],
    ['--allowed-tools=Read,Edit word', { allowedTools: ['Read', 'Edit'], words: ['word'] }],
    ['--disallowed-tools Bash', { disallowedTools: ['Bash'] }],
    ['--add-dir ../a ../b -- prompt', { 'add-dir': ['../a', '../b'], words: ['prompt'] }],
    ['--allowedTools "" -p x', { allowedTools: [], print: true, words: ['x'] }],
  ]));

verifies('cli:argv:lists', () => {
  const rows: readonly (readonly [string, readonly string[]])[] = [['', []], [',a,,b,', ['a', 'b']], ['Bash(a (b, c), d),Read', ['Bash(a (b, c), d)', 'Read']], ['a),b', ['a)', 'b']], ['Bash(a, b', ['Bash(a, b']]];
  for (const [list, parts] of rows) expect(splitOutsideBrackets(list), list).toEqual(parts);
}, { case: 'commas inside brackets part nothing' });

verifies('cli:argv:errors', () =>
  table([
    ['--max-turn 3', 'unknown flag --max-turn; did you mean --max-turns?'],
    ['--permision-mode=plan', 'unknown flag --permision-mode=plan; did you mean --permission-mode?'],
    ['--qqqqqqqqqq', 'unknown flag --qqqqqqqqqq'],
    ['-x', expect.stringMatching(/^unknown flag -x/)],
    ['--model', '--model needs a value'],
    ['--model --verbose', '--model needs a value'],
    ['--model -p hi', '--model needs a value'],
    ['--verbose=yes', '--verbose takes no value'],
    ['--allowedTools', '--allowedTools needs at least one value'],
    ['--add-dir -p hi', '--add-dir needs at least one value'],
    ...['0', '-1', '1.5', 'many', ''].map((value): [string, string] => [`--max-turns=${value}`, `--max-turns needs a whole number above 0, not "${value}"`]),
  ]));
