import { expect } from 'vitest';
import { claudeFamily, modelFacts, modelLabel, resolveModel } from '../../../extension/model/modelTable';
import { costUsd } from '../../../extension/model/prices';
import { verifies } from '../../support/verifies';

verifies('model:table:aliases', () => {
  const resolve = (name: string | undefined, fallback = 'claude-sonnet-5-5', env = {}): string => resolveModel(name, { fallback, env });
  expect([resolve('opus'), resolve('Haiku'), resolve('fable'), resolve('inherit'), resolve(undefined), resolve(' claude-opus-4-1 '), resolve('claude-sonnet-4-6[1m]')]).toEqual(['claude-opus-5-5', 'claude-haiku-5-5', 'claude-fable-5-2', 'claude-sonnet-5-5', 'claude-sonnet-5-5', 'claude-opus-4-1', 'claude-sonnet-4-6']);
  expect([resolve('opus', 'qwen3:8b'), resolve('llama3', 'qwen3:8b')]).toEqual(['qwen3:8b', 'llama3']);
  expect(resolve('haiku', 'qwen3:8b', { ANTHROPIC_DEFAULT_HAIKU_MODEL: 'tiny' })).toBe('tiny');
});

verifies('model:table:unknown', () => {
  const names = ['claude-opus-4-20250514', 'claude-sonnet-4-5-20250929', 'us.anthropic.claude-opus-4-1-20250805-v1:0', 'claude-opus-4@20250514', 'anthropic/claude-sonnet-4.6', 'claude-opus-5', 'gpt-oss', 'claude-3-5-haiku-20241022'];
  expect(names.map(claudeFamily)).toEqual(['opus-4', 'sonnet-4-5', 'opus-4-1', 'opus-4', 'sonnet-4-6', 'opus-5', undefined, undefined]);
  expect(modelFacts('claude-opus-9-9')).toMatchObject({ thinking: 'none', effort: [], contextTokens: 200_000 });
  expect(modelFacts('llama3')).toMatchObject({ thinking: 'none', effort: [], maxOutputTokens: 8_192 });
  expect([modelLabel('claude-opus-5-5'), modelLabel('claude-sonnet-4-5-20250929'), modelLabel('qwen3:8b')]).toEqual(['Claude Opus 5.5', 'Claude Sonnet 4.5', 'qwen3:8b']);
});

verifies('model:cost:usage', () => {
  const usage = { inputTokens: 1_000, outputTokens: 2_000, cacheReadTokens: 10_000, cacheWriteTokens: 4_000 };
  expect(costUsd('claude-opus-4-8', usage)).toBeCloseTo((1_000 * 5 + 2_000 * 25 + 10_000 * 0.5 + 4_000 * 6.25) / 1e6, 10);
  expect(costUsd('claude-opus-5-5', usage)).toBeCloseTo((1_000 * 4 + 2_000 * 20 + 10_000 * 0.2 + 4_000 * 5) / 1e6, 10);
  expect(costUsd('claude-haiku-5-5', usage)).toBeCloseTo((1_000 * 0.1 + 2_000 * 0.5 + 10_000 * 0.01 + 4_000 * 0.125) / 1e6, 10);
  expect(costUsd('claude-haiku-5-5', { ...usage, cacheReadTokens: 100_000 })).toBeCloseTo((1_000 * 0.5 + 2_000 * 2.5 + 100_000 * 0.05 + 4_000 * 0.625) / 1e6, 10);
  expect(costUsd('claude-haiku-4-5-20251001', { inputTokens: 0, outputTokens: 0 })).toBe(0);
});

verifies('model:cost:unknown', () => {
  expect([costUsd('qwen3', { inputTokens: 1, outputTokens: 1 }), costUsd('claude-opus-9-9', { inputTokens: 1, outputTokens: 1 }), costUsd('claude-opus-5', {}), costUsd('claude-opus-5', { inputTokens: 1 }), costUsd('vendor/claude-opus-5', { inputTokens: 1, outputTokens: 1 })]).toEqual([null, null, null, null, null]);
});
