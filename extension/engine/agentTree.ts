import type { Draft } from '../agents/agentRunner';
import { agentNotification, type AgentEnd, type AgentResult, resultOf, summaryOf } from '../agents/agentReport';
import { agentName } from '../agents/agentRoster';
import { AgentSlots } from '../agents/agentSlots';
import type { AgentCall } from '../agents/agentTool';
import { runAgent } from '../agents/runAgent';
import type { WorktreeEnd } from '../agents/worktreePort';
import { errorText } from '../base/errorText';
import { mainAgentId, newAgentId } from '../base/ids';
import { inTurn } from '../base/inTurn';
import { err, ok, type Result } from '../base/result';
import type { PermissionBroker } from '../permissions/permissionTypes';
import type { PermissionMode } from '../protocol/permission';
import { failure, text, type Tool, type ToolContext, type ToolResult } from '../tools/defineTool';
import { agentLimits, planAgent, restorePlan, type AgentPlan } from './agentPlan';
import { isUnfinished, lastWordsOf, resultFromLog, toolUsesOf } from './agentRecord';
import { createAgentSeat } from './agentSeat';
import { agentTask } from './agentTask';
import { type Child, isOver, promised } from './childAgent';
import { type AgentHome, LiveAgent } from './liveAgent';

/** Doors of the session to its main agent, which every path begins with. */
export interface AgentTreePorts {
  readonly home: AgentHome;
  readonly broker: PermissionBroker;
  readonly main: () => LiveAgent;
  readonly mode: () => PermissionMode;
  readonly model: () => string;
  readonly tools: () => readonly Tool[];
}

/** The sub-agents of one session, whoever of them started which. */
export class AgentTree {
  private readonly children = new Map<string, Child>();
  private readonly slots: AgentSlots;
  /** Agents stand in the order of their calls, whatever disk each plan reads. */
  private readonly planning = inTurn();
  private isClosed = false;

  constructor(private readonly ports: AgentTreePorts) {
    this.slots = new AgentSlots(agentLimits(ports.home.kit.options.env).width);
  }

  get isWorking(): boolean {
    return this.all().some((child) => child.state === 'running' || child.state === 'ending');
  }

  /** The Agent tool: starts one, or waits for the one that this very call started before a reload. */
  async run(call: AgentCall, ctx: ToolContext, grants: readonly string[] = []): Promise<ToolResult> {
    const before = this.startedBy(ctx.agentId, ctx.callId);
    if (before) return this.wait(before, ctx);
    const { ports } = this;
    const parent = this.children.get(ctx.agentId);
    // Planned side by side, so that all read the disk once; taken in turn.
    const planned = planAgent(call, ctx, { home: ports.home, tools: ports.tools(), parent: parent?.plan, model: parent ? parent.plan.model : ports.model() });
    planned.catch(() => undefined);
    const plan = await this.planning(() => planned);
    if (!plan.ok) return failure(plan.problem);
    if (ctx.signal.aborted) return failure('The agent was not started: the turn was stopped.');
    plan.value.name = agentName(plan.value.name, this.namesTaken());
    const child = this.add(newAgentId(), plan.value);
    const opened = await this.announce(child);
    if (opened !== undefined) return failure(opened);
    if (grants.length > 0) ports.home.grants.addForTurn(child.agentId, grants, ports.home.kit.projectRoot);
    child.agent.say({ origin: 'agent', content: [{ type: 'text', text: `<brief>\n${call.prompt}\n</brief>` }], shown: call.prompt });
    if (!child.plan.background) return this.wait(child, ctx);
    return this.launch(child);
  }

  /** A call that started an agent which has not ended. */
  goesOn(agentId: string, callId: string): boolean {
    const child = this.startedBy(agentId, callId);
    return child !== undefined && !child.plan.background && child.state !== 'ended';
  }

  has(agentId: string): boolean {
    return this.children.has(agentId);
  }

  /** Told at its next step; an agent that has ended is not woken. */
  notify(agentId: string, notification: string): void {
    const child = this.children.get(agentId);
    if (!child || isOver(child)) return;
    child.agent.say({ origin: 'notification', content: [{ type: 'text', text: notification }], shown: '' });
    if (child.state === 'running') child.agent.runner.resume();
  }

