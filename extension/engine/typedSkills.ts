import type { Incoming } from '../agents/turnLoop';
import { err, ok, type Result } from '../base/result';
import { parseSkillCall } from '../skills/findSkill';
import type { Skill } from '../skills/skill';
import { type DraftDesk, effectsOf, renderForSession } from './renderForSession';
import { forkedCall } from './forkedSkill';

type Typed = { readonly text: string; readonly files: readonly string[] };

/** `beside` takes what hooks put in beside the text. What a person typed as `/name words`, with the skills stacked in front: `/a /b words`. @returns undefined: no skill has that name */
export async function runTypedSkills({ name, args, prompt }: { readonly name: string; readonly args: string; readonly prompt: string }, desk: DraftDesk, beside: Incoming[]): Promise<Result<Typed, string> | undefined> {
  const { skills } = desk.kit;
  await skills.ready();
  const named = skills.find(name);
  if (!named) return undefined;
  if (!named.isUserInvocable) return err('this skill is for the model only (user-invocable is false).');
  const call = parseSkillCall(`/${named.qualified} ${args}`, skills.report.loaded.filter((skill) => skills.find(skill.qualified) === skill));
  const stack = call ?? { skills: [named], args, variants: [] };
  const texts: string[] = [];
  const files: string[] = [];
  for (const skill of stack.skills) {
    const may = await desk.expanding?.({ name: skill.qualified, args: stack.args, source: skill.source, prompt });
    if (may && !may.ok) return may;
    beside.push(...(may?.value ?? []));
    const ran = skill.isForked && desk.runForked ? await fork(skill, stack.args, desk) : await inline(skill, stack.args, desk);
    if (!ran.ok) return ran;
    texts.push(ran.value.text);
    files.push(...ran.value.files);
  }
  if (stack.variants.length > 0) texts.push(`(Sub-folders have skills of this name too: ${stack.variants.join(', ')}.)`);
  return ok({ text: texts.join('\n\n'), files });
}

async function inline(skill: Skill, args: string, desk: DraftDesk): Promise<Result<Typed, string>> {
  const rendered = await renderForSession(skill, args, desk);
  if (!rendered.ok) return err(rendered.problem.message);
  desk.invoked(skill);
  const { text, attachments, allowedTools } = rendered.value;
  desk.apply(effectsOf(skill, allowedTools));
  if (desk.isSaid?.(text) === true) return ok({ text: `The text of /${skill.qualified} is already in this conversation, unchanged. Follow it again from there.`, files: attachments });
  return ok({ text, files: attachments });
}

/** The agent's report stands for the skill's text. In the background it comes later, as any agent's. */
async function fork(skill: Skill, args: string, desk: DraftDesk): Promise<Result<Typed, string>> {
  const rendered = await renderForSession(skill, args, desk);
  if (!rendered.ok) return err(rendered.problem.message);
  desk.invoked(skill);
  const done = await desk.runForked?.(forkedCall(skill, rendered.value.text, desk.kit.options.interactive), rendered.value.allowedTools);
  const words = typeof done?.content === 'string' ? done.content : (done?.content ?? []).map((block) => (block.type === 'text' ? block.text : '')).join('\n');
  if (done?.isError === true) return err(words);
  return ok({ text: `The person ran /${skill.qualified}${args === '' ? '' : ` ${args}`}; an agent of its own does it. Tell them in a sentence or two what came of it.\n\n${words}`, files: [] });
}

