import { expect } from 'vitest';
import { ok } from '../../../extension/base/result';
import { type BrokerPorts, createBroker } from '../../../extension/permissions/broker';
import { Grants } from '../../../extension/permissions/grants';
import type { PermissionBroker, PermissionOutcome, PermissionPolicy } from '../../../extension/permissions/permissionTypes';
import type { PermissionRequest } from '../../../extension/protocol/permission';
import { verifies } from '../../support/verifies';
import { evaluator, linkFacts, policy, rule, subject } from './permissionWorld';

/** A root broker with a scripted person: asks are noted, `asked(n)` waits for the n-th. */
function desk(rules: readonly string[] = [], more: Partial<PermissionPolicy> = {}, ports: Partial<BrokerPorts> = {}) {
  let current = policy(rules, more);
  const requests: PermissionRequest[] = [];
  const resolved: string[] = [];
  const saved: string[] = [];
  const waiting: (() => void)[] = [];
  const root = createBroker({
    agentId: 'main',
    policy: () => current,
    evaluator,
    facts: linkFacts(),
    askUser: {
      requested: (request) => {
        requests.push(request);
        for (const wake of waiting.splice(0)) wake();
      },
      resolved: ({ requestId, decision, by }) => resolved.push(`${requestId} ${decision.behavior} ${by}`),
    },
    saveRules: async (scope, texts, { worktreeOnly }) => {
      saved.push(`${scope} ${texts.join(', ')}${worktreeOnly ? ' worktree' : ''}`);
      current = { ...current, rules: [...current.rules, ...texts.map((t) => rule(`local allow ${t}`))] };
      return ok(undefined);
    },
    grants: new Grants(),
    clock: { nowMs: () => 1000 },
    log: { warn: () => undefined, error: () => undefined },
    ...ports,
  });
  const asked = async (count: number): Promise<PermissionRequest> => {
    while (requests.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
    return requests[count - 1] as PermissionRequest;
  };
  const setPolicy = (next: PermissionPolicy): void => {
    current = next;
  };
  return { root, requests, resolved, saved, asked, setPolicy, policyNow: () => current };
}

const never = new AbortController().signal;
const call = (broker: PermissionBroker, command: string, signal = never): Promise<PermissionOutcome> => broker.decide({ callId: `call ${command}`, subject: subject('Bash', command), signal });
const behaviors = async (outcomes: readonly Promise<PermissionOutcome>[]): Promise<readonly string[]> => (await Promise.all(outcomes)).map((o) => (o.behavior === 'cancelled' ? 'cancelled' : `${o.behavior} ${o.by}`));

verifies('permissions:bubble:queue', async () => {
  const { root, requests, resolved, asked } = desk();
  const a = root.derive({ agentId: 'agent-a', policy: () => policy([]) });
  const b = a.derive({ agentId: 'agent-b', policy: () => policy([]), worktree: 'wt' });
  const outcomes = [];
  for (const [i, broker] of [root, a, b, a].entries()) {
    outcomes.push(call(broker, `make ${i}`));
    await asked(i + 1);
  }
  expect(root.pending().map((r) => [r.agentPath.join('/'), r.subject.command, r.worktree])).toEqual([['main', 'make 0', undefined], ['main/agent-a', 'make 1', undefined], ['main/agent-a/agent-b', 'make 2', 'wt'], ['main/agent-a', 'make 3', undefined]]);
  const [r0, r1, r2, r3] = requests.map((r) => r.requestId) as [string, string, string, string];
  expect(await root.reply(r2, { behavior: 'allow', scope: 'once' })).toBe(true);
  expect(await root.reply(r2, { behavior: 'deny' })).toBe(false);
  for (const id of [r0, r1, r3]) await root.reply(id, { behavior: 'deny' });
  expect(await behaviors(outcomes)).toEqual(['deny person', 'deny person', 'allow person', 'deny person']);
  expect(resolved.length).toBe(4);
  expect(await root.reply('ask-unknown', { behavior: 'deny' })).toBe(false);
});

verifies('permissions:bubble:abort', async () => {
  const { root, requests, resolved, asked } = desk();
  const stop = new AbortController();
  const first = call(root, 'make a', stop.signal);
  await asked(1);
  const second = call(root, 'make b');
  await asked(2);
  stop.abort();
  expect(await first).toEqual({ behavior: 'cancelled' });
  expect(root.pending().map((r) => r.subject.command)).toEqual(['make b']);
  expect(await root.reply(requests[0]?.requestId ?? '', { behavior: 'allow', scope: 'once' })).toBe(false);
  await root.reply(requests[1]?.requestId ?? '', { behavior: 'allow', scope: 'once' });
  expect(await behaviors([second])).toEqual(['allow person']);
  expect(resolved.map((r) => r.split(' ').slice(1).join(' '))).toEqual(['cancelled abort', 'allow person']);
  expect(await call(root, 'make c', stop.signal)).toEqual({ behavior: 'cancelled' });
});

verifies('permissions:bubble:saved-rule', async () => {
  const { root, resolved, saved, asked, policyNow } = desk();
  const child = root.derive({ agentId: 'agent-a', policy: policyNow });
  const outcomes = [call(root, 'npm run a'), call(child, 'npm run a -- b'), call(child, 'npm run a && rm x'), call(root, 'make z')];
  await asked(4);
  const first = root.pending().find((r) => r.subject.command === 'npm run a') as PermissionRequest;
  const suggestion = first.suggestions[0];
  expect(suggestion?.rules).toEqual(['Bash(npm run a *)']);
  await root.reply(first.requestId, { behavior: 'allow', scope: 'local', rules: suggestion?.rules });
  expect(saved).toEqual(['local Bash(npm run a *)']);
  expect(root.pending().map((r) => r.subject.command)).toEqual(['npm run a && rm x', 'make z']);
  for (const r of root.pending()) await root.reply(r.requestId, { behavior: 'deny' });
  expect(await behaviors(outcomes)).toEqual(['allow person', 'allow rule', 'deny person', 'deny person']);
  expect(resolved.length).toBe(4);
});

verifies('permissions:bubble:deny-above', async () => {
  const { root, asked } = desk(['deny Bash(rm *)', 'ask Bash(git *)']);
  const child = root.derive({ agentId: 'agent-a', policy: () => policy(['allow Bash']) });
  const below = child.derive({ agentId: 'agent-b', policy: () => policy(['allow Bash'], { mode: 'dontAsk' }) });
  expect(await behaviors([call(child, 'rm x'), call(child, 'make x'), call(below, 'make x'), call(below, 'git push')])).toEqual(['deny rule', 'allow rule', 'allow rule', 'deny rule']);
  const git = call(child, 'git push');
  const request = await asked(1);
  expect(request.explanation.rule).toBe('Bash(git *)');
  expect(request.suggestions).toEqual([]);
  await root.reply(request.requestId, { behavior: 'allow', scope: 'once' });
  expect(await behaviors([git])).toEqual(['allow person']);
  // A child without an allow is not allowed by its parent's.
  const strict = desk(['allow Bash']);
  const own = strict.root.derive({ agentId: 'agent-c', policy: () => policy([]) });
  void call(own, 'make x');
  expect((await strict.asked(1)).agentPath).toEqual(['main', 'agent-c']);
});

verifies('permissions:bubble:grants', async () => {
  const grants = new Grants();
  const { root, asked } = desk([], {}, { grants });
  const a = root.derive({ agentId: 'agent-a', policy: () => policy([]) });
  const b = root.derive({ agentId: 'agent-b', policy: () => policy([]) });
  const first = call(a, 'make x');
  await root.reply((await asked(1)).requestId, { behavior: 'allow', scope: 'agent', rules: ['Bash(make *)'] });
  expect(await behaviors([first, call(a, 'make y')])).toEqual(['allow person', 'allow rule']);
  const other = call(b, 'make y');
  await root.reply((await asked(2)).requestId, { behavior: 'allow', scope: 'session', rules: ['Bash(make y)', 'mcp__*'] });
  expect(await behaviors([other, call(b, 'make y'), call(root, 'make y')])).toEqual(['allow person', 'allow rule', 'allow rule']);
  grants.forget('agent-a');
  void call(a, 'make z');
  expect((await asked(3)).subject.command).toBe('make z');
  grants.addForTurn('agent-b', ['Bash(make q)'], '/p');
  expect(await behaviors([call(b, 'make q')])).toEqual(['allow rule']);
  grants.endTurn('agent-b');
  void call(b, 'make q');
  expect((await asked(4)).subject.command).toBe('make q');
  const once = call(root, 'make w');
  await root.reply((await asked(5)).requestId, { behavior: 'allow', scope: 'once' });
  await once;
  void call(root, 'make w');
  expect((await asked(6)).subject.command).toBe('make w');
});

verifies('permissions:bubble:grants', async () => {
  const { root, saved, asked } = desk([], {}, { grants: new Grants() });
  const wt = { root: '/p/.claude/worktrees/w', mainRoot: '/p' };
  const child = root.derive({ agentId: 'agent-w', policy: () => policy([], { worktree: wt, cwd: wt.root, workingDirs: [wt.root] }), worktree: 'w' });
  for (const [i, inMainToo] of [undefined, true].entries()) {
    const outcome = call(child, `make ${i}`);
    await root.reply((await asked(i + 1)).requestId, { behavior: 'allow', scope: 'local', rules: [`Bash(make ${i})`], inMainToo });
    await outcome;
  }
  expect(saved).toEqual(['local Bash(make 0) worktree', 'local Bash(make 1)']);
}, { case: 'worktree' });

verifies('permissions:bubble:headless', async () => {
  const { root } = desk([], {}, { askUser: undefined });
  const outcome = await call(root, 'npm install left-pad');
  expect(outcome.behavior === 'deny' && outcome.explanation.reason).toBe("no rule allows it, and no one can answer; allow it with --allowedTools 'Bash(npm install *)'");
});

verifies('permissions:bubble:resume', async () => {
  const before = desk();
  void call(before.root, 'make a');
  const request = await before.asked(1);
  const later = desk();
  later.root.restore(request);
  expect(later.root.pending()).toEqual([request]);
  expect(await later.root.reply(request.requestId, { behavior: 'allow', scope: 'once' })).toBe(true);
  expect(await later.root.reply(request.requestId, { behavior: 'deny' })).toBe(false);
  const again = { callId: request.callId, subject: request.subject, signal: never, resume: { requestId: request.requestId } };
  expect(await behaviors([later.root.decide(again)])).toEqual(['allow person']);
  expect(later.requests).toEqual([]);
  const late = desk();
  late.root.restore(request);
  const waiting = late.root.decide(again);
  late.setPolicy(policy(['allow Bash(make *)']));
  await new Promise((resolve) => setImmediate(resolve));
  await late.root.reply(request.requestId, { behavior: 'deny', feedback: 'not now' });
  expect((await behaviors([waiting]))[0]).toMatch(/deny person|allow rule/);
  expect(late.requests).toEqual([]);
});

verifies('permissions:bubble:refusal', async () => {
  const { root, asked } = desk();
  const outcome = call(root, 'npm publish');
  await root.reply((await asked(1)).requestId, { behavior: 'deny', feedback: 'use the draft channel' });
  const refused = await outcome;
  const message = refused.behavior === 'deny' ? refused.message : '';
  expect(message).toContain('npm publish');
  expect(message).toContain('person');
  expect(message).toContain('use the draft channel');
  expect(message).toMatch(/another tool|by another/);
});

verifies('permissions:bubble:hook', async () => {
  const { root, asked } = desk(['ask Bash(git *)', 'allow Bash(make *)', 'deny Bash(rm *)']);
  const hooked = (command: string, behavior: 'allow' | 'ask') => root.decide({ callId: command, subject: subject('Bash', command), signal: never, hook: { behavior, reason: 'because' } });
  expect(await behaviors([hooked('tool x', 'allow'), hooked('rm x', 'allow')])).toEqual(['allow hook', 'deny rule']);
  void hooked('git push', 'allow');
  await asked(1);
  void hooked('make x', 'ask');
  expect((await asked(2)).explanation.reason).toContain('because');
});