  /** A person speaks to one agent; one that has ended goes on with what it knew. @returns the queue id; problem: why it can't be spoken to */
  async submit(agentId: string, draft: Draft, steer: boolean): Promise<Result<string | undefined, string>> {
    const child = await this.find(agentId);
    if (!child.ok) return child;
    const { agent, state } = child.value;
    if (state === 'ending') return err('This agent is just ending. Send it again in a moment.');
    const problem = state === 'ended' ? await this.revive(child.value) : undefined;
    if (problem !== undefined) return err(problem);
    const queueId = agent.submit(draft, steer);
    this.begin(child.value);
    return ok(queueId);
  }

  async steerQueued(agentId: string): Promise<void> {
    const child = await this.find(agentId);
    if (child.ok) child.value.agent.runner.steerQueued();
  }

  /** After an error, a stop or a reload: with what it knew. @returns problem: why it can't */
  async goOn(agentId: string): Promise<Result<void, string>> {
    const child = await this.find(agentId);
    if (!child.ok) return child;
    const problem = child.value.state === 'ended' ? await this.revive(child.value) : undefined;
    if (problem !== undefined) return err(problem);
    this.begin(child.value);
    return ok(undefined);
  }

  agent(agentId: string): LiveAgent | undefined {
    return this.children.get(agentId)?.agent;
  }

  /** Root first. */
  pathOf(agentId: string): readonly string[] {
    return this.children.get(agentId)?.broker.agentPath ?? [agentId];
  }

  /** It waits since a reload for an answer. */
  isParked(agentId: string): boolean {
    return this.children.get(agentId)?.state === 'ready';
  }

  /** Goes on with the agents of this path that wait since a reload, as far up as one waits for the next. */
  wake(agentPath: readonly string[]): void {
    for (const agentId of agentPath.slice(1).reverse()) {
      const child = this.children.get(agentId);
      if (!child) return;
      this.begin(child);
      if (child.plan.background) return;
      const main = this.ports.main();
      if (child.plan.parentId === mainAgentId && main.history.openCalls().started.some((call) => call.id === child.plan.callId)) main.runner.resume();
    }
  }

  /** Stops an agent and all below it. @returns false when it does not run */
  stop(agentId: string, why: string): boolean {
    const child = this.children.get(agentId);
    if (!child || isOver(child)) return false;
    child.abort.abort(why);
    for (const below of this.all()) if (below.plan.parentId === agentId) this.stop(below.agentId, 'the agent that started it was stopped');
    child.agent.runner.interrupt();
    this.begin(child); // one that waits since a reload has to end, too
    return true;
  }

  stopAll(why: string): void {
    for (const child of this.all()) this.stop(child.agentId, why);
  }

  /** Resolves when a background agent of this one ends; undefined when it has none. */
  nextBackground(agentId: string): Promise<unknown> | undefined {
    const running = this.all().filter((child) => child.plan.parentId === agentId && child.plan.background && child.state !== 'ended');
    return running.length === 0 ? undefined : Promise.race(running.map((child) => child.done));
  }

  /** Ends all; nothing of it is on record, so that whoever opens the session next finds them as they were. */
  async close(): Promise<void> {
    this.isClosed = true;
    const running = this.all().filter((child) => child.state === 'running' || child.state === 'ending');
    for (const child of running) {
      child.abort.abort('the window was closed');
      child.agent.runner.interrupt();
    }
    await Promise.all(running.map((child) => child.done));
  }

  /** Makes agents of the log anew, parents first, ready to go on. @returns those that can't be, with the reason */
  async restore(agentIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const failed = new Map<string, string>();
    for (const agentId of agentIds) {
      const problem = await this.rebuild(agentId);
      if (problem !== undefined) failed.set(agentId, problem);
    }
    return failed;
  }

  /** Those that can't go on after all. */
  forget(agentIds: readonly string[]): void {
    for (const agentId of agentIds) this.children.delete(agentId);
  }

  /** Tells who started them of agents that ended in the background while nobody could be told. */
  tellEnded(agentIds: readonly string[]): void {
    const { log } = this.ports.home;
    for (const agentId of agentIds) {
      const ended = resultFromLog(log, agentId);
      if (ended) this.tellParent(ended.parentId, agentNotification(ended.result), false);
    }
  }

  private all(): readonly Child[] {
    return [...this.children.values()];
  }

  private namesTaken(): ReadonlySet<string> {
    return new Set([...Object.values(this.ports.home.log.view.agents), ...this.all().map((child) => child.plan)].map(({ name }) => name));
  }

