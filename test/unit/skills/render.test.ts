import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { quickFrontmatter } from '../../../extension/base/frontmatter';
import { mayFindNothing, renderSkill, type RenderContext, type RunSkillShell } from '../../../extension/skills/renderSkillRunner';
import type { Skill } from '../../../extension/skills/skill';
import { splitArguments } from '../../../extension/skills/skillArguments';
import { readSkill, type SkillPlace } from '../../../extension/skills/skillSchema';
import { verifies } from '../../support/verifies';

function skillOf(body: string, options: { front?: string; place?: Partial<SkillPlace> } = {}): Skill {
  const file = quickFrontmatter(`---\ndescription: d\n${options.front ?? ''}\n---\n${body}`);
  if (!file) throw new Error('not plain');
  return readSkill(file, { kind: 'skill', source: 'user', path: '/s/demo/SKILL.md', dir: '/s/demo', placeName: 'demo', isTrusted: true, variables: {}, ...options.place }).skill;
}

const echo: RunSkillShell = async (command) => ({ allowed: true, exitCode: 0, output: `<${command}>\n` });
const context = (more: Partial<RenderContext> = {}): RenderContext => ({ cwd: '/p', projectDir: '/p', homeDir: '/h', sessionId: 's1', signal: new AbortController().signal, runShell: echo, ...more });

async function textOf(body: string, args: string, front?: string, more?: Partial<RenderContext>): Promise<string> {
  const rendered = await renderSkill(skillOf(body, front === undefined ? {} : { front }), args, context(more));
  return rendered.ok ? rendered.value.text : `${rendered.problem.code}: ${rendered.problem.message}`;
}

verifies('skill:render:substitutions', async () => {
  const cases: readonly (readonly [body: string, args: string, expected: string, front?: string])[] = [
    ['A $0 B $1', '"hello world" z', 'A hello world B z'],
    ['all: $ARGUMENTS', 'a "b c"', 'all: a "b c"'],
    ['$ARGUMENTS[1]-$ARGUMENTS[7]', 'a b', 'b-$ARGUMENTS[7]'],
    ['$2', 'one', '$2\n\nARGUMENTS: one'],
    ['$issue/$branch', 'x', 'x/', 'arguments: issue branch'],
    ['$1', 'SOLO', '$1\n\nARGUMENTS: SOLO'],
    ["```\nawk '{print $1}'\n```", 'a b', "```\nawk '{print b}'\n```"],
    ['cost \\$1.00', '5', 'cost $1.00\n\nARGUMENTS: 5'],
    ['keep \\\\$0', 'x', 'keep \\\\x'],
    ['no placeholder', '5', 'no placeholder\n\nARGUMENTS: 5'],
    ['no placeholder', '', 'no placeholder'],
    ['[$ARGUMENTS]', '', '[]'],
    ['$issue_id $issue $other', 'a b', 'b a $other', 'arguments: issue issue_id'],
    ['$10 and $ARGUMENTSX', 'a', '$10 and $ARGUMENTSX\n\nARGUMENTS: a'],
    ['${CLAUDE_SKILL_DIR} ${CLAUDE_PROJECT_DIR} ${CLAUDE_SESSION_ID} ${CLAUDE_EFFORT} ${HOME}', '', '/s/demo /p s1 high ${HOME}', 'effort: high'],
    ['\\$HOME \\n $HOME', '', '\\$HOME \\n $HOME'],
  ];
  for (const [body, args, expected, front] of cases) expect(await textOf(body, args, front), body).toBe(expected);
});

verifies('skill:render:one-pass', async () => {
  const ran: string[] = [];
  const runShell: RunSkillShell = async (command) => {
    ran.push(command);
    return { allowed: true, exitCode: 0, output: 'out $0 !`again`' };
  };
  expect(await textOf('Args: $ARGUMENTS\n!`first`', '!`rm -rf x` $0 ${CLAUDE_SKILL_DIR}', undefined, { runShell })).toBe('Args: !`rm -rf x` $0 ${CLAUDE_SKILL_DIR}\nout $0 !`again`');
  expect(ran).toEqual(['first']);
});

verifies('skill:render:shell-places', async () => {
  const body = ['!`one $0`', 'text !`two`', 'KEY=!`no`', '- !`three`', '```!', 'four', 'five', '```', '```sh', '!`no`', '```', '~~~', '!`no`', '~~~'].join('\n');
  expect(await textOf(body, 'x')).toBe(['<one x>', 'text <two>', 'KEY=!`no`', '- <three>', '<four\nfive>', '```sh', '!`no`', '```', '~~~', '!`no`', '~~~'].join('\n'));
});

