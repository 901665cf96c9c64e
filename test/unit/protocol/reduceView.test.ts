import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { DurableBody, EphemeralEvent, UiEvent } from '../../../extension/protocol/events';
import { emptyView, reduceView } from '../../../extension/protocol/reduceView';
import type { ToolEntry, View } from '../../../extension/protocol/view';
import { verifies } from '../../support/verifies';

type Distribute<T> = T extends unknown ? Omit<T, 'afterSeq'> : never;
type Step = DurableBody | Distribute<EphemeralEvent>;
const live = (step: Step): step is Distribute<EphemeralEvent> => ['message/delta', 'tool/updated', 'agent/progress', 'model/waiting'].includes(step.type);

/** Folds steps as the log would number them: event n at 1000 + n ms. */
function fold(steps: readonly Step[], from: View = emptyView('s')): View {
  return steps.reduce<View>((view, step) => reduceView(view, (live(step) ? { ...step, afterSeq: view.seq } : { ...step, seq: view.seq + 1, atMs: 1_001 + view.seq }) as UiEvent), from);
}

const t = { agentId: 'main', turnId: 't1' } as const;
const started: Step = { type: 'session/started', sessionId: 's', projectRoot: '/repo', cwd: '/repo', model: 'm', mode: 'default', version: '1' };
const said = (text: string, more: object = {}): Step => ({ type: 'message/received', ...t, messageId: 'u1', role: 'user', origin: 'person', content: [{ type: 'text', text }], ...more });
const replied = (content: Extract<DurableBody, { type: 'message/completed' }>['content'], more: object = {}): Step => ({ type: 'message/completed', ...t, messageId: 'm1', role: 'assistant', content, model: 'm', stopReason: 'end_turn', usage: {}, costUsd: 0, ...more });
const call: Step = replied([{ type: 'tool_use', id: 'c1', name: 'Bash', input: { command: 'ls' } }]);
const running: Step = { type: 'tool/started', ...t, callId: 'c1', name: 'Bash', title: 'ls', input: { command: 'ls' }, kind: 'command' };
const ended = (outcome: 'completed' | 'failed' | 'denied' | 'cancelled' | 'interrupted', more: object = {}): Step => ({ type: 'tool/completed', ...t, callId: 'c1', name: 'Bash', outcome, content: 'out', durationMs: 5, ...more });
const permission: Step = {
  type: 'permission/requested',
  request: { requestId: 'a1', callId: 'c1', agentPath: ['main'], subject: { tool: 'Bash', kind: 'command', title: 'run a command', command: 'ls', input: {}, cwd: '/repo', readOnly: true }, suggestions: [], explanation: { decision: 'ask', reason: 'r' }, askedAtMs: 1 },
};
const question: Step = { type: 'question/asked', request: { requestId: 'q1', callId: 'c2', agentPath: ['main'], questions: [], askedAtMs: 1 } };
const plan: Step = { type: 'plan/proposed', request: { requestId: 'p1', callId: 'c3', agentPath: ['main'], plan: '1.', path: '/p.md', askedAtMs: 1 } };
const child: Step = { type: 'agent/spawned', agentId: 'agent-1', parentId: 'main', callId: 'c9', agentType: 'Explore', name: 'scout', description: 'look', model: 'm', depth: 1, background: false, cwd: '/repo', worktree: '/wt' };
const main = (view: View) => view.agents['main'];
const talk = (view: View) => view.conversations['main'] ?? [];
const toolOf = (view: View) => talk(view).find((entry): entry is ToolEntry => entry.kind === 'tool');

verifies('protocol:view:conversation', () => {
  const view = fold([started, { type: 'turn/started', ...t }, said('context', { origin: 'context', messageId: 'u0' }), said('fix it'),
    replied([{ type: 'thinking', thinking: 'hm', signature: '' }, { type: 'text', text: 'Looking.' }, { type: 'tool_use', id: 'c1', name: 'Bash', input: {} }, { type: 'text', text: ' ' }, { type: 'opaque', block: { type: 'x' } }]),
    running, ended('completed'), replied([{ type: 'text', text: 'Done.' }], { messageId: 'm2' }), { type: 'turn/completed', ...t, stop: 'done', usage: {}, costUsd: 0, durationMs: 9 }]);
  expect(talk(view).map((entry) => [entry.kind, entry.id])).toEqual([['user', 'u1'], ['assistant', 'm1:0'], ['assistant', 'm1:1'], ['tool', 'c1'], ['assistant', 'm2:0'], ['turnEnd', 't1:end:1009']]);
  expect(view).toMatchObject({ seq: 9, session: { title: 'fix it', cwd: '/repo', model: 'm', startedAtMs: 1_001, lastEventAtMs: 1_009 } });
  expect(main(view)).toMatchObject({ status: 'idle', activity: '', liveTokens: 0 });
});

