import { didYouMean } from '../base/nearest';
import type { Skill } from './skill';

export type SkillFinding =
  /** `variants`: nested skills of the same plain name (`apps/web:deploy`), to be named to the model. */
  | { readonly kind: 'found'; readonly skill: Skill; readonly variants: readonly string[] }
  | { readonly kind: 'unknown'; readonly nearest: readonly string[] };

/** Finds what `/name` or a Skill call means: the exact name, then a free short name, then the only one that differs in case. */
export function findSkill(skills: readonly Skill[], typed: string): SkillFinding {
  const name = typed.trim().replace(/^\//, '');
  const folded = name.toLowerCase();
  const sameFolded = skills.filter((skill) => skill.qualified.toLowerCase() === folded);
  const skill =
    skills.find((candidate) => candidate.qualified === name) ??
    skills.find((candidate) => candidate.aliases.includes(name)) ??
    (sameFolded.length === 1 ? sameFolded[0] : undefined);
  if (!skill) return { kind: 'unknown', nearest: nearestNames(skills, name) };
  const variants = skills.filter((other) => other !== skill && other.source === 'project' && other.qualified.endsWith(`:${skill.qualified}`)).map((other) => other.qualified);
  return { kind: 'found', skill, variants };
}

function nearestNames(skills: readonly Skill[], name: string): readonly string[] {
  const close = didYouMean(name, skills.map((skill) => skill.qualified));
  if (close.length > 0) return close;
  return didYouMean(name, skills.map((skill) => skill.name)).flatMap((near) => skills.filter((skill) => skill.name === near).map((skill) => skill.qualified)).slice(0, 3);
}

/** `/a /b words`: the skills in front and the arguments for all of them. */
export interface StackedCall {
  readonly skills: readonly Skill[];
  readonly args: string;
  readonly variants: readonly string[];
}

const maxStacked = 6;

/**
 * Reads what a person typed. Skills stack until the first that forks, the sixth, or a word that is none; what a
 * person may not invoke is not found.
 * @returns `undefined` when the text does not begin with a skill
 */
export function parseSkillCall(typed: string, skills: readonly Skill[]): StackedCall | undefined {
  const invocable = skills.filter((skill) => skill.isUserInvocable);
  const found: Skill[] = [];
  const variants: string[] = [];
  let rest = typed.trimStart();
  while (found.length < maxStacked) {
    const match = /^\/(\S+)(?:\s+|$)/.exec(rest);
    const finding = match ? findSkill(invocable, match[1] ?? '') : undefined;
    if (!match || finding?.kind !== 'found') break;
    if (found.length > 0 && finding.skill.isForked) break;
    found.push(finding.skill);
    variants.push(...finding.variants);
    rest = rest.slice(match[0].length);
    if (finding.skill.isForked) break;
  }
  return found.length === 0 ? undefined : { skills: found, args: rest.trimEnd(), variants };
}
