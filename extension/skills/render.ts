import type { Skill } from './skill';
import { splitArguments } from './skillArguments';
import { parseTemplate, type TemplatePart } from './skillTemplate';

/** A piece of what enters the conversation, and what it came from: `text`, `$0`, `${CLAUDE_SKILL_DIR}`, a command … */
export interface RenderedPart {
  readonly text: string;
  readonly why: string;
}

/** A body with everything filled in but the output of its commands. */
export interface FilledSkill {
  readonly parts: readonly (RenderedPart | { readonly command: string; readonly raw: string })[];
  readonly mentions: readonly string[];
}

export interface FillContext {
  readonly sessionId: string;
  readonly projectDir: string;
  readonly effort?: string | number;
}

/** Puts arguments and variables into a body. What has no value stays as it is written; a named argument becomes empty. */
export function fillSkill(skill: Skill, args: string, context: FillContext): FilledSkill {
  const template = parseTemplate(skill.body.trim(), skill.arguments);
  const filler = new Filler(args, variablesOf(skill, context));
  const parts = template.parts.map((part) =>
    part.kind === 'shell' ? { command: part.command.map((piece) => filler.fill(piece).text).join(''), raw: part.raw } : filler.fill(part),
  );
  if (args.trim() !== '' && !filler.usedArguments) parts.push({ text: `\n\nARGUMENTS: ${args.trim()}`, why: 'arguments appended: no placeholder took them' });
  return { parts, mentions: template.mentions };
}

/** `${…}` that stand in bodies and in the rules of `allowed-tools`. */
export function variablesOf(skill: Skill, { sessionId, projectDir, effort }: FillContext): Readonly<Record<string, string>> {
  const effortNow = skill.effort ?? effort;
  return {
    CLAUDE_SESSION_ID: sessionId,
    CLAUDE_SKILL_DIR: skill.dir,
    CLAUDE_PROJECT_DIR: projectDir,
    ...(effortNow === undefined ? {} : { CLAUDE_EFFORT: String(effortNow) }),
    ...skill.variables,
  };
}

/** The tools a skill grants, with the folders its rules name. An untrusted repository's skill grants nothing. */
export function grantedTools(skill: Skill, context: FillContext): readonly string[] {
  if (!skill.isTrusted) return [];
  const variables = variablesOf(skill, context);
  return (skill.allowedTools ?? []).map((rule) => rule.replace(/\$\{([\w.]+)\}/g, (whole, name: string) => lookup(variables, name) ?? whole));
}

function lookup(variables: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(variables, name) ? variables[name] : undefined;
}

class Filler {
  private readonly words: readonly string[];
  /** An argument placeholder took a value; if none does, the arguments are appended. */
  usedArguments = false;

  constructor(
    private readonly args: string,
    private readonly variables: Readonly<Record<string, string>>,
  ) {
    this.words = splitArguments(args);
  }

  fill(part: Exclude<TemplatePart, { readonly kind: 'shell' }> | TemplatePart): RenderedPart {
    switch (part.kind) {
      case 'text':
        return { text: part.text, why: 'text' };
      case 'escape':
        return { text: part.text, why: `escaped ${part.text}` };
      case 'arguments':
        return this.took(this.args.trim() === '' ? undefined : this.args.trim(), part.raw, '');
      case 'position':
        return this.took(this.words[part.index], part.raw, part.raw);
      case 'named':
        return this.took(this.words[part.index], part.raw, '');
      case 'variable':
        return { text: lookup(this.variables, part.name) ?? part.raw, why: part.raw };
      case 'shell':
        return { text: part.raw, why: 'text' };
    }
  }

  private took(value: string | undefined, why: string, missing: string): RenderedPart {
    if (value !== undefined) this.usedArguments = true;
    return { text: value ?? missing, why: value === undefined ? `${why} without a value` : why };
  }
}
