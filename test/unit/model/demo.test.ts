import { build } from 'esbuild';
import { expect } from 'vitest';
import { createDemoClient, unpaced } from '../../../extension/model/demo/demoClient';
import { demoScript } from '../../../extension/model/demo/demoScript';
import { createModelAccess, keyName } from '../../../extension/model/modelAccess';
import { demoLabel, type ModelChoiceSaved, type ModelSettings } from '../../../extension/model/modelResolution';
import { summaryMessages } from '../../../extension/session/compaction';
import { systemClock } from '../../../extension/platform/systemClock';
import type { ModelRequest } from '../../../extension/ports';
import type { ModelMessage } from '../../../extension/protocol/content';
import { createManualClock } from '../../support/manualClock';
import { verifies } from '../../support/verifies';
import { collect, endOf, never, silent } from './modelFixture';

const toolNames = ['Agent', 'Bash', 'Edit', 'EnterPlanMode', 'ExitPlanMode', 'Glob', 'Grep', 'Read', 'Skill', 'Write'];
const ask = (messages: readonly ModelMessage[], without: readonly string[] = []): ModelRequest => ({
  model: 'demo',
  system: ['s'],
  tools: toolNames.filter((name) => !without.includes(name)).map((name) => ({ name, description: '', inputSchema: {} })),
  messages,
});
const surroundings = ['<context>\n\nThere are no memory files.\n\n</context>', '<environment>\nWorking folder: /shop\n</environment>'];
const first = (text: string, context = surroundings): ModelMessage => ({ role: 'user', content: [...context, text].map((part) => ({ type: 'text', text: part })) });
const said = (text: string): ModelMessage => ({ role: 'user', content: [{ type: 'text', text }] });

/** Plays until a turn ends; every call is refused, so that nothing but the script decides. */
function playTurn(messages: ModelMessage[], without: readonly string[] = []): { readonly text: string; readonly called: readonly string[]; readonly ids: readonly string[] } {
  const called: string[] = [];
  const ids: string[] = [];
  for (let step = 0; step < 20; step++) {
    const reply = demoScript(ask(messages, without));
    const calls = reply.calls.map((call, i) => ({ type: 'tool_use' as const, id: `demo_${call.label}_${reply.talk.mark}${i}`, name: call.tool, input: { ...call.input } }));
    messages.push({ role: 'assistant', content: [{ type: 'text', text: reply.text }, ...calls] });
    if (calls.length === 0) return { text: reply.text, called, ids };
    called.push(...calls.map((call) => call.name));
    ids.push(...calls.map((call) => call.id));
    messages.push({ role: 'user', content: calls.map((call) => ({ type: 'tool_result', tool_use_id: call.id, content: `${call.name} did not run (x). The person was asked and refused.`, is_error: true })) });
  }
  throw new Error('the turn does not end');
}

verifies('demo:script:stateless', async () => {
  const messages: ModelMessage[] = [first('hi')];
  const ids: string[] = [];
  for (const words of ['go on', 'agents', 'agents', 'undo', 'undo', 'plan', 'skills', 'model']) {
    const request = ask([...messages]);
    expect(demoScript(request)).toEqual(demoScript(structuredClone(request)));
    ids.push(...playTurn(messages).ids);
    messages.push(said(words));
  }
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBeGreaterThan(8);
});

verifies('demo:script:labelled', async () => {
  const messages: ModelMessage[] = [first('agents')];
  expect(demoScript(ask(messages)).text).toMatch(/^I am the \*\*demo\*\*: a fixed script, no model/);
  for (const words of ['go on', 'fix', 'review', 'undo', 'skills', 'plan', 'model', 'go on', 'what?', 'write a poem about the sea, please, with three verses and a refrain', '# Some skill\n\nDo this.\nDo that.']) {
    expect(playTurn(messages).text).toContain('*Demo: a fixed script, no model.*');
    messages.push(said(words));
  }
  expect(demoLabel).toBe('Demo (scripted, no model)');
});

verifies('demo:script:any-words', async () => {
  const messages: ModelMessage[] = [first('Please build me a web shop')];
  expect(playTurn(messages).called).toEqual(['Glob']);
  messages.push(said('make it blue'));
  expect(demoScript(ask(messages)).text).toContain('can’t understand “make it blue”');
  expect(playTurn(messages).called).toEqual(['Write', 'Bash']);
  messages.push(said('ok'));
  expect(demoScript(ask(messages)).text).not.toContain('can’t understand');
  expect(playTurn(messages).called).toEqual(['Agent', 'Agent']);
  messages.push(said('Undo'));
  expect(playTurn(messages).called).toEqual(['Bash']);
  messages.push(said('go on'));
  expect(playTurn(messages).text).toContain('SKILL.md');
});

verifies('demo:script:questions', async () => {
  const messages: ModelMessage[] = [first('hi')];
  playTurn(messages);
  for (const words of ['Can you see my screen?', 'no', "don't touch anything", 'help', 'a\nlong\ntext']) {
    messages.push(said(words));
    const turn = playTurn(messages);
    expect([turn.called, turn.text]).toEqual([[], expect.stringContaining('**agents**')]);
  }
  messages.push(said('next'));
  expect(playTurn(messages).called).toEqual(['Write', 'Bash']);
});

