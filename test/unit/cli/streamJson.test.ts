import { expect } from 'vitest';
import { StreamJson } from '../../../extension/cli/streamJson';
import type { SettledTurn } from '../../../extension/engine';
import type { DurableBody, UiEvent } from '../../../extension/protocol/events';
import { verifies } from '../../support/verifies';

const t = { agentId: 'main', turnId: 't' } as const;
const usage = { inputTokens: 10, outputTokens: 2, cacheReadTokens: 3 };
const apiUsage = { input_tokens: 10, output_tokens: 2, cache_read_input_tokens: 3, cache_creation_input_tokens: null };
const replied = (content: Extract<DurableBody, { type: 'message/completed' }>['content'], more: object = {}): DurableBody => ({ type: 'message/completed', ...t, messageId: 'm1', role: 'assistant', content, model: 'm', stopReason: 'tool_use', usage, costUsd: 0.5, ...more });
const done: SettledTurn = { stop: 'done', durationMs: 90, apiMs: 60 };

function run(bodies: readonly DurableBody[]): { readonly lines: unknown[]; readonly json: StreamJson } {
  const lines: unknown[] = [];
  const json = new StreamJson('s', (line) => lines.push(line));
  for (const [i, body] of bodies.entries()) json.take({ ...body, seq: i + 1, atMs: 1 } as UiEvent);
  return { lines, json };
}
const message = (id: string, content: unknown, stop: string) => ({ id, type: 'message', role: 'assistant', model: 'm', content, stop_reason: stop, usage: apiUsage });
const line = (type: string, of: unknown, parent: string | null = null) => ({ type, message: of, parent_tool_use_id: parent, session_id: 's' });
const result = (id: string, content: unknown, failed = false) => ({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, ...(failed ? { is_error: true } : {}) }] });

verifies('cli:stream:lines', () => {
  const bash = { type: 'tool_use' as const, id: 'c1', name: 'Bash', input: { command: 'ls' } };
  const task = { type: 'tool_use' as const, id: 'c2', name: 'Agent', input: { prompt: 'look' } };
  const child = { agentId: 'agent-1', turnId: 'k' };
  const { lines, json } = run([
    { type: 'turn/started', ...t },
    { type: 'message/received', ...t, messageId: 'u', role: 'user', origin: 'person', content: [{ type: 'text', text: 'go' }] },
    { type: 'message/started', ...t, messageId: 'm1', model: 'm' },
    replied([{ type: 'thinking', thinking: 'hm', signature: 's' }, { type: 'text', text: 'Looking.' }, bash, task, { type: 'opaque', block: { type: 'server_tool_use', id: 'x' } }]),
    { type: 'tool/started', ...t, callId: 'c1', name: 'Bash', title: 'ls', input: {}, kind: 'command' },
    { type: 'tool/completed', ...t, callId: 'c1', name: 'Bash', outcome: 'failed', content: 'exit 1', durationMs: 1 },
    { type: 'agent/spawned', agentId: 'agent-1', parentId: 'main', callId: 'c2', agentType: 'Explore', name: 'x', description: '', depth: 1, background: false, cwd: '/' },
    replied([{ type: 'tool_use', id: 'k1', name: 'Write', input: { file_path: '/x' } }], { ...child, messageId: 'k', costUsd: 0.25 }),
    { type: 'tool/completed', ...child, callId: 'k1', name: 'Write', outcome: 'denied', content: 'a rule denies it', durationMs: 1 },
    { type: 'tool/completed', ...t, callId: 'c2', name: 'Agent', outcome: 'completed', content: [{ type: 'text', text: 'found' }], durationMs: 1 },
    { type: 'message/received', ...t, messageId: 'sk', role: 'user', origin: 'skill', content: [{ type: 'text', text: 'skill text' }] },
    { type: 'message/received', ...t, messageId: 're', role: 'user', origin: 'reminder', content: [{ type: 'text', text: 'quiet' }] },
    { type: 'agent/spawned', agentId: 'agent-2', parentId: 'agent-1', callId: 'k3', agentType: 'Explore', name: 'y', description: '', depth: 2, background: false, cwd: '/' },
    { type: 'tool/completed', ...child, agentId: 'agent-2', callId: 'k4', name: 'Edit', outcome: 'denied', content: 'no', durationMs: 1 },
    { type: 'context/compacted', agentId: 'main', trigger: 'auto', summary: 's', beforeTokens: 9000, afterTokens: 10, usage: {}, costUsd: 0.5, durationMs: 1 },
    replied([{ type: 'text', text: 'All ' }, { type: 'text', text: 'done.' }], { messageId: 'm2', stopReason: 'end_turn' }),
  ]);
  expect(lines).toEqual([
    line('assistant', message('m1', [{ type: 'thinking', thinking: 'hm', signature: 's' }, { type: 'text', text: 'Looking.' }, bash, task, { type: 'server_tool_use', id: 'x' }], 'tool_use')),
    line('user', result('c1', 'exit 1', true)),
    line('assistant', message('k', [{ type: 'tool_use', id: 'k1', name: 'Write', input: { file_path: '/x' } }], 'tool_use'), 'c2'),
    line('user', result('k1', 'a rule denies it', true), 'c2'),
    line('user', result('c2', [{ type: 'text', text: 'found' }])),
    line('user', { role: 'user', content: [{ type: 'text', text: 'skill text' }] }),
    line('user', result('k4', 'no', true), 'k3'),
    { type: 'system', subtype: 'compact_boundary', session_id: 's', compact_metadata: { trigger: 'auto', pre_tokens: 9000 } },
    line('assistant', message('m2', [{ type: 'text', text: 'All ' }, { type: 'text', text: 'done.' }], 'end_turn')),
  ]);
  expect(json.finish(done)).toEqual({
    failed: false,
    line: {
      type: 'result', subtype: 'success', is_error: false, result: 'All done.', num_turns: 2, duration_ms: 90, duration_api_ms: 60, total_cost_usd: 1.75,
      usage: { input_tokens: 30, output_tokens: 6, cache_read_input_tokens: 9, cache_creation_input_tokens: null },
      permission_denials: [{ tool_name: 'Write', tool_use_id: 'k1', tool_input: { file_path: '/x' }, reason: 'a rule denies it', agent_path: 'agent-1' }, { tool_name: 'Edit', tool_use_id: 'k4', tool_input: {}, reason: 'no', agent_path: 'agent-1/agent-2' }],
      session_id: 's',
    },
  });
});

