import type { PermissionProvenance } from '../protocol/permission';
import type { ResultBlock, ToolUseBlock } from '../protocol/content';
import type { ToolOutcome } from '../protocol/events';
import type { ToolDisplay } from '../protocol/toolDisplay';
import type { Tool, ToolContext, ToolEffect } from './defineTool';

/** One call that is over; becomes `tool/completed` and the result block the model reads. */
export interface FinishedCall {
  readonly outcome: ToolOutcome;
  readonly content: string | readonly ResultBlock[];
  readonly display?: ToolDisplay | undefined;
  readonly note?: string | undefined;
  readonly durationMs: number;
  readonly decidedBy?: string | undefined;
  readonly decision?: PermissionProvenance | undefined;
  readonly effects: readonly ToolEffect[];
}

/** Told as things happen; `started` after permission and before `run`, `completed` once for every call. */
export interface ToolRunListener {
  readonly started: (call: ToolUseBlock, about: { readonly name: string; readonly title: string; readonly kind: string; readonly input: Readonly<Record<string, unknown>> }) => void;
  readonly spawned: (call: ToolUseBlock, pid: number, processStartedAtMs: number) => void;
  readonly output: (call: ToolUseBlock, text: string) => void;
  readonly completed: (call: ToolUseBlock, finish: FinishedCall) => void;
}

export interface PreHookCall {
  readonly call: ToolUseBlock;
  readonly tool: Tool;
  readonly input: Readonly<Record<string, unknown>>;
  readonly ctx: ToolContext;
}

/** `verdict` allow skips the ask, not deny and ask rules. `context` is told to the model after the results. */
export type PreHookResult =
  | { readonly behavior: 'go'; readonly input?: Readonly<Record<string, unknown>>; readonly verdict?: { readonly behavior: 'allow' | 'ask'; readonly reason: string }; readonly context?: string }
  | { readonly behavior: 'deny'; readonly message: string };

export interface ToolHooks {
  readonly pre: (call: PreHookCall) => Promise<PreHookResult>;
  /** After success and failure alike. `content` takes the place of what the model reads. */
  readonly post: (call: PreHookCall, finish: FinishedCall) => Promise<{ readonly content?: string; readonly context?: string }>;
  /** In auto mode, after a refusal that no person gave. @returns whether the model may try it again */
  readonly denied?: (call: PreHookCall, message: string) => Promise<boolean>;
}