  private startedBy(agentId: string, callId: string): Child | undefined {
    return this.all().find((child) => child.plan.parentId === agentId && child.plan.callId === callId);
  }

  private add(agentId: string, plan: AgentPlan): Child {
    const { ports } = this;
    const parent = this.children.get(plan.parentId);
    const made = createAgentSeat({ agentId, plan, home: ports.home, parentBroker: parent?.broker ?? ports.broker, parentMode: parent?.mode ?? ports.mode, hasBackground: () => this.nextBackground(agentId) !== undefined });
    const child: Child = { agentId, plan, agent: new LiveAgent(ports.home, made.seat), broker: made.seat.broker, mode: made.seat.mode, abort: new AbortController(), state: 'ready', ...promised(), waitingFor: 0, isAwaited: false, startedAtMs: ports.home.kit.clock.nowMs() };
    this.children.set(agentId, child);
    return child;
  }

  /** Its worktree, then its event. @returns why it was not started */
  private async announce(child: Child): Promise<string | undefined> {
    const { home } = this.ports;
    const { plan, agentId } = child;
    const problem = await plan.openPlace(agentId);
    if (problem !== undefined) {
      this.children.delete(agentId);
      return problem;
    }
    const { parentId, callId, name, description, model, depth, background } = plan;
    home.log.append({ type: 'agent/spawned', agentId, parentId, callId, agentType: plan.definition.qualified, name, description, model, mode: child.mode(), depth, background, cwd: plan.place.cwd, ...(plan.place.worktree ? { worktree: plan.place.worktree.name } : {}) });
    return undefined;
  }

  private launch(child: Child): ToolResult {
    const { kit, sessionId } = this.ports.home;
    const { agentId, plan } = child;
    const outputFile = `${kit.outputsDir(sessionId)}/${agentId}.output`;
    kit.tasks.add(agentTask({ agentId, plan, sessionId, outputFile, done: child.done, stop: () => this.stop(agentId, 'it was stopped with TaskStop') }));
    this.begin(child);
    return text(`async_launched: the agent ${plan.name} (${agentId}, ${plan.definition.qualified}, ${plan.model}) works in the background on: ${plan.description}\nIts report will be in ${outputFile}. You are told when it is done; until then don't wait for it, don't guess what it found, and go on with something else or end your turn.`, { note: 'in background' });
  }

  private async wait(child: Child, ctx: ToolContext): Promise<ToolResult> {
    const parent = this.children.get(ctx.agentId);
    const onAbort = (): void => void this.stop(child.agentId, 'the agent that started it was stopped');
    ctx.signal.addEventListener('abort', onAbort, { once: true });
    if (ctx.signal.aborted) onAbort();
    child.isAwaited = true;
    if (parent && parent.waitingFor++ === 0) this.slots.release();
    try {
      // One that waits for an answer since a reload begins when it is answered.
      if (!this.waitsSinceReload(child)) this.begin(child);
      return resultOf(await child.done);
    } finally {
      ctx.signal.removeEventListener('abort', onAbort);
    }
  }

  private waitsSinceReload(child: Child): boolean {
    return child.state === 'ready' && child.plan.isRestored && !child.abort.signal.aborted;
  }

  private begin(child: Child): void {
    if (child.state !== 'ready') return;
    child.state = 'running';
    void this.live(child).catch((thrown: unknown) => this.end(child, { outcome: 'failed', report: '', why: errorText(thrown) }));
  }

  private async live(child: Child): Promise<void> {
    const { home } = this.ports;
    const { agentId, agent } = child;
    const { signal } = child.abort;
    let hasQueued = false;
    const hasPlace = await this.slots.take(signal, () => {
      hasQueued = true;
      home.log.append({ type: 'agent/statusChanged', agentId, status: 'queued', activity: `waits: ${this.slots.limit} agents work already` });
    });
    if (!hasPlace) {
      this.wakeParent(child);
      return this.end(child, { outcome: 'stopped', report: '', ...(typeof signal.reason === 'string' ? { why: signal.reason } : {}) });
    }
    if (hasQueued) home.log.append({ type: 'agent/statusChanged', agentId, status: 'working' });
    const end = await runAgent({
      go: () => agent.runner.resume(),
      settled: () => agent.runner.settled(),
      hasMore: () => agent.hasMore,
      nextBackground: () => this.nextBackground(agentId),
      lastWords: () => lastWordsOf(home.log, agentId),
      signal,
    }).finally(() => {
      this.wakeParent(child);
      this.slots.release();
    });
    return this.end(child, end);
  }

