import fc from 'fast-check';
import { expect } from 'vitest';
import * as yaml from 'yaml';
import { parseFrontmatter, quickFrontmatter } from '../../../extension/base/frontmatter';
import { readPlainLines } from '../../../extension/base/frontmatterFast';
import { firstParagraph, globList, looseBoolean, stringList, textOf, toolList } from '../../../extension/base/frontmatterValues';
import { verifies } from '../../support/verifies';

const file = (block: string, body = 'Body.\n'): string => `---\n${block}\n---\n${body}`;
const parse = (text: string) => parseFrontmatter(text, yaml);
const values = (text: string): Record<string, unknown> => Object.fromEntries([...parse(text).fields].map(([key, field]) => [key, field.value]));
const codes = (text: string): string[] => parse(text).problems.map((problem) => problem.code);

function agreesWithYaml(block: string): void {
  const fast = readPlainLines(block, 2);
  if (fast === undefined) return;
  const doc = yaml.parseDocument(`${block}\n`, { uniqueKeys: true, logLevel: 'silent' });
  expect(doc.errors.map(String), JSON.stringify(block)).toEqual([]);
  expect(Object.fromEntries([...fast].map(([key, field]) => [key, field.value])), JSON.stringify(block)).toEqual(doc.toJS() ?? {});
}

verifies('skill:frontmatter:fast-equals-yaml', () => {
  const piece = fc.constantFrom('a', 'Read', 'x y', ':', ': ', '#', ' #', '-', '- ', '"', "'", '[', ']', ',', ', ', '{', '}', '*', '&', '!', '|', '>', '%', '@', '`', '?', ' ', '  ', '1', '0', '.', '1.10', '1.2.3', '2026-01-02', '0x1F', '1e3', '1d2', '12px', '.inf', '.nan', '~', 'null', 'True', 'no', '/', '(git add:*)', 'ü', '港', '\u00a0', '\\', '=', '<<', '---', '...');
  const scalar = fc.array(piece, { maxLength: 5 }).map((parts) => parts.join(''));
  const key = fc.constantFrom('name', 'description', 'tools', 'allowed-tools', 'a_b', 'x');
  const line = fc.oneof(
    fc.tuple(key, scalar).map(([k, v]) => `${k}: ${v}`),
    key.map((k) => `${k}:`),
    fc.tuple(key, fc.constantFrom('|', '>', '>-', '|-', '|+')).map(([k, v]) => `${k}: ${v}`),
    fc.tuple(fc.constantFrom('', ' ', '  ', '    '), fc.constantFrom('- ', ''), scalar).map(([indent, dash, v]) => `${indent}${dash}${v}`),
    fc.tuple(fc.constantFrom('  ', '    '), key, scalar).map(([indent, k, v]) => `${indent}${k}: ${v}`),
    fc.tuple(fc.constantFrom('', '  ', '    '), key, scalar).map(([indent, k, v]) => `${indent}- ${k}: ${v}`),
    fc.tuple(fc.constantFrom('  ', '    ', '      '), key).map(([indent, k]) => `${indent}${k}:`),
    fc.tuple(key, scalar, scalar).map(([k, v, w]) => `x: {${k}: ${v}, b: ${w}}`),
    fc.constantFrom('', '  ', '# note', '  # note'),
  );
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 7 }), (lines) => agreesWithYaml(lines.join('\n'))),
    { numRuns: 8000, seed: 7 },
  );
}, { timeoutMs: 60_000 });

verifies('skill:frontmatter:fast-covers-plain', () => {
  const blocks = [
    'name: tide\ndescription: Reads tables, plans a departure.\nallowed-tools: Read, Bash(git add:*)',
    'name: x\ntools:\n  - Read\n  - Bash(git log *)\nmodel: inherit',
    'tools: ["Read", Grep]\nuser-invocable: false\nversion: 1.2.0',
    'description: >-\n  Folded to\n  one line.\nname: y',
    'description: |\n  One line.\n  Two: lines.\n',
    'hooks:\n  Stop:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: echo\n    - hooks: []\nmodel: x',
    'mcpServers:\n- gh\n- pw:\n    command: npx\nx: {type: command, timeout: 5}',
    'name: z\nmetadata:\n  author: Ada\n  version: "1.0"\n# note\nmodel: haiku',
  ];
  for (const block of blocks) {
    expect(quickFrontmatter(file(block)), block).toBeDefined();
    agreesWithYaml(block);
  }
});