verifies('demo:script:tools-missing', async () => {
  expect(playTurn([first('agents')], ['Agent']).text).toMatch(/turned off/);
  expect(playTurn([first('undo')], ['Bash']).text).toMatch(/needs Bash, which is turned off/);
  expect(playTurn([first('plan')], ['EnterPlanMode']).text).toMatch(/turned off/);
  expect(playTurn([first('hi')], ['Glob']).text).toMatch(/needs Glob/);
});

verifies('demo:script:side-requests', async () => {
  const messages: ModelMessage[] = [first('agents')];
  playTurn(messages);
  const summary = demoScript(ask(summaryMessages(messages, '', 0)));
  expect([summary.calls, summary.text]).toEqual([[], expect.stringContaining('demo-step-2')]);
  const after: ModelMessage[] = [first('go on', [...surroundings, `<earlier-conversation>\n\n${summary.text}\n\n</earlier-conversation>`])];
  expect(playTurn(after).called).toEqual(['Bash']);
  expect(demoScript({ ...ask([said('Summarise this page')]), system: [], tools: [] })).toMatchObject({ calls: [], text: expect.stringContaining('script without a model') });
});

verifies('demo:script:pace', async () => {
  const clock = createManualClock();
  const client = createDemoClient({ clock });
  const stop = new AbortController();
  const events: string[] = [];
  const run = collect(client.stream(ask([first('hi')]), stop.signal), (event) => void events.push(event.type));
  await clock.untilSleeping();
  await clock.advance(28 * 4);
  expect(events.filter((type) => type === 'text').length).toBe(5);
  stop.abort();
  expect(endOf(await run)).toMatchObject({ stopReason: 'aborted', content: [{ type: 'text', text: expect.stringMatching(/^Hello! I am the /) }] });
  const whole = endOf(await collect(createDemoClient({ clock, pace: unpaced }).stream(ask([first('hi')]), never())));
  expect(whole).toMatchObject({ stopReason: 'tool_use', model: 'demo', costUsd: 0, content: [{ type: 'text' }, { type: 'tool_use', name: 'Glob' }] });
});

verifies('demo:access:gives-way', async () => {
  const demo = createDemoClient({ clock: systemClock, pace: unpaced });
  const open = async (settings: ModelSettings, more: { readonly env?: Record<string, string>; readonly key?: string } = {}) => {
    const saved: ModelChoiceSaved[] = [];
    const access = await createModelAccess({
      env: more.env ?? {},
      secrets: { get: async (name) => (name === keyName('https://api.anthropic.com') ? more.key : undefined), set: async () => undefined, delete: async () => undefined },
      settings: () => settings,
      saveChoice: async (choice) => void saved.push(choice),
      clock: systemClock,
      log: silent,
      demo,
    });
    return { access, saved, status: () => access.status() };
  };
  const fresh = await open({});
  expect(fresh.status()).toMatchObject({ state: 'none', ways: expect.arrayContaining(['demo']) });
  expect(await fresh.access.setup({ way: 'demo' })).toEqual({ ok: true, value: undefined });
  expect([fresh.saved, fresh.status(), fresh.access.client()]).toEqual([[{ provider: 'demo', baseUrl: undefined, model: undefined }], expect.objectContaining({ provider: 'demo', model: 'demo', label: demoLabel }), demo]);
  const chosen = { provider: 'demo' } as const;
  expect((await open(chosen)).status()).toMatchObject({ provider: 'demo' });
  expect((await open(chosen, { env: { ANTHROPIC_API_KEY: 'k' } })).status()).toMatchObject({ provider: 'anthropic' });
  expect((await open(chosen, { env: { ANTHROPIC_BASE_URL: 'http://gpu:1', ANTHROPIC_MODEL: 'qwen' } })).status()).toMatchObject({ provider: 'compatible', model: 'qwen' });
  expect((await open(chosen, { key: 'stored' })).status()).toMatchObject({ provider: 'anthropic' });
  const beside = await open({}, { env: { ANTHROPIC_API_KEY: 'k' } });
  await beside.access.setup({ way: 'demo' });
  expect([beside.saved, beside.status()]).toEqual([[{ provider: 'demo', baseUrl: undefined, model: 'demo' }], expect.objectContaining({ provider: 'demo' })]);
  expect((await open({ provider: 'demo', model: 'demo' }, { env: { ANTHROPIC_API_KEY: 'k' } })).status()).toMatchObject({ provider: 'demo' });
});

verifies('demo:access:lean', async () => {
  const bundle = await build({ entryPoints: ['extension/model/demo/demoClient.ts'], bundle: true, write: false, metafile: true, platform: 'node', format: 'esm', splitting: true, outdir: 'out', logLevel: 'silent' });
  const [entry] = Object.values(bundle.metafile.outputs).filter((output) => output.entryPoint?.endsWith('demoClient.ts'));
  expect(Object.keys(entry?.inputs ?? {}).filter((file) => /demo(Script|Steps|Stream|Agent)|Step\.ts/.test(file))).toEqual([]);
  expect(entry?.imports.some((one) => one.kind === 'dynamic-import')).toBe(true);
});
