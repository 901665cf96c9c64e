import { expect } from 'vitest';
import { quickFrontmatter } from '../../../extension/base/frontmatter';
import { renderSkill } from '../../../extension/skills/renderSkillRunner';
import type { Skill } from '../../../extension/skills/skill';
import { readSkill } from '../../../extension/skills/skillSchema';
import { createSkillTool, type SkillToolPorts } from '../../../extension/skills/skillTool';
import type { ToolContext, ToolResult } from '../../../extension/tools/defineTool';
import { verifies } from '../../support/verifies';

function skillOf(name: string, front = '', body = 'Do $ARGUMENTS.', isTrusted = true): Skill {
  const file = quickFrontmatter(`---\ndescription: d\n${front}\n---\n${body}`);
  if (!file) throw new Error('not plain');
  return readSkill(file, { kind: 'skill', source: 'user', path: `/s/${name}/SKILL.md`, dir: `/s/${name}`, placeName: name, isTrusted, variables: {} }).skill;
}

const skills: readonly Skill[] = [
  skillOf('plain'),
  skillOf('full', 'allowed-tools: Read, Bash(git log *)\ndisallowed-tools: Write\nmodel: haiku'),
  skillOf('private', 'disable-model-invocation: true'),
  skillOf('fork', 'context: fork'),
  skillOf('shell', '', '!`date`'),
  skillOf('foreign', '', 'Do.', false),
];
/** The parts of the context that the tool reads. */
const ctx = { agentId: 'main', cwd: '/p', projectRoot: '/p', sessionId: 's', signal: new AbortController().signal } as ToolContext;

function ports(more: Partial<SkillToolPorts> = {}): SkillToolPorts {
  return {
    skills: () => skills,
    render: (skill, args) => renderSkill(skill, args, { cwd: '/p', projectDir: '/p', homeDir: '/h', sessionId: 's', signal: ctx.signal, runShell: async () => ({ allowed: false, exitCode: 0, output: '' }) }),
    isLoaded: () => false,
    ...more,
  };
}

function call(input: Record<string, unknown>, more: Partial<SkillToolPorts> = {}) {
  const prepared = createSkillTool(ports(more)).prepare(input);
  if (!prepared.ok) throw new Error(prepared.problem);
  return prepared.value;
}
const run = (input: Record<string, unknown>, more: Partial<SkillToolPorts> = {}): Promise<ToolResult> => call(input, more).run(ctx);

verifies('skill:tool:loads', async () => {
  const invoked: string[] = [];
  expect(await run({ skill: '/plain', args: 'it well' }, { invoked: (skill) => invoked.push(skill.name) })).toEqual({
    content: 'Loaded the skill plain; its text follows. Paths in it are relative to /s/plain.',
    note: '1 line',
    effects: [{ kind: 'say', origin: 'skill', text: 'Do it well.', shown: '/plain it well' }],
  });
  expect(invoked).toEqual(['plain']);
  expect((await run({ skill: 'full', args: 'x' }, { attach: async () => ['file text'] })).effects).toEqual([
    { kind: 'say', origin: 'skill', text: 'Do x.', shown: '/full x' },
    { kind: 'say', origin: 'context', text: 'file text' },
    { kind: 'grant', rules: ['Read', 'Bash(git log *)'], anchorDir: '/p' },
    { kind: 'withhold', tools: ['Write'] },
    { kind: 'model', model: 'haiku' },
  ]);
});

verifies('skill:tool:already-loaded', async () => {
  const result = await run({ skill: 'full', args: 'x' }, { isLoaded: (_agent, text) => text === 'Do x.' });
  expect(result.content).toBe('The same text of full is already in this conversation; follow it from there.');
  expect(result.effects?.map((effect) => effect.kind)).toEqual(['grant', 'withhold', 'model']);
});

verifies('skill:tool:refuses', async () => {
  const unknown = call({ skill: 'plian' });
  expect(await unknown.check?.(ctx)).toBe('There is no skill "plian". Did you mean plain?');
  expect((await unknown.run(ctx)).isError).toBe(true);
  expect(await call({ skill: 'private' }).check?.(ctx)).toBe('The skill private is for the person only (disable-model-invocation). Ask them to run /private if it is needed.');
  expect(await call({ skill: 'plain' }).check?.(ctx)).toBeUndefined();
  const denied = await run({ skill: 'shell' });
  expect([denied.isError, denied.effects]).toEqual([true, undefined]);
  expect(denied.content).toContain('"date" is not allowed');
});

verifies('skill:tool:asks-for', async () => {
  const subject = (name: string) => call({ skill: name }).describe(ctx);
  const free = await Promise.all(['plain', 'full', 'shell', 'foreign', 'fork', 'unknown'].map(async (name) => [name, (await subject(name)).readOnly]));
  expect(free).toEqual([['plain', true], ['full', false], ['shell', false], ['foreign', false], ['fork', true], ['unknown', false]]);
  expect(await subject('full')).toMatchObject({ tool: 'Skill', kind: 'skill', name: 'full', title: 'use the skill full', risks: ['Allows for this turn: Read, Bash(git log *)', 'Switches to the model haiku for this turn'] });
});

verifies('skill:tool:forks', async () => {
  const result = await run({ skill: 'fork', args: 'x' }, { runForked: async (skill, rendered) => ({ content: `${skill.name}: ${rendered.text}` }) });
  expect(result).toEqual({ content: 'fork: Do x.' });
});
