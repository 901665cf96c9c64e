import * as z from 'zod';
import { err, ok, type Result } from '../base/result';
import type { ResultBlock } from '../protocol/content';
import type { MessageOrigin } from '../protocol/events';
import type { PermissionMode, PermissionSubject } from '../protocol/permission';
import type { ToolDisplay } from '../protocol/toolDisplay';
import type { FileState } from './fileState';

/** What a call is told about where it runs. No tool looks anything up elsewhere: many engines live in one process. */
export interface ToolContext {
  readonly sessionId: string;
  readonly agentId: string;
  readonly callId: string;
  readonly cwd: string;
  readonly projectRoot: string;
  /** Absolute folders the agent may work in, cwd's root first. */
  readonly workingDirs: readonly string[];
  readonly mode: PermissionMode;
  readonly signal: AbortSignal;
  readonly files: FileState;
  /** Live output for the opened tool line. */
  readonly output: (text: string) => void;
  /** Must be called as soon as a process exists, so that it can be found after a crash. */
  readonly spawned: (pid: number, processStartedAtMs: number) => void;
  /** For what a permitted call meets while it runs: judged and asked like a call of its own. @returns whether it may be; false when nobody can say so */
  readonly ask?: (subject: PermissionSubject, signal: AbortSignal) => Promise<boolean>;
}

/** What a call changes beside its result; carried out by the turn loop. */
export type ToolEffect =
  | { readonly kind: 'cwd'; readonly cwd: string }
  /** A user message after this step's results (a skill's text, a reminder). */
  | { readonly kind: 'say'; readonly origin: MessageOrigin; readonly text: string; readonly shown?: string }
  /** Allow rules until the turn ends. */
  | { readonly kind: 'grant'; readonly rules: readonly string[]; readonly anchorDir: string }
  /** Tools refused until the next message of the person. */
  | { readonly kind: 'withhold'; readonly tools: readonly string[] }
  | { readonly kind: 'mode'; readonly mode: PermissionMode }
  | { readonly kind: 'model'; readonly model: string }
  | { readonly kind: 'effort'; readonly effort: string | number }
  | { readonly kind: 'touched'; readonly paths: readonly string[] };

export interface ToolResult {
  /** What the model reads. The scheduler cuts it to the tool's limit. */
  readonly content: string | readonly ResultBlock[];
  readonly isError?: boolean;
  readonly display?: ToolDisplay;
  /** For the right edge of the row: "214 lines", "exit 1". */
  readonly note?: string;
  readonly effects?: readonly ToolEffect[];
}

/** A call whose input fits the schema. `run` is only called after permission, with the input that was permitted. */
export interface PreparedCall {
  readonly input: Readonly<Record<string, unknown>>;
  readonly readOnly: boolean;
  /** The row's text: the command, the file, the pattern. */
  readonly title: string;
  readonly describe: (ctx: ToolContext) => Promise<PermissionSubject>;
  /** Why the call can't work, whatever the person says; called before asking, so that nobody is asked in vain. */
  readonly check?: (ctx: ToolContext) => Promise<string | undefined>;
  readonly run: (ctx: ToolContext) => Promise<ToolResult>;
}

export interface Tool {
  readonly name: string;
  /** Other names the model or a rule may use for it. */
  readonly aliases: readonly string[];
  readonly description: string;
  readonly kind: PermissionSubject['kind'];
  readonly inputSchema: () => Readonly<Record<string, unknown>>;
  /** Most characters of the result that enter the conversation; `Infinity` when the tool cuts by itself. */
  readonly maxResultChars: number;
  /** It came from a server while agents work. `mayDefer`: where there are many, only the tool search gives its schema. */
  readonly late?: { readonly group: string; readonly mayDefer: boolean };
  /** Inputs that only a hook or the person may set; the scheduler drops them from what the model wrote. */
  readonly hookInputs?: readonly string[];
  /** @returns problem: what is wrong with the input and how to call it right, for the model */
  readonly prepare: (input: Readonly<Record<string, unknown>>) => Result<PreparedCall, string>;
}

/** What `describe` must say; the rest of the subject is filled in from the tool. */
export type SubjectDetails = Partial<PermissionSubject> & { readonly title: string };

export interface ToolSpec<S extends z.ZodType> {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly description: string;
  readonly kind: PermissionSubject['kind'];
  readonly input: S;
  readonly readOnly: boolean | ((input: z.infer<S>) => boolean);
  readonly maxResultChars?: number;
  readonly hookInputs?: readonly string[];
  readonly title: (input: z.infer<S>) => string;
  /** No side effects; decides what a rule matches and what the person reads. */
  readonly describe: (input: z.infer<S>, ctx: ToolContext) => SubjectDetails | Promise<SubjectDetails>;
  /** @see PreparedCall.check. Must not tell anything about a file the agent has not been allowed to read. */
  readonly check?: (input: z.infer<S>, ctx: ToolContext) => Promise<string | undefined>;
  readonly run: (input: z.infer<S>, ctx: ToolContext) => Promise<ToolResult>;
}

export function defineTool<S extends z.ZodType>(spec: ToolSpec<S>): Tool {
  let schema: Readonly<Record<string, unknown>> | undefined;
  const inputSchema = (): Readonly<Record<string, unknown>> => {
    schema ??= jsonSchemaOf(spec.input);
    return schema;
  };
  return {
    name: spec.name,
    aliases: spec.aliases ?? [],
    description: spec.description,
    kind: spec.kind,
    inputSchema,
    maxResultChars: spec.maxResultChars ?? 30_000,
    hookInputs: spec.hookInputs ?? [],
    prepare: (raw) => {
      const parsed = spec.input.safeParse(raw);
      if (!parsed.success) return err(inputProblem(spec.name, parsed.error));
      const input = parsed.data;
      const readOnly = typeof spec.readOnly === 'boolean' ? spec.readOnly : spec.readOnly(input);
      return ok({
        input: raw,
        readOnly,
        title: spec.title(input),
        describe: async (ctx) => ({ tool: spec.name, kind: spec.kind, input: { ...raw }, cwd: ctx.cwd, readOnly, ...(await spec.describe(input, ctx)) }),
        check: async (ctx) => spec.check?.(input, ctx),
        run: (ctx) => spec.run(input, ctx),
      });
    },
  };
}

/** The API takes a plain object schema: no `$schema`, no top-level combinators. */
function jsonSchemaOf(input: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema: _dropped, ...schema } = z.toJSONSchema(input, { io: 'input', target: 'draft-7' });
  return schema;
}

function inputProblem(tool: string, error: z.ZodError): string {
  const lines = error.issues.map((issue) => `- ${issue.path.length > 0 ? `${issue.path.join('.')}: ` : ''}${issue.message}`);
  return `The input of ${tool} does not fit its schema:\n${lines.join('\n')}\nCall ${tool} again with these fields corrected.`;
}

export function text(content: string, more: Omit<ToolResult, 'content'> = {}): ToolResult {
  return { content, ...more };
}

/** A failure the model can act on: say what to do next. */
export function failure(content: string, more: Omit<ToolResult, 'content' | 'isError'> = {}): ToolResult {
  return { content, isError: true, ...more };
}
