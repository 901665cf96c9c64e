import type { AgentCall } from '../agents/agentTool';
import { AgentRunner, type Draft, type RunnerPorts } from '../agents/agentRunner';
import type { Incoming, TurnEnd } from '../agents/turnLoop';
import { assertNever } from '../base/assertNever';
import { newId } from '../base/ids';
import type { Grants } from '../permissions/grants';
import type { PermissionBroker } from '../permissions/permissionTypes';
import type { ModelRequest } from '../ports';
import type { ToolUseBlock } from '../protocol/content';
import type { ContextReport } from '../protocol/context';
import type { DurableEvent, Notice } from '../protocol/events';
import type { PermissionMode, PermissionSubject } from '../protocol/permission';
import type { EventLog } from '../session/eventLog';
import { History } from '../session/history';
import type { Skill } from '../skills/skill';
import type { Tool, ToolContext, ToolEffect, ToolResult } from '../tools/defineTool';
import { FileState } from '../tools/fileState';
import type { ToolShelf } from '../tools/toolShelf';
import { runToolCalls } from '../tools/scheduler';
import { Compactor } from './compactor';
import { contextParts } from './contextReport';
import { lateNews } from './lateNews';
import { composeDraft } from './composeDraft';
import type { DraftDesk } from './renderForSession';
import { AgentHooks } from './agentHooks';
import type { Hooks } from './hookMoment';
import type { SessionContext } from './sessionContext';
import type { SessionKit } from './sessionKit';
import { ToolEvents } from './toolEvents';

/** What the agents of one session share. */
export interface AgentHome {
  readonly sessionId: string;
  readonly kit: SessionKit;
  readonly log: EventLog;
  readonly grants: Grants;
  readonly planFile: string;
  /** The open ask, by its id, of a call that was cut off by a reload. */
  readonly leftAsk: (agentId: string, callId: string) => string | undefined;
  /** This call started an agent before a reload that goes on: called again, it waits for that agent. */
  readonly goesOn: (agentId: string, callId: string) => boolean;
  /** Starts a sub-agent with rules that count while it works, and waits for it unless it goes to the background. */
  readonly runAgent: (call: AgentCall, ctx: ToolContext, grants: readonly string[]) => Promise<ToolResult>;
  readonly raise: (notice: Omit<Notice, 'noticeId'>) => void;
  readonly hooks: Hooks;
  /** A skill is in use: counted, and its hooks run from now on. */
  readonly useSkill: (skill: Skill) => void;
}

/** Where one agent sits: what sets the main agent and each sub-agent apart. */
export interface AgentSeat {
  readonly agentId: string;
  readonly broker: PermissionBroker;
  readonly context: SessionContext;
  readonly cwd: () => string;
  readonly workingDirs: () => readonly string[];
  readonly mode: () => PermissionMode;
  readonly model: () => string;
  readonly effort?: string | number | undefined;
  readonly maxReplies: number | undefined;
  readonly system: () => readonly string[];
  readonly tools: () => ToolShelf;
  /** Why nothing may run where the agent stands, asked before every call. */
  readonly placeProblem?: () => Promise<string | undefined>;
  /** Waited for before a call that may change something runs. */
  readonly beforeChange?: (turn: { readonly turnId: string; readonly signal: AbortSignal }) => Promise<void>;
  /** Waited for before a turn counts as over. */
  readonly closing?: () => Promise<void>;
  readonly moveTo: (cwd: string) => void;
  readonly setMode: (mode: PermissionMode) => void;
  /** It has agents of its own in the background, so its turn's end is not yet its own. */
  readonly hasBackground?: () => boolean;
  readonly turnEnded: (end: TurnEnd) => void;
}

/** One agent of a session at work: its conversation, its turns, what it knows of files, what skills gave it for a turn. */
export class LiveAgent {
  readonly runner: AgentRunner;
  readonly history: History;
  readonly compactor: Compactor;
  private readonly files = new FileState();
  private turnModel: string | undefined;
  private turnEffort: string | number | undefined;
  private withheld: readonly string[] = [];
  private said: Incoming[] = [];
  private readonly hooks: AgentHooks;
  private shownOtherwise = false;

