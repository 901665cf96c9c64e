import fc from 'fast-check';
import { expect } from 'vitest';
import { placeCacheBreakpoints } from '../../../extension/model/cacheBreakpoints';
import { thinkingFields } from '../../../extension/model/effort';
import { modelFacts } from '../../../extension/model/modelTable';
import { buildRequestBody, type WireBody } from '../../../extension/model/requestBody';
import { estimateTokens } from '../../../extension/base/estimateTokens';
import { estimateRequestTokens } from '../../../extension/model/tokenEstimate';
import type { AssistantBlock, ModelMessage, UserBlock } from '../../../extension/protocol/content';
import { verifies } from '../../support/verifies';
import { ask, assistant, tools, user } from './modelFixture';

function marked(body: WireBody): string[] {
  const named = (place: string, items: readonly Readonly<Record<string, unknown>>[] | undefined): string[] => (items ?? []).flatMap((item, index) => ('cache_control' in item ? [`${place}.${index}`] : []));
  return [...named('tools', body.tools), ...named('system', body.system), ...body.messages.flatMap((message, index) => named(`messages.${index}`, message.content))];
}

verifies('model:request:breakpoints', () => {
  const history = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'shared' }, { type: 'text' as const, text: 'own' }] }, assistant([{ type: 'text', text: 'a' }]), user('b'), assistant([{ type: 'text', text: 'c' }]), user('d')];
  expect(marked(placeCacheBreakpoints(buildRequestBody(ask(history))))).toEqual(['system.0', 'messages.0.0', 'messages.2.0', 'messages.4.0']);
  expect(marked(placeCacheBreakpoints(buildRequestBody(ask(history, { system: [] }))))).toEqual(['tools.1', 'messages.0.0', 'messages.2.0', 'messages.4.0']);
  expect(marked(placeCacheBreakpoints(buildRequestBody(ask('x', { system: [], tools: [] }))))).toEqual(['messages.0.0']);
});

const userBlock: fc.Arbitrary<UserBlock> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text: fc.constantFrom('', ' ', 'words') }),
  fc.record({ type: fc.constant('tool_result' as const), tool_use_id: fc.constant('t'), content: fc.constant('r') }),
);
const assistantBlock: fc.Arbitrary<AssistantBlock> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text: fc.constantFrom('', 'words') }),
  fc.record({ type: fc.constant('thinking' as const), thinking: fc.constant('hm'), signature: fc.constant('s') }),
  fc.record({ type: fc.constant('redacted_thinking' as const), data: fc.constant('d') }),
  fc.record({ type: fc.constant('opaque' as const), block: fc.constant({ type: 'odd' }) }),
);
const message: fc.Arbitrary<ModelMessage> = fc.oneof(
  fc.record({ role: fc.constant('user' as const), content: fc.array(userBlock, { maxLength: 4 }) }),
  fc.record({ role: fc.constant('assistant' as const), content: fc.array(assistantBlock, { maxLength: 4 }) }),
);

verifies(
  'model:request:breakpoints',
  () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 10 }), fc.boolean(), fc.boolean(), (messages, withSystem, withTools) => {
        const plain = buildRequestBody(ask(messages, { system: withSystem ? ['s'] : [], tools: withTools ? tools : [] }));
        const body = placeCacheBreakpoints(plain);
        expect(marked(body).length).toBeLessThanOrEqual(4);
        const blocks = body.messages.flatMap((one) => one.content);
        expect(blocks.filter((block) => 'cache_control' in block && !['text', 'tool_result'].includes(block.type))).toEqual([]);
        expect(JSON.stringify(body, (key, value: unknown) => (key === 'cache_control' ? undefined : value))).toBe(JSON.stringify(plain));
      }),
    );
  },
  { case: 'any conversation' },
);

