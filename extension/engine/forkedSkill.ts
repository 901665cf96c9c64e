import type { AgentCall } from '../agents/agentTool';
import type { Skill } from '../skills/skill';

/**
 * A skill with `context: fork` as the call that starts its agent. Where a person is it goes to the background, unless
 * the skill says `background: false`; a script waits.
 */
export function forkedCall(skill: Skill, text: string, interactive: boolean): AgentCall {
  return {
    description: `/${skill.qualified}`,
    prompt: text,
    ...(skill.agent === undefined ? {} : { subagent_type: skill.agent }),
    ...(skill.model === undefined || skill.model === 'inherit' ? {} : { model: skill.model }),
    run_in_background: interactive && skill.background,
  };
}
