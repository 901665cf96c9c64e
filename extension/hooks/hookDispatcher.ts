import { errorText } from '../base/errorText';
import type { Result } from '../base/result';
import { addUsage } from '../protocol/addUsage';
import { type Hook, hookLabel } from './hook';
import { type HookFire, hookInput, type HookRan, type ModelSpend } from './hookFire';
import { hookEvents } from './hookEvents';
import { defaultTimeoutSeconds, maxAtOnce, namedAfterMs, sessionEndMaxMs, sessionEndMs } from './hookLimits';
import { type HookOutcome, mergeReplies, noHooks } from './hookOutcome';
import { type HookReply, type RawRun, readCommandRun, readHttpRun, readVerdict } from './hookReply';
import type { AgentHandler, CommandHandler, HttpHandler, McpToolHandler, PromptHandler } from './hookSchema';

/** How one handler is carried out, by its type. Each honours the signal, which also ends it at its time limit. */
export interface HookHands {
  readonly command: (call: { readonly hook: Hook; readonly handler: CommandHandler; readonly stdin: string; readonly fire: HookFire; readonly timeoutMs: number; readonly signal: AbortSignal }) => Promise<RawRun>;
  readonly http: (call: { readonly handler: HttpHandler; readonly body: string; readonly timeoutMs: number; readonly signal: AbortSignal }) => Promise<Result<{ readonly status: number; readonly body: string }, string>>;
  readonly prompt: (call: { readonly handler: PromptHandler; readonly input: string; readonly signal: AbortSignal; readonly spent: (spent: ModelSpend) => void }) => Promise<Result<string, string>>;
  readonly agent: (call: { readonly handler: AgentHandler; readonly input: string; readonly fire: HookFire; readonly signal: AbortSignal; readonly spent: (spent: ModelSpend) => void }) => Promise<Result<string, string>>;
  /** Absent until MCP servers run: such hooks then say that they wait. */
  readonly mcpTool?: (call: { readonly handler: McpToolHandler; readonly input: Readonly<Record<string, unknown>>; readonly signal: AbortSignal }) => Promise<Result<string, string>>;
}

export interface HookDispatcherPorts extends HookHands {
  /** Whether a call is one that `if` speaks of. */
  readonly isMeant: (rule: string, fire: HookFire) => Promise<boolean>;
  readonly ran: (ran: HookRan) => void;
  /** The event has waited a second for these. */
  readonly waiting: (fire: HookFire, labels: readonly string[]) => void;
  /** A hook in the background has ended. */
  readonly late: (fire: HookFire, reply: HookReply) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Runs the hooks of events: those that match, each once, side by side. Never rejects. */
export class HookDispatcher {
  private readonly done = new Set<Hook>();
  private free = maxAtOnce;
  private readonly queue: (() => void)[] = [];

  constructor(private readonly ports: HookDispatcherPorts) {}

  async fire(all: readonly Hook[], fire: HookFire): Promise<HookOutcome> {
    const meant = await this.meant(all, fire);
    if (meant.length === 0) return noHooks;
    const stdin = JSON.stringify(hookInput(fire));
    const limit = new AbortController();
    const total = fire.event === 'SessionEnd' ? setTimeout(() => limit.abort(), sessionEndLimit(meant, this.ports.env)) : undefined;
    const running = new Set(meant.filter((hook) => !inBackground(hook)).map((hook) => hookLabel(hook.handler)));
    const named = running.size > 0 ? setTimeout(() => this.ports.waiting(fire, [...running]), namedAfterMs) : undefined;
    try {
      return mergeReplies(await Promise.all(meant.map((hook) => this.run(hook, { fire, stdin, limit: limit.signal }).finally(() => running.delete(hookLabel(hook.handler))))));
    } finally {
      clearTimeout(named);
      clearTimeout(total);
    }
  }

