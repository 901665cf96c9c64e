import type { SkillListing } from '../protocol/methods';

const maxRecent = 10;

/** Recently used first, in that order; the rest by name. */
export function orderSkills(skills: readonly SkillListing[], recent: readonly string[]): { readonly recent: readonly SkillListing[]; readonly others: readonly SkillListing[] } {
  const used = recent.flatMap((qualified) => skills.filter((skill) => skill.qualified === qualified));
  const others = skills.filter((skill) => !used.includes(skill)).sort((a, b) => a.name.localeCompare(b.name) || a.qualified.localeCompare(b.qualified));
  return { recent: used, others };
}

export function withRecent(recent: readonly string[], qualified: string): readonly string[] {
  return [qualified, ...recent.filter((name) => name !== qualified)].slice(0, maxRecent);
}

/** By its qualified name, else by its own name or label while that is unique. A leading `/` is taken off. */
export function findSkill(skills: readonly SkillListing[], wanted: string): SkillListing | undefined {
  const name = wanted.replace(/^\//, '');
  const exact = skills.find((skill) => skill.qualified === name);
  if (exact) return exact;
  const named = skills.filter((skill) => skill.name === name || skill.label === name);
  return named.length === 1 ? named[0] : undefined;
}

/** What a keybinding hands over: `"args": {"skill": "name", "args": "…"}`. */
export function readSkillArgs(value: unknown): { readonly skill: string; readonly args: string | undefined } | { readonly problem: string } | undefined {
  if (value === undefined || value === null) return undefined;
  const problem = 'Troupe: the keybinding for troupe.runSkill needs "args": {"skill": "name"}, with an optional text under "args" inside it.';
  if (typeof value !== 'object' || !('skill' in value) || typeof value.skill !== 'string' || value.skill === '') return { problem };
  const args = 'args' in value ? value.args : undefined;
  if (args !== undefined && typeof args !== 'string') return { problem };
  return { skill: value.skill, args };
}