verifies('protocol:view:conversation', () => {
  const shown = (step: Step) => talk(fold([step])).map((entry) => (entry.kind === 'user' ? [entry.origin, entry.text] : entry.kind));
  expect(shown(said('whole text', { shown: '/deploy' }))).toEqual([['person', '/deploy']]);
  expect([shown(said('x', { origin: 'context' })), shown(said('x', { origin: 'reminder' })), shown(said('x', { origin: 'skill' })), shown(said('x', { origin: 'notification' }))]).toEqual([[], [], [['skill', 'x']], [['notification', 'x']]]);
  expect(fold([said(`${'x'.repeat(90)}\nsecond`), said('later')]).session.title).toBe(`${'x'.repeat(79)}…`);
  expect(fold([said('for the child', { agentId: 'agent-1' }), said('a skill', { origin: 'skill' })]).session.title).toBe('');
  expect(fold([{ type: 'session/renamed', title: 'Mine' }, said('first')]).session.title).toBe('Mine');
}, { case: 'what people see of messages, and the title' });

verifies('protocol:view:activity', () => {
  const two = replied([{ type: 'tool_use', id: 'c1', name: 'Bash', input: {} }, { type: 'tool_use', id: 'c2', name: 'Read', input: {} }]);
  const both = [started, { type: 'turn/started', ...t } as const, two, running, { ...running, callId: 'c2', name: 'Read', title: 'a.ts' } as Step];
  expect(main(fold(both))?.activity).toBe('a.ts');
  const one = [...both, ended('completed', { callId: 'c2' })];
  expect(main(fold(one))?.activity).toBe('ls');
  expect(main(fold([...one, ended('failed')]))?.activity).toBe('');
});

const begin: Step = { type: 'message/started', ...t, messageId: 'm1', model: 'm' };
const delta = (offset: number, text: string, more: object = {}): Step => ({ type: 'message/delta', agentId: 'main', messageId: 'm1', block: 0, kind: 'text', offset, text, ...more });

verifies('protocol:view:streaming', () => {
  const arriving = fold([begin, delta(0, 'Hel'), delta(3, 'lo'), delta(0, '{"a', { block: 2, kind: 'input', tool: 'Bash' }), { type: 'agent/progress', agentId: 'main', outputTokens: 7 }]);
  expect(arriving.streaming['main']?.blocks.map((block) => [block.kind, block.text])).toEqual([['text', 'Hello'], ['input', ''], ['input', '{"a']]);
  expect(main(arriving)?.liveTokens).toBe(7);
  const whole = fold([replied([{ type: 'text', text: 'Hello!' }])], arriving);
  expect([whole.streaming, talk(whole).length, main(whole)?.liveTokens]).toEqual([{}, 1, 0]);
  const retried = fold([{ ...begin, messageId: 'm2' }], arriving);
  expect(retried.streaming['main']).toMatchObject({ messageId: 'm2', blocks: [] });
  expect(fold([{ type: 'turn/completed', ...t, stop: 'error', usage: {}, costUsd: 0, durationMs: 1 }], arriving).streaming).toEqual({});
});

verifies('protocol:view:lost-delta', () => {
  const arriving = fold([begin, delta(0, 'Hel')]);
  for (const lost of [delta(5, '!'), delta(3, 'x', { messageId: 'other' }), delta(0, 'x', { agentId: 'agent-9' })]) expect(fold([lost], arriving)).toEqual(arriving);
  expect(fold([delta(0, 'Hello')], arriving).streaming['main']?.blocks[0]?.text).toBe('Hello');
});

verifies('protocol:view:asks', () => {
  const asking = fold([call, permission, question, plan]);
  expect(asking.pendingAsks.map((ask) => ask.request.requestId)).toEqual(['a1', 'q1', 'p1']);
  expect(main(asking)?.status).toBe('waiting');
  expect(toolOf(asking)).toMatchObject({ title: 'ls', toolKind: 'command', call: { status: 'awaitingPermission', requestId: 'a1' } });
  const two = fold([{ type: 'permission/resolved', requestId: 'a1', decision: { behavior: 'allow', scope: 'once' }, by: 'person' }], asking);
  expect([two.pendingAsks.length, main(two)?.status, toolOf(two)?.call]).toEqual([2, 'waiting', { status: 'validating' }]);
  const none = fold([{ type: 'question/answered', requestId: 'q1', reply: { behavior: 'decline' } }, { type: 'plan/resolved', requestId: 'p1', reply: { behavior: 'sendBack', feedback: 'no' } }], two);
  expect([none.pendingAsks, main(none)?.status]).toEqual([[], 'working']);
  expect(talk(none).slice(1)).toMatchObject([{ kind: 'question', id: 'q1', reply: { behavior: 'decline' } }, { kind: 'plan', id: 'p1', reply: { behavior: 'sendBack', feedback: 'no' } }]);
});

