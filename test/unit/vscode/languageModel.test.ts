import { expect } from 'vitest';
import type { ModelMessage } from '../../../extension/protocol/content';
import { LanguageModelReply, languageModelProblem } from '../../../extension/vscode/languageModelReply';
import { chatTurns } from '../../../extension/vscode/languageModelTurns';
import { verifies } from '../../support/verifies';

const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } } as const;
const messages: readonly ModelMessage[] = [
  { role: 'user', content: [{ type: 'text', text: 'look' }, picture] },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'text', text: 'reading' },
      { type: 'tool_use', id: 'c1', name: 'Read', input: { path: 'a' } },
      { type: 'tool_use', id: 'c2', name: 'Bash', input: { command: 'false' } },
    ],
  },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'c1', content: '' },
      { type: 'tool_result', tool_use_id: 'c2', content: [{ type: 'text', text: 'exit 1' }], is_error: true },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' }, title: 'plan.pdf' },
    ],
  },
];

verifies('workbench:lm:request-shape', () => {
  const text = (value: string): unknown => ({ kind: 'text', text: value });
  const turns = chatTurns({ system: ['You help.', '', 'Be brief.'], messages }, false);
  expect(turns).toEqual([
    { role: 'user', parts: [text('You help.\n\nBe brief.')] },
    { role: 'user', parts: [text('look'), text('[A picture is left out: this model takes none.]')] },
    {
      role: 'assistant',
      parts: [text('reading'), { kind: 'call', callId: 'c1', name: 'Read', input: { path: 'a' } }, { kind: 'call', callId: 'c2', name: 'Bash', input: { command: 'false' } }],
    },
    {
      role: 'user',
      parts: [
        { kind: 'result', callId: 'c1', content: [text('(no output)')] },
        { kind: 'result', callId: 'c2', content: [text('The call failed:'), text('exit 1')] },
        text('[The document plan.pdf is left out: this model takes no documents. Read it in parts as text instead.]'),
      ],
    },
  ]);
  expect(chatTurns({ system: [], messages: messages.slice(0, 1) }, true)[0]?.parts[1]).toEqual({ kind: 'image', mediaType: 'image/png', data: 'AAAA' });
  expect(chatTurns({ system: [], messages: [{ role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: 's' }] }] }, true)).toEqual([]);
});

verifies('workbench:lm:reply-shape', () => {
  const reply = new LanguageModelReply();
  const events = [
    reply.take({ kind: 'text', text: 'I ' }),
    reply.take({ kind: 'text', text: '' }),
    reply.take({ kind: 'text', text: 'read.' }),
    reply.take({ kind: 'call', callId: 'c1', name: 'Read', input: { path: 'a' } }),
  ];
  expect(events).toEqual([{ type: 'text', block: 0, text: 'I ' }, undefined, { type: 'text', block: 0, text: 'read.' }, { type: 'input', block: 1, tool: 'Read', text: '{"path":"a"}' }]);
  const content = [
    { type: 'text', text: 'I read.' },
    { type: 'tool_use', id: 'c1', name: 'Read', input: { path: 'a' } },
  ];
  expect(reply.end('v/m', false)).toEqual({ type: 'end', content, stopReason: 'tool_use', model: 'v/m', usage: {}, costUsd: null });
  expect(reply.end('v/m', true)).toMatchObject({ stopReason: 'aborted', content });
  expect(new LanguageModelReply().end('v/m', false)).toMatchObject({ stopReason: 'end_turn', content: [] });
});

verifies('workbench:lm:problems', () => {
  const code = (failure: { code: string | undefined; message: string }): unknown => languageModelProblem(failure, 'Model X').code;
  expect(code({ code: 'NoPermissions', message: '' })).toBe('permission');
  expect(code({ code: 'NotFound', message: '' })).toBe('notFound');
  expect(code({ code: 'Blocked', message: 'quota' })).toBe('rateLimit');
  expect(code({ code: 'Unknown', message: 'Message exceeds the token limit' })).toBe('contextOverflow');
  expect(code({ code: undefined, message: 'socket hang up' })).toBe('server');
  expect(languageModelProblem({ code: 'NoPermissions', message: '' }, 'Model X').message).toContain('Manage Language Model Access');
});
