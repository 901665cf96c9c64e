import { errorText } from '../base/errorText';
import type { PermissionBroker, PermissionOutcome } from '../permissions/permissionTypes';
import type { PermissionProvenance, PermissionSubject } from '../protocol/permission';
import { sideCallId } from '../session/sideCallId';
import type { FileStore } from '../platform/fileStore';
import type { Clock } from '../ports';
import type { ToolUseBlock } from '../protocol/content';
import { limitResult } from './limitResult';
import type { PreparedCall, Tool, ToolContext, ToolEffect, ToolResult } from './defineTool';
import type { ToolRegistry } from './registry';
import type { FinishedCall, ToolHooks, ToolRunListener } from './toolRun';

export interface ToolRun {
  readonly calls: readonly ToolUseBlock[];
  readonly tools: ToolRegistry;
  readonly broker: PermissionBroker;
  readonly context: (call: ToolUseBlock) => ToolContext;
  readonly listener: ToolRunListener;
  readonly hooks?: ToolHooks | undefined;
  /** Why a tool may not be used now, for the model; undefined when it may. */
  readonly withheld?: ((tool: Tool) => string | undefined) | undefined;
  /** Where results too long for the conversation are kept whole. */
  readonly outputsDir: string;
  readonly store: FileStore;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Read-only calls at the same time. Default 10. */
  readonly maxParallel?: number | undefined;
  /** How long a stopped tool may take to come back by itself. Default 3000. */
  readonly graceMs?: number | undefined;
}

type Judged = { readonly call: ToolUseBlock; readonly problem: string } | { readonly call: ToolUseBlock; readonly tool: Tool; readonly prepared: PreparedCall };

const cancelledText = 'The call was cancelled before it ran, because the person stopped the turn.';
const stoppedText = 'The call was stopped by the person while it ran. What it had done so far stays done.';

/**
 * Runs the tool calls of one reply. Neighbouring read-only calls run together, the others one by one in order.
 * Every call gets exactly one result, in source order; nothing here throws.
 */
export async function runToolCalls(run: ToolRun): Promise<readonly FinishedCall[]> {
  const judged = run.calls.map((call) => judge(call, run));
  const finished: FinishedCall[] = [];
  for (let at = 0; at < judged.length; ) {
    const group = groupAt(judged, at);
    finished.push(...(await inParallel(group, run.maxParallel ?? 10, (one) => finish(one, run))));
    at += group.length;
  }
  return finished;
}

function judge(call: ToolUseBlock, run: ToolRun): Judged {
  const tool = run.tools.find(call.name);
  if (!tool) {
    const near = run.tools.near(call.name);
    return { call, problem: `There is no tool ${call.name}.${near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ` The tools are: ${run.tools.tools.map((t) => t.name).join(', ')}.`}` };
  }
  if (call.brokenInput !== undefined) return { call, problem: `The input of ${call.name} was cut off or is no valid JSON, so the call did not run. Call it again with complete input; if it is very long, do it in smaller steps.` };
  const given = { ...call.input };
  for (const name of tool.hookInputs ?? []) delete given[name];
  const prepared = tool.prepare(given);
  return prepared.ok ? { call, tool, prepared: prepared.value } : { call, problem: prepared.problem };
}

function groupAt(judged: readonly Judged[], at: number): readonly Judged[] {
  const together = (one: Judged | undefined): boolean => one !== undefined && ('problem' in one || one.prepared.readOnly);
  let end = at + 1;
  if (together(judged[at])) while (end < judged.length && together(judged[end])) end += 1;
  return judged.slice(at, end);
}

async function inParallel<T, R>(items: readonly T[], width: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = [...items.entries()];
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  return results;
}

async function finish(one: Judged, run: ToolRun): Promise<FinishedCall> {
  const begun = run.clock.nowMs();
  const ended = await outcomeOf(one, run);
  const done: FinishedCall = { ...ended, durationMs: run.clock.nowMs() - begun };
  run.listener.completed(one.call, done);
  return done;
}

type Ended = Omit<FinishedCall, 'durationMs'>;

function ended(outcome: Ended['outcome'], content: string, more: Partial<Ended> = {}): Ended {
  return { outcome, content, effects: [], ...more };
}

async function outcomeOf(one: Judged, run: ToolRun): Promise<Ended> {
  if (run.signal.aborted) return ended('cancelled', cancelledText);
  if ('problem' in one) return ended('failed', one.problem, { note: 'failed' });
  const withheld = run.withheld?.(one.tool);
  if (withheld !== undefined) return ended('denied', withheld, { decidedBy: 'rule' });
  try {
    return await permitted(one, run);
  } catch (thrown) {
    if (run.signal.aborted) return ended('cancelled', stoppedText);
    return ended('failed', `${one.call.name} failed unexpectedly: ${errorText(thrown)}. Try it another way.`, { note: 'failed' });
  }
}

interface Permitted {
  readonly call: ToolUseBlock;
  readonly tool: Tool;
  readonly prepared: PreparedCall;
  readonly ctx: ToolContext;
}

