import { expect } from 'vitest';
import { parseArgv } from '../../../extension/cli/argv';
import { checkRun } from '../../../extension/cli/runPlan';
import { readInputLine } from '../../../extension/cli/runPrint';
import { verifies } from '../../support/verifies';

function check(args: readonly string[], stdinIsTty = true): unknown {
  const argv = parseArgv(args);
  if (!argv.ok) return argv.problem;
  const plan = checkRun(argv.value, { stdinIsTty });
  return plan.ok ? plan.value : plan.problem;
}
const id = '5f0c1f0e-5a52-4c1e-9a3b-0d2f7f6f1a11';
const noFlags = { allowedTools: [], disallowedTools: [], skipPermissions: false };
const print = { kind: 'print', format: 'text', inputFormat: 'text', mode: undefined, continueLast: false, resume: undefined, sessionId: undefined, settings: undefined, engine: noFlags };

verifies('cli:run:plan', () => {
  const rows: readonly (readonly [readonly string[], unknown])[] = [
    [['-p', 'fix', 'it'], { ...print, prompt: 'fix it' }],
    [['-p', 'x', '--output-format', 'json', '--continue', '--permission-mode', 'plan'], { ...print, prompt: 'x', format: 'json', continueLast: true, mode: 'plan' }],
    [['-p', 'x', '--resume', 'abc'], { ...print, prompt: 'x', resume: 'abc' }],
    [['-p', 'x', '--session-id', id], { ...print, prompt: 'x', sessionId: id }],
    [['-p', 'x', '--dangerously-skip-permissions'], { ...print, prompt: 'x', mode: 'bypassPermissions', engine: { ...noFlags, skipPermissions: true } }],
    [
      ['-p', 'x', '--model', 'm', '--max-turns', '3', '--allowedTools', 'Read,Edit', '--disallowedTools', 'Bash', '--system-prompt', 'S', '--append-system-prompt', 'A', '--settings', '{}'],
      { ...print, prompt: 'x', settings: '{}', engine: { model: 'm', maxTurns: 3, allowedTools: ['Read', 'Edit'], disallowedTools: ['Bash'], systemPrompt: 'S', appendSystemPrompt: 'A', skipPermissions: false } },
    ],
    [['--stdio'], { kind: 'stdio', settings: undefined, engine: noFlags }],
    [['inspect', 'skills', '--json'], { kind: 'verb', settings: undefined, engine: noFlags }],
    [['-p', 'inspect'], { ...print, prompt: 'inspect' }],
  ];
  for (const [args, plan] of rows) expect(check(args), args.join(' ')).toEqual(plan);
  expect(check(['-p'], false)).toEqual({ ...print, prompt: undefined });
  expect(check(['-p', '--input-format', 'stream-json', '--output-format', 'stream-json'])).toEqual({ ...print, format: 'stream-json', inputFormat: 'stream-json', prompt: undefined });
});

verifies('cli:run:bad-arguments', () => {
  const rows: readonly (readonly [string, string])[] = [
    ['inspekt', 'unknown word "inspekt"; did you mean inspect? (a prompt needs -p)'],
    ['fix the bug', 'unknown word "fix" (a prompt needs -p)'],
    ['-p', '-p needs a prompt, as a word or on stdin'],
    ['-p x --output-format xml', '--output-format is text, json or stream-json, not "xml"'],
    ['-p x --input-format json', '--input-format is text or stream-json, not "json"'],
    ['-p x --permission-mode pan', '--permission-mode knows no "pan"; did you mean plan?'],
    ['-p x --permission-mode bypassPermissions', '--permission-mode bypassPermissions needs --dangerously-skip-permissions'],
    ['-p x --session-id 12', '--session-id needs a UUID, not "12"'],
    ['-p x --continue --resume abc', '--continue and --resume say different sessions; give one of them'],
    [`-p x --resume abc --session-id ${id}`, '--resume and --session-id say different sessions; give one of them'],
    ['-p x --input-format stream-json', 'with --input-format stream-json the prompts come on stdin; leave out the one after -p'],
    ...['teammate a@b', 'agent x', 'agents {}', 'fallback-model m'].map((flag): [string, string] => [`-p x --${flag}`, `--${flag.split(' ')[0]} is not available in this version`]),
    ['-p x --events', '--events belongs to inspect hooks'],
  ];
  for (const [line, problem] of rows) {
    expect(check(line.split(' ')), line).toBe(problem);
  }
});

verifies('cli:run:input-line', () => {
  const line = (content: unknown): string => JSON.stringify({ type: 'user', message: { role: 'user', content }, session_id: 'more is fine' });
  expect(readInputLine(line('hi'))).toEqual({ ok: true, value: { text: 'hi', attachments: [] } });
  expect(readInputLine(line([{ type: 'text', text: 'look' }, { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } }, { type: 'text', text: 'here' }]))).toEqual({
    ok: true,
    value: { text: 'look\nhere', attachments: [{ kind: 'image', name: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' }] },
  });
  expect(readInputLine('{oops')).toMatchObject({ ok: false, problem: expect.stringMatching(/^a line of stdin is no JSON/) });
  for (const bad of ['7', 'null', '{}', '{"type":"user"}', line(7), line([{ type: 'audio' }]), line([{ type: 'image', source: { type: 'url', url: 'x' } }])])
    expect(readInputLine(bad), bad).toEqual({ ok: false, problem: 'a line of stdin is not {"type":"user","message":{"role":"user","content":…}}' });
});
