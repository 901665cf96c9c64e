import { AgentRunner, type Draft } from '../agents/agentRunner';
import type { Incoming, TurnEnd } from '../agents/turnLoop';
import { mainAgentId, newId } from '../base/ids';
import { assertNever } from '../base/assertNever';
import { errorText } from '../base/errorText';
import type { RootBroker } from '../permissions/broker';
import { Grants } from '../permissions/grants';
import type { ModelRequest } from '../ports';
import type { ToolUseBlock } from '../protocol/content';
import type { DurableEvent, Notice } from '../protocol/events';
import type { PermissionDecision, PermissionMode } from '../protocol/permission';
import { emptyView } from '../protocol/reduceView';
import { EventLog } from '../session/eventLog';
import { History } from '../session/history';
import { acquireLease, type HeldLease, heartbeatMs } from '../session/leaseStore';
import type { SessionRecord } from '../session/sessionStore';
import { TranscriptStore } from '../session/transcriptStore';
import type { Tool, ToolContext, ToolEffect } from '../tools/defineTool';
import { FileState } from '../tools/fileState';
import { createToolRegistry, type ToolRegistry } from '../tools/registry';
import { runToolCalls } from '../tools/scheduler';
import { AskDesk } from './askDesk';
import { composeDraft } from './composeDraft';
import { SessionContext } from './sessionContext';
import type { SessionKit } from './sessionKit';
import { ToolEvents } from './toolEvents';

/** One session that this engine writes to: its log, its agent, its asks. */
export class LiveSession {
  readonly log: EventLog;
  readonly desk: AskDesk;
  private readonly store: TranscriptStore;
  private readonly lease: HeldLease;
  private readonly planFile: string;
  private readonly history: History;
  private readonly runner: AgentRunner;
  private readonly files = new FileState();
  private readonly context: SessionContext;
  private readonly broker: RootBroker;
  private readonly grants = new Grants();
  /** Calls whose ask was left open by a reload, and that ask's id. */
  private readonly leftAsks: ReadonlyMap<string, string>;
  private readonly beating: { dispose(): void };
  private readonly watching: { dispose(): void };
  private tools: ToolRegistry = createToolRegistry([]);
  private turnModel: string | undefined;
  private withheld: readonly string[] = [];
  private said: Incoming[] = [];
  private lastEnd: TurnEnd | undefined;

  private constructor(
    readonly sessionId: string,
    private readonly kit: SessionKit,
    opened: { readonly store: TranscriptStore; readonly lease: HeldLease; readonly events: readonly DurableEvent[] },
  ) {
    this.store = opened.store;
    this.planFile = kit.planFile(sessionId);
    this.lease = opened.lease;
    this.log = new EventLog(opened.store, kit.clock.nowMs, {
      view: emptyView(sessionId),
      events: opened.events,
      onListenerError: (thrown) => kit.log.error(`A listener of session ${sessionId} failed: ${String(thrown)}`),
    });
    this.history = new History(mainAgentId, opened.events);
    this.log.on((event) => {
      if ('seq' in event) this.history.add(event);
    });
    this.desk = new AskDesk({
      append: (event) => this.log.append(event),
      sync: () => this.log.sync(),
      pending: () => this.log.view.pendingAsks,
      onLeftoverAnswered: () => this.runner.resume(),
    });
    this.broker = kit.newBroker({
      grants: this.grants,
      policy: () => kit.policy({ cwd: this.cwd, mode: this.mode, planFile: this.planFile }),
      askUser: {
        requested: (request) => this.log.append({ type: 'permission/requested', request }),
        resolved: (resolution) => {
          this.log.append({ type: 'permission/resolved', ...resolution });
          this.log.sync();
        },
      },
    });
    const left = this.log.view.pendingAsks.filter((ask) => ask.kind === 'permission').map((ask) => ask.request);
    for (const request of left) this.broker.restore(request);
    this.leftAsks = new Map(left.map((request) => [request.callId, request.requestId]));
    this.context = new SessionContext(kit, { planFile: this.planFile, view: () => this.log.view, events: () => this.log.events });
    this.runner = this.newRunner();
    this.beating = kit.clock.every(heartbeatMs, () => this.attempt('keep its lease', () => this.lease.beat()));
    this.watching = kit.onPolicyChange(() => void this.broker.reevaluate());
  }

