import type { AgentDefinition } from '../agents/agentDefinition';
import { PermissionMode } from '../protocol/permissionMode';
import type { RawHooks } from '../settings/hookLayers';
import type { Hooks } from './hookMoment';
import type { Skill } from '../skills/skill';

/** A skill is in use: counted, and its hooks run from now to the end of the session, where what it brings may run. */
export function useSkill(skill: Skill, skills: { readonly used: (skill: Skill) => void }, hooks: Pick<Hooks, 'add'>): void {
  skills.used(skill);
  if (skill.hooks !== undefined && skill.isTrusted) hooks.add(skillHooks(skill));
}

function skillHooks(skill: Skill): RawHooks {
  const { CLAUDE_PLUGIN_ROOT: root, CLAUDE_PLUGIN_DATA: dataDir } = skill.variables;
  const plugin = skill.plugin !== undefined && root !== undefined ? { plugin: { name: skill.plugin, root, ...(dataDir === undefined ? {} : { dataDir }) } } : {};
  return { raw: skill.hooks, origin: { source: 'skill', name: skill.qualified, path: skill.path, keys: ['hooks'], ...plugin } };
}

/** Hooks of an agent's own file, for that one agent; undefined where it may bring none (spec 04.2, 17). */
export function agentHooks(definition: AgentDefinition, agentId: string): RawHooks | undefined {
  const { hooks, isTrusted, source, qualified, path } = definition;
  if (hooks === undefined || !isTrusted || source === 'plugin') return undefined;
  return { raw: hooks, origin: { source: 'agent', name: qualified, keys: ['hooks'], agentId, ...(path === undefined ? {} : { path }) } };
}

/** A hook may set any mode but the one that asks nothing. */
export function modeOfHook(written: string, now: PermissionMode): PermissionMode {
  const mode = PermissionMode.safeParse(written);
  return mode.success && mode.data !== 'bypassPermissions' ? mode.data : now;
}
