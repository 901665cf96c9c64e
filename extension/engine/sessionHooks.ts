import type { Incoming } from '../agents/turnLoop';
import { mainAgentId, newId } from '../base/ids';
import { type Hook, hookLabel } from '../hooks/hook';
import { isMeant } from '../hooks/hookCondition';
import { HookDispatcher } from '../hooks/hookDispatcher';
import { type HookEventName, hookEvents } from '../hooks/hookEvents';
import type { HookFire, HookPlace, HookRan } from '../hooks/hookFire';
import { maxTextChars } from '../hooks/hookLimits';
import type { HookOutcome } from '../hooks/hookOutcome';
import type { HookReply } from '../hooks/hookReply';
import { readHooks } from '../hooks/readHooks';
import type { RootBroker } from '../permissions/broker';
import type { UiEvent } from '../protocol/events';
import { HookTranscripts } from '../session/hookTranscriptStore';
import type { RawHooks } from '../settings/hookLayers';
import type { HookAgentPorts } from './hookAgent';
import type { HookMoment } from './hookMoment';
import { hookHands } from './hookHands';
import { SessionEvents } from './sessionEvents';
import type { AgentHome, LiveAgent } from './liveAgent';

export interface SessionHookPorts {
  readonly home: AgentHome;
  /** The session's folder. */
  readonly folder: string;
  readonly agent: (agentId: string) => LiveAgent | undefined;
  readonly broker: RootBroker;
  readonly setMode: (mode: string) => void;
  /** Hooks of skills that were used and of agents that were started. */
  readonly own: () => readonly RawHooks[];
}

const noLimit = new AbortController().signal;

/** The hooks of one session at work. Made with the first event that any hook could be for. */
export class SessionHooks {
  private readonly dispatcher: HookDispatcher;
  private readonly transcripts: HookTranscripts;
  private readonly read = new WeakMap<RawHooks, readonly Hook[]>();
  private readonly written: string[] = [];
  private readonly told = new Set<string>();
  private readonly events: SessionEvents;

  constructor(private readonly ports: SessionHookPorts) {
    const { home } = ports;
    const { kit, log, sessionId } = home;
    this.transcripts = new HookTranscripts(ports.folder, { sessionId, events: () => log.events });
    this.dispatcher = new HookDispatcher({
      ...hookHands({ kit, folder: ports.folder, agentPlace: (agentId, signal) => this.agentPlace(agentId, signal), wroteEnv: (path) => this.wroteEnv(path) }),
      env: kit.options.env,
      isMeant: async (rule, fire) => fire.subject === undefined || isMeant(rule, await fire.subject(), { ...kit.hookParts.evaluator, facts: kit.hookParts.facts, projectRoot: kit.projectRoot, homeDir: kit.options.homeDir }),
      ran: (ran) => this.ran(ran),
      waiting: ({ place: { agentId, callId } }, labels) => callId !== undefined && log.live({ type: 'hook/waiting', agentId, callId, labels: [...labels] }),
      late: (fire, reply) => this.late(fire, reply),
    });
    this.events = new SessionEvents(this, ports);
    log.on((event: UiEvent) => {
      if ('seq' in event) this.transcripts.take(event);
      this.events.heard(event);
    });
  }

  /** Runs what is meant by it, and tells the person what is for them; the rest is the caller's. */
  async fire(event: HookEventName, input: Readonly<Record<string, unknown>>, moment: HookMoment): Promise<HookOutcome> {
    const hooks = await this.hooks();
    const { signal, subject } = moment;
    const outcome = await this.dispatcher.fire(hooks, { event, input, signal, place: this.place(moment), ...(subject ? { subject } : {}) });
    for (const message of outcome.messages) this.say(moment.agentId, message);
    for (const reply of outcome.replies) this.complain(reply, moment);
    return outcome.contexts.length === 0 ? outcome : { ...outcome, contexts: await Promise.all(outcome.contexts.map((text) => this.capped(text))) };
  }

  /** Whether one of the hooks is for this event: some things are only looked after then. */
  async has(event: HookEventName): Promise<boolean> {
    return (await this.hooks()).some((hook) => hook.event === event);
  }

  async matchersOf(event: HookEventName): Promise<readonly string[]> {
    return (await this.hooks()).filter((hook) => hook.event === event).map((hook) => hook.matcher ?? '');
  }

  transcriptOf(agentId: string): string {
    return this.transcripts.path(agentId);
  }

  envFiles(): readonly string[] {
    return this.written;
  }

  start(source: string): Promise<readonly Incoming[]> {
    return this.events.start(source);
  }

  async end(reason: string): Promise<void> {
    this.events.end();
    await this.fire('SessionEnd', { reason }, { agentId: mainAgentId, signal: noLimit });
  }

  private async hooks(): Promise<readonly Hook[]> {
    const { kit } = this.ports.home;
    const report = await kit.hooks.report();
    const { allOff, ownOff, othersOff } = kit.hooks.rules;
    const own = this.ports.own().filter(({ origin }) => !allOff && (origin.plugin?.isForced || (origin.plugin ? othersOff : ownOff) === undefined));
    return own.length === 0 ? report.hooks : [...report.hooks, ...own.flatMap((raw) => this.readOwn(raw))];
  }

  private readOwn(raw: RawHooks): readonly Hook[] {
    const known = this.read.get(raw);
    if (known) return known;
    const { hooks, problems } = readHooks(raw.raw, raw.origin);
    this.read.set(raw, hooks);
    if (problems.length > 0) {
      const detail = problems.map((problem) => `${problem.path ?? ''} ${problem.field ?? ''}: ${problem.message}`).join('\n');
      this.ports.home.raise({ level: 'warning', code: 'hookFile', title: `Some hooks of ${raw.origin.name ?? 'a file'} could not be used.`, detail });
    }
    return hooks;
  }

