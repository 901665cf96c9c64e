import { expect } from 'vitest';
import type { DurableBody, DurableEvent } from '../../../extension/protocol/events';
import { History, interruptedResult } from '../../../extension/session/history';
import { verifies } from '../../support/verifies';

const usage = { usage: {}, costUsd: 0 };
let seq = 0;
const stamp = (body: DurableBody): DurableEvent => ({ ...body, seq: ++seq, atMs: 0 });
const heard = (text: string) => stamp({ type: 'message/received', agentId: 'main', turnId: 't', messageId: `u${seq}`, role: 'user', origin: 'person', content: [{ type: 'text', text }] });
const replied = (content: Extract<DurableBody, { type: 'message/completed' }>['content']) =>
  stamp({ type: 'message/completed', agentId: 'main', turnId: 't', messageId: `m${seq}`, role: 'assistant', content, model: 'x', stopReason: 'tool_use', ...usage });
const call = (id: string) => ({ type: 'tool_use' as const, id, name: 'Bash', input: {} });
const result = (callId: string, content: string, outcome: 'completed' | 'failed' = 'completed') =>
  stamp({ type: 'tool/completed', agentId: 'main', turnId: 't', callId, name: 'Bash', outcome, content, durationMs: 1 });
const ran = (callId: string) => stamp({ type: 'tool/started', agentId: 'main', turnId: 't', callId, name: 'Bash', title: '', input: {}, kind: 'command' });

verifies('session:history:results-follow', () => {
  const history = new History('main', [heard('go'), replied([{ type: 'text', text: 'ok' }, call('a'), call('b')]), result('b', 'B'), heard('and this'), result('a', 'A', 'failed')]);
  expect(history.messages()).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'go' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'ok' }, call('a'), call('b')] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: 'A', is_error: true },
        { type: 'tool_result', tool_use_id: 'b', content: 'B' },
        { type: 'text', text: 'and this' },
      ],
    },
  ]);
});

verifies('session:history:interrupted-call', () => {
  const history = new History('main', [heard('go'), replied([call('a'), call('b')]), ran('a')]);
  expect(history.openCalls()).toEqual({ started: [call('a')], notStarted: [call('b')] });
  expect(history.messages().at(-1)).toEqual({
    role: 'user',
    content: ['a', 'b'].map((id) => ({ type: 'tool_result', tool_use_id: id, content: interruptedResult, is_error: true })),
  });
});

verifies('session:history:prefix', () => {
  const history = new History('main', [heard('go')]);
  const sent: string[] = [];
  const steps = [[replied([call('a')]), result('a', '1')], [replied([call('b')]), result('b', ''), heard('steer')], [replied([{ type: 'text', text: 'done' }]), heard('next')]];
  sent.push(JSON.stringify(history.messages()));
  for (const step of steps) {
    for (const event of step) history.add(event);
    sent.push(JSON.stringify(history.messages()));
  }
  for (let i = 1; i < sent.length; i++) expect(sent[i]?.startsWith(sent[i - 1]?.slice(0, -1) ?? '?')).toBe(true);
});

verifies('session:history:nothing-empty', () => {
  const history = new History('main', [heard('go'), heard('  '), replied([{ type: 'thinking', thinking: 'hm', signature: 's' }]), replied([{ type: 'text', text: '' }, call('a')]), result('a', '')]);
  expect(history.messages()).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'go' }] },
    { role: 'assistant', content: [call('a')] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: '(no output)' }] },
  ]);
});
