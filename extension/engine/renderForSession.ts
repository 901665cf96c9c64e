import type { AgentCall } from '../agents/agentTool';
import type { Incoming } from '../agents/turnLoop';
import type { Problem } from '../base/problem';
import type { Result } from '../base/result';
import { type RenderedSkill, type RunSkillShell, renderSkill } from '../skills/renderSkillRunner';
import type { Skill } from '../skills/skill';
import type { Tool, ToolContext, ToolEffect, ToolResult } from '../tools/defineTool';
import type { SessionKit } from './sessionKit';

/** Where a skill is rendered: its commands run with these tools, in this place, under these rules. */
export interface RenderDesk {
  readonly kit: SessionKit;
  readonly tools: readonly Tool[];
  readonly context: ToolContext;
  readonly planFile: string;
}

export interface DraftDesk extends RenderDesk {
  /** Grants, model and withheld tools of a skill that was typed. */
  readonly apply: (effects: readonly ToolEffect[]) => void;
  /** Before a typed command becomes its text. @returns what goes in beside it; problem: why it may not */
  readonly expanding?: (command: { readonly name: string; readonly args: string; readonly source: string; readonly prompt: string }) => Promise<Result<readonly Incoming[], string>>;
  /** Counts the use and registers the skill's hooks. */
  readonly invoked: (skill: Skill) => void;
  /** This very text is in the conversation already. */
  readonly isSaid?: (text: string) => boolean;
  /** Starts the agent of a forked skill with what the skill grants, and waits for it unless it goes to the background. */
  readonly runForked?: (call: AgentCall, grants: readonly string[]) => Promise<ToolResult>;
}

/** @returns why the rules refuse a call; undefined where they don't */
export async function deniedBy(described: ReturnType<Extract<ReturnType<Tool['prepare']>, { ok: true }>['value']['describe']>, desk: RenderDesk): Promise<string | undefined> {
  const verdict = await desk.kit.judge(await described, { cwd: desk.context.cwd, mode: desk.context.mode, planFile: desk.planFile });
  return verdict.decision === 'deny' ? `Not attached: ${verdict.reason}` : undefined;
}

/** Without `shell` the skill’s commands stay as they are written. */
export function renderForSession(skill: Skill, args: string, desk: RenderDesk, shell = true): Promise<Result<RenderedSkill, Problem>> {
  return renderSkill(skill, args, {
    sessionId: desk.context.sessionId,
    projectDir: desk.kit.projectRoot,
    cwd: desk.context.cwd,
    homeDir: desk.kit.options.homeDir,
    signal: desk.context.signal,
    isShellOff: desk.kit.skills.isShellOff,
    ...(shell ? { runShell: skillShell(desk) } : {}),
    mayRead: async (path) => {
      const prepared = desk.tools.find((tool) => tool.name === 'Read')?.prepare({ file_path: path });
      return prepared?.ok === true && (await deniedBy(prepared.value.describe(desk.context), desk)) === undefined;
    },
  });
}

/** What a skill changes for the turn it was called in. */
export function effectsOf(skill: Skill, grants: readonly string[]): readonly ToolEffect[] {
  const effects: ToolEffect[] = [];
  if (grants.length > 0) effects.push({ kind: 'grant', rules: grants, anchorDir: skill.dir });
  if (skill.disallowedTools && skill.disallowedTools.length > 0) effects.push({ kind: 'withhold', tools: skill.disallowedTools });
  if (skill.model !== undefined && skill.model !== 'inherit') effects.push({ kind: 'model', model: skill.model });
  if (skill.effort !== undefined) effects.push({ kind: 'effort', effort: skill.effort });
  return effects;
}

/** Commands of a skill run through the Bash tool; only a plain allow of the rules lets them. */
function skillShell(desk: RenderDesk): RunSkillShell {
  return async (command, { grants }) => {
    const prepared = desk.tools.find((tool) => tool.name === 'Bash')?.prepare({ command });
    if (!prepared?.ok) return { allowed: false, reason: prepared ? prepared.problem : 'there is no Bash tool', exitCode: 1, output: '' };
    const verdict = await desk.kit.judge(await prepared.value.describe(desk.context), {
      cwd: desk.context.cwd,
      mode: desk.context.mode,
      planFile: desk.planFile,
      extraRules: grants.map((text) => ({ text, behavior: 'allow', source: 'skill', anchorDir: desk.kit.projectRoot })),
    });
    if (verdict.decision !== 'allow') return { allowed: false, reason: verdict.reason, exitCode: 1, output: '' };
    const result = await prepared.value.run(desk.context);
    const output = typeof result.content === 'string' ? result.content : '';
    return result.display?.kind === 'output'
      ? { allowed: true, exitCode: result.display.exitCode ?? (result.isError ? 1 : 0), output: result.display.text }
      : { allowed: true, exitCode: result.isError ? 1 : 0, output };
  };
}
