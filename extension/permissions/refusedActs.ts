import type { PermissionExplanation, PermissionSubject } from '../protocol/permission';
import { fileTargets } from './commandPaths';
import type { SplitCommand } from './commandTypes';
import { LineFolders } from './lineFolders';
import { parseRule } from './parseRule';
import type { PermissionPolicy, PolicyRule, RuleBehavior } from './permissionTypes';
import { hostOf } from './policyIndex';
import { escapeGlob, rulePath } from './suggest';

export interface Refusal {
  readonly subject: PermissionSubject;
  readonly explanation: PermissionExplanation;
  readonly policy: PermissionPolicy;
  readonly split: SplitCommand;
  /** The person said what to do instead: further tries are put before them, not turned away. */
  readonly withWords: boolean;
}

/**
 * What a person's no covers besides the very call: the same act by any other tool or command. A refused edit is a rule
 * on its files, which commands that write them meet too; a refused command is a rule on its words and on what it writes.
 */
export async function refusedActs(refusal: Refusal): Promise<readonly PolicyRule[]> {
  const { subject, policy, withWords } = refusal;
  const behavior: RuleBehavior = withWords ? 'ask' : 'deny';
  const texts = subject.kind === 'command' ? await commandRules(refusal) : otherRules(refusal);
  const why = `the person refused ${subject.kind === 'command' ? `the command ${cut(subject.command ?? '')}` : `to ${subject.title}`} a moment ago`;
  return [...new Set(texts)].filter((text) => parseRule(text, behavior).ok).map((text) => ({ text, behavior, source: 'session', anchorDir: policy.projectRoot, why }));
}

function cut(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

function otherRules({ subject, policy }: Refusal): readonly string[] {
  const paths = (subject.paths ?? []).map((path) => `(/${escapeGlob(rulePath(path, { ...policy, cwd: subject.cwd }))})`);
  if (subject.kind === 'edit') return paths.map((path) => `Edit${path}`);
  if (subject.kind === 'read') return paths.map((path) => `Read${path}`);
  if (subject.kind === 'fetch' && subject.url !== undefined && hostOf(subject.url) !== '') return [`WebFetch(domain:${hostOf(subject.url)})`, `Bash(*${hostOf(subject.url)}*)`];
  return [];
}

/** Only the parts that were asked about: the others were fine. */
async function commandRules({ subject, explanation, policy, split }: Refusal): Promise<readonly string[]> {
  const command = subject.command ?? '';
  const family = subject.tool === 'PowerShell' ? 'PowerShell' : 'Bash';
  const parsed = await split(command);
  if (!parsed.ok) return [`${family}(${command})`];
  const isAsked = (text: string): boolean => explanation.parts === undefined || explanation.parts.some((part) => part.command === text && part.decision === 'ask');
  const folders = new LineFolders(subject.cwd, policy.homeDir, command);
  const rules: string[] = [];
  for (const part of parsed.parts) {
    if (isAsked(part.text)) {
      rules.push(`${family}(${part.text})`);
      for (const word of fileTargets(part.words).edits) if (!word.glob) rules.push(...(folders.resolve(word) ?? []).map((path) => editRule(path, policy)));
    }
    folders.enter(part);
  }
  for (const { target, writes } of parsed.redirects) {
    if (writes && !target.glob && isAsked(`> ${target.source}`)) rules.push(...(folders.resolve(target) ?? []).map((path) => editRule(path, policy)));
  }
  return rules;
}

function editRule(path: string, policy: PermissionPolicy): string {
  return `Edit(/${escapeGlob(rulePath(path, policy))})`;
}

/** Whether a command line names a file the person has refused to have changed: an interpreter could do it unseen. */
export function namesRefused(command: string, refusals: readonly PolicyRule[]): PolicyRule | undefined {
  return refusals.find(({ text }) => {
    const path = /^Edit\(\/(.*)\)$/s.exec(text)?.[1]?.replace(/\\(.)/g, '$1');
    const name = path?.slice(path.lastIndexOf('/') + 1);
    return name !== undefined && name.length > 1 && command.includes(name);
  });
}
