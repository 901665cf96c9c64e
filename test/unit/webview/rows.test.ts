import { expect } from 'vitest';
import type { AssistantBlock } from '../../../extension/protocol/content';
import type { DurableBody } from '../../../extension/protocol/events';
import { liveRows, settledRows } from '../../../webview/chat/rows';
import { readsSummary, toolWords } from '../../../webview/chat/toolWords';
import { answersOf, noChoice, toggled } from '../../../webview/chat/questionAnswers';
import { requestText } from '../../../webview/permissions/requestWords';
import { agentTree } from '../../../webview/store/selectors';
import { FakeHost } from '../../../webview/transport/fakeTransport';
import { verifies } from '../../support/verifies';

const at = { agentId: 'main', turnId: 't' };
const replied = (messageId: string, content: AssistantBlock[]): DurableBody => ({
  type: 'message/completed',
  ...at,
  messageId,
  role: 'assistant',
  content,
  model: 'opus',
  stopReason: 'end_turn',
  usage: {},
  costUsd: 0,
});
const use = (id: string, name: string): AssistantBlock => ({ type: 'tool_use', id, name, input: {} });
const started = (callId: string, name: string, kind: string, title = ''): DurableBody => ({ type: 'tool/started', ...at, callId, name, title, input: {}, kind });
const ended = (callId: string, name: string, outcome: 'completed' | 'failed' = 'completed'): DurableBody => ({
  type: 'tool/completed',
  ...at,
  callId,
  name,
  outcome,
  content: '',
  durationMs: 1,
});

function played(...bodies: DurableBody[]): FakeHost {
  const host = new FakeHost();
  for (const body of bodies) host.append(body);
  return host;
}

function rowsOf(host: FakeHost): string[] {
  const { conversations, agents, notices, streaming } = host.view;
  const settled = settledRows({ entries: conversations['main'] ?? [], agents, notices });
  return [...settled.rows, ...liveRows(settled, agents['main'], streaming['main'])].map((row) =>
    row.kind === 'reads' ? `reads ${row.entries.length}` : row.kind === 'agents' ? `agents ${row.agentIds.length}` : row.kind,
  );
}

verifies(
  'webview:rows:quiet',
  () => {
    const reads = ['r1', 'r2', 'r3', 'r4'];
    const host = played(
      replied(
        'm1',
        reads.map((id) => use(id, 'Read')),
      ),
      ...reads.map((id) => started(id, 'Read', 'read')),
      ended('r1', 'Read'),
      ended('r2', 'Read'),
      ended('r3', 'Read', 'failed'),
      ended('r4', 'Read'),
    );
    expect(rowsOf(host)).toEqual(['reads 2', 'tool', 'tool', 'working']);
  },
  { case: 'a read that failed stands alone' },
);

verifies(
  'webview:rows:quiet',
  () => {
    const spawn = (agentId: string, callId: string): DurableBody => ({
      type: 'agent/spawned',
      agentId,
      parentId: 'main',
      callId,
      agentType: 'x',
      name: agentId,
      description: '',
      depth: 1,
      background: false,
      cwd: '/',
    });
    const host = played(replied('m1', [use('a', 'Agent'), use('b', 'Agent'), use('c', 'Bash')]), spawn('one', 'a'), spawn('two', 'b'));
    expect(rowsOf(host)).toEqual(['agents 2', 'tool']);
  },
  { case: 'sub-agents share a box' },
);

verifies(
  'webview:rows:quiet',
  () => {
    const host = played(replied('m1', [use('p', 'ExitPlanMode')]), {
      type: 'plan/proposed',
      request: { requestId: 'plan', callId: 'p', agentPath: ['main'], plan: '1. x', path: '/p', askedAtMs: 0 },
    });
    expect(rowsOf(host)).toEqual(['plan']);
  },
  { case: 'a plan is said once' },
);

