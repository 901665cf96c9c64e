import { errorText } from '../base/errorText';
import type { Result } from '../base/result';
import type { Clock, Log } from '../ports';
import type { PermissionDecision, PermissionExplanation, PermissionRequest, PermissionScope, PermissionSubject } from '../protocol/permission';
import { AskQueue, type AskUser, type Settled } from './askQueue';
import type { PermissionEvaluator } from './evaluate';
import { type Level, foldVerdict, policyOf } from './foldVerdict';
import type { Grants } from './grants';
import { parseRule } from './parseRule';
import type { PathFacts, PermissionBroker, PermissionOutcome, PermissionPolicy } from './permissionTypes';
import { namesRefused, refusedActs } from './refusedActs';
import { askedThroughSelf, denyMessage, nobodyCanAnswer } from './refusal';

export type SavedScope = Extract<PermissionScope, 'local' | 'project' | 'user'>;

export interface BrokerPorts {
  readonly agentId: string;
  /** Read anew at every decision, so that changed settings and modes count at once. */
  readonly policy: () => PermissionPolicy;
  readonly evaluator: Pick<PermissionEvaluator, 'evaluate' | 'advise' | 'splitCommand' | 'splitPowerShell'>;
  readonly facts: PathFacts;
  /** Absent when no person can answer: what would be asked is denied with the reason. */
  readonly askUser?: AskUser;
  /** Resolves once the rules stand in the file and `policy()` has them. `worktreeOnly`: they hold for agents in worktrees alone. */
  readonly saveRules: (scope: SavedScope, rules: readonly string[], options: { readonly worktreeOnly: boolean }) => Promise<Result<void, string>>;
  readonly grants: Grants;
  /** The mode auto: whether a call that a person would be asked about may pass. Never throws; what it can't tell is asked. */
  readonly classify?: Classify;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly log: Pick<Log, 'warn' | 'error'>;
}

export type Classify = (call: { readonly callId: string; readonly agentPath: readonly string[]; readonly subject: PermissionSubject; readonly reason: string; readonly signal: AbortSignal }) => Promise<{ readonly verdict: 'allow' | 'ask'; readonly reason: string }>;

export type AskedCall = Parameters<PermissionBroker['decide']>[0];

/** The root's broker: besides deciding it takes the answers for every agent below it. */
export interface RootBroker extends PermissionBroker {
  /** First reply wins. @returns false when the ask is answered, gone or unknown */
  readonly reply: (requestId: string, decision: PermissionDecision, by?: 'person' | 'hook') => Promise<boolean>;
  /** Open asks, oldest first. */
  readonly pending: () => readonly PermissionRequest[];
  /** An ask from the log after a reload: it can be answered at once, and its call picks it up with `resume`. */
  readonly restore: (request: PermissionRequest) => void;
  /** Settings, grants or a mode have changed: asks that have become needless are resolved. */
  readonly reevaluate: () => Promise<void>;
}

export function createBroker(ports: BrokerPorts): RootBroker {
  const queue = new AskQueue(ports.askUser);
  const shared: Shared = { ports, queue, rechecks: new Map(), arrivals: Promise.resolve() };
  return {
    ...broker(shared, [{ agentId: ports.agentId, policy: ports.policy }], undefined),
    pending: () => queue.pending(),
    restore: (request) => queue.restore(request),
    reevaluate: () => reevaluate(shared),
    reply: (requestId, decision, by = 'person') => reply(shared, { requestId, decision, by }),
  };
}

interface Shared {
  /** Settles when every call that came so far is either decided or in the queue: asks are shown as they came, however long each was looked at. */
  arrivals: Promise<unknown>;
  readonly ports: BrokerPorts;
  readonly queue: AskQueue;
  /** How to judge an open ask again, by its id. */
  readonly rechecks: Map<string, { readonly verdict: () => Promise<PermissionExplanation>; readonly level: Level }>;
}

function broker(shared: Shared, levels: readonly Level[], worktree: string | undefined): PermissionBroker {
  const agentPath = levels.map((level) => level.agentId);
  return {
    agentPath,
    decide: (call) => decideCall(shared, { call, levels, agentPath, worktree }),
    derive: (child) => broker(shared, [...levels, { agentId: child.agentId, policy: child.policy }], child.worktree ?? worktree),
  };
}

/** A hook's allow takes the place of an ask that no rule demands; its ask stands over every allow. */
function withHook(explanation: PermissionExplanation, hook: AskedCall['hook'], levels: readonly Level[]): PermissionExplanation {
  if (hook?.behavior === 'allow' && explanation.decision === 'ask' && explanation.rule === undefined) return { ...explanation, decision: 'allow', reason: `a hook allowed it: ${hook.reason}` };
  if (hook?.behavior !== 'ask' || explanation.decision !== 'allow') return explanation;
  const denies = levels.at(-1)?.policy().mode === 'dontAsk';
  return { decision: denies ? 'deny' : 'ask', reason: `a hook asks: ${hook.reason}${denies ? '; the mode dontAsk denies what would be asked' : ''}` };
}