verifies('protocol:view:asks', () => {
  const nested = fold([child, { ...permission, request: { ...permission.request, agentPath: ['main', 'agent-1'] } }]);
  expect([nested.agents['agent-1']?.status, main(nested)?.status]).toEqual(['waiting', 'idle']);
}, { case: 'the agent that asks waits, not the ones above it' });

verifies('protocol:view:cost-unknown', () => {
  const cost = (...costs: (number | null)[]) => fold(costs.map((costUsd) => replied([], { costUsd, usage: { inputTokens: 1, cacheReadTokens: 5, outputTokens: 2 } })));
  expect(cost(0.5, 0.25)).toMatchObject({ costUsd: 0.75, usage: { inputTokens: 2, cacheReadTokens: 10, outputTokens: 4 }, agents: { main: { costUsd: 0.75, contextTokens: 8 } } });
  expect(cost(0.5, null, 0.25)).toMatchObject({ costUsd: null, agents: { main: { costUsd: null } } });
  const silent = fold([replied([], { usage: {}, costUsd: null })]);
  expect([silent.usage, main(silent)?.contextTokens]).toEqual([{}, undefined]);
});

/** One row an event that the tests above leave out: what was before, the event, what it changes. */
const rows: readonly (readonly [readonly Step[], Step, object])[] = [
  [[], { type: 'session/modeChanged', mode: 'plan' }, { session: { mode: 'plan' } }],
  [[started], { type: 'session/modelChanged', model: 'n' }, { session: { model: 'n' }, agents: { main: { model: 'n' } } }],
  [[], { type: 'session/cwdChanged', cwd: '/repo/src' }, { session: { cwd: '/repo/src' } }],
  [[], child, { agents: { 'agent-1': { parentId: 'main', name: 'scout', status: 'working', depth: 1, worktree: '/wt', callId: 'c9', startedAtMs: 1_001 } }, conversations: { 'agent-1': [] } }],
  [[child], { type: 'agent/statusChanged', agentId: 'agent-1', status: 'queued', activity: 'waits' }, { agents: { 'agent-1': { status: 'queued', activity: 'waits' } } }],
  [[child], { type: 'agent/finished', agentId: 'agent-1', outcome: 'failed', summary: 'no luck', durationMs: 4 }, { agents: { 'agent-1': { status: 'failed', summary: 'no luck', finishedAtMs: 1_002, activity: '' } } }],
  [[], { type: 'turn/queued', agentId: 'main', queueId: 'q', text: 'then', attachments: [] }, { queue: [{ queueId: 'q', agentId: 'main', text: 'then', attachments: [] }] }],
  [[{ type: 'turn/queued', agentId: 'main', queueId: 'q', text: 'then', attachments: [] }], { type: 'turn/dequeued', agentId: 'main', queueId: 'q', reason: 'removed' }, { queue: [] }],
  [[], { type: 'turn/started', ...t }, { agents: { main: { status: 'working' } } }],
  [[], { type: 'turn/completed', ...t, stop: 'refusal', problem: { code: 'refusal', message: 'm', retryable: false }, usage: { inputTokens: 1 }, costUsd: null, durationMs: 3 }, { agents: { main: { status: 'failed' } }, conversations: { main: [{ kind: 'turnEnd', stop: 'refusal', problem: { code: 'refusal' }, costUsd: null, durationMs: 3 }] } }],
  [[call], running, { agents: { main: { status: 'working', activity: 'ls' } }, conversations: { main: [{ title: 'ls', toolKind: 'command', call: { status: 'running', startedAtMs: 1_002, output: '', pid: undefined } }] } }],
  [[call, running], { type: 'tool/spawned', agentId: 'main', callId: 'c1', pid: 7, processStartedAtMs: 1 }, { conversations: { main: [{ call: { status: 'running', pid: 7 } }] } }],
  [[call, running, { type: 'tool/updated', agentId: 'main', callId: 'c1', offset: 0, text: 'ab' }], { type: 'tool/updated', agentId: 'main', callId: 'c1', offset: 2, text: 'c' }, { conversations: { main: [{ call: { output: 'abc' } }] } }],
  [[call, running], ended('completed', { note: '1 line' }), { conversations: { main: [{ call: { status: 'completed', note: '1 line', durationMs: 5, text: 'out', display: undefined } }] } }],
  [[call, running], ended('failed', { display: { kind: 'text', text: 'shown' } }), { conversations: { main: [{ call: { status: 'failed', text: '', display: { kind: 'text', text: 'shown' } } }] } }],
  [[call], ended('denied', { decidedBy: 'rule' }), { conversations: { main: [{ call: { status: 'denied', text: 'out', decidedBy: 'rule' } }] } }],
  [[call, running], ended('cancelled'), { conversations: { main: [{ call: { status: 'cancelled', text: 'out' } }] } }],
  [[call, running], ended('interrupted', { content: [{ type: 'text', text: 'x'.repeat(9_000) }] }), { conversations: { main: [{ call: { status: 'interrupted', text: `${'x'.repeat(8_000)}\n…` } }] } }],
  [[], { type: 'notice/raised', notice: { noticeId: 'n', level: 'info', code: 'c', title: 't' } }, { notices: [{ noticeId: 'n' }], conversations: { main: [{ kind: 'notice', id: 'n' }] } }],
  [[{ type: 'notice/raised', notice: { noticeId: 'n', level: 'info', code: 'c', title: 't' } }], { type: 'notice/dismissed', noticeId: 'n' }, { notices: [], conversations: { main: [{ kind: 'notice', id: 'n' }] } }],
  [[], { type: 'model/waiting', agentId: 'main', reason: 'busy', attempt: 2, untilMs: 9 }, { agents: { main: { waiting: { reason: 'busy', attempt: 2, untilMs: 9 } } } }],
  [[begin, { type: 'model/waiting', agentId: 'main', reason: 'busy', attempt: 2, untilMs: 9 }], delta(0, 'x'), { agents: { main: { waiting: undefined } } }],
];

