import type { Result } from '../base/result';
import type { ConfinedCommand } from '../platform/sandboxRunner';
import type { ToolContext } from './defineTool';

/** Where a command will run. */
export type CommandPlace =
  /** No sandbox is asked for. */
  | { readonly kind: 'open' }
  | { readonly kind: 'confined' }
  /** It is asked for, and this command runs outside; `why` when a person must be told before. */
  | { readonly kind: 'outside'; readonly why?: string }
  | { readonly kind: 'refused'; readonly why: string };

/** The settings' sandbox, as a shell tool needs it. */
export interface CommandSandbox {
  readonly placeOf: (call: { readonly command: string; readonly wantsOut: boolean }, ctx: ToolContext) => Promise<CommandPlace>;
  /** `over` aborts when the command has ended: what it still asks is of no use then. */
  readonly confine: (script: string, shell: string, ctx: ToolContext, over: AbortSignal) => Promise<Result<ConfinedCommand, string>>;
  /** What to tell the model of a confined command that failed; empty when the sandbox had no part in it. */
  readonly explain: (output: string, refusals: readonly string[]) => string;
}