verifies('skill:render:shell-failures', async () => {
  const answer = (exitCode: number, allowed = true): Partial<RenderContext> => ({ runShell: async () => ({ allowed, exitCode, output: 'oops', reason: 'rule deny Bash(rm *)' }) });
  expect(await textOf('!`rm x`', '', undefined, answer(0, false))).toBe('skill-shell-denied: "rm x" is not allowed (rule deny Bash(rm *)), so demo was not loaded. Allow it in allowed-tools of the skill or by a rule');
  expect(await textOf('!`false`', '', undefined, answer(1))).toMatch(/^skill-shell-failed: "false" ended with exit code 1/);
  expect(await textOf('a !`grep nope f` b', '', undefined, answer(1))).toBe('a oops b');
  expect(await textOf('!`grep nope f`', '', undefined, answer(2))).toMatch(/^skill-shell-failed/);
  expect(['git diff --stat', 'git grep x', '[ -f a ]', 'cat f | grep x', 'test -d a', 'diff a b'].map(mayFindNothing)).toEqual([true, true, true, true, true, true]);
  expect(['git log', 'greps x', 'grep x | wc', 'grep x && false'].map(mayFindNothing)).toEqual([false, false, false, false]);
});

verifies('skill:render:shell-off', async () => {
  expect(await textOf('a !`x` b', '', undefined, { isShellOff: true })).toBe('a [shell command execution disabled by policy] b');
  expect(await textOf('a !`x` b', '', undefined, { runShell: undefined })).toBe('a !`x` b');
  const managed = await renderSkill(skillOf('!`x`', { place: { source: 'managed' } }), '', context({ isShellOff: true }));
  expect(managed.ok && managed.value.text).toBe('<x>');
});

verifies('skill:render:untrusted', async () => {
  const untrusted = (body: string) => skillOf(body, { front: 'allowed-tools: Read', place: { source: 'project', isTrusted: false } });
  const shell = await renderSkill(untrusted('!`x`'), '', context());
  expect(shell.ok ? '' : shell.problem.code).toBe('skill-untrusted');
  const plain = await renderSkill(untrusted('text'), '', context());
  expect(plain.ok && [plain.value.allowedTools, plain.value.problems.map((problem) => problem.code)]).toEqual([[], ['skill-untrusted']]);
});

verifies('skill:render:parts', async () => {
  const rendered = await renderSkill(skillOf('Hi $0 \\$1 !`date`', { front: 'allowed-tools: Bash(${CLAUDE_SKILL_DIR}/x.sh *) Read' }), 'you', context());
  expect(rendered.ok && rendered.value).toEqual({
    text: 'Hi you $1 <date>',
    parts: [{ text: 'Hi ', why: 'text' }, { text: 'you', why: '$0' }, { text: ' ', why: 'text' }, { text: '$1', why: 'escaped $1' }, { text: ' ', why: 'text' }, { text: '<date>', why: 'output of date' }],
    allowedTools: ['Bash(/s/demo/x.sh *)', 'Read'],
    attachments: [],
    problems: [],
  });
});

verifies('skill:render:attachments', async () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-render-')));
  try {
    for (const file of ['a.md', 'b.md', 'secret.md', 'code.md', 'arg.md']) writeFileSync(join(dir, file), file);
    const body = 'See @a.md, (@b.md). @a.md again, @secret.md, `@code.md`, me@a.md, @gone.md and @$0\n```\n@code.md\n```';
    const rendered = await renderSkill(skillOf(body), 'arg.md', context({ cwd: dir, mayRead: async (path) => !path.endsWith('secret.md') }));
    expect(rendered.ok && rendered.value.attachments).toEqual([join(dir, 'a.md'), join(dir, 'b.md')]);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

verifies('skill:render:arguments', () => {
  expect(splitArguments('a "b c" \'d e\' f\\ g h"i j"k')).toEqual(['a', 'b c', 'd e', 'f g', 'hi jk']);
  expect(splitArguments("don't stop \"x \\\"y\\\"\" ''")).toEqual(["don't", 'stop', 'x "y"', '']);
  expect(splitArguments('5" disk')).toEqual(['5"', 'disk']);
  expect(splitArguments('  ')).toEqual([]);
});
