import { promises as fs } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Problem } from '../base/problem';
import { err, ok, type Result } from '../base/result';
import { fillSkill, grantedTools, type FillContext, type RenderedPart } from './render';
import type { Skill } from './skill';

/** How a command of a skill went. `allowed` is false for anything but a plain allow: a skill never asks. */
export interface SkillShellResult {
  readonly allowed: boolean;
  /** Why it was not allowed, for the person. */
  readonly reason?: string;
  readonly exitCode: number;
  /** stdout and stderr in order. */
  readonly output: string;
}

export type RunSkillShell = (command: string, options: { readonly shell: Skill['shell']; readonly grants: readonly string[]; readonly signal: AbortSignal }) => Promise<SkillShellResult>;

export interface RenderContext extends FillContext {
  readonly cwd: string;
  readonly homeDir: string;
  readonly signal: AbortSignal;
  /** Absent: commands stay as they are written and are not run (`--no-shell`). */
  readonly runShell?: RunSkillShell;
  /** `disableSkillShellExecution`: managed and bundled skills are exempt. */
  readonly isShellOff?: boolean;
  /** Deny rules for reads; all may be read when absent. */
  readonly mayRead?: (path: string) => Promise<boolean>;
}

export interface RenderedSkill {
  /** Exactly what enters the conversation. */
  readonly text: string;
  readonly parts: readonly RenderedPart[];
  /** Rules that count as allowed until the turn ends. */
  readonly allowedTools: readonly string[];
  /** Files written as `@path`, absolute, to be attached. */
  readonly attachments: readonly string[];
  readonly problems: readonly Problem[];
}

/** Output beyond this is cut, and it is said how much. */
const maxOutputChars = 30_000;

/**
 * Makes a skill's text for one call. Nothing is rendered when a command is not allowed or fails: half a skill would
 * mislead the model.
 * @returns problem `skill-shell-denied`, `skill-shell-failed` or `skill-untrusted`
 */
export async function renderSkill(skill: Skill, args: string, context: RenderContext): Promise<Result<RenderedSkill, Problem>> {
  const filled = fillSkill(skill, args, context);
  const grants = grantedTools(skill, context);
  const parts: RenderedPart[] = [];
  const problems: Problem[] = [];
  for (const part of filled.parts) {
    if ('why' in part) parts.push(part);
    else {
      const ran = await runCommand(skill, part, { ...context, grants });
      if (!ran.ok) return ran;
      parts.push(ran.value);
      if (context.runShell === undefined) problems.push({ severity: 'info', code: 'skill-shell-not-run', message: `not run: ${part.command}`, path: skill.path });
    }
  }
  if (!skill.isTrusted && (skill.allowedTools?.length ?? 0) > 0) {
    problems.push({ severity: 'warning', code: 'skill-untrusted', message: 'allowed-tools of this skill do not count: the folder is not trusted', path: skill.path });
  }
  return ok({ text: parts.map((part) => part.text).join(''), parts, allowedTools: grants, attachments: await existing(filled.mentions, context), problems });
}

async function runCommand(skill: Skill, part: { readonly command: string; readonly raw: string }, context: RenderContext & { readonly grants: readonly string[] }): Promise<Result<RenderedPart, Problem>> {
  const { command } = part;
  if (context.isShellOff && skill.source !== 'managed' && skill.source !== 'bundled') return ok({ text: '[shell command execution disabled by policy]', why: `not run: ${command}` });
  if (context.runShell === undefined) return ok({ text: part.raw, why: `not run: ${command}` });
  const problem = (code: string, message: string): Problem => ({ severity: 'error', code, message, path: skill.path });
  if (!skill.isTrusted) return err(problem('skill-untrusted', `"${command}" was not run: ${skill.source === 'mcp' ? 'skills of MCP servers never run commands' : 'the folder is not trusted'}`));
  const { allowed, reason, exitCode, output } = await context.runShell(command, { shell: skill.shell, grants: context.grants, signal: context.signal });
  if (!allowed) {
    return err(problem('skill-shell-denied', `"${command}" is not allowed${reason ? ` (${reason})` : ''}, so ${skill.qualified} was not loaded. Allow it in allowed-tools of the skill or by a rule`));
  }
  if (exitCode !== 0 && !(exitCode === 1 && mayFindNothing(command))) {
    return err(problem('skill-shell-failed', `"${command}" ended with exit code ${exitCode}, so ${skill.qualified} was not loaded: ${output.trim().slice(0, 500)}`));
  }
  return ok({ text: capped(output.replace(/\s+$/, '')), why: `output of ${command}` });
}

/** Exit code 1 of these says "no" or "nothing", not that something broke. */
export function mayFindNothing(command: string): boolean {
  const last = command.trim().split(/\|\||&&|[|;\n]/).at(-1)?.trim() ?? '';
  return /^(?:(?:grep|rg|egrep|fgrep|find|diff|test|\[)(?:\s|$)|git\s+(?:diff|grep)(?:\s|$))/.test(last);
}

function capped(output: string): string {
  return output.length <= maxOutputChars ? output : `${output.slice(0, maxOutputChars)}\n[${output.length - maxOutputChars} more characters were cut]`;
}

async function existing(mentions: readonly string[], context: RenderContext): Promise<readonly string[]> {
  const found: string[] = [];
  for (const mention of mentions) {
    const path = mention.startsWith('~/') ? join(context.homeDir, mention.slice(2)) : resolve(context.cwd, mention);
    const isFile = await fs.stat(path).then(
      (stat) => stat.isFile(),
      () => false,
    );
    if (isFile && (await (context.mayRead?.(path) ?? true)) && !found.includes(path)) found.push(path);
  }
  return found;
}
