import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect } from 'vitest';
import { splitPlainCommand } from '../../../extension/permissions/plainCommand';
import { verifies } from '../../support/verifies';
import { evaluator, explained, linkFacts, policy, type Row, subject } from './permissionWorld';

const rows = readFileSync(new URL('../../fixtures/permissions.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row);
const text = (row: Row): string => `${row.mode ?? 'default'} [${row.rules.join(', ')}] ${row.tool} ${JSON.stringify(row.call).slice(0, 200)} (${row.source})`;

verifies('permissions:rules:table', async () => {
  const wrong: string[] = [];
  for (const row of rows) {
    const { decision, rule } = await explained(row);
    if (decision !== row.expect || rule !== row.rule) wrong.push(`${decision} by ${rule}, not ${row.expect} by ${row.rule}: ${text(row)}`);
  }
  expect(wrong).toEqual([]);
  expect(rows.length).toBeGreaterThan(400);
});

/** Names that mean nothing to any rule or tool. */
const meaningless = /(?<![\w$'\\-])(?:[A-Za-z]|src|pkg|lib|docs|keep|secrets?|notes|dist|vendor|new|deep|log|evil|bob|ex|ext|app|build|made?|make)(?![\w:'])/g;

function withoutNames({ source: _source, rule: _rule, live: _live, ...row }: Row): string {
  const names = new Map<string, string>();
  return JSON.stringify(row).replace(meaningless, (name) => {
    names.set(name, names.get(name) ?? `#${names.size}`);
    return names.get(name) ?? '';
  });
}

verifies('permissions:rules:table', () => {
  expect(rows.filter((row) => !/^(spec \d\d|attack: )\S*/.test(row.source)).map(text)).toEqual([]);
  const bySense = new Map<string, Row>();
  const alike = rows.flatMap((row) => {
    const first = bySense.get(withoutNames(row));
    bySense.set(withoutNames(row), row);
    return first ? [`${text(first)} and ${text(row)}`] : [];
  });
  expect(alike).toEqual([]);
}, { case: 'each row names its source or attack, and no two differ only in names' });

const atoms = ['make a', 'make b', 'ls', 'rm x', "echo 'a b'", 'cat /etc/passwd', 'echo $(make a)', 'git push', 'x=1', 'PATH=. ls', 'echo $((y))', 'echo hi > out', '$z q', 'npm test -- "q r"'];
const joins = [' && ', ' || ', '; ', ' | ', '\n', ' & '];
const wraps = ['(#)', '{ #; }', 'if #; then :; fi', 'while #; do :; done', 'echo "$(#)"', '! #', 'cat <(#)', 'timeout 5 #'];
const allowing = policy(['allow Bash(make *)', 'allow Bash(echo *)', 'allow Bash(npm test *)']);

verifies('permissions:rules:parts', async () => {
  const alone = new Map<string, boolean>();
  for (const atom of atoms) alone.set(atom, (await evaluator.evaluate(subject('Bash', atom), allowing, linkFacts())).decision === 'allow');
  const piece = fc.tuple(fc.constantFrom(...atoms), fc.option(fc.constantFrom(...wraps)));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(piece, fc.constantFrom(...joins)), { minLength: 1, maxLength: 4 }), async (pieces) => {
      const line = pieces.map(([[atom, wrap], join], i) => `${wrap && !(wrap.startsWith('timeout') && /[=$]/.test(atom.split(' ')[0] ?? '')) ? wrap.replace('#', () => atom) : atom}${i < pieces.length - 1 ? join : ''}`).join('');
      const allowed = (await evaluator.evaluate(subject('Bash', line), allowing, linkFacts())).decision === 'allow';
      if (allowed) expect(pieces.filter(([[atom]]) => !alone.get(atom)).map(([[atom]]) => `${atom} in ${line}`)).toEqual([]);
    }),
    { numRuns: 400 },
  );
});

verifies('permissions:bash:fast-path', async () => {
  const word = fc.string({ unit: fc.constantFrom(...'abzAZ09_./:=@%+,-'.split('')), minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(word, fc.constantFrom('if', 'time', 'export', 'in', 'then', 'a=b', '-x', '1', 'function')), { minLength: 1, maxLength: 5 }), async (words) => {
      const line = words.join(' ');
      const fast = splitPlainCommand(line);
      if (!fast?.ok) return;
      // A trailing blank keeps the line from the fast path.
      const slow = await evaluator.splitCommand(`${line} `);
      // The grammar trips over a few harmless words (`a@`); what it reads, it reads the same.
      if (slow.ok) expect(slow.parts.map((p) => p.words.map((w) => w.text))).toEqual(fast.parts.map((p) => p.words.map((w) => w.text)));
    }),
    { numRuns: 500 },
  );
});

verifies('permissions:bash:parts', async () => {
  const split = async (line: string): Promise<unknown> => {
    const parsed = await evaluator.splitCommand(line);
    return parsed.ok ? { parts: parsed.parts.map((p) => p.words.map((w) => w.text).join('·')), to: parsed.redirects.map((r) => `${r.writes ? '>' : '<'}${r.target.text}`) } : 'unparsable';
  };
  expect(await split(`A=1 npm "run it" 'x'y > o 2>&1 < i`)).toEqual({ parts: ['npm·run it·xy'], to: ['>o', '<i'] });
  expect(await split('rm > log -rf x')).toEqual({ parts: ['rm·-rf·x'], to: ['>log'] });
  expect(await split('cat <<E\n$(a b)\nE')).toEqual({ parts: ['cat', 'a·b'], to: [] });
  expect(await split("cat <<'E'\n$(a b)\nE")).toEqual({ parts: ['cat'], to: [] });
  expect(await split("a $'b\\tc' \"d\\$e\" f\\ g")).toEqual({ parts: ['a·b\tc·d$e·f g'], to: [] });
  expect(await split('if a; then b; else c; fi && d | e')).toEqual({ parts: ['a', 'b', 'c', 'd', 'e'], to: [] });
  expect(await split('echo "open')).toBe('unparsable');
  expect(await split('- a=b ')).toBe('unparsable');
});

verifies('permissions:rules:explain', async () => {
  const rules = policy(['allow Bash(npm run *)', 'user ask Bash(git push *)']);
  expect(await evaluator.evaluate(subject('Bash', 'npm run x && git push'), rules, linkFacts())).toEqual({
    decision: 'ask',
    reason: 'must be asked by the rule Bash(git push *)',
    rule: 'Bash(git push *)',
    source: 'user',
    path: '/user.json',
    parts: [
      { command: 'npm run x', decision: 'allow', rule: 'Bash(npm run *)', reason: 'allowed by the rule Bash(npm run *)' },
      { command: 'git push', decision: 'ask', rule: 'Bash(git push *)', reason: 'must be asked by the rule Bash(git push *)' },
    ],
  });
  expect((await evaluator.evaluate(subject('Edit', '/p/a'), policy([], { mode: 'plan' }), linkFacts())).reason).toContain('plan mode');
});