  /** The agent that waited for this one alone takes its place back before that of this one is given to whoever is next. */
  private wakeParent(child: Child): void {
    const parent = this.children.get(child.plan.parentId);
    if (parent && child.isAwaited && --parent.waitingFor === 0) this.slots.takeBack();
    child.isAwaited = false;
  }

  private async end(child: Child, end: AgentEnd): Promise<void> {
    if (isOver(child)) return;
    child.state = 'ending';
    const { home } = this.ports;
    const { agentId, plan } = child;
    await home.kit.tasks.stopOf({ sessionId: home.sessionId, agentId });
    home.grants.forget(agentId);
    const { worktree } = plan.place;
    const finished: WorktreeEnd = this.isClosed ? {} : await plan.place.finish();
    const view = home.log.view.agents[agentId];
    const result: AgentResult = {
      ...end,
      agentId,
      name: plan.name,
      agentType: plan.definition.qualified,
      usage: view?.usage ?? {},
      toolUses: toolUsesOf(home.log, agentId),
      durationMs: home.kit.clock.nowMs() - child.startedAtMs,
      ...(worktree && !finished.removed ? { worktree: { path: worktree.root, ...(worktree.branch === undefined ? {} : { branch: worktree.branch }) } } : {}),
      ...(finished.note === undefined ? {} : { worktreeNote: finished.note }),
    };
    home.log.append({ type: 'agent/finished', agentId, outcome: end.outcome, summary: summaryOf(end), usage: result.usage, costUsd: view?.costUsd ?? null, durationMs: result.durationMs });
    if (plan.background && !this.isClosed) await this.report(child, result);
    child.state = 'ended';
    child.finish(result);
  }

  private async report(child: Child, result: AgentResult): Promise<void> {
    const { kit, sessionId, raise } = this.ports.home;
    const dir = kit.outputsDir(sessionId);
    await kit.files.makeFolder(dir);
    const written = await kit.files.writeBytes(`${dir}/${child.agentId}.output`, Buffer.from(result.report, 'utf8'));
    if (!written.ok) raise({ level: 'warning', code: 'agentReport', title: `The report of ${child.plan.name} could not be written to a file.`, detail: written.problem.message });
    // Whoever stopped it knows: no turn is started for that, it is told with the next one.
    this.tellParent(child.plan.parentId, agentNotification(result), result.outcome !== 'stopped');
  }

  private tellParent(parentId: string, notification: string, wake: boolean): void {
    const parent = this.children.get(parentId);
    if (parent && !isOver(parent)) {
      this.notify(parentId, notification);
      return;
    }
    const main = this.ports.main();
    main.say({ origin: 'notification', content: [{ type: 'text', text: notification }], shown: '' });
    if (wake) main.runner.resume();
  }

  private async find(agentId: string): Promise<Result<Child, string>> {
    const problem = await this.rebuild(agentId);
    const child = this.children.get(agentId);
    return problem === undefined && child ? ok(child) : err(`This agent can’t go on: ${problem ?? 'it is unknown'}.`);
  }

  private async rebuild(agentId: string): Promise<string | undefined> {
    if (this.children.has(agentId)) return undefined;
    const { home } = this.ports;
    const plan = await restorePlan(agentId, { home, tools: this.ports.tools(), parent: (id) => this.children.get(id)?.plan });
    if (!plan.ok) return plan.problem;
    const child = this.add(agentId, plan.value);
    const view = home.log.view.agents[agentId];
    child.startedAtMs = view?.startedAtMs ?? child.startedAtMs;
    if (view && !isUnfinished(view)) child.state = 'ended';
    await child.agent.recall();
    return undefined;
  }

  private async revive(child: Child): Promise<string | undefined> {
    const problem = await child.plan.place.reenter?.();
    if (problem !== undefined) return `This agent can’t go on: ${problem}`;
    if (child.state !== 'ended') return undefined;
    Object.assign(child, promised());
    child.abort = new AbortController();
    child.startedAtMs = this.ports.home.kit.clock.nowMs();
    child.state = 'ready';
    return undefined;
  }
}
