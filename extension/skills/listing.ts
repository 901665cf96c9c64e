import type { Skill } from './skill';

/** What is known of earlier use, by qualified name. */
export type SkillUsage = ReadonlyMap<string, { readonly count: number; readonly lastUsedAtMs: number }>;

export type SkillOverride = 'on' | 'name-only' | 'user-invocable-only' | 'off';

export interface ListingOptions {
  readonly contextTokens: number | undefined;
  readonly usage: SkillUsage;
  /** Share of the context window, 0..1; 0.01 when absent. */
  readonly budgetFraction?: number;
  /** Beats the share (`SLASH_COMMAND_TOOL_CHAR_BUDGET`). */
  readonly budgetChars?: number;
  /** Most characters of one description; 1536 when absent. */
  readonly maxDescriptionChars?: number;
  /** By qualified name; plugins' skills have none. */
  readonly overrides?: Readonly<Record<string, SkillOverride>>;
  /** Skills with `paths` that a touched file has brought in, by qualified name. */
  readonly activated?: ReadonlySet<string>;
}

export interface SkillListingText {
  /** One line per skill, in order of names; '' when there is none. */
  readonly text: string;
  /** Names whose description had no room. */
  readonly withoutDescription: readonly string[];
  /** Names that had no room at all. */
  readonly leftOut: readonly string[];
}

const charsPerToken = 4;
const fallbackChars = 8_000;

interface Row {
  readonly name: string;
  readonly description: string;
  readonly count: number;
  readonly lastUsedAtMs: number;
}

/**
 * The skills a model may call, within the budget. Descriptions go first, the least used skill's first; where names
 * alone are too much, the least used go, and the last line says how many.
 */
export function listSkillsForModel(skills: readonly Skill[], options: ListingOptions): SkillListingText {
  const rows = skills.filter((skill) => isListed(skill, options)).map((skill) => rowOf(skill, options));
  const budget = budgetOf(options);
  const byUse = [...rows].sort((a, b) => a.count - b.count || a.lastUsedAtMs - b.lastUsedAtMs || (a.name < b.name ? 1 : -1));
  const bare = new Set<string>();
  let size = rows.reduce((sum, row) => sum + lineOf(row, false).length + 1, 0);
  for (const row of byUse) {
    if (size <= budget) break;
    if (row.description === '') continue;
    bare.add(row.name);
    size -= lineOf(row, false).length - lineOf(row, true).length;
  }
  const out = new Set<string>();
  for (const row of byUse) {
    if (size + (out.size > 0 ? lastLine(out.size).length + 1 : 0) <= budget) break;
    out.add(row.name);
    size -= lineOf(row, bare.has(row.name)).length + 1;
  }
  const lines = rows
    .filter((row) => !out.has(row.name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((row) => lineOf(row, bare.has(row.name)));
  if (out.size > 0) lines.push(lastLine(out.size));
  return { text: lines.join('\n'), withoutDescription: [...bare].filter((name) => !out.has(name)).sort(), leftOut: [...out].sort() };
}

function isListed(skill: Skill, { overrides, activated }: ListingOptions): boolean {
  const override = overrideOf(skill, overrides);
  if (!skill.isModelInvocable || override === 'off' || override === 'user-invocable-only') return false;
  return skill.paths === undefined || activated?.has(skill.qualified) === true;
}

export function overrideOf(skill: Skill, overrides: ListingOptions['overrides']): SkillOverride | undefined {
  return skill.plugin === undefined && overrides && Object.hasOwn(overrides, skill.qualified) ? overrides[skill.qualified] : undefined;
}

function budgetOf({ contextTokens, budgetChars, budgetFraction }: ListingOptions): number {
  if (budgetChars !== undefined) return budgetChars;
  return contextTokens === undefined ? fallbackChars : Math.floor(contextTokens * charsPerToken * (budgetFraction ?? 0.01));
}

function rowOf(skill: Skill, options: ListingOptions): Row {
  const used = options.usage.get(skill.qualified);
  const isNameOnly = overrideOf(skill, options.overrides) === 'name-only';
  return {
    name: skill.qualified,
    description: isNameOnly ? '' : listedDescription(skill, options.maxDescriptionChars ?? 1536),
    count: used?.count ?? 0,
    lastUsedAtMs: used?.lastUsedAtMs ?? 0,
  };
}

/** Description and `when_to_use` on one line, cut at `maxChars` and never inside a character. */
export function listedDescription(skill: Pick<Skill, 'description' | 'whenToUse'>, maxChars: number): string {
  const text = [skill.description, skill.whenToUse ?? ''].join(' ').replace(/\s+/g, ' ').trim();
  if (text.length <= maxChars) return text;
  const cut = text.slice(0, maxChars);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}

function lineOf(row: Row, isBare: boolean): string {
  return isBare || row.description === '' ? `- ${row.name}` : `- ${row.name}: ${row.description}`;
}

function lastLine(count: number): string {
  return `(${count} more ${count === 1 ? 'skill has' : 'skills have'} no room here; the Skill tool still runs ${count === 1 ? 'it' : 'them'} by name.)`;
}
