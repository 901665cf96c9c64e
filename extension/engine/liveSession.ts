import type { Draft } from '../agents/agentRunner';
import type { TurnEnd } from '../agents/turnLoop';
import { errorText } from '../base/errorText';
import { mainAgentId, newId } from '../base/ids';
import { demoModel } from '../model/modelResolution';
import type { RootBroker } from '../permissions/broker';
import { Grants } from '../permissions/grants';
import type { DurableEvent, Notice } from '../protocol/events';
import type { PermissionDecision, PermissionMode } from '../protocol/permission';
import { emptyView } from '../protocol/reduceView';
import { eventsInContext } from '../session/compaction';
import { EventLog } from '../session/eventLog';
import { acquireLease, type HeldLease, heartbeatMs } from '../session/leaseStore';
import type { SessionRecord } from '../session/sessionStore';
import { TranscriptStore } from '../session/transcriptStore';
import type { ToolShelf } from '../tools/toolShelf';
import type { AgentTree } from './agentTree';
import { AskDesk } from './askDesk';
import { HookDoor } from './hookDoor';
import { tellInstructions } from './instructionHooks';
import { nameBrokenAgents } from './brokenAgents';
import { modeOfHook, useSkill } from './ownHooks';
import { type AskingSession, askingSession } from './askingSession';
import { type AgentHome, type AgentSeat, LiveAgent } from './liveAgent';
import { lateShelf } from './lateShelf';
import { SessionContext } from './sessionContext';
import type { SessionKit } from './sessionKit';
import { nameBrokenSettings } from './settingsNotices';
import { TurnUndo } from './turnUndo';

/** How long a run without a person waits for agents in the background after its last turn. */
const awaitAgentsMs = 10 * 60_000;

/** One session that this engine writes to: its log, its agent, its asks. */
export class LiveSession {
  readonly log: EventLog;
  readonly desk: AskDesk;
  private readonly store: TranscriptStore;
  private readonly lease: HeldLease;
  readonly planFile: string;
  private readonly home: AgentHome;
  private readonly main: LiveAgent;
  readonly broker: RootBroker;
  readonly grants = new Grants();
  readonly undo: TurnUndo | undefined;
  readonly hooks: HookDoor;
  /** Asks that a reload left open, by agent and call. */
  private readonly leftAsks = new Map<string, string>();
  private isClosed = false;
  private readonly beating: { dispose(): void };
  private readonly watching: { dispose(): void };
  tools: ToolShelf;
  readonly asking: AskingSession = askingSession({ desk: () => this.desk, broker: () => this.broker, agentPath: (agentId) => this.agents?.pathOf(agentId) ?? [mainAgentId], model: () => this.modelNow() });
  /** Sub-agents, from the first one on. */
  private agents: AgentTree | undefined;
  private loadingAgents: Promise<AgentTree> | undefined;
  private lastEnd: TurnEnd | undefined;

