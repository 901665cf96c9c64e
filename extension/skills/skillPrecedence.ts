import type { Skill } from './skill';
import type { FoundSkill } from './skillFolderLoader';

/**
 * Of several files with one name the first found stays, and knows what it hides; of one real file found on several
 * ways only the first is kept. Skills come before commands, bundled ones last.
 * @param found from the strongest place to the weakest
 */
export function mergeSkills(found: readonly FoundSkill[]): readonly Skill[] {
  const seen = new Set<string>();
  const byName = new Map<string, Skill[]>();
  for (const { skill, realPath } of [...found].sort((a, b) => rank(a.skill) - rank(b.skill))) {
    if (seen.has(realPath)) continue;
    seen.add(realPath);
    const same = byName.get(skill.qualified);
    if (same) same.push(skill);
    else byName.set(skill.qualified, [skill]);
  }
  const winners: Skill[] = [];
  for (const [winner, ...hidden] of byName.values()) {
    if (winner) winners.push(hidden.length === 0 ? winner : { ...winner, hides: hidden.map((skill) => skill.path) });
  }
  return withAliases(winners);
}

/** `sort` is stable, so that places keep their order inside a rank. */
function rank(skill: Skill): number {
  if (skill.source === 'bundled') return 2;
  return skill.kind === 'command' ? 1 : 0;
}

/** `dir:cmd` also answers to `cmd`, `plugin:skill` to `skill`, as long as that name is free and means one thing. */
export function withAliases(skills: readonly Skill[]): readonly Skill[] {
  const taken = new Set(skills.map((skill) => skill.qualified));
  const claims = new Map<string, number>();
  for (const skill of skills) {
    const bare = bareName(skill);
    if (bare !== undefined) claims.set(bare, (claims.get(bare) ?? 0) + 1);
  }
  return skills.map((skill) => {
    const bare = bareName(skill);
    return bare !== undefined && !taken.has(bare) && claims.get(bare) === 1 ? { ...skill, aliases: [...new Set([...skill.aliases, bare])] } : skill;
  });
}

function bareName(skill: Skill): string | undefined {
  if (skill.source === 'bundled' || skill.source === 'mcp') return undefined;
  if (skill.plugin !== undefined) return skill.name;
  return skill.kind === 'command' && skill.name.includes(':') ? skill.name.slice(skill.name.lastIndexOf(':') + 1) : undefined;
}