  private place({ agentId, callId }: HookMoment): HookPlace {
    const { home, agent } = this.ports;
    const { sessionId, log } = home;
    const seat = agent(agentId)?.place;
    const view = log.view.agents[agentId];
    const promptId = log.events.findLast((event) => event.type === 'turn/started' && event.agentId === mainAgentId);
    return {
      sessionId,
      agentId,
      ...(agentId === mainAgentId ? {} : { agentType: view?.agentType ?? 'general-purpose' }),
      ...(promptId?.type === 'turn/started' ? { promptId: promptId.turnId } : {}),
      transcriptPath: this.transcripts.path(mainAgentId),
      cwd: seat?.cwd ?? log.view.session.cwd,
      mode: seat?.mode ?? log.view.session.mode,
      ...(seat?.effort === undefined ? {} : { effort: String(seat.effort) }),
      ...(callId === undefined ? {} : { callId }),
    };
  }

  private ran({ hook, place, outcome, exitCode, durationMs, output, spent }: HookRan): void {
    this.ports.home.log.append({
      type: 'hook/ran',
      agentId: place.agentId,
      ...(place.callId === undefined ? {} : { callId: place.callId }),
      event: hook.event,
      source: hook.origin.plugin?.name ?? hook.origin.name ?? hook.origin.source,
      label: hookLabel(hook.handler),
      outcome,
      ...(exitCode === undefined || exitCode < 0 ? {} : { exitCode }),
      durationMs,
      output,
      ...(spent ? { spent } : {}),
    });
  }

  private say(agentId: string, message: string): void {
    const [title = '', ...rest] = message.split('\n');
    this.ports.home.raise({ agentId, level: 'info', code: 'hookSays', title: title.length > 300 ? `${title.slice(0, 299)}…` : title, ...(rest.length > 0 ? { detail: rest.join('\n').slice(0, maxTextChars) } : {}) });
  }

  /** What failed for a call stands in its line; the rest is said once for each hook and reason. */
  private complain({ hook, problem, refusal, exitCode }: HookReply, { agentId, callId }: HookMoment): void {
    const words = problem ?? (hookEvents[hook.event].exitTwo === 'user' && exitCode === 2 ? refusal : undefined);
    if (words === undefined || callId !== undefined) return;
    const label = hookLabel(hook.handler);
    const title = `The ${hook.event} hook ${label} ${problem === undefined ? 'objects' : 'failed'}.`;
    if (this.told.has(title + words)) return;
    this.told.add(title + words);
    this.ports.home.raise({ agentId, level: 'warning', code: 'hookFailed', title, detail: words.slice(0, maxTextChars) });
  }

  /** Words longer than the conversation should hold go to a file; the model reads their start and where the rest is. */
  private async capped(text: string): Promise<string> {
    if (text.length <= maxTextChars) return text;
    const { kit, sessionId } = this.ports.home;
    const path = `${kit.outputsDir(sessionId)}/${newId('hook')}.txt`;
    await kit.files.makeFolder(kit.outputsDir(sessionId));
    const kept = await kit.files.writeBytes(path, Buffer.from(text, 'utf8'));
    return `${text.slice(0, maxTextChars / 5)}\n[… ${text.length} characters in all${kept.ok ? `; the whole is in ${path}` : ''}]`;
  }

  private late(fire: HookFire, reply: HookReply): void {
    const agent = this.ports.agent(fire.place.agentId) ?? this.ports.agent(mainAgentId);
    const { handler } = reply.hook;
    const rewakes = handler.type === 'command' && handler.asyncRewake === true && reply.exitCode === 2;
    const words = [reply.json?.hookSpecificOutput?.additionalContext, reply.json?.systemMessage, rewakes ? reply.refusal : undefined].filter((part) => part !== undefined && part !== '');
    this.complain(reply, { agentId: fire.place.agentId, signal: fire.signal });
    if (words.length === 0) return;
    void this.capped(words.join('\n')).then((text) => {
      agent?.remind(`The hook ${hookLabel(handler)} has ended and says:\n${text}`);
      if (rewakes) agent?.runner.resume();
    });
  }

  private wroteEnv(path: string): void {
    if (!this.written.includes(path)) this.written.push(path);
  }

  private agentPlace(agentId: string, signal: AbortSignal): HookAgentPorts | undefined {
    const agent = this.ports.agent(agentId) ?? this.ports.agent(mainAgentId);
    const { kit, sessionId, planFile } = this.ports.home;
    if (!agent) return undefined;
    const readOnly = agent.tools.filter((tool) => ['Read', 'Glob', 'Grep'].includes(tool.name));
    const context: HookAgentPorts['context'] = (callId) => agent.toolContext(callId, signal);
    return {
      models: kit.models,
      tools: readOnly,
      context,
      outputsDir: kit.outputsDir(sessionId),
      store: kit.files,
      clock: kit.clock,
      signal,
      broker: {
        agentPath: [agentId],
        decide: async (call) => {
          const explanation = await kit.judge(call.subject, { cwd: context('').cwd, mode: 'dontAsk', planFile });
          if (explanation.decision === 'allow') return { behavior: 'allow', updatedInput: undefined, explanation, by: 'rule' };
          return { behavior: 'deny', message: `Not allowed here: ${explanation.reason}. Answer from what you can read.`, explanation, by: 'rule' };
        },
        derive: () => {
          throw new Error('a hook’s agent starts no agents');
        },
      },
    };
  }
}

