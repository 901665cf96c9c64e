import { mainAgentId } from '../base/ids';
import type { PolicyRule } from '../permissions/permissionTypes';
import { parseRule } from '../permissions/parseRule';
import type { ToolUseBlock } from '../protocol/content';
import type { DurableEvent } from '../protocol/events';
import type { Handlers, MethodResult } from '../protocol/methods';
import type { PermissionGrant, ReplayedCall } from '../protocol/permission';
import type { LiveSession } from './liveSession';
import type { Sessions } from './sessions';
import type { SettingsAccess } from './settingsAccess';

export interface GrantPorts {
  readonly sessions: Sessions;
  readonly settings: Pick<SettingsAccess, 'rules' | 'removeRule'>;
}

const mostReplayed = 500;
const writable: ReadonlySet<string> = new Set(['local', 'project', 'user']);

/** The calls of the Permissions page: what counts now, taking it back, and trying a rule on what has been. */
export function grantHandlers({ sessions, settings }: GrantPorts) {
  const listOf = (session: LiveSession): readonly PermissionGrant[] => [...session.grants.list(), ...settings.rules().map(grantOf)];
  return {
    'permission/grants': async ({ sessionId }) => ({ grants: [...listOf(sessions.get(sessionId))] }),
    'permission/revoke': async ({ sessionId, grantId }) => {
      const session = sessions.get(sessionId);
      const grant = listOf(session).find((one) => one.id === grantId);
      if (!grant) return { problem: 'This rule is gone already.' };
      if (!grant.revocable) return { problem: `This rule can’t be taken back here: it comes from ${grant.path ?? grant.scope}.` };
      if (grant.path === undefined) session.grants.revoke(grantId);
      else {
        const removed = await settings.removeRule({ file: grant.path, behavior: grant.behavior, text: grant.rule, worktreeOnly: grant.worktreeOnly === true });
        if (!removed.ok) return { problem: removed.problem };
      }
      session.log.append({ type: 'permission/revoked', grant });
      await session.broker.reevaluate();
      return {};
    },
    'permission/replay': async ({ sessionId, rule, behavior }) => {
      const parsed = parseRule(rule, behavior);
      if (!parsed.ok) return { total: 0, matched: 0, calls: [], problem: parsed.problem.message };
      const session = sessions.get(sessionId);
      return replay(session, { text: rule, behavior, source: 'session', anchorDir: session.cwd });
    },
  } satisfies Partial<Handlers>;
}

function grantOf(rule: PolicyRule): PermissionGrant {
  const { text, behavior, source, path, worktreeOnly } = rule;
  return {
    id: JSON.stringify([source, path ?? '', behavior, worktreeOnly === true, text]),
    scope: source,
    behavior,
    rule: text,
    revocable: path !== undefined && writable.has(source),
    ...(path === undefined ? {} : { path }),
    ...(worktreeOnly ? { worktreeOnly } : {}),
  };
}

/** Each past call is judged by this one rule alone. Only calls of tools the session still has are counted. */
async function replay(session: LiveSession, rule: PolicyRule): Promise<MethodResult<'permission/replay'>> {
  const calls: ReplayedCall[] = [];
  for (const { call, agentId, outcome } of pastCalls(session.log.events).slice(-mostReplayed)) {
    const judged = await judgeAlone(session, call, { agentId, rule });
    if (judged) calls.push({ callId: call.id, agentId, name: call.name, title: judged.title, matched: judged.matched, outcome });
  }
  return { total: calls.length, matched: calls.filter((call) => call.matched).length, calls };
}

/** What one rule, without any other, says to a call. @returns undefined when the call can't be read today */
async function judgeAlone(session: LiveSession, call: ToolUseBlock, by: { readonly agentId: string; readonly rule: PolicyRule }): Promise<{ readonly title: string; readonly matched: boolean } | undefined> {
  const prepared = session.tools.find(call.name)?.prepare(call.input);
  const agent = (await session.liveAgent(by.agentId)) ?? (await session.liveAgent(mainAgentId));
  if (!prepared?.ok || !agent) return undefined;
  const subject = await prepared.value.describe(agent.toolContext(call.id, new AbortController().signal)).catch(() => undefined);
  if (!subject) return undefined;
  const found = await session.kit.judgeBy(subject, [by.rule], { cwd: subject.cwd, mode: 'default', planFile: session.planFile });
  const named = found.rule === by.rule.text || found.parts?.some((part) => part.rule === by.rule.text) === true;
  return { title: prepared.value.title, matched: named && found.decision === by.rule.behavior };
}

function pastCalls(events: readonly DurableEvent[]) {
  const outcomes = new Map(events.flatMap((event) => (event.type === 'tool/completed' ? [[event.callId, event.outcome] as const] : [])));
  return events.flatMap((event) =>
    event.type === 'message/completed' ? event.content.flatMap((block) => (block.type === 'tool_use' ? [{ call: block, agentId: event.agentId ?? mainAgentId, outcome: outcomes.get(block.id) ?? 'open' }] : [])) : [],
  );
}
