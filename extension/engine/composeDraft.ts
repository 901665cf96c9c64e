import type { Draft } from '../agents/agentRunner';
import { composeMessage } from '../agents/composeMessage';
import type { Incoming } from '../agents/turnLoop';
import type { Problem } from '../base/problem';
import { err, ok, type Result } from '../base/result';
import type { ResultBlock } from '../protocol/content';
import { type RenderedSkill, type RunSkillShell, renderSkill } from '../skills/renderSkillRunner';
import type { Skill } from '../skills/skill';
import type { Tool, ToolContext, ToolEffect } from '../tools/defineTool';
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
  readonly invoked: (skill: Skill) => void;
}

/** Reads a draft with this session's tools and rules: attached files go through Read, skills run under the permission rules. */
export async function composeDraft(draft: Draft, desk: DraftDesk): Promise<Result<readonly Incoming[], string>> {
  const beside: Incoming[] = [];
  const composed = await composeMessage(draft, {
    cwd: () => desk.context.cwd,
    readFile: (path) => readForAttachment(path, desk),
    isFile: (path) => desk.kit.isFile(path),
    runSkill: (name, args) => typedSkill({ name, args, prompt: draft.text }, desk, beside),
    nearestSkills: (name) => desk.kit.skills.nearest(name),
  });
  return composed.ok ? ok([...composed.value, ...beside]) : composed;
}

async function readForAttachment(path: string, desk: DraftDesk): Promise<Result<readonly ResultBlock[], string>> {
  const prepared = desk.tools.find((tool) => tool.name === 'Read')?.prepare({ file_path: path });
  if (!prepared?.ok) return err(prepared ? prepared.problem : 'There is no Read tool.');
  const denied = await deniedBy(prepared.value.describe(desk.context), desk);
  if (denied) return err(denied);
  const result = await prepared.value.run(desk.context);
  if (result.isError) return err(typeof result.content === 'string' ? result.content : 'The file could not be read.');
  return ok(typeof result.content === 'string' ? [{ type: 'text', text: result.content }] : result.content);
}

async function deniedBy(described: ReturnType<Extract<ReturnType<Tool['prepare']>, { ok: true }>['value']['describe']>, desk: RenderDesk): Promise<string | undefined> {
  const verdict = await desk.kit.judge(await described, { cwd: desk.context.cwd, mode: desk.context.mode, planFile: desk.planFile });
  return verdict.decision === 'deny' ? `Not attached: ${verdict.reason}` : undefined;
}

async function typedSkill(typed: { readonly name: string; readonly args: string; readonly prompt: string }, desk: DraftDesk, beside: Incoming[]): Promise<Result<{ readonly text: string; readonly files: readonly string[] }, string> | undefined> {
  await desk.kit.skills.ready();
  const { name, args, prompt } = typed;
  const skill = desk.kit.skills.find(name);
  if (!skill) return undefined;
  if (!skill.isUserInvocable) return err('this skill is for the model only (user-invocable is false).');
  const may = await desk.expanding?.({ name: skill.qualified, args, source: skill.source, prompt });
  if (may && !may.ok) return may;
  beside.push(...(may?.value ?? []));
  const rendered = await renderForSession(skill, args, desk);
  if (!rendered.ok) return err(rendered.problem.message);
  desk.invoked(skill);
  desk.apply(effectsOf(skill, rendered.value.allowedTools));
  return ok({ text: rendered.value.text, files: rendered.value.attachments });
}

/** Without `shell` the skill’s commands stay as they are written. */
export function renderForSession(skill: Skill, args: string, desk: RenderDesk, shell = true): Promise<Result<RenderedSkill, Problem>> {
  return renderSkill(skill, args, {
    sessionId: desk.context.sessionId,
    projectDir: desk.kit.projectRoot,
    cwd: desk.context.cwd,
    homeDir: desk.kit.options.homeDir,
    signal: desk.context.signal,
    ...(shell ? { runShell: skillShell(desk) } : {}),
    mayRead: async (path) => {
      const prepared = desk.tools.find((tool) => tool.name === 'Read')?.prepare({ file_path: path });
      return prepared?.ok === true && (await deniedBy(prepared.value.describe(desk.context), desk)) === undefined;
    },
  });
}

function effectsOf(skill: Skill, grants: readonly string[]): readonly ToolEffect[] {
  const effects: ToolEffect[] = [];
  if (grants.length > 0) effects.push({ kind: 'grant', rules: grants, anchorDir: skill.dir });
  if (skill.disallowedTools && skill.disallowedTools.length > 0) effects.push({ kind: 'withhold', tools: skill.disallowedTools });
  if (skill.model !== undefined && skill.model !== 'inherit') effects.push({ kind: 'model', model: skill.model });
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