verifies('model:request:shape', () => {
  const pdf = { type: 'document' as const, source: { type: 'base64' as const, media_type: 'application/pdf' as const, data: 'JVBERi0=' }, title: 'spec.pdf' };
  const body = buildRequestBody(
    ask(
      [
        user('one'),
        user(' '),
        assistant([]),
        { role: 'user', content: [{ type: 'text', text: 'two' }, pdf, { type: 'tool_result', tool_use_id: 't', content: 'r', is_error: true }] },
        assistant([{ type: 'text', text: '' }, { type: 'tool_use', id: 'u', name: 'Read', input: { a: 1 }, brokenInput: '{"a' }]),
      ],
      { system: ['You help.', '', 'Really.'], model: 'test-model' },
    ),
  );
  expect(JSON.stringify(body)).toBe(
    JSON.stringify({
      model: 'test-model',
      max_tokens: 8_192,
      stream: true,
      tools: [
        { name: 'Read', description: 'Reads a file.', input_schema: { type: 'object', properties: { path: { type: 'string' } } } },
        { name: 'Bash', description: 'Runs a command.', input_schema: { type: 'object', properties: { command: { type: 'string' } } } },
      ],
      system: [
        { type: 'text', text: 'You help.' },
        { type: 'text', text: 'Really.' },
      ],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't', content: 'r', is_error: true },
            { type: 'text', text: 'one' },
            { type: 'text', text: 'two' },
            { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' }, title: 'spec.pdf' },
          ],
        },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'u', name: 'Read', input: {} }] },
      ],
    }),
  );
});

verifies('model:request:effort', () => {
  const fields = (model: string, effort: string | number | undefined, maxTokens = 32_000): unknown => thinkingFields(modelFacts(model), effort, maxTokens);
  const adaptive = { type: 'adaptive', display: 'summarized' };
  expect(fields('claude-opus-5-5', undefined)).toEqual({ thinking: adaptive });
  expect(fields('claude-opus-5-5', 'xhigh')).toEqual({ thinking: adaptive, output_config: { effort: 'xhigh' } });
  expect(fields('claude-opus-4-6', 'xhigh')).toEqual({ thinking: adaptive, output_config: { effort: 'high' } });
  expect(fields('claude-opus-5-5', 15_000)).toEqual({ thinking: adaptive, output_config: { effort: 'high' } });
  expect(fields('claude-opus-5-5', 'enormous')).toEqual({ thinking: adaptive });
  expect(fields('claude-opus-4-5', 'max')).toEqual({ output_config: { effort: 'high' } });
  expect(fields('claude-opus-4-5', 9_000)).toEqual({ thinking: { type: 'enabled', budget_tokens: 9_000 } });
  expect(fields('claude-sonnet-4-5', 'high')).toEqual({ thinking: { type: 'enabled', budget_tokens: 16_384 } });
  expect(fields('claude-sonnet-4-5', 'low')).toEqual({});
  expect(fields('claude-sonnet-4-5', 50_000, 8_000)).toEqual({ thinking: { type: 'enabled', budget_tokens: 6_976 } });
  expect(fields('claude-sonnet-4-5', 'high', 1_500)).toEqual({});
  expect(fields('claude-sonnet-4-5', undefined)).toEqual({});
  expect(fields('qwen3', 'high')).toEqual({});
});

verifies('model:tokens:estimate', () => {
  const image = { type: 'image' as const, source: { type: 'base64' as const, media_type: 'image/png' as const, data: 'iVBORw0KGg==' } };
  const small = estimateRequestTokens(ask('Hi'));
  const text = 'The quick brown fox jumps over the lazy dog. '.repeat(100);
  expect(estimateTokens(text)).toBeGreaterThan(1_000);
  expect(estimateTokens(text)).toBeLessThan(1_400);
  expect(estimateRequestTokens(ask(text)) - small).toBeGreaterThan(1_000);
  expect(estimateRequestTokens(ask([{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [image, { type: 'text', text }] }] }])) - small).toBeGreaterThan(2_500);
});
