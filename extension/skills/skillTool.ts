import * as z from 'zod';
import type { Problem } from '../base/problem';
import type { Result } from '../base/result';
import { defineTool, failure, text, type Tool, type ToolContext, type ToolEffect, type ToolResult } from '../tools/defineTool';
import { findSkill } from './findSkill';
import type { RenderedSkill } from './renderSkillRunner';
import type { Skill } from './skill';

/** What the Skill tool needs from the engine. */
export interface SkillToolPorts {
  readonly skills: () => readonly Skill[];
  readonly render: (skill: Skill, args: string, ctx: ToolContext) => Promise<Result<RenderedSkill, Problem>>;
  /** Runs a skill with `context: fork`; absent: its text is loaded like any other's. */
  readonly runForked?: (skill: Skill, rendered: RenderedSkill, ctx: ToolContext) => Promise<ToolResult>;
  /** Whether this very text is in the agent's conversation already. */
  readonly isLoaded: (agentId: string, text: string) => boolean;
  /** The texts of attached files, ready to be said. */
  readonly attach?: (paths: readonly string[], ctx: ToolContext) => Promise<readonly string[]>;
  /** Counts the use and registers the skill's hooks; only called once the skill has been rendered. */
  readonly invoked?: (skill: Skill, ctx: ToolContext) => void;
}

const SkillInput = z.object({
  skill: z.string().min(1).describe('Name from the list of skills, with its plugin where the list has one.'),
  args: z.string().optional().describe('Words for the skill, as a person would type them after its name.'),
});

/** The Skill tool. Its effects bring the text in as a message, the grants and the model for this turn. */
export function createSkillTool(ports: SkillToolPorts): Tool {
  return defineTool({
    name: 'Skill',
    description:
      'Load a skill: written instructions for one kind of task, listed in the conversation with what each is for. When a listed skill fits the task at hand, load it before you start, and then do what it says. ' +
      'Load only listed skills or ones the person names, and do not load one whose text is already in the conversation.',
    kind: 'skill',
    input: SkillInput,
    readOnly: false,
    title: (input) => (input.args ? `${input.skill} ${input.args}` : input.skill),
    describe: (input) => {
      const finding = findSkill(ports.skills(), input.skill);
      const skill = finding.kind === 'found' ? finding.skill : undefined;
      return { title: `use the skill ${skill?.qualified ?? input.skill}`, name: skill?.qualified ?? input.skill, risks: skill ? risksOf(skill) : [], readOnly: skill !== undefined && isFreeToUse(skill) };
    },
    check: async (input) => refusal(ports.skills(), input.skill),
    run: (input, ctx) => runSkill(ports, { name: input.skill, args: input.args ?? '' }, ctx),
  });
}

/** A trusted skill that is only text needs no asking: it grants, runs and switches nothing. */
export function isFreeToUse(skill: Skill): boolean {
  return skill.isTrusted && risksOf(skill).length === 0;
}

/** What using a skill changes beside its text, for the person who is asked. */
function risksOf(skill: Skill): string[] {
  const risks: string[] = [];
  if (!skill.isTrusted) risks.push('Comes from a folder that is not trusted');
  if (skill.hasShell) risks.push('Runs commands to make its text');
  if ((skill.allowedTools?.length ?? 0) > 0) risks.push(`Allows for this turn: ${skill.allowedTools?.join(', ')}`);
  if (skill.hooks !== undefined) risks.push('Brings hooks that run for the rest of the session');
  if (skill.model !== undefined && skill.model !== 'inherit') risks.push(`Switches to the model ${skill.model} for this turn`);
  return risks;
}

function refusal(skills: readonly Skill[], name: string): string | undefined {
  const finding = findSkill(skills, name);
  if (finding.kind === 'found') {
    return finding.skill.isModelInvocable ? undefined : `The skill ${finding.skill.qualified} is for the person only (disable-model-invocation). Ask them to run /${finding.skill.qualified} if it is needed.`;
  }
  const near = finding.nearest.length > 0 ? ` Did you mean ${finding.nearest.join(' or ')}?` : ' Use a name from the list of skills, or go on without one.';
  return `There is no skill "${name}".${near}`;
}

async function runSkill(ports: SkillToolPorts, call: { readonly name: string; readonly args: string }, ctx: ToolContext): Promise<ToolResult> {
  const refused = refusal(ports.skills(), call.name);
  if (refused !== undefined) return failure(refused);
  const finding = findSkill(ports.skills(), call.name);
  if (finding.kind !== 'found') return failure(`There is no skill "${call.name}".`);
  const { skill } = finding;
  const rendered = await ports.render(skill, call.args, ctx);
  if (!rendered.ok) return failure(`The skill ${skill.qualified} was not loaded: ${rendered.problem.message}. Go on without it, or tell the person what is in the way.`);
  ports.invoked?.(skill, ctx);
  if (skill.isForked && ports.runForked) return ports.runForked(skill, rendered.value, ctx);
  const effects = turnEffects(skill, rendered.value, ctx);
  if (ports.isLoaded(ctx.agentId, rendered.value.text)) {
    return text(`The same text of ${skill.qualified} is already in this conversation; follow it from there.`, { note: 'already loaded', effects });
  }
  const attached = (await ports.attach?.(rendered.value.attachments, ctx)) ?? [];
  return text(loadedNote(skill, finding.variants), { note: linesNote(rendered.value.text), effects: [...says(skill, call.args, [rendered.value.text, ...attached]), ...effects] });
}

/** Told with the text, because a skill names its files relative to its folder. */
export function loadedNote(skill: Skill, variants: readonly string[]): string {
  const folder = skill.kind === 'skill' && skill.source !== 'bundled' && skill.source !== 'mcp' ? ` Paths in it are relative to ${skill.dir}.` : '';
  const others = variants.length > 0 ? ` Sub-folders have their own: ${variants.join(', ')}.` : '';
  return `Loaded the skill ${skill.qualified}; its text follows.${folder}${others}`;
}

function says(skill: Skill, args: string, texts: readonly string[]): readonly ToolEffect[] {
  const [body = '', ...attached] = texts;
  return [
    { kind: 'say', origin: 'skill', text: body, shown: `/${skill.qualified}${args === '' ? '' : ` ${args}`}` },
    ...attached.map((file): ToolEffect => ({ kind: 'say', origin: 'context', text: file })),
  ];
}

function turnEffects(skill: Skill, rendered: RenderedSkill, ctx: ToolContext): readonly ToolEffect[] {
  const effects: ToolEffect[] = [];
  if (rendered.allowedTools.length > 0) effects.push({ kind: 'grant', rules: rendered.allowedTools, anchorDir: ctx.projectRoot });
  if (skill.disallowedTools && skill.disallowedTools.length > 0) effects.push({ kind: 'withhold', tools: skill.disallowedTools });
  if (skill.model !== undefined && skill.model !== 'inherit') effects.push({ kind: 'model', model: skill.model });
  if (skill.effort !== undefined) effects.push({ kind: 'effort', effort: skill.effort });
  return effects;
}

function linesNote(text: string): string {
  const count = text.split('\n').length;
  return count === 1 ? '1 line' : `${count} lines`;
}
