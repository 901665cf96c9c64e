import { expect } from 'vitest';
import { ok } from '../../../extension/base/result';
import { type BrokerPorts, createBroker } from '../../../extension/permissions/broker';
import { Grants } from '../../../extension/permissions/grants';
import type { PermissionOutcome } from '../../../extension/permissions/permissionTypes';
import type { PermissionDecision, PermissionMode, PermissionRequest } from '../../../extension/protocol/permission';
import { verifies } from '../../support/verifies';
import { evaluator, linkFacts, policy, subject } from './permissionWorld';

/** A broker whose person answers every ask as told, and whose rules allow all else. */
function room(rules: readonly string[], answer: PermissionDecision, more: { readonly mode?: PermissionMode; readonly classify?: BrokerPorts['classify']; readonly alone?: boolean } = {}) {
  const grants = new Grants();
  const asked: PermissionRequest[] = [];
  const root = createBroker({
    agentId: 'main',
    policy: () => ({ ...now, mode: more.mode ?? 'default' }),
    evaluator,
    facts: linkFacts(),
    ...(more.alone ? {} : { askUser: { requested: (request) => { asked.push(request); queueMicrotask(() => void root.reply(request.requestId, answer)); }, resolved: () => undefined } }),
    ...(more.classify ? { classify: more.classify } : {}),
    saveRules: async () => ok(undefined),
    grants,
    clock: { nowMs: () => 1 },
    log: { warn: () => undefined, error: () => undefined },
  });
  const now = policy(rules);
  const signal = new AbortController().signal;
  const call = async (tool: string, what: string): Promise<string> => {
    const outcome: PermissionOutcome = await root.decide({ callId: `${tool} ${what}`, subject: subject(tool, what), signal });
    return outcome.behavior === 'cancelled' ? 'cancelled' : `${outcome.behavior} ${outcome.by}`;
  };
  return { grants, asked, call };
}

const no: PermissionDecision = { behavior: 'deny' };

verifies('permissions:refusal:other-roads', async () => {
  const roads = ["sed -i s/a/b/ src/a.ts", 'echo x > src/a.ts', 'tee src/a.ts < b', 'cp b src/a.ts', 'rm src/a.ts', 'mv src/a.ts c', "bash -c 'echo x > src/a.ts'"];
  const { asked, call, grants } = room(['allow Bash'], no);
  expect(await call('Edit', '/p/src/a.ts')).toBe('deny person');
  for (const road of roads) expect([road, await call('Bash', road)]).toEqual([road, 'deny rule']);
  expect(await call('Write', '/p/src/a.ts')).toBe('deny rule');
  expect(await call('PowerShell', 'Set-Content src/a.ts x')).toBe('deny rule');
  // What only looks, and what is about another file, goes on.
  expect(await call('Bash', 'cat src/a.ts')).toBe('allow rule');
  expect(await call('Bash', 'echo x > src/b.ts')).toBe('allow rule');
  // An interpreter could do it unseen: the person sees it.
  expect(asked.length).toBe(1);
  expect(await call('Bash', `python3 -c "open('src/a.ts','w')"`)).toBe('deny person');
  expect(asked.at(-1)?.explanation).toMatchObject({ decision: 'ask', firm: true, reason: expect.stringContaining('names the same file') });
  grants.forgetRefusals();
  expect(await call('Bash', 'echo x > src/a.ts')).toBe('allow rule');
});

verifies('permissions:refusal:commands', async () => {
  const { call, asked } = room(['allow Edit', 'allow Bash(make *)'], no);
  expect(await call('Bash', 'make a && git push origin')).toBe('deny person');
  expect(await call('Bash', 'git push origin')).toBe('deny rule');
  expect(await call('Bash', 'timeout 5 git push origin')).toBe('deny rule');
  expect(await call('Bash', "sh -c 'git push origin'")).toBe('deny rule');
  expect(await call('Bash', 'make a')).toBe('allow rule');
  expect(asked.length).toBe(1);
  const worded = room(['allow Edit'], { behavior: 'deny', feedback: 'with tabs' });
  expect([await worded.call('Bash', 'rm x.txt'), await worded.call('Edit', '/p/x.txt')]).toEqual(['deny person', 'deny person']);
  expect(worded.asked.length).toBe(2);
});

verifies('permissions:auto', async () => {
  const seen: string[] = [];
  const says = (verdict: 'allow' | 'ask'): NonNullable<BrokerPorts['classify']> => async ({ subject: judged }) => {
    seen.push(judged.command ?? judged.tool);
    return { verdict, reason: 'so it seems' };
  };
  const rules = ['deny Bash(rm *)', 'ask Bash(git push *)', 'allow Bash(make *)'];
  const open = room(rules, no, { mode: 'auto', classify: says('allow') });
  expect(await open.call('Bash', 'npm test')).toBe('allow model');
  // Rules, protected files and what only a person may say stay what they are; what is allowed costs no question.
  expect([await open.call('Bash', 'rm a'), await open.call('Bash', 'git push x'), await open.call('Edit', '/p/.git/config'), await open.call('Bash', 'make a'), await open.call('AskUserQuestion', 'x')]).toEqual(['deny rule', 'deny person', 'deny person', 'allow rule', 'allow rule']);
  expect(seen).toEqual(['npm test']);
  const shut = room(rules, no, { mode: 'auto', classify: says('ask') });
  expect(await shut.call('Bash', 'npm test')).toBe('deny person');
  expect(shut.asked[0]?.explanation.reason).toContain('so it seems');
  const alone = room(rules, no, { mode: 'auto', classify: says('ask'), alone: true });
  expect(await alone.call('Bash', 'npm test')).toBe('deny rule');
  expect(await room(rules, no, { mode: 'default', classify: says('allow') }).call('Bash', 'npm test')).toBe('deny person');
});