interface Asking {
  readonly call: AskedCall;
  readonly levels: readonly Level[];
  readonly agentPath: readonly string[];
  readonly worktree: string | undefined;
}

async function decideCall(shared: Shared, asking: Asking): Promise<PermissionOutcome> {
  const earlier = shared.arrivals;
  let placed = (): void => undefined;
  const inQueue = new Promise<void>((resolve) => {
    placed = resolve;
  });
  shared.arrivals = Promise.all([earlier, inQueue]);
  try {
    return await decideInTurn(shared, { ...asking, earlier, placed });
  } finally {
    placed();
  }
}

async function decideInTurn(shared: Shared, asking: Arrived): Promise<PermissionOutcome> {
  const { ports } = shared;
  const { call, levels } = asking;
  if (call.signal.aborted) return { behavior: 'cancelled' };
  const verdict = (): Promise<PermissionExplanation> => foldVerdict({ levels, subject: call.subject, evaluate: ports.evaluator.evaluate, facts: ports.facts, grants: ports.grants });
  const explanation = withHook(await namedAgain(shared, asking, await verdict()), call.hook, levels);
  if (explanation.decision === 'deny') return refused(asking, explanation, 'rule');
  if (explanation.decision === 'allow') return { behavior: 'allow', updatedInput: undefined, explanation, by: call.hook?.behavior === 'allow' ? 'hook' : 'rule' };
  if (!ports.askUser && levels.at(-1)?.policy().mode !== 'auto') return refused(asking, { ...explanation, decision: 'deny', reason: nobodyCanAnswer(explanation, await suggestedRule(shared, asking, explanation)) }, 'rule');
  if (askedThroughSelf(call.subject, explanation)) return { behavior: 'allow', updatedInput: undefined, explanation: { decision: 'allow', reason: 'the tool itself asks the person' }, by: 'rule' };
  const mode = levels.at(-1)?.policy().mode;
  if (mode !== 'auto' || !ports.classify || explanation.firm || explanation.rule !== undefined || call.hook?.behavior === 'ask' || call.resume) return ask(shared, asking, { explanation, verdict });
  const classified = await ports.classify({ callId: call.callId, agentPath: asking.agentPath, subject: call.subject, reason: explanation.reason, signal: call.signal });
  if (call.signal.aborted) return { behavior: 'cancelled' };
  if (classified.verdict === 'allow') return { behavior: 'allow', updatedInput: undefined, explanation: { decision: 'allow', reason: `the mode auto let it pass: ${classified.reason}` }, by: 'model' };
  return ask(shared, asking, { explanation: { ...explanation, reason: `${explanation.reason}; the mode auto leaves it to you: ${classified.reason}` }, verdict });
}

/** A command that changes something and names a file whose change a person has just refused is put before them, whatever allows it. */
async function namedAgain(shared: Shared, { call, levels }: Asking, explanation: PermissionExplanation): Promise<PermissionExplanation> {
  const { grants, evaluator, facts } = shared.ports;
  const level = levels.at(-1);
  const { command } = call.subject;
  if (explanation.decision !== 'allow' || command === undefined || !level) return explanation;
  const refused = namesRefused(command, grants.refusals());
  if (!refused) return explanation;
  const looks = await evaluator.evaluate(call.subject, { ...level.policy(), rules: [], mode: 'plan' }, facts);
  if (looks.decision === 'allow') return explanation;
  const denies = level.policy().mode === 'dontAsk';
  return { decision: denies ? 'deny' : 'ask', reason: `${refused.why ?? 'the person refused that change'}, and this command names the same file`, firm: true };
}

interface Arrived extends Asking {
  readonly earlier: Promise<unknown>;
  /** To be called once the ask stands in the queue. */
  readonly placed: () => void;
}

async function ask(shared: Shared, asking: Arrived, found: { readonly explanation: PermissionExplanation; readonly verdict: () => Promise<PermissionExplanation> }): Promise<PermissionOutcome> {
  const { ports, queue } = shared;
  const { call, levels, agentPath } = asking;
  const level = levels.at(-1) ?? levels[0];
  if (!level) throw new Error('a broker has at least one agent');
  if (!ports.askUser) return refused(asking, { ...found.explanation, decision: 'deny', reason: nobodyCanAnswer(found.explanation, await suggestedRule(shared, asking, found.explanation)) }, 'rule');
  const policy = policyOf(level, ports.grants);
  const [advice] = await Promise.all([ports.evaluator.advise(call.subject, policy, found.explanation), asking.earlier]);
  if (call.signal.aborted) return { behavior: 'cancelled' };
  const risks = [...new Set([...(call.subject.risks ?? []), ...advice.risks])];
  const request: PermissionRequest = {
    requestId: call.resume?.requestId ?? queue.newRequestId(),
    callId: call.callId,
    agentPath: [...agentPath],
    ...(asking.worktree === undefined ? {} : { worktree: asking.worktree }),
    subject: { ...call.subject, ...(risks.length > 0 ? { risks } : {}) },
    suggestions: [...advice.suggestions],
    explanation: found.explanation,
    askedAtMs: ports.clock.nowMs(),
  };
  shared.rechecks.set(request.requestId, { verdict: found.verdict, level });
  const answer = queue.ask(request, call.signal);
  asking.placed();
  const settled = await answer;
  shared.rechecks.delete(request.requestId);
  if (settled.by === 'person' && settled.decision.behavior === 'deny') await remember(shared, { call, policy, explanation: found.explanation, feedback: settled.decision.feedback });
  return outcomeOf(shared, asking, settled, found.explanation);
}

