import type { Incoming } from '../agents/turnLoop';
import { mainAgentId } from '../base/ids';
import type { HookEventName } from '../hooks/hookEvents';
import type { HookOutcome } from '../hooks/hookOutcome';
import type { RootBroker } from '../permissions/broker';
import type { UiEvent } from '../protocol/events';
import type { PermissionRequest } from '../protocol/permission';
import { contextOf } from './agentHooks';
import type { AgentHome, LiveAgent } from './liveAgent';
import { answerOf, requestInput } from './permissionHooks';
import type { FireHooks } from './hookMoment';

export interface SessionEventPorts {
  readonly home: AgentHome;
  readonly broker: RootBroker;
  readonly agent: (agentId: string) => LiveAgent | undefined;
  /** What a hook's permission updates may do beside the one answer. */
  readonly setMode: (mode: string) => void;
}

const noLimit = new AbortController().signal;
/** So long after its last turn a session that waits for its person says so. */
const idleMs = 60_000;

/** Events of a session as a whole: what it starts with, what it asks, where it goes. */
export class SessionEvents {
  private readonly asks = new Map<string, AbortController>();
  private idle = new AbortController();
  private cwd: string;
  private watching: { dispose(): void } | undefined;
  private watchPaths: readonly string[] = [];
  private isOver = false;

  constructor(
    private readonly hooks: { readonly fire: FireHooks; readonly matchersOf: (event: HookEventName) => Promise<readonly string[]> },
    private readonly ports: SessionEventPorts,
  ) {
    this.cwd = ports.home.log.view.session.cwd;
  }

  /** @returns what goes into the conversation with the first turn */
  async start(source: string): Promise<readonly Incoming[]> {
    const { home } = this.ports;
    const { model, title } = home.log.view.session;
    const { setup } = home.kit.options;
    const said: Incoming[] = [];
    if (setup !== undefined && source === 'startup') said.push(...this.taken('Setup', await this.fire('Setup', { trigger: setup })));
    said.push(...this.taken('SessionStart', await this.fire('SessionStart', { source, ...(model === undefined ? {} : { model }), ...(title === '' ? {} : { session_title: title }) })));
    await this.watch();
    return said;
  }

  heard(event: UiEvent): void {
    if (this.isOver) return;
    if (event.type === 'permission/requested') this.asked(event.request);
    if (event.type === 'permission/resolved') this.settled(event.requestId);
    if (event.type === 'question/asked') this.notify('permission_prompt', 'A question waits for an answer.', event.request.agentPath.at(-1));
    if (event.type === 'plan/proposed') this.notify('permission_prompt', 'A plan waits for approval.', event.request.agentPath.at(-1));
    if (event.type === 'session/cwdChanged') this.moved(event.cwd);
    if (event.type === 'turn/started' && event.agentId === mainAgentId) this.idle.abort();
    if (event.type === 'turn/completed' && event.agentId === mainAgentId && event.stop === 'done') this.waitIdle();
  }

  end(): void {
    this.isOver = true;
    this.idle.abort();
    this.watching?.dispose();
    for (const ask of this.asks.values()) ask.abort();
  }

  private fire(event: HookEventName, input: Readonly<Record<string, unknown>>, more: { readonly agentId?: string; readonly signal?: AbortSignal; readonly callId?: string } = {}): Promise<HookOutcome> {
    return this.hooks.fire(event, input, { agentId: mainAgentId, signal: noLimit, ...more });
  }

  private taken(event: string, outcome: HookOutcome): readonly Incoming[] {
    const { home } = this.ports;
    const last = <T>(pick: (one: HookOutcome['specifics'][number]) => T | undefined): T | undefined => outcome.specifics.map(pick).findLast((value) => value !== undefined);
    const title = last((one) => one.sessionTitle)?.trim();
    if (title) home.log.append({ type: 'session/renamed', title: title.slice(0, 200) });
    this.watchPaths = [...new Set([...this.watchPaths, ...outcome.specifics.flatMap((one) => one.watchPaths ?? [])])];
    if (outcome.specifics.some((one) => one.reloadSkills === true)) void home.kit.skills.reload();
    const first = last((one) => one.initialUserMessage);
    return [...contextOf(event, outcome), ...(first === undefined || first.trim() === '' ? [] : [{ origin: 'person' as const, content: [{ type: 'text' as const, text: first }] }])];
  }

  /** Beside the dialog that is open already: whoever answers first counts. */
  private asked(request: PermissionRequest): void {
    const { broker, home } = this.ports;
    // Whoever was told before us may have answered it at once.
    if (!broker.pending().some((open) => open.requestId === request.requestId)) return;
    const agentId = request.agentPath.at(-1) ?? mainAgentId;
    this.notify('permission_prompt', `Permission is needed to ${request.subject.title}.`, agentId);
    const over = new AbortController();
    this.asks.set(request.requestId, over);
    const moment = { agentId, callId: request.callId, signal: over.signal, subject: async () => request.subject };
    void this.hooks.fire('PermissionRequest', requestInput(request), moment).then(async ({ decision }) => {
      if (!decision || over.signal.aborted) return;
      const { answer, mode, interrupts } = answerOf(decision);
      if (!(await broker.reply(request.requestId, answer, 'hook'))) return;
      if (mode !== undefined) this.ports.setMode(mode);
      if (interrupts) this.ports.agent(agentId)?.runner.interrupt();
      home.log.sync();
    });
  }

  private settled(requestId: string): void {
    this.asks.get(requestId)?.abort();
    this.asks.delete(requestId);
  }

  private notify(type: string, message: string, agentId = mainAgentId): void {
    void this.fire('Notification', { message, notification_type: type }, { agentId });
  }

  private waitIdle(): void {
    const { clock, options } = this.ports.home.kit;
    if (!options.interactive) return;
    this.idle = new AbortController();
    const { signal } = this.idle;
    void clock.sleep(idleMs, signal).then(() => !signal.aborted && this.notify('idle_prompt', 'The agent is done and waits for you.'));
  }

  private moved(cwd: string): void {
    const before = this.cwd;
    this.cwd = cwd;
    if (before === cwd) return;
    void this.fire('CwdChanged', { old_cwd: before, new_cwd: cwd }).then((outcome) => this.rewatch(outcome));
  }

  private async rewatch(outcome: HookOutcome): Promise<void> {
    const lists = outcome.specifics.map((one) => one.watchPaths).filter((list) => list !== undefined);
    if (lists.length > 0) this.watchPaths = [...new Set(lists.flat())];
    await this.watch();
  }

  /** Files that a FileChanged hook names, in the folder the session is in, and those that hooks have asked for. */
  private async watch(): Promise<void> {
    const matchers = await this.hooks.matchersOf('FileChanged');
    this.watching?.dispose();
    this.watching = undefined;
    if (matchers.length === 0 || this.isOver) return;
    const [{ watchFiles }, { fileNames }] = await Promise.all([import('../hooks/changedFilesWatcher'), import('../hooks/hookMatcher')]);
    this.watching = watchFiles({
      cwd: this.cwd,
      paths: [...matchers.flatMap(fileNames), ...this.watchPaths],
      onProblem: (message) => this.ports.home.kit.log.warn(message),
      onChange: (path, event) => void this.fire('FileChanged', { file_path: path, event }).then((outcome) => this.rewatchIfTold(outcome)),
    });
  }

  private async rewatchIfTold(outcome: HookOutcome): Promise<void> {
    if (outcome.specifics.some((one) => one.watchPaths !== undefined)) await this.rewatch(outcome);
  }
}