  constructor(
    private readonly home: AgentHome,
    private readonly seat: AgentSeat,
  ) {
    this.history = new History(seat.agentId, home.log.events);
    this.hooks = new AgentHooks({ home, agentId: seat.agentId, remind: (text) => this.remind(text), cwd: seat.cwd, hasBackground: () => seat.hasBackground?.() ?? false });
    this.compactor = this.newCompactor();
    this.runner = this.newRunner();
  }

  get isWorking(): boolean {
    return this.runner.isWorking;
  }

  get shelf(): ToolShelf {
    return this.seat.tools();
  }

  /** Something was said to it that no turn has taken up. */
  get hasMore(): boolean {
    return this.said.length > 0;
  }

  submit(draft: Draft, steer: boolean): string | undefined {
    return this.runner.submit(draft, steer);
  }

  /** Goes in at the next step, or with the next turn. */
  say(message: Incoming): void {
    this.said.push(message);
  }

  /** Something it should know with its next step. */
  remind(text: string): void {
    this.say({ origin: 'reminder', content: [{ type: 'text', text: `<reminder>\n${text}\n</reminder>` }] });
  }

  get place(): { readonly cwd: string; readonly mode: PermissionMode; readonly effort: string | number | undefined } {
    return { cwd: this.seat.cwd(), mode: this.seat.mode(), effort: this.seat.effort };
  }

  get tools(): readonly Tool[] {
    return this.seat.tools().tools;
  }

  /** It was made anew from the log: what it had read and nobody has changed since need not be read again. */
  async recall(): Promise<void> {
    const { recallFiles } = await import('./recallFiles');
    const { home, seat } = this;
    await recallFiles(home.log.events, { agentId: seat.agentId, cwd: seat.cwd() }, { store: home.kit.files, files: this.files });
  }

  /** An event of this agent that was just put on record. */
  take(event: DurableEvent): void {
    this.history.add(event);
  }

  apply(effects: readonly ToolEffect[]): void {
    for (const effect of effects) this.applyOne(effect);
  }

  toolContext(callId: string, signal: AbortSignal): ToolContext {
    const { home, seat } = this;
    return {
      sessionId: home.sessionId,
      agentId: seat.agentId,
      callId,
      cwd: seat.cwd(),
      projectRoot: home.kit.projectRoot,
      workingDirs: seat.workingDirs(),
      mode: seat.mode(),
      signal,
      files: this.files,
      output: () => undefined,
      spawned: () => undefined,
    };
  }

  private newRunner(): AgentRunner {
    const { home, seat } = this;
    const { log, kit } = home;
    const display = (): RunnerPorts['display'] => this.display();
    return new AgentRunner({
      agentId: seat.agentId,
      nowMs: kit.clock.nowMs,
      append: (event) => log.append(event),
      live: (event) => log.live(event),
      request: () => this.request(),
      client: () => kit.models.client(),
      openCalls: () => this.resumableCalls(),
      runCalls: (calls, turn) => this.runCalls(calls, turn),
      makeRoom: (turn, why) => this.makeRoom(turn, why),
      maxReplies: seat.maxReplies,
      ...(seat.closing ? { closing: seat.closing } : {}),
      queue: () => log.view.queue.filter((queued) => queued.agentId === seat.agentId),
      compose: (draft, turn) => this.compose(draft, turn.signal),
      context: () => this.opening(),
      takeHalt: () => this.hooks.takeHalt(),
      keepsGoing: (turn) => this.hooks.keepsGoing(turn),
      get display() {
        return display();
      },
      endsWithReply: () => this.history.endsWithReply && this.said.length === 0,
      takeSaid: () => this.takeSaid(),
      onProblem: (message, draft) => home.raise({ agentId: seat.agentId, level: 'error', code: 'notSent', title: 'The message was not sent.', detail: draft && draft.text !== '' ? `${message}\n\nYour message: ${draft.text}` : message }),
      onTurnEnd: (end) => this.turnEnded(end),
    });
  }

