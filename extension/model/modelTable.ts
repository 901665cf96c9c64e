import type { ModelCapabilities } from '../ports';

/** Effort levels of the Messages API, weakest first. */
export const effortLevels = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
export type EffortLevel = (typeof effortLevels)[number];

export interface ModelFacts {
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  /** `adaptive` refuses a thinking budget; `budget` refuses `adaptive`; `none` is sent no thinking field at all. */
  readonly thinking: 'none' | 'budget' | 'adaptive';
  /** Empty: the model takes no `output_config.effort`. */
  readonly effort: readonly EffortLevel[];
  readonly images: boolean;
  readonly documents: boolean;
  /** Takes `defer_loading` on tools and `tool_reference` in results. */
  readonly defersTools: boolean;
}

const million = 1_000_000;
const all = effortLevels;
const withoutXhigh: readonly EffortLevel[] = ['low', 'medium', 'high', 'max'];
const threeLevels: readonly EffortLevel[] = ['low', 'medium', 'high'];

function claude(thinking: ModelFacts['thinking'], contextTokens: number, maxOutputTokens: number, effort: readonly EffortLevel[]): ModelFacts {
  return { thinking, contextTokens, maxOutputTokens, effort, images: true, documents: true, defersTools: true };
}

/**
 * What each model takes, by `line-major-minor`.
 * @see https://platform.claude.com/docs/en/about-claude/models/overview and /build-with-claude/effort
 */
const known: Readonly<Record<string, ModelFacts>> = {
  'fable-5-2': claude('adaptive', million, 128_000, all),
  'mythos-5-2': claude('adaptive', million, 128_000, all),
  'fable-5-1': claude('adaptive', million, 128_000, all),
  'mythos-5-1': claude('adaptive', million, 128_000, all),
  'fable-5': claude('adaptive', million, 128_000, all),
  'mythos-5': claude('adaptive', million, 128_000, all),
  'opus-5-5': claude('adaptive', million, 128_000, all),
  'opus-5': claude('adaptive', million, 128_000, all),
  'opus-4-8': claude('adaptive', million, 128_000, all),
  'opus-4-7': claude('adaptive', million, 128_000, all),
  'opus-4-6': claude('adaptive', million, 128_000, withoutXhigh),
  'opus-4-5': claude('budget', 200_000, 64_000, threeLevels),
  'opus-4-1': { ...claude('budget', 200_000, 32_000, []), defersTools: false },
  'opus-4': { ...claude('budget', 200_000, 32_000, []), defersTools: false },
  'sonnet-5-5': claude('adaptive', million, 128_000, all),
  'sonnet-5': claude('adaptive', million, 128_000, all),
  'sonnet-4-6': claude('adaptive', million, 64_000, withoutXhigh),
  'sonnet-4-5': claude('budget', 200_000, 64_000, []),
  'sonnet-4': { ...claude('budget', 200_000, 64_000, []), defersTools: false },
  'haiku-5-5': claude('adaptive', million, 128_000, all),
  'haiku-4-5': { ...claude('budget', 200_000, 64_000, []), defersTools: false },
};

/** A Claude model this table does not know yet: nothing is sent that a model could refuse. */
const unknownClaude: ModelFacts = { ...claude('none', 200_000, 32_000, []), defersTools: false };
const unknownModel: ModelFacts = { thinking: 'none', contextTokens: 128_000, maxOutputTokens: 8_192, effort: [], images: true, documents: false, defersTools: false };

const aliases: Readonly<Record<string, string>> = {
  fable: 'claude-fable-5-2',
  opus: 'claude-opus-5-5',
  sonnet: 'claude-sonnet-5-5',
  haiku: 'claude-haiku-5-5',
};
export const defaultClaudeModel = 'claude-sonnet-5-5';

/** `line-major[-minor]` of a Claude id in any provider's spelling, dates and prefixes ignored; undefined for anything else. */
export function claudeFamily(model: string): string | undefined {
  const match = /claude-(opus|sonnet|haiku|fable|mythos)-(\d)(?:[-.](\d{1,2}))?(?!\d)/.exec(model);
  if (!match) return undefined;
  return [match[1], match[2], match[3]].filter((part) => part !== undefined).join('-');
}

export function modelFacts(model: string): ModelFacts {
  const family = claudeFamily(model);
  if (family !== undefined && Object.hasOwn(known, family)) return known[family] ?? unknownClaude;
  return /claude/.test(model) ? unknownClaude : unknownModel;
}

/** What decides how late tools reach a model. */
export function shelfModel(model: string): Pick<ModelFacts, 'defersTools' | 'contextTokens'> {
  const { defersTools, contextTokens } = modelFacts(model);
  return { defersTools, contextTokens };
}

export function isModelAlias(model: string): boolean {
  return Object.hasOwn(aliases, model);
}

/**
 * The id to send for what a person or a file wrote. `inherit`, `default`, `demo` (a session that began with the demo and
 * goes on with a model) and nothing mean the default model; so does a
 * Claude alias on a server whose default is no Claude model, since it would only answer "unknown model".
 */
export function resolveModel(written: string | undefined, context: { readonly fallback: string; readonly env: Readonly<Record<string, string | undefined>> }): string {
  const name = (written ?? '').trim().replace(/\[1m\]$/i, '');
  const alias = name.toLowerCase();
  if (alias === '' || alias === 'inherit' || alias === 'default' || alias === 'demo') return context.fallback;
  if (!isModelAlias(alias)) return name;
  const override = context.env[`ANTHROPIC_DEFAULT_${alias.toUpperCase()}_MODEL`];
  if (override) return override;
  return /claude/.test(context.fallback) ? (aliases[alias] ?? name) : context.fallback;
}

/** `claude-opus-5-5` reads as "Claude Opus 5.5"; other ids stay as they are. */
export function modelLabel(model: string): string {
  const family = /^claude-/.test(model) ? claudeFamily(model) : undefined;
  if (family === undefined) return model;
  const [line = '', ...version] = family.split('-');
  return `Claude ${line.charAt(0).toUpperCase()}${line.slice(1)} ${version.join('.')}`;
}

/** What the Messages API gives every model, and what the table says of this one. */
export function apiCapabilities(model: string): ModelCapabilities {
  const { contextTokens, maxOutputTokens, images, documents, thinking } = modelFacts(model);
  return { contextTokens, maxOutputTokens, images, documents, thinking, systemRole: true, cacheControl: true, reportsUsage: true };
}