verifies('cli:stream:init', () => {
  const { lines, json } = run([]);
  json.init({ cwd: '/repo', model: undefined, mode: 'default', tools: ['Read'], slashCommands: ['deploy'], skills: ['deploy'], mcpServers: [], agents: ['scout'] });
  expect(lines).toEqual([{ type: 'system', subtype: 'init', session_id: 's', cwd: '/repo', model: null, permissionMode: 'default', tools: ['Read'], mcp_servers: [], slash_commands: ['deploy'], agents: ['scout'], skills: ['deploy'], plugins: [] }]);
});

verifies('cli:stream:endings', () => {
  const { json } = run([replied([{ type: 'text', text: 'so far' }], { costUsd: null, partial: true })]);
  const ending = (end: Partial<SettledTurn> | undefined): unknown => {
    const { failed, line: last } = json.finish(end === undefined ? undefined : { ...done, ...end });
    return [failed, last['subtype'], last['is_error'], last['result']];
  };
  expect(ending({ stop: 'done' })).toEqual([false, 'success', false, 'so far']);
  expect(ending({ stop: 'maxTurns' })).toEqual([true, 'error_max_turns', true, expect.stringContaining('--max-turns')]);
  expect(ending({ stop: 'refusal' })).toEqual([true, 'error_during_execution', true, expect.stringContaining('refusal')]);
  expect(ending({ stop: 'interrupted' })).toEqual([true, 'error_during_execution', true, 'Interrupted.']);
  expect(ending({ stop: 'error', problem: { code: 'auth', message: 'The key was refused.', retryable: false } })).toEqual([true, 'error_during_execution', true, 'The key was refused.']);
  expect(ending(undefined)).toEqual([true, 'error_during_execution', true, 'The run failed.']);
  expect(json.finish(done).line).toMatchObject({ total_cost_usd: null, num_turns: 0 });
});

verifies('cli:stream:own-words', () => {
  const { json } = run([{ type: 'turn/started', ...t }, replied([{ type: 'text', text: 'first' }]), { type: 'turn/started', ...t, turnId: 't2' }, replied([])]);
  expect([json.text, json.finish(done).line['result']]).toEqual(['', '']);
});