  /** Opens a session for writing. @returns undefined while another window writes to it @throws when its folder can't be written */
  static async open(kit: SessionKit, sessionId: string, start: { readonly events: readonly DurableEvent[]; readonly mode: PermissionMode }): Promise<LiveSession | undefined> {
    const dir = kit.sessions.folder(sessionId);
    let session: LiveSession | undefined;
    const store = TranscriptStore.open(dir, {
      onTrouble: (message) => session?.raise({ level: 'error', code: 'transcript', title: 'This session can’t be saved right now.', detail: `${message}. Work goes on and is kept in memory; free some space and it will be written.` }),
      onRecovered: () => kit.log.info(`Session ${sessionId} is being saved again.`),
    });
    const lease = acquireLease(dir, kit.leaseOwner);
    if (!lease) {
      store.close();
      return undefined;
    }
    session = new LiveSession(sessionId, kit, { store, lease, events: start.events });
    if (start.events.length === 0) session.begin(start.mode);
    else await session.recover();
    session.tools = createToolRegistry(await kit.newTools({
      desk: session.desk,
      agentPath: () => [mainAgentId],
      planFile: session.planFile,
      isSaid: (_agentId, text) => session?.context.isSaid(text) ?? false,
    }));
    return session;
  }

  get mode(): PermissionMode {
    return this.log.view.session.mode;
  }

  get cwd(): string {
    return this.log.view.session.cwd;
  }

  get isWorking(): boolean {
    return this.runner.isWorking;
  }

  get toolNames(): readonly string[] {
    return this.tools.tools.map((tool) => tool.name);
  }

  submit(draft: Draft, steer: boolean): string | undefined {
    if (!this.runner.isWorking) this.withheld = [];
    return this.runner.submit(draft, steer);
  }

  steerQueued(): void {
    this.runner.steerQueued();
  }

  unqueue(queueId: string): string | undefined {
    return this.runner.unqueue(queueId)?.text;
  }

  interrupt(): void {
    this.runner.interrupt();
  }

  resume(): void {
    this.runner.resume();
  }

  async settled(): Promise<TurnEnd | undefined> {
    return (await this.runner.settled()) ?? this.lastEnd;
  }

  setMode(mode: PermissionMode): void {
    if (mode === this.mode) return;
    this.log.append({ type: 'session/modeChanged', mode });
    void this.broker.reevaluate();
  }

  /** The first answer counts. An ask left over from before a reload lets its agent go on. @returns whether this one counted */
  async replyPermission(requestId: string, decision: PermissionDecision): Promise<boolean> {
    // Asked before: saving a rule takes time, in which the turn that was waiting may already have come to its end.
    const isLeftover = !this.runner.isWorking;
    const accepted = await this.broker.reply(requestId, decision);
    if (accepted && isLeftover) this.runner.resume();
    return accepted;
  }

  setModel(model: string): void {
    if (model !== this.log.view.session.model) this.log.append({ type: 'session/modelChanged', model });
  }

  raise(notice: Omit<Notice, 'noticeId'>): void {
    this.log.append({ type: 'notice/raised', notice: { noticeId: newId('notice'), ...notice } });
  }

  record(): SessionRecord {
    const { session, pendingAsks, costUsd, agents } = this.log.view;
    return {
      sessionId: this.sessionId,
      title: session.title,
      projectRoot: session.projectRoot,
      startedAtMs: session.startedAtMs,
      lastEventAtMs: session.lastEventAtMs,
      pendingAsks: pendingAsks.length,
      turnOpen: agents[mainAgentId]?.status === 'working' || agents[mainAgentId]?.status === 'waiting',
      costUsd,
    };
  }

