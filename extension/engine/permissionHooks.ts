import type { HookOutcome } from '../hooks/hookOutcome';
import type { PermissionDecision, PermissionRequest } from '../protocol/permission';
import { toolInput } from './toolHooks';

type Decision = NonNullable<HookOutcome['decision']>;
type Update = NonNullable<Decision['updatedPermissions']>[number];

const scopes = { session: 'session', localSettings: 'local', projectSettings: 'project', userSettings: 'user' } as const;

/** What a PermissionRequest hook reads: the call, and what "Always…" would save. */
export function requestInput({ subject, suggestions }: PermissionRequest): Readonly<Record<string, unknown>> {
  return {
    tool_name: subject.tool,
    tool_input: toolInput(subject.input, subject.cwd),
    permission_suggestions: suggestions.map(({ rules, scopes: [scope] }) => ({ type: 'addRules', behavior: 'allow', rules: rules.map(ruleParts), destination: scope === 'user' ? 'userSettings' : scope === 'project' ? 'projectSettings' : scope === 'local' ? 'localSettings' : 'session' })),
  };
}

/** A hook's decision as the answer of a dialog. Of its updates the allow rules of one place are saved, and the mode is set. */
export function answerOf(decision: Decision): { readonly answer: PermissionDecision; readonly mode?: string; readonly interrupts: boolean } {
  if (decision.behavior === 'deny') return { answer: { behavior: 'deny', ...(decision.message === undefined ? {} : { feedback: decision.message }) }, interrupts: decision.interrupt === true };
  const updates = decision.updatedPermissions ?? [];
  const adding = updates.find((update) => update.type === 'addRules' && update.behavior !== 'deny' && update.behavior !== 'ask' && (update.rules?.length ?? 0) > 0);
  const mode = updates.find((update) => update.type === 'setMode')?.mode;
  const input = decision.updatedInput ? { updatedInput: decision.updatedInput } : {};
  const answer: PermissionDecision = adding ? { behavior: 'allow', scope: scopes[adding.destination ?? 'session'], rules: (adding.rules ?? []).map(ruleText), ...input } : { behavior: 'allow', scope: 'once', ...input };
  return { answer, interrupts: false, ...(mode === undefined ? {} : { mode }) };
}

function ruleText({ toolName, ruleContent }: NonNullable<Update['rules']>[number]): string {
  return ruleContent === undefined || ruleContent === '' ? toolName : `${toolName}(${ruleContent})`;
}

function ruleParts(rule: string): { readonly toolName: string; readonly ruleContent?: string } {
  const match = /^([^()]+)\(([\s\S]*)\)$/.exec(rule);
  return match ? { toolName: match[1] ?? rule, ruleContent: match[2] ?? '' } : { toolName: rule };
}