verifies(
  'webview:rows:quiet',
  () => {
    const host = played({ type: 'turn/started', ...at });
    expect(rowsOf(host)).toEqual(['working']);
    host.append({ type: 'message/started', ...at, messageId: 'm1', model: 'opus' });
    host.emitLive(
      { type: 'message/delta', agentId: 'main', messageId: 'm1', block: 0, kind: 'thinking', offset: 0, text: 'hm' },
      { type: 'message/delta', agentId: 'main', messageId: 'm1', block: 1, kind: 'text', offset: 0, text: 'So' },
      { type: 'message/delta', agentId: 'main', messageId: 'm1', block: 2, kind: 'input', tool: 'Edit', offset: 0, text: '{' },
    );
    expect(rowsOf(host)).toEqual(['thinking', 'text', 'writing']);
    host.append(replied('m1', [use('e', 'Edit')]));
    host.append(started('e', 'Edit', 'edit'));
    expect(rowsOf(host)).toEqual(['tool']);
    host.append(ended('e', 'Edit'));
    expect(rowsOf(host)).toEqual(['tool', 'working']);
    host.append({ type: 'turn/completed', ...at, stop: 'done', usage: {}, costUsd: 0, durationMs: 1 });
    expect(rowsOf(host)).toEqual(['tool']);
  },
  { case: 'one sign of life at a time' },
);

verifies(
  'webview:rows:quiet',
  () => {
    const host = played(
      replied('m1', [use('a', 'Edit'), use('b', 'Bash'), use('c', 'mcp__github__create_issue'), use('d', 'Odd')]),
      started('a', 'Edit', 'edit', 'Edit /repo/src/a.ts'),
      started('b', 'Bash', 'command', 'npm test'),
      started('c', 'mcp__github__create_issue', 'mcp'),
      started('d', 'Odd', 'other', 'thing'),
      ended('a', 'Edit'),
      ended('b', 'Bash'),
      ended('c', 'x'),
      ended('d', 'Odd'),
    );
    const words = (host.view.conversations['main'] ?? []).flatMap((e) => (e.kind === 'tool' ? [toolWords(e, '/repo')] : []));
    expect(words.map((w) => [w.verb, w.object, w.place])).toEqual([
      ['Edit', 'a.ts', 'src'],
      ['Ran', 'npm test', ''],
      ['create_issue', '', 'github · MCP'],
      ['Odd', 'thing', ''],
    ]);
    expect(readsSummary([])).toBe('');
  },
  { case: 'the words of a line' },
);

verifies(
  'webview:question:answer',
  () => {
    const questions = [
      { question: 'A?', header: '', multiSelect: false, options: [] },
      { question: 'B?', header: '', multiSelect: true, options: [] },
    ];
    const one = toggled(noChoice, 'x', false);
    const many = toggled(toggled(noChoice, 'p', true), 'q', true);
    expect([
      answersOf(questions, [one, noChoice]),
      answersOf(questions, [one, many]),
      answersOf(questions, [{ labels: [], other: true, text: ' mine ' }, toggled(many, 'p', true)]),
      answersOf(questions, [{ labels: [], other: true, text: '  ' }, many]),
    ]).toEqual([undefined, { 'A?': 'x', 'B?': 'p, q' }, { 'A?': 'mine', 'B?': 'q' }, undefined]);
  },
  { case: 'what is sent' },
);

verifies(
  'webview:dock:whole',
  () => {
    const command = 'x'.repeat(5000);
    const base = { requestId: 'r', callId: 'c', agentPath: ['main'], suggestions: [], explanation: { decision: 'ask', reason: '' }, askedAtMs: 0 } as const;
    expect(
      requestText({ ...base, agentPath: ['main'], suggestions: [], subject: { tool: 'Bash', kind: 'command', title: '', input: {}, command, cwd: '/', readOnly: false } }),
    ).toEqual({ label: 'Command', text: command });
  },
  { case: 'the text is the command, all of it' },
);

verifies(
  'webview:agents:tree',
  () => {
    const spawn = (agentId: string, parentId: string): DurableBody => ({
      type: 'agent/spawned',
      agentId,
      parentId,
      agentType: 'x',
      name: agentId,
      description: '',
      depth: 1,
      background: false,
      cwd: '/',
    });
    const host = played(spawn('a', 'main'), spawn('b', 'main'), spawn('a1', 'a'), spawn('lost', 'gone'));
    expect(agentTree(host.view.agents).map(({ agent, level }) => `${level} ${agent.agentId}`)).toEqual(['0 main', '1 a', '2 a1', '1 b', '0 lost']);
  },
  { case: 'order and levels; an agent without its parent is still shown' },
);