  /** With the person's next message the tools are back that a skill had taken away. */
  private compose(draft: Draft, signal: AbortSignal): ReturnType<typeof composeDraft> {
    const { home } = this;
    this.withheld = [];
    const desk: DraftDesk = {
      kit: home.kit,
      tools: this.tools,
      planFile: home.planFile,
      context: this.toolContext('attach', signal),
      apply: (effects) => this.apply(effects),
      expanding: (command) => this.hooks.expansion(command, signal),
      invoked: (skill) => home.useSkill(skill),
      isSaid: (text) => this.seat.context.isSaid(text),
      runForked: (call, grants) => home.runAgent(call, this.toolContext(newId('skill'), signal), grants),
    };
    return home.hooks.isOpen ? this.hooks.prompt(draft, signal, () => composeDraft(draft, desk)) : composeDraft(draft, desk);
  }

  private async opening(): Promise<readonly Incoming[]> {
    const context = [...(await this.hooks.opening(await this.seat.context.messages())), ...(await lateNews(this.home, this.seat.agentId, this.shelf))];
    this.shownOtherwise = await this.home.hooks.has('MessageDisplay');
    return context;
  }

  private display(): RunnerPorts['display'] {
    return !this.shownOtherwise ? undefined : (reply, signal) => this.hooks.display(reply, signal);
  }

  /** Summarises the conversation now, or at the next step while it works. @returns what went wrong */
  async compact(instructions: string): Promise<string | undefined> {
    if (this.runner.isWorking) {
      this.compactor.ask(instructions);
      return undefined;
    }
    if (this.history.isEmpty) return 'There is nothing to summarise yet.';
    const done = await this.runner.occupy((signal) => this.compactor.compact('manual', instructions, signal));
    return done.ok ? undefined : done.problem;
  }

  contextReport(): ContextReport {
    const request = this.request();
    return {
      usedTokens: this.compactor.usedTokens(),
      limitTokens: this.home.kit.models.client()?.capabilities(request.model).contextTokens ?? 0,
      compactsAtTokens: this.compactor.limitTokens() ?? null,
      parts: [...contextParts(request)],
    };
  }

  private newCompactor(): Compactor {
    const { home, seat } = this;
    return new Compactor({
      agentId: seat.agentId,
      log: home.log,
      clock: home.kit.clock,
      client: () => home.kit.models.client(),
      request: () => this.request(),
      compactAtPercent: home.kit.compactAtPercent,
      hasReplies: () => this.history.hasReplies,
      raise: home.raise,
      before: (trigger, instructions) => this.hooks.beforeCompact(trigger, instructions),
      after: (trigger, summary) => this.hooks.afterCompact(trigger, summary),
    });
  }

  /** What stands for the conversation goes in at once: the step that follows builds on it. */
  private async makeRoom(turn: { readonly turnId: string; readonly signal: AbortSignal }, why: 'step' | 'overflow'): Promise<boolean> {
    if (!(await this.compactor.makeRoom(why, turn.signal))) return false;
    for (const { origin, content } of await this.seat.context.messages()) {
      this.home.log.append({ type: 'message/received', agentId: this.seat.agentId, turnId: turn.turnId, messageId: newId('msg'), role: 'user', origin, content });
    }
    return true;
  }

  private request(): ModelRequest {
    const { seat } = this;
    const effort = this.turnEffort ?? seat.effort;
    return {
      model: this.turnModel ?? seat.model(),
      system: seat.system(),
      tools: seat.tools().schemas(),
      messages: this.history.messages(),
      ...(effort === undefined ? {} : { effort }),
    };
  }

