import { type EffortLevel, effortLevels, type ModelFacts } from './modelTable';

export interface ThinkingFields {
  readonly thinking?: { readonly type: 'adaptive'; readonly display: 'summarized' } | { readonly type: 'enabled'; readonly budget_tokens: number };
  readonly output_config?: { readonly effort: EffortLevel };
}

/** Thinking tokens that stand for a level on models that take a budget; `low` there means no thinking. */
const levelBudget: Readonly<Record<EffortLevel, number>> = { low: 0, medium: 4_096, high: 16_384, xhigh: 32_768, max: 63_999 };
/** The API refuses smaller budgets. */
const leastBudget = 1_024;

/**
 * The thinking fields of a request. Adaptive models always get `display: summarized`: their default leaves thinking
 * (and on the newest ones the words between tool calls) empty, and a person watching would see nothing.
 */
export function thinkingFields(facts: ModelFacts, effort: string | number | undefined, maxTokens: number): ThinkingFields {
  const level = effort === undefined ? undefined : supportedLevel(facts, effort);
  if (facts.thinking === 'adaptive') {
    return { thinking: { type: 'adaptive', display: 'summarized' }, ...(level ? { output_config: { effort: level } } : {}) };
  }
  if (facts.thinking === 'none' || effort === undefined) return {};
  if (level !== undefined && typeof effort === 'string') return { output_config: { effort: level } };
  const budget = Math.min(wantedBudget(effort), maxTokens - leastBudget);
  return budget >= leastBudget ? { thinking: { type: 'enabled', budget_tokens: budget } } : {};
}

/** The highest level the model supports at or below the wished one; a number counts as the level nearest to it. */
export function supportedLevel(facts: ModelFacts, effort: string | number): EffortLevel | undefined {
  const wished = typeof effort === 'number' ? nearestLevel(effort) : effortLevels.find((level) => level === effort.toLowerCase());
  if (wished === undefined) return undefined;
  const below = effortLevels.slice(0, effortLevels.indexOf(wished) + 1).filter((level) => facts.effort.includes(level));
  return below.at(-1);
}

function nearestLevel(budget: number): EffortLevel {
  return effortLevels.reduce((best, level) => (Math.abs(levelBudget[level] - budget) < Math.abs(levelBudget[best] - budget) ? level : best), effortLevels[0]);
}

function wantedBudget(effort: string | number): number {
  if (typeof effort === 'number') return Math.floor(effort);
  const level = effortLevels.find((name) => name === effort.toLowerCase());
  return level ? levelBudget[level] : 0;
}