  private async meant(all: readonly Hook[], fire: HookFire): Promise<readonly Hook[]> {
    const { matcherField, tool } = { matcherField: undefined, tool: undefined, ...hookEvents[fire.event] };
    const value = matcherField === undefined ? '' : String(fire.input[matcherField] ?? '');
    const seen = new Set<string>();
    const meant: Hook[] = [];
    for (const hook of all) {
      const { event, handler, origin } = hook;
      if (event !== fire.event || this.done.has(hook) || (origin.agentId !== undefined && origin.agentId !== fire.place.agentId) || !hook.matches(value)) continue;
      if (handler.if !== undefined && (!tool || !(await this.ports.isMeant(handler.if, fire)))) continue;
      const key = sharedKey(hook);
      if (key !== undefined && seen.has(key)) continue;
      if (key !== undefined) seen.add(key);
      if (handler.once === true && origin.source === 'skill') this.done.add(hook);
      meant.push(hook);
    }
    return meant;
  }

  private async run(hook: Hook, call: { readonly fire: HookFire; readonly stdin: string; readonly limit: AbortSignal }): Promise<HookReply> {
    const { fire } = call;
    if (!inBackground(hook)) return this.record(await this.timed(hook, call, AbortSignal.any([fire.signal, call.limit])), fire);
    // What goes on by itself is not ended with the call or turn it came from.
    void this.timed(hook, call, new AbortController().signal).then((reply) => this.ports.late(fire, this.record(reply, fire)));
    return { hook, outcome: 'background', text: '', stderr: '', durationMs: 0 };
  }

  private record(reply: HookReply, fire: HookFire): HookReply {
    const { hook, outcome, exitCode, durationMs, spent } = reply;
    this.ports.ran({ hook, place: fire.place, outcome, exitCode, durationMs, output: wordsOf(reply), spent });
    return reply;
  }

  private async timed(hook: Hook, call: { readonly fire: HookFire; readonly stdin: string }, signal: AbortSignal): Promise<HookReply> {
    const isProcess = hook.handler.type === 'command';
    if (isProcess) await this.turn();
    const begun = performance.now();
    const timeoutMs = Math.ceil((hook.handler.timeout ?? defaultTimeoutSeconds(hook.event, hook.handler.type)) * 1_000);
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), timeoutMs);
    const spends: ModelSpend[] = [];
    const elapsed = (): number => Math.round(performance.now() - begun);
    try {
      // A command is stopped by its own clock, so that its end is told from that of the event.
      const reply = await this.carriedOut(hook, { ...call, timeoutMs, elapsed, spent: (spent) => void spends.push(spent), signal: isProcess ? signal : AbortSignal.any([signal, over.signal]) });
      return { ...reply, spent: spendSum(spends) };
    } catch (thrown) {
      return { hook, outcome: 'failed', text: '', stderr: '', problem: errorText(thrown), durationMs: elapsed(), spent: spendSum(spends) };
    } finally {
      clearTimeout(timer);
      if (isProcess) this.leave();
    }
  }

  private async carriedOut(hook: Hook, call: { readonly fire: HookFire; readonly stdin: string; readonly timeoutMs: number; readonly elapsed: () => number; readonly spent: (spent: ModelSpend) => void; readonly signal: AbortSignal }): Promise<HookReply> {
    const { ports } = this;
    const { handler } = hook;
    const { fire, stdin, timeoutMs, signal, elapsed, spent } = call;
    const ended = (said: Result<string, string>, read: (text: string) => HookReply): HookReply => {
      if (said.ok) return read(said.value);
      const stopped = signal.aborted ? (fire.signal.aborted ? ('stopped' as const) : ('timedOut' as const)) : undefined;
      return { hook, outcome: stopped ?? 'failed', text: '', stderr: '', durationMs: elapsed(), ...(stopped === 'stopped' ? {} : { problem: stopped ? 'it did not answer within its time limit' : said.problem }) };
    };
    switch (handler.type) {
      case 'command':
        return readCommandRun(hook, await ports.command({ hook, handler, stdin, fire, timeoutMs, signal }));
      case 'http': {
        const sent = await ports.http({ handler, body: stdin, timeoutMs, signal });
        return sent.ok ? readHttpRun(hook, { ...sent.value, durationMs: elapsed() }) : ended(sent, () => ({ hook, outcome: 'ok', text: '', stderr: '', durationMs: elapsed() }));
      }
      case 'prompt':
        return ended(await ports.prompt({ handler, input: stdin, signal, spent }), (text) => readVerdict(hook, text, elapsed()));
      case 'agent':
        return ended(await ports.agent({ handler, input: stdin, fire, signal, spent }), (text) => readVerdict(hook, text, elapsed()));
      case 'mcp_tool': {
        if (!ports.mcpTool) return { hook, outcome: 'failed', text: '', stderr: '', problem: `the server ${handler.server} is not connected`, durationMs: 0 };
        const input = filledInput(handler.input ?? {}, hookInput(fire));
        return ended(await ports.mcpTool({ handler, input, signal }), (text) => readCommandRun(hook, { end: 'exit', exitCode: 0, stdout: text, isWhole: true, stderr: '', durationMs: elapsed() }));
      }
    }
  }

  private async turn(): Promise<void> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.queue.push(resolve));
  }

  private leave(): void {
    const next = this.queue.shift();
    if (next) next();
    else this.free += 1;
  }
}