/** PreToolUse, then what can't work anyway, then permission, then the call itself. */
async function permitted({ call, tool, prepared: first }: { readonly call: ToolUseBlock; readonly tool: Tool; readonly prepared: PreparedCall }, run: ToolRun): Promise<Ended> {
  const signal = run.signal;
  const base = run.context(call);
  const ctx: ToolContext = { ...base, callId: call.id, signal, output: (text) => run.listener.output(call, text), spawned: (pid, at) => run.listener.spawned(call, pid, at), ask: (subject, until) => askWhileRunning(call, run, { subject, signal: until }) };
  const pre = await run.hooks?.pre({ call, tool, input: first.input, ctx });
  if (signal.aborted) return ended('cancelled', cancelledText);
  if (pre?.behavior === 'deny') return ended('denied', pre.message, { decidedBy: 'hook' });
  let prepared = first;
  if (pre?.input) {
    const again = tool.prepare(pre.input);
    if (!again.ok) return ended('failed', `A hook changed the input of ${tool.name} to one that does not fit:\n${again.problem}`, { note: 'failed' });
    prepared = again.value;
  }
  const impossible = await prepared.check?.(ctx);
  if (impossible !== undefined) return ended('failed', impossible, { note: 'failed' });
  const subject = await prepared.describe(ctx);
  const decision = await run.broker.decide({ callId: call.id, subject, signal, ...(pre?.verdict ? { hook: pre.verdict } : {}) });
  if (decision.behavior === 'cancelled' || signal.aborted) return ended('cancelled', cancelledText);
  const decided = { decidedBy: decision.by, decision: provenanceOf(decision, run) };
  if (decision.behavior === 'deny') return ended('denied', await deniedText({ call, tool, prepared, ctx }, decision, run), decided);
  if (decision.updatedInput) {
    const again = tool.prepare(decision.updatedInput);
    if (!again.ok) return ended('failed', `The input of ${tool.name} was changed to one that does not fit:\n${again.problem}`, { note: 'failed' });
    prepared = again.value;
  }
  run.listener.started(call, { name: tool.name, title: prepared.title, kind: tool.kind, input: prepared.input });
  const begun = run.clock.nowMs();
  const result = await carriedOut({ call, tool, prepared, ctx }, run);
  const told = pre?.context === undefined ? [] : [say(pre.context)];
  return afterHooks({ call, tool, prepared, ctx }, { ...result, ...decided, effects: [...told, ...result.effects], durationMs: run.clock.nowMs() - begun }, run);
}

async function askWhileRunning(call: ToolUseBlock, run: ToolRun, { subject, signal }: { readonly subject: PermissionSubject; readonly signal: AbortSignal }): Promise<boolean> {
  const decision = await run.broker.decide({ callId: sideCallId(call.id), subject, signal });
  return decision.behavior === 'allow';
}

async function deniedText({ call, tool, prepared, ctx }: Permitted, { message, by }: Extract<PermissionOutcome, { behavior: 'deny' }>, run: ToolRun): Promise<string> {
  const mayRetry = ctx.mode === 'auto' && by !== 'person' && (await run.hooks?.denied?.({ call, tool, input: prepared.input, ctx }, message)) === true;
  return mayRetry ? `${message}\nA hook lets you try it once more.` : message;
}

function provenanceOf({ behavior, by, explanation }: Exclude<PermissionOutcome, { behavior: 'cancelled' }>, run: ToolRun): PermissionProvenance {
  const { reason, rule, source, path } = explanation;
  return { behavior, by, reason, ...(rule === undefined ? {} : { rule }), ...(source === undefined ? {} : { source }), ...(path === undefined ? {} : { path }), agentPath: [...run.broker.agentPath], atMs: run.clock.nowMs() };
}

async function carriedOut(work: Permitted, run: ToolRun): Promise<Ended> {
  const { call, tool, prepared, ctx } = work;
  const over = new AbortController();
  const given = await Promise.race([guarded(() => prepared.run(ctx)), gaveUp(run, over.signal)]);
  over.abort();
  if (given === 'gaveUp') return ended('cancelled', stoppedText, { note: 'stopped' });
  if ('thrown' in given) {
    if (run.signal.aborted) return ended('cancelled', stoppedText, { note: 'stopped' });
    return ended('failed', `${call.name} failed unexpectedly: ${errorText(given.thrown)}. Try it another way.`, { note: 'failed' });
  }
  const { result } = given;
  const limited = await limitResult({ result, tool, callId: call.id, outputsDir: run.outputsDir, store: run.store });
  const outcome = run.signal.aborted && result.isError === true ? 'cancelled' : result.isError === true ? 'failed' : 'completed';
  return { outcome, content: limited.content, display: limited.display, note: result.note, effects: result.effects ?? [] };
}

async function guarded(work: () => Promise<ToolResult>): Promise<{ readonly result: ToolResult } | { readonly thrown: unknown }> {
  try {
    return { result: await work() };
  } catch (thrown) {
    return { thrown };
  }
}

/** Resolves when the turn was stopped and the tool has had its time to end by itself; or when that no longer matters. */
async function gaveUp(run: ToolRun, over: AbortSignal): Promise<'gaveUp'> {
  if (!run.signal.aborted) {
    await new Promise<void>((resolve) => {
      run.signal.addEventListener('abort', () => resolve(), { once: true, signal: over });
      over.addEventListener('abort', () => resolve(), { once: true });
    });
  }
  if (!over.aborted) await run.clock.sleep(run.graceMs ?? 3_000, over);
  return 'gaveUp';
}

async function afterHooks({ call, tool, prepared, ctx }: Permitted, finish: FinishedCall, run: ToolRun): Promise<Ended> {
  const { durationMs: _own, ...done } = finish;
  if (!run.hooks || run.signal.aborted) return done;
  const post = await run.hooks.post({ call, tool, input: prepared.input, ctx }, finish);
  const effects = post.context === undefined ? done.effects : [...done.effects, say(post.context)];
  return { ...done, effects, content: post.content ?? done.content };
}

function say(text: string): ToolEffect {
  return { kind: 'say', origin: 'reminder', text };
}
