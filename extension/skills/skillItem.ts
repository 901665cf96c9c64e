import type { SkillListing } from '../protocol/methods';
import type { Skill } from './skill';

/** A skill as `troupe inspect skills --json` prints it. */
export function inspectSkill(skill: Skill): Readonly<Record<string, unknown>> {
  return {
    kind: skill.kind,
    name: skill.name,
    qualified: skill.qualified,
    label: skill.label,
    source: skill.source,
    plugin: skill.plugin,
    path: skill.path,
    description: skill.description,
    descriptionSource: skill.descriptionFrom,
    whenToUse: skill.whenToUse,
    argumentHint: skill.argumentHint,
    arguments: skill.arguments,
    allowedTools: skill.allowedTools,
    disallowedTools: skill.disallowedTools ?? undefined,
    model: skill.model,
    effort: skill.effort,
    context: skill.isForked ? 'fork' : undefined,
    agent: skill.agent,
    paths: skill.paths,
    userInvocable: skill.isUserInvocable,
    modelInvocable: skill.isModelInvocable,
    hides: skill.hides.length > 0 ? skill.hides : undefined,
  };
}

/** A row of the `/` menu and of "Run Skill…". */
export function listingOf(skill: Skill): SkillListing {
  const { name, qualified, label, kind, source, description, argumentHint, path } = skill;
  return { name, qualified, kind, source, description, path, ...(label === undefined ? {} : { label }), ...(argumentHint === undefined ? {} : { argumentHint }) };
}
