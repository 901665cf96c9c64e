import { expect } from 'vitest';
import * as z from 'zod';
import type { AgentDefinition } from '../../../extension/agents/agentDefinition';
import { toolsForAgent } from '../../../extension/agents/agentToolPool';
import { generalPurpose } from '../../../extension/agents/builtin/generalPurpose';
import { childMode } from '../../../extension/agents/childMode';
import { defineTool, text, type Tool } from '../../../extension/tools/defineTool';
import { verifies } from '../../support/verifies';

const tool = (name: string, aliases: readonly string[] = []): Tool =>
  defineTool({ name, aliases, description: name, kind: 'other', input: z.object({}), readOnly: true, title: () => name, describe: () => ({ title: name }), run: async () => text('') });
const session = ['Read', 'Edit', 'Write', 'Bash', 'TaskOutput', 'AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode', 'mcp__git__log', 'mcp__web__get'].map((name) => tool(name)).concat(tool('Agent', ['Task']));
const place = { depth: 1, maxDepth: 5, background: false };

const cases: readonly (readonly [string, Partial<AgentDefinition>, Partial<typeof place>, readonly string[] | string])[] = [
  ['all but what sub-agents lose', {}, {}, ['Read', 'Edit', 'Write', 'Bash', 'mcp__git__log', 'mcp__web__get', 'Agent']],
  ['no Agent at the last depth', {}, { depth: 5 }, ['Read', 'Edit', 'Write', 'Bash', 'mcp__git__log', 'mcp__web__get']],
  ['ExitPlanMode for one that plans', { tools: ['Read', 'ExitPlanMode'], permissionMode: 'plan' }, {}, ['Read', 'ExitPlanMode']],
  ['listed ones in the session’s order', { tools: ['Bash(git *)', 'Read'] }, {}, ['Read', 'Bash']],
  ['what exists of a list with a slip', { tools: ['Read', 'Grpe'] }, {}, ['Read']],
  ['refused when none exists', { tools: ['Grpe'] }, {}, 'Grpe'],
  ['an empty list is none', { tools: [] }, {}, []],
  ['disallowed before allowed', { tools: ['Read', 'Write'], disallowedTools: ['Write'] }, {}, ['Read']],
  ['a whole server taken away', { disallowedTools: ['mcp__git'], tools: ['Read', 'mcp__git__log', 'mcp__web__*'] }, {}, ['Read', 'mcp__web__get']],
  ['all servers taken away', { disallowedTools: ['mcp__*'], tools: null }, {}, ['Read', 'Edit', 'Write', 'Bash', 'Agent']],
  ['a pattern takes away calls, not the tool', { disallowedTools: ['Bash(rm *)'], tools: ['Bash'] }, {}, ['Bash']],
  ['the old name of Agent', { tools: ['Task'] }, {}, ['Agent']],
  ['only a main agent’s tool listed: known, but lost', { tools: ['AskUserQuestion'] }, {}, []],
];
for (const [name, fields, where, expected] of cases) {
  verifies(
    'subagents:definitions:tools',
    () => {
      const found = toolsForAgent({ ...generalPurpose, ...fields }, session, { ...place, ...where });
      if (typeof expected === 'string') expect(found).toMatchObject({ ok: false, problem: expect.stringContaining(expected) });
      else expect(found.ok && found.value.map((one) => one.name)).toEqual(expected);
    },
    { case: name },
  );
}

verifies(
  'subagents:definitions:mode',
  () => {
    expect(childMode('acceptEdits', 'plan')).toBe('plan');
    expect(childMode('default', 'bypassPermissions')).toBe('default');
    expect(childMode('plan', 'default', 'acceptEdits')).toBe('plan');
    expect(childMode('auto', undefined, 'dontAsk')).toBe('dontAsk');
    expect(childMode('default', 'bubble')).toBe('default');
  },
  { case: 'of definition and call the strictest' },
);