  private constructor(
    readonly sessionId: string,
    readonly kit: SessionKit,
    opened: { readonly store: TranscriptStore; readonly lease: HeldLease; readonly events: readonly DurableEvent[] },
  ) {
    this.store = opened.store;
    this.planFile = kit.planFile(sessionId);
    this.tools = lateShelf([], kit, () => this.modelNow());
    this.lease = opened.lease;
    this.log = new EventLog(opened.store, kit.clock.nowMs, {
      view: emptyView(sessionId),
      events: opened.events,
      onListenerError: (thrown) => kit.log.error(`A listener of session ${sessionId} failed: ${String(thrown)}`),
    });
    // The first to listen: whoever is told later finds the conversation complete.
    this.log.on((event) => {
      if ('seq' in event && 'agentId' in event) this.agent(event.agentId)?.take(event);
    });
    this.desk = new AskDesk({
      append: (event) => this.log.append(event),
      sync: () => this.log.sync(),
      pending: () => this.log.view.pendingAsks,
      onLeftoverAnswered: (agentPath) => this.wake(agentPath),
    });
    this.broker = kit.newBroker({
      grants: this.grants,
      classify: async (call) => (await import('./classifyCall')).classifyCall(call, { models: kit.models, clock: kit.clock, log: this.log }),
      policy: () => kit.policy({ cwd: this.cwd, mode: this.mode, planFile: this.planFile, addedDirs: this.log.view.session.addedDirs ?? [] }),
      askUser: {
        requested: (request) => this.log.append({ type: 'permission/requested', request }),
        resolved: (resolution) => {
          this.log.append({ type: 'permission/resolved', ...resolution });
          this.log.sync();
        },
      },
    });
    this.hooks = this.newHookDoor();
    this.home = {
      sessionId,
      kit,
      log: this.log,
      grants: this.grants,
      planFile: this.planFile,
      leftAsk: (agentId, callId) => this.leftAsks.get(`${agentId} ${callId}`),
      goesOn: (agentId, callId) => this.agents?.goesOn(agentId, callId) ?? false,
      runAgent: async (call, ctx, grants) => (await this.tree()).run(call, ctx, grants),
      raise: (notice) => this.raise(notice),
      hooks: this.hooks,
      useSkill: (skill) => useSkill(skill, this.kit.skills, this.hooks),
    };
    const { snapshots } = kit;
    if (snapshots) this.undo = new TurnUndo({ sessionId, snapshots, log: this.log, isWorking: () => this.isWorking, remind: (text) => this.main.remind(text) });
    this.main = new LiveAgent(this.home, this.mainSeat());
    this.beating = kit.clock.every(heartbeatMs, () => this.attempt('keep its lease', () => this.lease.beat()));
    this.watching = kit.onPolicyChange(() => nameBrokenSettings(this).broker.reevaluate());
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
    await session.equip();
    if (start.events.length === 0) session.begin(start.mode, await kit.outputStyle());
    else await session.recover();
    nameBrokenSettings(session);
    session.hooks.start(start.events.length === 0 ? 'startup' : 'resume');
    return session;
  }

  get mode(): PermissionMode {
    return this.log.view.session.mode;
  }

  get cwd(): string {
    return this.log.view.session.cwd;
  }

  get isWorking(): boolean {
    return this.main.isWorking || (this.agents?.isWorking ?? false);
  }

  submit(draft: Draft, steer: boolean): string | undefined {
    this.grants.forgetRefusals();
    return this.main.submit(draft, steer);
  }

  steerQueued(): void {
    this.main.runner.steerQueued();
  }

  unqueue(queueId: string): string | undefined {
    const queued = this.log.view.queue.find((one) => one.queueId === queueId);
    return this.agent(queued?.agentId ?? mainAgentId)?.runner.unqueue(queueId)?.text;
  }

  /** The running turn of the main agent, and the agents that turn waits for. */
  interrupt(): void {
    this.main.runner.interrupt();
  }

  resume(): void {
    this.main.runner.resume();
  }

  /** The main agent and everything below it. */
  stopAll(): void {
    this.main.runner.interrupt();
    this.agents?.stopAll('the person stopped it');
  }

  /** The sub-agents, for what is said to one of them. */
  tree(): Promise<AgentTree> {
    this.loadingAgents ??= this.loadTree();
    return this.loadingAgents;
  }

  /** Without a person the agents in the background count, too: a script's run is over when they are. */
  async settled(): Promise<TurnEnd | undefined> {
    for (;;) {
      const end = (await this.main.runner.settled()) ?? this.lastEnd;
      const next = this.kit.options.interactive ? undefined : this.agents?.nextBackground(mainAgentId);
      if (!next) return end;
      if (end?.stop !== 'done' || (await this.tooLong(next))) this.agents?.stopAll('the run was over');
      await next;
    }
  }

  setMode(mode: PermissionMode): void {
    if (mode === this.mode) return;
    this.log.append({ type: 'session/modeChanged', mode });
    void this.broker.reevaluate();
  }

