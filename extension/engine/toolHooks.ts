import { isAbsolute, resolve } from 'node:path';
import type { HookOutcome } from '../hooks/hookOutcome';
import type { PermissionSubject } from '../protocol/permission';
import type { FinishedCall, PreHookCall, PreHookResult, ToolHooks } from '../tools/toolRun';
import type { Hooks } from './hookMoment';

export interface ToolHookPorts {
  readonly hooks: Hooks;
  readonly agentId: string;
  /** Ends the turn after the calls that run. */
  readonly halt: (why: string) => void;
}

/** What a person must do themselves: a hook's allow is not their answer, unless it brings one. */
const onlyPeople = new Set(['AskUserQuestion', 'ExitPlanMode']);

export function createToolHooks(ports: ToolHookPorts): ToolHooks {
  return {
    pre: (call) => before(call, ports),
    post: async (call, finish) => {
      const { updated, outcome } = await after(call, finish, ports);
      if (outcome.stop !== undefined) ports.halt(outcome.stop);
      return { ...(updated === undefined ? {} : { content: updated }), ...(outcome.contexts.length === 0 ? {} : { context: outcome.contexts.join('\n\n') }) };
    },
    denied: async (call, message) => {
      const outcome = await ports.hooks.fire('PermissionDenied', { ...aboutCall(call), tool_use_id: call.call.id, reason: message }, momentOf(call, ports));
      return outcome.specifics.some((one) => one.retry === true);
    },
  };
}

async function before(call: PreHookCall, ports: ToolHookPorts): Promise<PreHookResult> {
  const outcome = await ports.hooks.fire('PreToolUse', { ...aboutCall(call), tool_use_id: call.call.id }, momentOf(call, ports));
  const { stop, permission, updatedInput, contexts } = outcome;
  if (stop !== undefined) {
    ports.halt(stop);
    return { behavior: 'deny', message: `The call did not run: a hook ended the turn (${stop}).` };
  }
  if (permission?.behavior === 'deny') return { behavior: 'deny', message: denial(call, permission) };
  const isAnswer = permission?.behavior === 'allow' && (!onlyPeople.has(call.tool.name) || updatedInput !== undefined);
  // Nobody waits outside for a deferred call here: a person is asked.
  const verdict = permission?.behavior === 'ask' || permission?.behavior === 'defer' ? 'ask' : isAnswer ? 'allow' : undefined;
  return {
    behavior: 'go',
    ...(updatedInput ? { input: updatedInput } : {}),
    ...(verdict && permission ? { verdict: { behavior: verdict, reason: permission.reason } } : {}),
    ...(contexts.length === 0 ? {} : { context: contexts.join('\n\n') }),
  };
}

function denial(call: PreHookCall, { reason, by }: NonNullable<HookOutcome['permission']>): string {
  return `The hook ${by} did not let ${call.tool.name} run: ${reason}\nDo what it says, or go on another way; the same call will be refused again, and so should the same act by another tool.`;
}

async function after(call: PreHookCall, finish: FinishedCall, ports: ToolHookPorts): Promise<{ readonly updated: string | undefined; readonly outcome: HookOutcome }> {
  const shared = { ...aboutCall(call), tool_use_id: call.call.id, duration_ms: finish.durationMs };
  const moment = momentOf(call, ports);
  if (finish.outcome !== 'completed') {
    const isInterrupt = finish.outcome === 'cancelled' || finish.outcome === 'interrupted';
    return { updated: undefined, outcome: await ports.hooks.fire('PostToolUseFailure', { ...shared, error: plainText(finish.content), is_interrupt: isInterrupt }, moment) };
  }
  const outcome = await ports.hooks.fire('PostToolUse', { ...shared, tool_response: toolResponse(call.tool.name, call.input, finish) }, moment);
  const changed = outcome.specifics.map((one) => one['updatedToolOutput'] ?? (call.tool.name.startsWith('mcp__') ? one['updatedMCPToolOutput'] : undefined)).findLast((one) => one !== undefined);
  return { updated: changed === undefined ? undefined : outputText(changed), outcome };
}

function aboutCall({ tool, input, ctx }: PreHookCall): Readonly<Record<string, unknown>> {
  return { tool_name: tool.name, tool_input: toolInput(input, ctx.cwd) };
}

function momentOf(call: PreHookCall, { agentId }: ToolHookPorts) {
  const { tool, input, ctx } = call;
  const subject = async (): Promise<PermissionSubject> => {
    const prepared = tool.prepare(input);
    const bare: PermissionSubject = { tool: tool.name, kind: tool.kind, title: tool.name, input: { ...input }, cwd: ctx.cwd, readOnly: false };
    return prepared.ok ? prepared.value.describe(ctx) : bare;
  };
  return { agentId, callId: call.call.id, signal: ctx.signal, subject };
}

const pathFields = ['file_path', 'notebook_path', 'path'];

/** Paths of file tools are absolute in what hooks read. */
export function toolInput(input: Readonly<Record<string, unknown>>, cwd: string): Readonly<Record<string, unknown>> {
  const absolute = (value: unknown): unknown => (typeof value === 'string' && value !== '' && !isAbsolute(value) ? resolve(cwd, value) : value);
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, pathFields.includes(key) ? absolute(value) : value]));
}

/** A call's result with fields to pick from, as hooks of this format read them. */
export function toolResponse(name: string, input: Readonly<Record<string, unknown>>, finish: FinishedCall | undefined): unknown {
  const content = plainText(finish?.content ?? '');
  const { display } = finish ?? {};
  if (finish && finish.outcome !== 'completed') return { success: false, error: content };
  switch (name) {
    case 'Bash':
    case 'PowerShell':
      return { stdout: display?.kind === 'output' ? display.text : content, stderr: '', interrupted: false, isImage: false, ...(display?.kind === 'output' && display.exitCode !== undefined ? { exitCode: display.exitCode } : {}) };
    case 'Read':
      return { type: 'text', file: { filePath: input['file_path'], content } };
    case 'Write':
      return { type: display?.kind === 'diff' && display.diff.kind === 'create' ? 'create' : 'update', filePath: input['file_path'], content: input['content'], structuredPatch: display?.kind === 'diff' ? display.diff.hunks : [] };
    case 'Edit':
      return { filePath: input['file_path'], oldString: input['old_string'], newString: input['new_string'], replaceAll: input['replace_all'] ?? false, structuredPatch: display?.kind === 'diff' ? display.diff.hunks : [] };
    case 'Skill':
      return { success: true, commandName: input['skill'] };
    default:
      return { content };
  }
}

function plainText(content: FinishedCall['content']): string {
  return typeof content === 'string' ? content : content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
}

/** What a hook puts in place of a result: text, or the shape it was given. */
function outputText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null) {
    if ('stdout' in value && typeof value.stdout === 'string') return value.stdout;
    if ('file' in value && typeof value.file === 'object' && value.file !== null && 'content' in value.file && typeof value.file.content === 'string') return value.file.content;
    if ('content' in value && typeof value.content === 'string') return value.content;
  }
  return JSON.stringify(value);
}