  /** A call that only waited, for an answer or for an agent that goes on, may be taken up again; one that had begun may not. */
  private resumableCalls(): readonly ToolUseBlock[] {
    const { home, seat } = this;
    const { notStarted, started } = this.history.openCalls();
    const asked = new Set(home.log.view.pendingAsks.filter((ask) => ask.request.agentPath.at(-1) === seat.agentId).map((ask) => ask.request.callId));
    return [...notStarted, ...started].filter((call) => notStarted.includes(call) || asked.has(call.id) || home.goesOn(seat.agentId, call.id));
  }

  private async runCalls(calls: readonly ToolUseBlock[], turn: { readonly turnId: string; readonly signal: AbortSignal }): Promise<void> {
    const { home, seat } = this;
    const { kit } = home;
    const finished = await runToolCalls({
      calls,
      tools: seat.tools(),
      broker: this.guardedBroker(turn),
      context: (call) => this.toolContext(call.id, turn.signal),
      listener: new ToolEvents(home.log, { agentId: seat.agentId, turnId: turn.turnId }),
      withheld: (tool) => (isWithheld(this.withheld, tool) ? `${tool.name} is not available until the person’s next message: a skill that is active does without it.` : undefined),
      hooks: this.hooks.toolHooks(),
      outputsDir: kit.outputsDir(home.sessionId),
      store: kit.files,
      clock: kit.clock,
      signal: turn.signal,
      // Agents wait in their own queue, where it is said that they do.
      maxParallel: Math.max(10, calls.filter((call) => call.name === 'Agent' || call.name === 'Task').length),
    });
    for (const call of finished) this.apply(call.effects);
    await this.hooks.batch(calls, finished, turn.signal);
  }

  private guardedBroker(turn: { readonly turnId: string; readonly signal: AbortSignal }): PermissionBroker {
    const { home, seat } = this;
    return {
      ...seat.broker,
      decide: async (call) => {
        const problem = await seat.placeProblem?.();
        if (problem !== undefined) return { behavior: 'deny', message: problem, explanation: { decision: 'deny', reason: problem }, by: 'rule' };
        const requestId = home.leftAsk(seat.agentId, call.callId);
        const decision = await seat.broker.decide(requestId === undefined ? call : { ...call, resume: { requestId } });
        if (decision.behavior === 'allow' && mayChange(call.subject, seat.mode())) await seat.beforeChange?.(turn);
        return decision;
      },
    };
  }

  private applyOne(effect: ToolEffect): void {
    const { home, seat } = this;
    switch (effect.kind) {
      case 'cwd':
        return seat.moveTo(effect.cwd);
      case 'say':
        return this.say({ origin: effect.origin, content: [{ type: 'text', text: effect.text }], ...(effect.shown === undefined ? {} : { shown: effect.shown }) });
      case 'grant':
        return home.grants.addForTurn(seat.agentId, effect.rules, effect.anchorDir);
      case 'withhold':
        this.withheld = [...this.withheld, ...effect.tools];
        return;
      case 'mode':
        return seat.setMode(effect.mode);
      case 'model':
        this.turnModel = effect.model;
        return;
      case 'effort':
        this.turnEffort = effect.effort;
        return;
      case 'touched':
        return seat.context.touched(effect.paths);
      default:
        assertNever(effect);
    }
  }

  private async takeSaid(): Promise<readonly Incoming[]> {
    const said = this.said;
    this.said = [];
    return [...said, ...(await this.seat.context.takeReminders())];
  }

  private turnEnded(end: TurnEnd): void {
    this.home.grants.endTurn(this.seat.agentId);
    this.turnModel = undefined;
    this.turnEffort = undefined;
    this.hooks.turnEnded(end);
    this.seat.turnEnded(end);
  }
}

/** In plan mode only the plan is written. */
function mayChange(subject: PermissionSubject, mode: PermissionMode): boolean {
  return mode !== 'plan' && (!subject.readOnly || subject.tool === 'Agent');
}

function isWithheld(names: readonly string[], tool: Tool): boolean {
  return names.some((name) => name === tool.name || tool.aliases.includes(name));
}
