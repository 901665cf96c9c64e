import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished } from 'vitest';
import { verifies } from '../../support/verifies';
import { evaluator, linkFacts, policy, subject } from './permissionWorld';

/** Programs that only write down that they ran. Those with an odd number no rule allows. */
const markers = Array.from({ length: 8 }, (_, i) => `mark${i}`);
const odd = markers.filter((_, i) => i % 2 === 1);
const allowsEven = policy([...markers.filter((m) => !odd.includes(m)).map((m) => `allow Bash(${m} *)`), 'allow Bash(cat *)', 'allow Bash(find *)', 'allow Bash(export *)']);
const deniesOdd = policy(['allow Bash', ...odd.map((m) => `deny Bash(${m} *)`)]);

function tracedFolder() {
  const dir = mkdtempSync(join(tmpdir(), 'real-bash-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const name of ['bin', 'cwd']) mkdirSync(join(dir, name));
  for (const marker of markers) {
    writeFileSync(join(dir, 'bin', marker), '#!/bin/sh\necho "${0##*/}" >> "$TRACE"\n');
    chmodSync(join(dir, 'bin', marker), 0o755);
  }
  let runs = 0;
  /** @returns the programs that really ran */
  return async (line: string): Promise<ReadonlySet<string>> => {
    const trace = join(dir, `trace${++runs}`);
    writeFileSync(trace, '');
    await new Promise((done) => {
      const child = execFile('bash', ['-c', line], { cwd: join(dir, 'cwd'), env: { PATH: `${join(dir, 'bin')}:/usr/bin:/bin`, HOME: dir, TRACE: trace }, timeout: 10_000 }, done);
      child.stdin?.end();
    });
    return new Set(readFileSync(trace, 'utf8').split('\n').filter((name) => name !== ''));
  };
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
/** Text with `#` where a command stands; `;` closes what would swallow the next word. */
const { line } = fc.letrec<{ readonly line: string; readonly simple: string; readonly word: string }>((tie) => {
  const marker = fc.constantFrom(...markers);
  const spelled = fc.tuple(marker, fc.constantFrom<(m: string) => string>((m) => m, (m) => m, (m) => `"${m}"`, (m) => `'${m.slice(0, 3)}'${m.slice(3)}`, (m) => `\\${m}`, (m) => `$'${m.slice(0, 4)}\\x3${m.slice(4)}'`, (m) => `${m.slice(0, 2)}\\\n${m.slice(2)}`, (m) => `../bin/${m}`)).map(([m, how]) => how(m));
  const holds = (line: fc.Arbitrary<string>, ...shapes: readonly ((line: string) => string)[]) => fc.tuple(line, fc.constantFrom(...shapes)).map(([text, shape]) => shape(text));
  const pairs = (line: fc.Arbitrary<string>, ...shapes: readonly ((a: string, b: string) => string)[]) => fc.tuple(line, line, fc.constantFrom(...shapes)).map(([a, b, shape]) => shape(a, b));
  return {
    word: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom('a', "'b c'", '"d $HOME"', '\\;', '*', '{a,b}', "'$(mark1)'", '"\\$(mark3)"', '$((1+2))', '-x', '#c', 'a#b', '&1', '> out', '2>&1', '< /dev/null', '<<< x'),
      holds(tie('line'), (l) => `"$(${l}\n)"`, (l) => `$(${l}\n)`, (l) => `<(${l}\n)`, (l) => `\${none:-$(${l}\n)}`, (l) => `"a $(${l}\n) b"`, (l) => `>(${l}\n)`),
      holds(tie('simple'), (s) => (s.includes('`') || s.includes('\\') ? 'a' : `\`${s}\``)),
    ),
    simple: fc.tuple(fc.constantFrom('', '', 'A=1 ', '> first ', '! ', 'time ', 'command ', 'timeout 5 ', 'env B=2 ', 'nohup ', 'nice -n 1 ', 'exec ', 'builtin command ', 'echo a | xargs ', 'xargs -n 1 ', 'coproc '), spelled, fc.array(tie('word'), { maxLength: 3 })).map(([before, name, words]) => [`${before}${name}`, ...words].join(' ')),
    line: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 4, arbitrary: tie('simple') },
      { weight: 3, arbitrary: pairs(tie('line'), (a, b) => `${a} && ${b}`, (a, b) => `${a} || ${b}`, (a, b) => `${a} ; ${b}`, (a, b) => `${a} | ${b}`, (a, b) => `${a} |& ${b}`, (a, b) => `${a}\n${b}`, (a, b) => `${a} & ${b}`, (a, b) => `if ${a}\nthen ${b}\nfi`, (a, b) => `if ${a}\nthen :; else ${b}\nfi`, (a, b) => `while ${a}\ndo ${b}\nbreak; done`, (a, b) => `f() {\n${a}\n}\n${b}\nf`) },
      { weight: 2, arbitrary: holds(tie('line'), (l) => `(${l}\n)`, (l) => `{ ${l}\n}`, (l) => `for i in 1 2; do ${l}\ndone`, (l) => `case x in x) ${l}\n;; esac`, (l) => `x=$(${l}\n)`, (l) => `export X="$(${l}\n)"`, (l) => `[[ -n $(${l}\n) ]]`, (l) => `cat <<END\n$(${l.replaceAll('\\', '')}\n)\nEND`, (l) => `cat <<'END'\n$(${l})\nEND`, (l) => `until ${l}\ndo break; done`) },
      { weight: 1, arbitrary: holds(tie('line'), (l) => `eval ${quote(l)}`, (l) => `bash -c ${quote(l)}`, (l) => `sh -c ${quote(l)}`, (l) => `trap ${quote(l)} EXIT`, (l) => `bash <<'END'\n${l}\nEND`, (l) => `bash -s <<< ${quote(l)}`, (l) => `find . -maxdepth 0 -exec bash -c ${quote(l)} \\;`) },
      { weight: 1, arbitrary: marker.map((m) => `find . -maxdepth 0 -exec ${m} {} +`) },
    ),
  };
});

verifies('permissions:bash:real', async () => {
  const run = tracedFolder();
  const seen = { allowed: 0, denied: 0, unread: 0 };
  await fc.assert(
    fc.asyncProperty(line, async (text) => {
      const ran = await run(text);
      const unasked = odd.filter((m) => ran.has(m));
      const allowed = (await evaluator.evaluate(subject('Bash', text), allowsEven, linkFacts())).decision === 'allow';
      if (allowed) {
        seen.allowed++;
        expect(unasked, `ran without a rule that allows it: ${text}`).toEqual([]);
      }
      if (unasked.length === 0) return;
      const denied = (await evaluator.evaluate(subject('Bash', text), deniesOdd, linkFacts())).decision;
      expect(denied, `ran although denied: ${text}`).not.toBe('allow');
      if (denied === 'deny') seen.denied++;
      else seen.unread++;
    }),
    { numRuns: Number(process.env['REAL_BASH_RUNS'] ?? 40) },
  );
  expect(seen.allowed, 'a test of nothing otherwise').toBeGreaterThan(1);
  expect(seen.denied).toBeGreaterThan(5);
  if (process.env['REAL_BASH_RUNS']) console.log(seen);
}, { timeoutMs: 600_000 });
