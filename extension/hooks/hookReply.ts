import type { Hook } from './hook';
import { type HookEventName, hookEvents } from './hookEvents';
import type { HookRunOutcome, ModelSpend } from './hookFire';
import { HookJson, type HookHandler, ModelVerdict } from './hookSchema';

/** What came out of a handler, whatever its type. */
export interface RawRun {
  readonly end: 'exit' | 'timeout' | 'stopped' | 'failed';
  readonly exitCode?: number | null;
  readonly stdout: string;
  /** `stdout` is all it wrote. */
  readonly isWhole: boolean;
  readonly stderr: string;
  readonly durationMs: number;
}

/** A hook's run, read. */
export interface HookReply {
  readonly hook: Hook;
  readonly outcome: HookRunOutcome;
  readonly json?: HookJson;
  /** Plain words on stdout; empty when it printed JSON. */
  readonly text: string;
  /** Exit code 2, or what it printed: why the event may not go on, or what the model should know (as the event takes it). */
  readonly refusal?: string;
  /** Why it counts as failed, for the person. */
  readonly problem?: string;
  readonly exitCode?: number | undefined;
  readonly stderr: string;
  readonly durationMs: number;
  readonly spent?: ModelSpend | undefined;
}

/** Reads a command's end: JSON counts with any exit code, 2 refuses whatever is printed (spec 05.5). */
export function readCommandRun(hook: Hook, run: RawRun): HookReply {
  const shared = { hook, stderr: run.stderr, durationMs: run.durationMs, exitCode: run.exitCode ?? undefined };
  if (run.end === 'timeout') return { ...shared, outcome: 'timedOut', text: '', problem: `it did not end within its time limit and was stopped` };
  if (run.end === 'stopped') return { ...shared, outcome: 'stopped', text: '' };
  if (run.end === 'failed') return { ...shared, outcome: 'failed', text: '', problem: run.stderr };
  const read = readOutput(hook.event, run);
  if (run.exitCode === 2) return { ...shared, outcome: hookEvents[hook.event].exitTwo === 'block' ? 'blocked' : 'ok', text: read.text, refusal: run.stderr.trim() || read.json?.reason || 'it gave no reason' };
  if (read.problem !== undefined) return { ...shared, outcome: 'failed', text: '', problem: read.problem };
  if (read.json) return { ...shared, outcome: refuses(read.json) ? 'blocked' : 'ok', text: '', json: read.json };
  if (run.exitCode !== 0) return { ...shared, outcome: 'failed', text: read.text, problem: `it ended with ${run.exitCode === null ? 'a signal' : `exit code ${run.exitCode}`}${run.stderr.trim() === '' ? '' : `: ${run.stderr.trim()}`}` };
  return { ...shared, outcome: 'ok', text: read.text };
}

interface ReadOutput {
  readonly text: string;
  readonly json?: HookJson;
  readonly problem?: string;
}

function readOutput(event: HookEventName, run: RawRun): ReadOutput {
  const value = run.isWhole && run.stdout.trimStart().startsWith('{') ? parsed(run.stdout) : undefined;
  if (value === undefined) return { text: run.stdout };
  return readJson(event, value);
}

function readJson(event: HookEventName, value: unknown): ReadOutput {
  const json = HookJson.safeParse(value);
  if (!json.success) {
    const [issue] = json.error.issues;
    return { text: '', problem: `its JSON does not fit: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}` };
  }
  const named = json.data.hookSpecificOutput?.hookEventName;
  if (named !== undefined && named !== event) return { text: '', problem: `its JSON is for ${named}, but this is ${event}` };
  return { text: '', json: json.data };
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined; // half a JSON is words (spec 05, cases)
  }
}

function refuses(json: HookJson): boolean {
  const { decision, hookSpecificOutput, continue: goesOn } = json;
  return goesOn === false || decision === 'block' || decision === 'deny' || hookSpecificOutput?.permissionDecision === 'deny' || hookSpecificOutput?.decision?.behavior === 'deny';
}

/** An answer of a server: a 2xx with nothing or a JSON object; it can't refuse by its status. */
export function readHttpRun(hook: Hook, reply: { readonly status: number; readonly body: string; readonly durationMs: number }): HookReply {
  const shared = { hook, stderr: '', durationMs: reply.durationMs, text: '' };
  if (reply.status < 200 || reply.status > 299) return { ...shared, outcome: 'failed', problem: `the server answered ${reply.status}` };
  if (reply.body.trim() === '') return { ...shared, outcome: 'ok' };
  const value = reply.body.trimStart().startsWith('{') ? parsed(reply.body) : undefined;
  if (value === undefined) return { ...shared, outcome: 'failed', problem: 'the server answered something else than a JSON object' };
  const read = readJson(hook.event, value);
  if (read.json === undefined) return { ...shared, outcome: 'failed', problem: read.problem ?? 'its answer can’t be read' };
  return { ...shared, outcome: refuses(read.json) ? 'blocked' : 'ok', json: read.json };
}

/** The words of a model that was asked `{ok, reason?, impossible?}`. */
export function readVerdict(hook: Hook, said: string, durationMs: number): HookReply {
  const shared = { hook, stderr: '', durationMs, text: '' };
  const verdict = ModelVerdict.safeParse(parsed(/\{[\s\S]*\}/.exec(said)?.[0] ?? ''));
  if (!verdict.success) return { ...shared, outcome: 'failed', problem: `the model did not answer with {"ok": …}: ${said.trim().slice(0, 200)}` };
  if (verdict.data.ok) return { ...shared, outcome: 'ok' };
  const json = verdictJson(hook.event, hook.handler, verdict.data);
  return { ...shared, outcome: refuses(json) ? 'blocked' : 'ok', json };
}

/** What a "no" means for each event (spec 05.5). */
function verdictJson(event: HookEventName, handler: HookHandler, { reason = 'the check said no', impossible }: ModelVerdict): HookJson {
  const goesOn = handler.type === 'agent' || (handler.type === 'prompt' && handler.continueOnBlock === true);
  const orEnd: HookJson = goesOn ? {} : { continue: false, stopReason: reason };
  switch (event) {
    case 'Stop':
    case 'SubagentStop':
      return impossible ? {} : { decision: 'block', reason };
    case 'PreToolUse':
      return { ...orEnd, hookSpecificOutput: { hookEventName: event, permissionDecision: 'deny', permissionDecisionReason: reason } };
    case 'PostToolUse':
    case 'TeammateIdle':
      return { ...orEnd, decision: 'block', reason };
    case 'PermissionRequest':
    case 'PermissionDenied':
      return {};
    default:
      return { decision: 'block', reason };
  }
}