verifies('protocol:view:every-event', () => {
  for (const [before, event, change] of rows) expect(fold([...before, event]), event.type).toMatchObject(change);
});

/** Every example of the wire. */
const dir = join(__dirname, '../../protocol/events');
const examples = readdirSync(dir).flatMap((file) => JSON.parse(readFileSync(join(dir, file), 'utf8')) as UiEvent[]);

verifies('protocol:view:no-fit', () => {
  const view = fold([started, said('hi')]);
  const { seq: _seq, session: { lastEventAtMs: _at, ...session }, ...rest } = view;
  const strangers: readonly Step[] = [
    { type: 'agent/statusChanged', agentId: 'agent-9', status: 'done' }, { type: 'agent/finished', agentId: 'agent-9', outcome: 'done', summary: '', durationMs: 1 }, running, ended('completed'),
    { type: 'tool/spawned', agentId: 'main', callId: 'c1', pid: 1, processStartedAtMs: 1 }, { type: 'tool/updated', agentId: 'main', callId: 'c1', offset: 0, text: 'x' }, { type: 'turn/dequeued', agentId: 'main', queueId: 'none', reason: 'sent' },
    { type: 'permission/resolved', requestId: 'none', decision: { behavior: 'cancelled' }, by: 'abort' }, { type: 'question/answered', requestId: 'none', reply: { behavior: 'decline' } }, { type: 'plan/resolved', requestId: 'none', reply: { behavior: 'cancelled' } },
    { type: 'notice/dismissed', noticeId: 'none' }, { type: 'model/waiting', agentId: 'agent-9', reason: '', attempt: 1, untilMs: 1 }, delta(0, 'x'),
  ];
  for (const stranger of strangers) {
    const after = fold([stranger], view);
    expect({ ...after, agents: { main: { ...after.agents['main'], activity: '', status: 'idle' } } }, stranger.type).toMatchObject({ ...rest, session });
    expect(Object.keys(after.agents)).toEqual(['main']);
  }
});

verifies('protocol:view:pure', () => {
  const freeze = <T>(value: T): T => {
    if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) for (const part of Object.values(Object.freeze(value))) freeze(part);
    return value;
  };
  const run = (): View => examples.reduce<View>((view, event) => freeze(reduceView(view, freeze(structuredClone(event)))), freeze(fold([started, child, call, running])));
  expect(run()).toEqual(run());
  expect(JSON.parse(JSON.stringify(run())).seq).toBeGreaterThan(0);
});
