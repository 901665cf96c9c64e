import { readFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';
import * as z from 'zod';
import type { PermissionBroker, PermissionOutcome } from '../../../extension/permissions/permissionTypes';
import { systemClock } from '../../../extension/platform/systemClock';
import type { ToolUseBlock } from '../../../extension/protocol/content';
import type { PermissionSubject } from '../../../extension/protocol/permission';
import { defineTool, text, type Tool, type ToolContext } from '../../../extension/tools/defineTool';
import { createToolRegistry } from '../../../extension/tools/registry';
import { runToolCalls, type ToolRun } from '../../../extension/tools/scheduler';
import { createAskUserQuestionTool } from '../../../extension/tools/askUserQuestionTool';
import { createEnterPlanModeTool, createExitPlanModeTool } from '../../../extension/tools/planModeTools';
import type { PlanReply } from '../../../extension/protocol/interaction';
import { verifies } from '../../support/verifies';
import { createToolBench, textOf } from './toolBench';

const bench = createToolBench();
afterAll(() => bench.dispose());

const explanation = { decision: 'allow' as const, reason: '' };
const allow: PermissionOutcome = { behavior: 'allow', updatedInput: undefined, explanation, by: 'rule' };

function toolOf(name: string, run: (input: { v: string }, ctx: ToolContext) => Promise<string>, more: { readOnly?: boolean; maxResultChars?: number } = {}): Tool {
  return defineTool({ name, aliases: [`${name}Alias`], description: '', kind: 'other', input: z.strictObject({ v: z.string() }), readOnly: more.readOnly ?? true, title: (i) => i.v, describe: (i) => ({ title: i.v }), run: async (i, ctx) => text(await run(i, ctx)), ...(more.maxResultChars ? { maxResultChars: more.maxResultChars } : {}) });
}

function setUp(tools: readonly Tool[], decide: (subject: PermissionSubject) => PermissionOutcome | Promise<PermissionOutcome> = () => allow) {
  const log: string[] = [];
  const abort = new AbortController();
  const broker: PermissionBroker = {
    agentPath: ['main'],
    decide: async ({ callId, subject }) => {
      log.push(`ask ${callId}`);
      return decide(subject);
    },
    derive: () => broker,
  };
  const run = (calls: readonly ToolUseBlock[], more: Partial<ToolRun> = {}) =>
    runToolCalls({
      calls,
      tools: createToolRegistry(tools),
      broker,
      context: () => bench.context(),
      listener: {
        started: (call, about) => log.push(`start ${call.id} ${about.title}`),
        spawned: (call, pid) => log.push(`spawned ${call.id} ${pid}`),
        output: (call, out) => log.push(`output ${call.id} ${out}`),
        completed: (call, finish) => log.push(`done ${call.id} ${finish.outcome}`),
      },
      outputsDir: bench.path('outputs'),
      store: bench.store,
      clock: systemClock,
      signal: abort.signal,
      graceMs: 20,
      ...more,
    });
  return { log, abort, run };
}
const call = (id: string, name: string, input: Record<string, unknown> = { v: id }): ToolUseBlock => ({ type: 'tool_use', id, name, input });

verifies('scheduler:order', async () => {
  let inside = 0;
  let most = 0;
  let open = (): void => undefined;
  const both = new Promise<void>((resolve) => {
    open = resolve;
  });
  const look = toolOf('Look', async ({ v }) => {
    inside += 1;
    most = Math.max(most, inside);
    if (inside === 2) open();
    if (v === 'a' || v === 'b') await both;
    inside -= 1;
    return v;
  });
  const change = toolOf('Change', async ({ v }) => `${v}:${inside}`, { readOnly: false });
  const { run, log } = setUp([look, change]);
  const results = await run([call('a', 'Look'), call('b', 'Look'), call('c', 'Change'), call('d', 'ChangeAlias'), call('e', 'Look')]);
  expect(results.map((r) => r.content)).toEqual(['a', 'b', 'c:0', 'd:0', 'e']);
  expect(most).toBe(2);
  expect(log.indexOf('start c c')).toBeGreaterThan(Math.max(log.indexOf('done a completed'), log.indexOf('done b completed')));
  expect(log.indexOf('ask d')).toBeGreaterThan(log.indexOf('done c completed'));
  const narrow = setUp([toolOf('Look', async ({ v }) => v)]);
  expect((await narrow.run([call('a', 'Look'), call('b', 'Look')], { maxParallel: 1 })).length).toBe(2);
  expect(narrow.log).toEqual(['ask a', 'start a a', 'done a completed', 'ask b', 'start b b', 'done b completed']);
});

verifies('scheduler:bad-calls', async () => {
  const { run, log } = setUp([toolOf('Read', async () => 'x'), toolOf('Write', async () => 'x')]);
  const results = await run([call('a', 'Reed'), call('b', 'TeamCreate'), { ...call('c', 'Read'), brokenInput: '{"v": "x' }, call('d', 'Read', { w: 1 })], { withheld: () => undefined });
  expect(results.map((r) => [r.outcome, r.content])).toEqual([
    ['failed', 'There is no tool Reed. Did you mean Read?'],
    ['failed', 'There is no tool TeamCreate. The tools are: Read, Write.'],
    ['failed', expect.stringContaining('was cut off or is no valid JSON, so the call did not run')],
    ['failed', expect.stringMatching(/does not fit its schema:\n- v: .*\n- .*"w"/)],
  ]);
  expect(log.filter((line) => !line.startsWith('done'))).toEqual([]);
  expect(await run([call('e', 'Write')], { withheld: (tool) => `${tool.name} is not available now.` })).toMatchObject([{ outcome: 'denied', content: 'Write is not available now.' }]);
});

verifies('scheduler:permission', async () => {
  const ran: string[] = [];
  const tool = toolOf('Do', async ({ v }) => {
    ran.push(v);
    return v;
  });
  const { run, log } = setUp([tool], ({ title }) =>
    title === 'no' ? { behavior: 'deny', message: 'The person refused it: not now', explanation, by: 'person' } : title === 'change' ? { ...allow, updatedInput: { v: 'changed' }, by: 'person' } : title === 'bad' ? { ...allow, updatedInput: { q: 1 } } : { behavior: 'cancelled' },
  );
  expect(await run([call('a', 'Do', { v: 'no' }), call('b', 'Do', { v: 'change' }), call('c', 'Do', { v: 'gone' }), call('d', 'Do', { v: 'bad' })])).toMatchObject([
    { outcome: 'denied', content: 'The person refused it: not now', decidedBy: 'person' },
    { outcome: 'completed', content: 'changed', decidedBy: 'person' },
    { outcome: 'cancelled' },
    { outcome: 'failed', content: expect.stringContaining('was changed to one that does not fit') },
  ]);
  expect([ran, log.filter((line) => line.startsWith('start'))]).toEqual([['changed'], ['start b changed']]);
});

verifies('scheduler:abort', async () => {
  const { run, abort, log } = setUp([toolOf('Never', () => new Promise(() => undefined)), toolOf('Slow', (_i, ctx) => new Promise((_r, reject) => ctx.signal.addEventListener('abort', () => reject(new Error('aborted')))), { readOnly: false })]);
  const going = run([call('a', 'Never'), call('b', 'Never'), call('c', 'Slow'), call('d', 'Never')]);
  while (log.filter((line) => line.startsWith('start')).length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  abort.abort();
  const results = await going;
  expect(results.map((r) => r.outcome)).toEqual(['cancelled', 'cancelled', 'cancelled', 'cancelled']);
  expect(results.map((r) => /while it ran|before it ran/.exec(textOf(r))?.[0])).toEqual(['while it ran', 'while it ran', 'before it ran', 'before it ran']);
  expect(log.filter((line) => line.startsWith('done')).length).toBe(4);
});

verifies('scheduler:throw', async () => {
  const { run } = setUp([toolOf('Bad', async () => Promise.reject(new Error('boom')))], ({ title }) => (title === 'broker' ? Promise.reject(new Error('lost')) : allow));
  expect(await run([call('a', 'Bad'), call('b', 'Bad', { v: 'broker' })])).toMatchObject([
    { outcome: 'failed', content: 'Bad failed unexpectedly: boom. Try it another way.' },
    { outcome: 'failed', content: 'Bad failed unexpectedly: lost. Try it another way.' },
  ]);
});

verifies('scheduler:cut', async () => {
  const { run } = setUp([toolOf('Long', async () => 'x'.repeat(20_000), { maxResultChars: 100 }), toolOf('Mid', async () => 'y'.repeat(20_000))]);
  const [long, mid] = await run([call('toolu_1', 'Long'), call('b', 'Mid')]);
  const file = textOf(long ?? { content: '' }).match(/All of it is in (.*\.txt)/)?.[1] ?? '';
  expect([readFileSync(file, 'utf8').length, textOf(long ?? { content: '' }).startsWith(`${'x'.repeat(100)}\n\n[The result has 20000 characters; 19900 are left out here.`)]).toEqual([20_000, true]);
  expect([mid?.content, mid?.display]).toEqual(['y'.repeat(20_000), { kind: 'text', text: 'y'.repeat(8192), cut: true }]);
});

verifies('scheduler:hooks', async () => {
  const verdicts: unknown[] = [];
  const { run } = setUp([toolOf('Do', async ({ v }) => v)]);
  const results = await run([call('a', 'Do', { v: 'deny' }), call('b', 'Do', { v: 'edit' }), call('c', 'Do', { v: 'plain' })], {
    hooks: {
      pre: async ({ input }) => (input['v'] === 'deny' ? { behavior: 'deny', message: 'hook says no' } : input['v'] === 'edit' ? { behavior: 'go', input: { v: 'edited' }, context: 'before' } : { behavior: 'go' }),
      post: async ({ input }, finish) => {
        verdicts.push([input['v'], finish.outcome]);
        return input['v'] === 'plain' ? { content: 'replaced', context: 'after' } : {};
      },
    },
  });
  expect(results.map((r) => [r.outcome, r.content, r.decidedBy, r.effects])).toEqual([
    ['denied', 'hook says no', 'hook', []],
    ['completed', 'edited', 'rule', [{ kind: 'say', origin: 'reminder', text: 'before' }]],
    ['completed', 'replaced', 'rule', [{ kind: 'say', origin: 'reminder', text: 'after' }]],
  ]);
  expect(verdicts).toEqual([['edited', 'completed'], ['plain', 'completed']]);
});

verifies('registry:names', () => {
  const [a, b] = [toolOf('Alpha', async () => ''), toolOf('Beta', async () => '')];
  const registry = createToolRegistry([a, b, toolOf('Alpha', async () => 'other')]);
  expect([registry.schemas().map((s) => s.name), registry.find('AlphaAlias') === a, registry.find('alpha'), registry.near('alpha'), registry.near('zzzzzz')]).toEqual([['Alpha', 'Beta'], true, undefined, ['Alpha'], []]);
  expect(registry.schemas()[0]?.inputSchema).toEqual({ type: 'object', properties: { v: { type: 'string' } }, required: ['v'], additionalProperties: false });
});

verifies('question:answers', async () => {
  const questions = [{ question: 'Which?', header: 'Pick', options: [{ label: 'A', description: 'a' }, { label: 'B', description: 'b' }] }];
  const asked: unknown[] = [];
  const tool = createAskUserQuestionTool({
    askQuestions: async ({ questions: given }) => {
      asked.push(given);
      return asked.length === 1 ? { behavior: 'answer', answers: { 'Which?': 'B' } } : asked.length === 2 ? { behavior: 'decline' } : { behavior: 'cancelled' };
    },
  });
  const { run } = setUp([tool]);
  const ask = async (input: Record<string, unknown>, more: Partial<ToolRun> = {}): Promise<string> => textOf((await run([call('q', 'AskUserQuestion', input)], more))[0] ?? { content: '' });
  expect(await ask({ questions, answers: { 'Which?': 'A' } })).toBe('The person answered:\n- Which?\n  B');
  expect(asked).toEqual([[{ ...questions[0], multiSelect: false }]]);
  expect(await ask({ questions })).toContain('chose not to answer');
  expect(await ask({ questions })).toContain('Nobody answered');
  expect(await ask({ questions: Array.from({ length: 5 }, () => questions[0]) })).toContain('questions: Too big');
  expect(await ask({ questions: [questions[0], questions[0]] })).toContain('same text');
  expect(await ask({ questions }, { hooks: { pre: async ({ input }) => ({ behavior: 'go', input: { ...input, answers: { 'Which?': 'A' } } }), post: async () => ({}) } })).toContain('  A');
  expect(asked.length).toBe(3);
});

verifies('plan:modes', async () => {
  const replies: (PlanReply | { behavior: 'cancelled' })[] = [{ behavior: 'sendBack', feedback: 'shorter' }, { behavior: 'approve', mode: 'acceptEdits' }, { behavior: 'approve', mode: 'default', plan: '# Mine' }, { behavior: 'cancelled' }];
  const seen: string[] = [];
  const path = bench.path('plans/p.md');
  const ports = {
    store: bench.store,
    planFile: () => path,
    proposePlan: async ({ plan }: { readonly plan: string }) => {
      seen.push(plan);
      return replies.shift() ?? { behavior: 'cancelled' as const };
    },
  };
  const exit = createExitPlanModeTool(ports);
  const leave = (mode: 'plan' | 'default' = 'plan') => bench.call(exit, { allowedPrompts: [1], other: 2 }, { mode });
  expect(await bench.call(createEnterPlanModeTool(ports), {})).toMatchObject({ content: expect.stringContaining(path), effects: [{ kind: 'mode', mode: 'plan' }] });
  expect(textOf(await leave('default'))).toContain('Plan mode is not on');
  expect(textOf(await leave())).toContain(`The plan file ${path} is empty`);
  bench.write('plans/p.md', '# Plan\n');
  expect(await leave()).toMatchObject({ isError: true, content: expect.stringContaining('shorter') });
  expect(await leave()).toMatchObject({ content: expect.stringContaining('approved the plan'), effects: [{ kind: 'mode', mode: 'acceptEdits' }] });
  expect(await leave()).toMatchObject({ content: expect.stringContaining('# Mine'), effects: [{ kind: 'mode', mode: 'default' }] });
  expect(readFileSync(path, 'utf8')).toBe('# Mine');
  expect(await leave()).toMatchObject({ isError: true, content: expect.stringContaining('Plan mode stays on') });
  expect(seen).toEqual(['# Plan', '# Plan', '# Plan', '# Mine']);
});