  /** The first answer counts. An ask left over from before a reload lets its agent go on. @returns whether this one counted */
  async replyPermission(requestId: string, decision: PermissionDecision): Promise<boolean> {
    const agentPath = this.broker.pending().find((ask) => ask.requestId === requestId)?.agentPath ?? [];
    // Asked before: saving a rule takes time, in which the turn that was waiting may already have come to its end.
    const isLeftover = this.isParked(agentPath);
    const accepted = await this.broker.reply(requestId, decision);
    if (accepted && isLeftover) this.wake(agentPath);
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
    for (const running of [this.beating, this.watching]) running.dispose();
    this.saveRecord();
    this.isClosed = true;
    // What still runs is left on record as it stands, so that whoever opens the session next finds its asks and can go
    // on. A window that reloads opens it while this one is still ending: the lease is free before what runs has stopped.
    this.store.freeze();
    this.store.close();
    this.lease.release();
    this.main.runner.interrupt();
    await Promise.all([this.hooks.close('other'), this.main.runner.settled(), this.agents?.close(), this.kit.tasks.stopOf({ sessionId: this.sessionId })]);
    await this.undo?.settled();
  }

  /** Nothing is told of a session that is closing: its asks wait on record for the next window. */
  saveRecord(): void {
    if (this.isClosed) return;
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

  private begin(mode: PermissionMode, { style, problem }: Awaited<ReturnType<SessionKit['outputStyle']>>): void {
    const { options, models, projectRoot } = this.kit;
    const wanted = options.model ?? models.defaultModel();
    // A conversation with the demo goes on with whatever model is set up next.
    const model = wanted === demoModel ? undefined : wanted;
    this.log.append({ type: 'session/started', sessionId: this.sessionId, projectRoot, cwd: options.cwd, ...(model ? { model } : {}), mode, version: options.version, ...(style ? { outputStyle: { name: style.name, keepsCoding: style.keepsCoding, prompt: style.prompt } } : {}) });
    if (problem !== undefined) this.raise({ level: 'warning', code: 'outputStyle', title: problem });
  }

  /** The main agent, or a sub-agent that this window has at hand. */
  async liveAgent(agentId: string): Promise<LiveAgent | undefined> {
    if (agentId !== mainAgentId && agentId in this.log.view.agents) await this.tree();
    return this.agent(agentId);
  }

  private agent(agentId: string): LiveAgent | undefined {
    return agentId === mainAgentId ? this.main : this.agents?.agent(agentId);
  }

  private async equip(): Promise<void> {
    await this.kit.mcp.house();
    const tools = await this.kit.newTools({
      desk: this.desk,
      agentPath: (ctx) => this.agents?.pathOf(ctx.agentId) ?? [mainAgentId],
      planFile: this.planFile,
      raise: this.home.raise,
      agents: { run: async (call, ctx, grants) => (await this.tree()).run(call, ctx, grants) },
      isSaid: (agentId, text) => this.isSaid(agentId, text),
      useSkill: (skill) => useSkill(skill, this.kit.skills, this.hooks),
      envFiles: () => this.hooks.envFiles(),
      shelf: (ctx) => this.agent(ctx.agentId)?.shelf,
    });
    this.tools = lateShelf(tools, this.kit, () => this.modelNow());
  }

  private async recover(): Promise<void> {
    const { recoverSession } = await import('./recoverSession');
    await this.kit.sweep(this.log.events.filter((event) => event.type === 'tool/spawned'));
    if (this.mode === 'bypassPermissions') this.setMode('default');
    await recoverSession({ log: this.log, nowMs: this.kit.clock.nowMs, main: this.main, tree: () => this.tree() });
    this.settleWorktrees();
    this.undo?.recover();
    for (const ask of this.log.view.pendingAsks) {
      if (ask.kind !== 'permission') continue;
      const { requestId, callId, agentPath } = ask.request;
      this.broker.restore(ask.request);
      this.leftAsks.set(`${agentPath.at(-1)} ${callId}`, requestId);
    }
  }

  /** Worktrees of agents that a reload cut off wait for review from now on. */
  private settleWorktrees(): void {
    const agents = Object.values(this.log.view.agents).filter((agent) => agent.worktree !== undefined);
    if (agents.length > 0) this.kit.worktrees?.settle?.({ sessionId: this.sessionId, working: agents.filter((agent) => this.agents?.has(agent.agentId)).map((agent) => agent.agentId) });
  }

  private async loadTree(): Promise<AgentTree> {
    const { AgentTree } = await import('./agentTree');
    this.agents = new AgentTree({ home: this.home, broker: this.broker, main: () => this.main, mode: () => this.mode, model: () => this.modelNow(), tools: () => this.tools.tools });
    return this.agents;
  }

  private newHookDoor(): HookDoor {
    return new HookDoor(this.kit.hooks, (own) => ({ home: this.home, folder: this.kit.sessions.folder(this.sessionId), agent: (agentId) => this.agent(agentId), broker: this.broker, own, setMode: (mode) => this.setMode(modeOfHook(mode, this.mode)) }));
  }

  /** The agent an ask came from does not run: a reload cut it off. */
  private isParked(agentPath: readonly string[]): boolean {
    const leaf = agentPath.at(-1) ?? mainAgentId;
    return leaf === mainAgentId ? !this.main.isWorking : (this.agents?.isParked(leaf) ?? false);
  }

  private wake(agentPath: readonly string[]): void {
    if (agentPath.length <= 1) this.main.runner.resume();
    else this.agents?.wake(agentPath);
  }

  private async tooLong(next: Promise<unknown>): Promise<boolean> {
    const over = new AbortController();
    const ended = next.then(() => 'ended');
    const first = await Promise.race([ended, this.kit.clock.sleep(awaitAgentsMs, over.signal)]);
    over.abort();
    return first !== 'ended';
  }

  private isSaid(agentId: string, text: string): boolean {
    return eventsInContext(this.log.events, agentId).some((event) => event.type === 'message/received' && event.content.some((block) => block.type === 'text' && block.text === text));
  }

  private modelNow(): string {
    return this.log.view.session.model ?? this.kit.models.defaultModel() ?? '';
  }

  private mainSeat(): AgentSeat {
    const { kit, undo } = this;
    const context = new SessionContext(kit, { loaded: tellInstructions(this.hooks, mainAgentId), agentId: mainAgentId, planFile: this.planFile, view: () => this.log.view, events: () => this.log.events.filter((event) => 'agentId' in event && event.agentId === mainAgentId) });
    return {
      agentId: mainAgentId,
      broker: this.broker,
      context,
      cwd: () => this.cwd,
      workingDirs: () => [kit.options.cwd, ...kit.options.addDirs, ...(this.log.view.session.addedDirs ?? [])],
      mode: () => this.mode,
      model: () => this.modelNow(),
      effort: kit.options.effort,
      maxReplies: kit.options.maxTurns,
      system: () => context.system(),
      tools: () => this.tools,
      // A script's run has nobody who would undo it.
      ...(kit.options.interactive && undo ? { beforeChange: (turn) => undo.before(turn), closing: () => undo.ended() } : {}),
      moveTo: (cwd) => {
        if (cwd !== this.cwd) this.log.append({ type: 'session/cwdChanged', cwd });
      },
      setMode: (mode) => this.setMode(mode),
      turnEnded: (end) => {
        this.lastEnd = end;
        this.log.sync();
        this.saveRecord();
        nameBrokenAgents(this.kit, this);
      },
    };
  }

  /** Something the main agent should know with its next step. */
  readonly remind = (text: string): void => this.main.remind(text);

  /** A background command has ended: told at the next step, or by a turn of its own when nothing runs. */
  taskEnded(agentId: string, notification: string): void {
    if (agentId !== mainAgentId) {
      this.agents?.notify(agentId, notification);
      return;
    }
    this.main.say({ origin: 'notification', content: [{ type: 'text', text: notification }], shown: '' });
    if (!this.main.isWorking && this.kit.options.interactive) this.main.runner.resume();
  }
}