verifies('skill:frontmatter:typed-readers', () => {
  const of = (block: string) => parse(file(block)).fields;
  expect(['true', '"Yes"', 'ON', '1', 'False', 'no', 'off', '0', 'maybe', ''].map((word) => looseBoolean(of(`a: ${word}`).get('a')))).toEqual([true, true, true, true, false, false, false, false, undefined, undefined]);
  expect(textOf(of('a: 1.10').get('a'))).toBe('1.10');
  expect(textOf(of('a: [one] [two]').get('a'))).toBe('[one] [two]');
  expect(textOf(of('a:\n  - one\n  - two').get('a'))).toBe('one two');
  expect(toolList(of('a: Bash(git add *) Read, Agent(x, y)').get('a'))).toEqual(['Bash(git add *)', 'Read', 'Agent(x, y)']);
  expect(toolList(of('a:').get('a'))).toEqual([]);
  expect(toolList(undefined)).toBeNull();
  expect(stringList(of('a: issue branch').get('a'))).toEqual(['issue', 'branch']);
  expect(globList(of('a: "src/{a,b}/**, *.md"').get('a'))).toEqual(['src/{a,b}/**', '*.md']);
  expect(firstParagraph('# Title\n\n<!-- note -->\n\nFirst words\ngo on.\n\nSecond.')).toBe('First words go on.');
});

verifies('skill:frontmatter:recovers', () => {
  expect(values(file('name: a\nhooks:\n  Stop:\n    - hooks: [{type: command, command: x, timeout: 5}]\ndescription: Note: this'))).toEqual({
    name: 'a',
    hooks: { Stop: [{ hooks: [{ type: 'command', command: 'x', timeout: 5 }] }] },
    description: 'Note: this',
  });
  expect(codes(file('name: a\ndescription: Note: this'))).toEqual(['yaml-recovered']);
  expect(values(file('description: "say "hi" now"'))).toEqual({ description: 'say "hi" now' });
  expect(values(file('description: !important text\nname: a'))).toEqual({ description: '!important text', name: 'a' });
  expect(values(file('description: |\nat column zero\nname: a'))).toEqual({ description: 'at column zero', name: 'a' });
  expect(values(file('name:a\n  description: Note: indented'))).toEqual({ name: 'a', description: 'Note: indented' });
  expect(values(file('hooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: echo a: b\n          timeout: 5'))).toEqual({ hooks: { Stop: [{ hooks: [{ type: 'command', command: 'echo a: b', timeout: 5 }] }] } });
  expect(values(file('description: - dash: text\nname: a'))).toEqual({ description: '- dash: text', name: 'a' });
  expect(parse('---\nname: a\n# Title\n\nProse.\n').body).toBe('# Title\n\nProse.\n');
  expect(parse(file('!!! nothing here')).isUnreadable).toBe(true);
  expect(parse(file('!!! nothing here')).body).toBe('Body.\n');
});

verifies('skill:frontmatter:lines', () => {
  const parsed = parse('\ufeff---\r\nname: a\r\ndescription: Note: b\r\n---\r\n\r\nBody.\r\n');
  expect([...parsed.fields].map(([key, field]) => [key, field.line])).toEqual([['name', 2], ['description', 3]]);
  expect(parsed.problems.map((problem) => problem.line)).toEqual([3]);
  expect([parsed.body, parsed.bodyStartLine]).toEqual(['\nBody.\n', 5]);
  expect(parse('---\n---\nBody.').body).toBe('Body.');
  expect(parse('Just text.\n\n---\n\nmore').hasBlock).toBe(false);
  expect(parse('---\n\nA rule on top.\n').body).toBe('---\n\nA rule on top.\n');
  expect(parse('').hasBlock).toBe(false);
});

verifies('skill:frontmatter:never-throws', () => {
  const piece = fc.constantFrom('---', '\n', 'name: a', 'description:', ' ', '\t', '- x', '[', '{', '}', ']', '"', "'", '|', '>', '&a', '*a', '!t', '# h', '<example>', '</example>', '```', 'user: "x"', '%', '\u0000', '<<: *a', '? b', ': c', '__proto__: 1');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 24 }), (parts) => {
      const parsed = parse(`---\n${parts.join('')}\n---\nBody`);
      expect(parsed.fields).toBeInstanceOf(Map);
    }),
    { numRuns: 1500, seed: 11 },
  );
});
