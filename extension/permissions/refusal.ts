import type { PermissionExplanation, PermissionSubject } from '../protocol/permission';
import { selfAskingTools } from './toolNames';

/** What the model reads of a refusal: by whom, why, and that another way to the same end is refused as well. */
export function denyMessage(refusal: { readonly subject: PermissionSubject; readonly explanation: PermissionExplanation; readonly by: 'rule' | 'person' | 'hook'; readonly feedback?: string }): string {
  const { subject, explanation, by, feedback } = refusal;
  const what = subject.command ?? subject.url ?? subject.paths?.[0] ?? subject.name ?? subject.title;
  const whose = { rule: `It was not allowed: ${explanation.reason}.`, person: 'The person was asked and refused.', hook: `A hook refused it: ${explanation.reason}.` }[by];
  const words = feedback !== undefined && feedback.trim() !== '' ? ` Their words: ${feedback.trim()}` : '';
  const next = by === 'person' && words !== '' ? 'Do what they say instead.' : 'Go on without it, or say what you need it for and stop.';
  return `${subject.tool} did not run (${what}). ${whose}${words}\nDo not try to reach the same by another tool, command or agent. ${next}`;
}

/** For runs without a person. */
export function nobodyCanAnswer(explanation: PermissionExplanation, rules: readonly string[]): string {
  const way = rules.length > 0 ? `; allow it with --allowedTools ${rules.map((r) => `'${r}'`).join(' ')}` : '';
  return `${explanation.reason}, and no one can answer${way}`;
}

/** Such a tool's call is itself the question; only a rule makes a second one. */
export function askedThroughSelf(subject: PermissionSubject, explanation: PermissionExplanation): boolean {
  return selfAskingTools.has(subject.tool) && explanation.rule === undefined;
}