function spendSum(all: readonly ModelSpend[]): ModelSpend | undefined {
  const [first, ...more] = all;
  return first && more.reduce((sum, one) => ({ model: sum.model, usage: addUsage(sum.usage, one.usage), costUsd: sum.costUsd === null || one.costUsd === null ? null : sum.costUsd + one.costUsd }), first);
}

function inBackground({ handler }: Hook): boolean {
  return handler.type === 'command' && (handler.async === true || handler.asyncRewake === true);
}

/** The same handler in several settings files runs once; copies of plugins, skills and agents, and what runs in the background, stay apart. */
function sharedKey(hook: Hook): string | undefined {
  const { source } = hook.origin;
  if (source === 'plugin' || source === 'skill' || source === 'agent' || inBackground(hook)) return undefined;
  return JSON.stringify(Object.entries(hook.handler).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** All hooks together have 1.5 s, more where one of the person's own asks for more (spec 05.3). */
function sessionEndLimit(hooks: readonly Hook[], env: Readonly<Record<string, string | undefined>>): number {
  const set = Number(env['CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS']);
  if (Number.isFinite(set) && set > 0) return set;
  const wanted = hooks.filter((hook) => hook.origin.source !== 'plugin').map((hook) => (hook.handler.timeout ?? 0) * 1_000);
  return Math.min(sessionEndMaxMs, Math.max(sessionEndMs, ...wanted));
}

/** `${path.to.field}` of the hook's input; a text that is nothing else keeps the field's type. */
export function filledInput(input: Readonly<Record<string, unknown>>, from: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const at = (path: string): unknown => path.split('.').reduce<unknown>((value, key) => (typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Object.entries(value).find(([name]) => name === key)?.[1] : undefined), from);
  const fill = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value === 'object' && value !== null) return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner)]));
    if (typeof value !== 'string') return value;
    const whole = /^\$\{([\w.]+)\}$/.exec(value)?.[1];
    if (whole !== undefined) return at(whole);
    return value.replace(/\$\{([\w.]+)\}/g, (_all, path: string) => textOf(at(path)));
  };
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, fill(value)]));
}

function textOf(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function wordsOf({ problem, refusal, json, text, stderr }: HookReply): string {
  const specific = json?.hookSpecificOutput;
  const decided = specific?.permissionDecision ?? specific?.decision?.behavior ?? (typeof json?.decision === 'string' ? json.decision : undefined);
  const said = [decided, specific?.permissionDecisionReason, json?.reason, json?.stopReason, json?.systemMessage, specific?.additionalContext, specific?.decision?.message];
  const words = problem ?? refusal ?? (json ? said.filter((part) => part !== undefined && part !== '').join(': ') : text.trim() || stderr.trim());
  return words.length > 4_000 ? `${words.slice(0, 4_000)}…` : words;
}