  async close(): Promise<void> {
    this.beating.dispose();
    this.watching.dispose();
    this.saveRecord();
    // What still runs is left on record as it stands, so that whoever opens the session next finds its asks and can go on.
    this.store.freeze();
    this.runner.interrupt();
    await this.runner.settled();
    this.store.close();
    this.lease.release();
  }

  private saveRecord(): void {
    this.attempt('save what the list of sessions shows', () => this.kit.sessions.write(this.record()));
  }

  /** A full disk or a removed folder must not end the work: what is tried here is tried again later. */
  private attempt(what: string, work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.kit.log.warn(`Session ${this.sessionId} could not ${what}: ${errorText(thrown)}`);
    }
  }

  private begin(mode: PermissionMode): void {
    const { options, models, projectRoot } = this.kit;
    const model = options.model ?? models.defaultModel();
    this.log.append({ type: 'session/started', sessionId: this.sessionId, projectRoot, cwd: options.cwd, ...(model ? { model } : {}), mode, version: options.version });
  }

  /** What a crash or a closed window left open is told apart: calls that had begun are interrupted, asks wait on. */
  private async recover(): Promise<void> {
    const spawned = this.log.events.filter((event) => event.type === 'tool/spawned');
    await this.kit.sweep(spawned);
    const questions = new Set(this.log.view.pendingAsks.filter((ask) => ask.kind !== 'permission').map((ask) => ask.request.callId));
    for (const call of this.history.openCalls().started.filter((c) => !questions.has(c.id))) {
      this.log.append({ type: 'tool/completed', agentId: mainAgentId, turnId: '', callId: call.id, name: call.name, outcome: 'interrupted', content: 'The window was closed or crashed while this ran. It was not run again; check what it had done before repeating it.', durationMs: 0 });
    }
    const last = this.log.events.findLast((event) => event.type === 'turn/started' || event.type === 'turn/completed');
    if (this.mode === 'bypassPermissions') this.setMode('default');
    if (last?.type !== 'turn/started' || this.log.view.pendingAsks.length > 0) return;
    this.log.append({ type: 'turn/completed', agentId: mainAgentId, turnId: last.turnId, stop: 'interrupted', problem: { code: 'reload', message: 'The window was closed while this turn ran.', retryable: true }, usage: {}, costUsd: 0, durationMs: 0 });
  }

  private newRunner(): AgentRunner {
    return new AgentRunner({
      agentId: mainAgentId,
      nowMs: this.kit.clock.nowMs,
      append: (event) => this.log.append(event),
      live: (event) => this.log.live(event),
      request: () => this.request(),
      client: () => this.kit.models.client(),
      openCalls: () => this.resumableCalls(),
      runCalls: (calls, turn) => this.runCalls(calls, turn),
      maxReplies: this.kit.options.maxTurns,
      queue: () => this.log.view.queue.filter((queued) => queued.agentId === mainAgentId),
      compose: (draft, turn) => composeDraft(draft, { kit: this.kit, tools: this.tools.tools, planFile: this.planFile, context: this.toolContext('attach', turn.signal), apply: (effects) => this.apply(effects) }),
      context: () => this.context.messages(),
      takeSaid: () => this.takeSaid(),
      endsWithReply: () => this.history.endsWithReply,
      onProblem: (message, draft) => this.raise({ level: 'error', code: 'notSent', title: 'The message was not sent.', detail: draft && draft.text !== '' ? `${message}\n\nYour message: ${draft.text}` : message }),
      onTurnEnd: (end) => this.turnEnded(end),
    });
  }

  private request(): ModelRequest {
    const { options, models } = this.kit;
    return {
      model: this.turnModel ?? this.log.view.session.model ?? models.defaultModel() ?? '',
      system: this.context.system(),
      tools: this.tools.schemas(),
      messages: this.history.messages(),
      ...(options.effort === undefined ? {} : { effort: options.effort }),
    };
  }

  /** A call that only waited for an answer may be asked again; one that had begun may not. */
  private resumableCalls(): readonly ToolUseBlock[] {
    const { notStarted, started } = this.history.openCalls();
    const asked = new Set(this.log.view.pendingAsks.map((ask) => ask.request.callId));
    return [...notStarted, ...started.filter((call) => asked.has(call.id))];
  }

  private async runCalls(calls: readonly ToolUseBlock[], turn: { readonly turnId: string; readonly signal: AbortSignal }): Promise<void> {
    const finished = await runToolCalls({
      calls,
      tools: this.tools,
      broker: { ...this.broker, decide: (call) => this.broker.decide({ ...call, ...this.resumedAsk(call.callId) }) },
      context: (call) => this.toolContext(call.id, turn.signal),
      listener: new ToolEvents(this.log, { agentId: mainAgentId, turnId: turn.turnId }),
      withheld: (tool) => (isWithheld(this.withheld, tool) ? `${tool.name} is not available until the person’s next message: a skill that is active does without it.` : undefined),
      outputsDir: this.kit.outputsDir(this.sessionId),
      store: this.kit.files,
      clock: this.kit.clock,
      signal: turn.signal,
    });
    for (const call of finished) this.apply(call.effects);
  }

  private resumedAsk(callId: string): { readonly resume?: { readonly requestId: string } } {
    const requestId = this.leftAsks.get(callId);
    return requestId === undefined ? {} : { resume: { requestId } };
  }

  private toolContext(callId: string, signal: AbortSignal): ToolContext {
    return {
      sessionId: this.sessionId,
      agentId: mainAgentId,
      callId,
      cwd: this.cwd,
      projectRoot: this.kit.projectRoot,
      workingDirs: [this.kit.options.cwd, ...this.kit.options.addDirs],
      mode: this.mode,
      signal,
      files: this.files,
      output: () => undefined,
      spawned: () => undefined,
    };
  }

  private apply(effects: readonly ToolEffect[]): void {
    for (const effect of effects) this.applyOne(effect);
  }

  private applyOne(effect: ToolEffect): void {
    switch (effect.kind) {
      case 'cwd':
        if (effect.cwd !== this.cwd) this.log.append({ type: 'session/cwdChanged', cwd: effect.cwd });
        return;
      case 'say':
        this.said.push({ origin: effect.origin, content: [{ type: 'text', text: effect.text }], ...(effect.shown === undefined ? {} : { shown: effect.shown }) });
        return;
      case 'grant':
        return this.grants.addForTurn(mainAgentId, effect.rules, effect.anchorDir);
      case 'withhold':
        this.withheld = [...this.withheld, ...effect.tools];
        return;
      case 'mode':
        return this.setMode(effect.mode);
      case 'model':
        this.turnModel = effect.model;
        return;
      case 'touched':
        return this.context.touched(effect.paths);
      default:
        assertNever(effect);
    }
  }

  /** A background command has ended: told at the next step, or by a turn of its own when nothing runs. */
  taskEnded(notification: string): void {
    this.said.push({ origin: 'notification', content: [{ type: 'text', text: notification }], shown: '' });
    if (!this.runner.isWorking && this.kit.options.interactive) this.runner.resume();
  }

  private async takeSaid(): Promise<readonly Incoming[]> {
    const said = this.said;
    this.said = [];
    return [...said, ...(await this.context.takeReminders())];
  }

  private turnEnded(end: TurnEnd): void {
    this.grants.endTurn(mainAgentId);
    this.turnModel = undefined;
    this.lastEnd = end;
    this.log.sync();
    this.saveRecord();
  }
}

function isWithheld(names: readonly string[], tool: Tool): boolean {
  return names.some((name) => name === tool.name || tool.aliases.includes(name));
}