/** A person's no covers the same act by another road, for every agent, until the person says something new. */
async function remember({ ports }: Shared, said: { readonly call: AskedCall; readonly policy: PermissionPolicy; readonly explanation: PermissionExplanation; readonly feedback: string | undefined }): Promise<void> {
  const { subject } = said.call;
  const split = subject.tool === 'PowerShell' ? ports.evaluator.splitPowerShell : ports.evaluator.splitCommand;
  ports.grants.refuse(await refusedActs({ subject, explanation: said.explanation, policy: said.policy, split, withWords: (said.feedback ?? '').trim() !== '' }));
}

function outcomeOf(shared: Shared, asking: Asking, settled: Settled, explanation: PermissionExplanation): PermissionOutcome {
  if (settled.by === 'abort') return { behavior: 'cancelled' };
  if (settled.explanation?.decision === 'deny') return refused(asking, settled.explanation, 'rule');
  const { decision, by } = settled;
  if (decision.behavior === 'deny') return refused(asking, { ...explanation, decision: 'deny', reason: by === 'hook' ? 'a hook refused it' : 'the person refused it' }, by, decision.feedback);
  if (settled.explanation) return { behavior: 'allow', updatedInput: undefined, explanation: settled.explanation, by: 'rule' };
  if (decision.updatedInput) shared.ports.log.warn(`the input of ${asking.call.subject.tool} was changed with the answer`);
  return { behavior: 'allow', updatedInput: decision.updatedInput, explanation: { ...explanation, decision: 'allow', reason: by === 'hook' ? 'a hook allowed it' : 'the person allowed it' }, by };
}

function refused(asking: Asking, explanation: PermissionExplanation, by: 'rule' | 'person' | 'hook', feedback?: string): PermissionOutcome {
  return { behavior: 'deny', message: denyMessage({ subject: asking.call.subject, explanation, by, feedback }), explanation, by };
}

async function suggestedRule(shared: Shared, asking: Asking, explanation: PermissionExplanation): Promise<readonly string[]> {
  const level = asking.levels.at(-1);
  if (!level) return [];
  const advice = await shared.ports.evaluator.advise(asking.call.subject, policyOf(level, shared.ports.grants), explanation);
  return advice.suggestions[0]?.rules ?? [];
}

interface Reply {
  readonly requestId: string;
  readonly decision: PermissionDecision;
  readonly by: 'person' | 'hook';
}

async function reply(shared: Shared, answer: Reply): Promise<boolean> {
  const request = shared.queue.request(answer.requestId);
  if (!request || !shared.queue.settle(answer.requestId, { decision: answer.decision, by: answer.by })) return false;
  if (answer.decision.behavior === 'allow' && answer.decision.scope !== 'once') {
    await grant(shared, request, answer.decision);
    await reevaluate(shared);
  }
  return true;
}

async function grant(shared: Shared, request: PermissionRequest, decision: Extract<PermissionDecision, { behavior: 'allow' }>): Promise<void> {
  const { ports } = shared;
  const { scope } = decision;
  const rules = (decision.rules ?? []).filter((text) => readable(ports, text));
  if (rules.length === 0 || scope === 'once') return;
  const worktreeOnly = request.worktree !== undefined && decision.inMainToo !== true;
  const memory = { agentId: request.agentPath.at(-1) ?? '', rules, anchorDir: ports.policy().projectRoot, worktreeOnly };
  if (scope === 'agent' || scope === 'session') return ports.grants.add(scope, memory);
  const saved = await ports.saveRules(scope, rules, { worktreeOnly }).catch((thrown: unknown): Result<void, string> => ({ ok: false, problem: errorText(thrown) }));
  if (saved.ok) return;
  ports.log.error(`the rule could not be saved (${saved.problem}); it holds until the session ends`);
  ports.grants.add('session', memory);
}

function readable(ports: BrokerPorts, text: string): boolean {
  const parsed = parseRule(text, 'allow');
  if (!parsed.ok) ports.log.warn(`${parsed.problem.message} It was not saved.`);
  return parsed.ok;
}

/** Oldest first; one at a time, so that what one save settles is settled once. */
async function reevaluate(shared: Shared): Promise<void> {
  for (const request of shared.queue.pending()) {
    const recheck = shared.rechecks.get(request.requestId);
    if (!recheck) continue;
    const explanation = await recheck.verdict();
    if (explanation.decision === 'ask') continue;
    const decision: PermissionDecision = explanation.decision === 'allow' ? { behavior: 'allow', scope: 'once' } : { behavior: 'deny', feedback: explanation.reason };
    shared.queue.settle(request.requestId, { decision, by: 'rule', explanation });
  }
}
