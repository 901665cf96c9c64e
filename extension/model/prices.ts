import type { Usage } from '../protocol/content';
import { claudeFamily } from './modelTable';

/** US dollars per million tokens. */
interface Price {
  readonly input: number;
  readonly output: number;
  /** Times the input price. */
  readonly cacheRead: number;
  /** Prompts over `tokens` (cached ones counted) pay `times` on everything. */
  readonly longPrompt?: { readonly tokens: number; readonly times: number };
}

/** Times the input price, for the five-minute cache that requests ask for. */
const cacheWrite = 1.25;

/** @see https://platform.claude.com/docs/en/about-claude/pricing */
const prices: Readonly<Record<string, Price>> = {
  'fable-5-2': { input: 8, output: 40, cacheRead: 0.025 },
  'mythos-5-2': { input: 8, output: 40, cacheRead: 0.025 },
  'fable-5-1': { input: 10, output: 50, cacheRead: 0.025 },
  'mythos-5-1': { input: 10, output: 50, cacheRead: 0.025 },
  'fable-5': { input: 10, output: 50, cacheRead: 0.1 },
  'mythos-5': { input: 10, output: 50, cacheRead: 0.1 },
  'opus-5-5': { input: 4, output: 20, cacheRead: 0.05 },
  'opus-5': { input: 5, output: 25, cacheRead: 0.1 },
  'opus-4-8': { input: 5, output: 25, cacheRead: 0.1 },
  'opus-4-7': { input: 5, output: 25, cacheRead: 0.1 },
  'opus-4-6': { input: 5, output: 25, cacheRead: 0.1 },
  'opus-4-5': { input: 5, output: 25, cacheRead: 0.1 },
  'opus-4-1': { input: 15, output: 75, cacheRead: 0.1 },
  'opus-4': { input: 15, output: 75, cacheRead: 0.1 },
  'sonnet-5-5': { input: 2, output: 10, cacheRead: 0.05 },
  'sonnet-5': { input: 2, output: 10, cacheRead: 0.1 },
  'sonnet-4-6': { input: 3, output: 15, cacheRead: 0.1 },
  'sonnet-4-5': { input: 3, output: 15, cacheRead: 0.1 },
  'sonnet-4': { input: 3, output: 15, cacheRead: 0.1 },
  'haiku-5-5': { input: 0.1, output: 0.5, cacheRead: 0.1, longPrompt: { tokens: 100_000, times: 5 } },
  'haiku-4-5': { input: 1, output: 5, cacheRead: 0.1 },
};

/** What one request cost; null when the price or the tokens are not known, never 0 for "unknown". */
export function costUsd(model: string, usage: Usage): number | null {
  const family = /^claude-/.test(model) ? claudeFamily(model) : undefined;
  const price = family !== undefined && Object.hasOwn(prices, family) ? prices[family] : undefined;
  if (!price || usage.inputTokens === undefined || usage.outputTokens === undefined) return null;
  const read = usage.cacheReadTokens ?? 0;
  const written = usage.cacheWriteTokens ?? 0;
  const times = price.longPrompt && usage.inputTokens + read + written > price.longPrompt.tokens ? price.longPrompt.times : 1;
  const input = usage.inputTokens + read * price.cacheRead + written * cacheWrite;
  return (times * (input * price.input + usage.outputTokens * price.output)) / 1_000_000;
}
