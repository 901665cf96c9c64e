import type { Disposable } from './base/disposable';
import type { Result } from './base/result';
import type { AssistantBlock, ModelMessage, Usage } from './protocol/content';
import type { UiCommand } from './protocol/envelope';
import type { Attachment } from './protocol/interaction';
import type { ModelChoice, ModelSetup } from './protocol/methods';
import type { EditorContext, ModelStatus } from './protocol/view';

/** What the engine needs from outside. Tests fake the model, the clock and the person; the rest is real. */

export interface Clock {
  readonly nowMs: () => number;
  /** Resolves after `ms`, or as soon as `signal` aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Calls `run` every `ms` until disposed; never keeps the process alive by itself. */
  readonly every: (ms: number, run: () => void) => Disposable;
}

export interface Log {
  readonly debug: (message: string) => void;
  readonly info: (message: string) => void;
  readonly warn: (message: string) => void;
  readonly error: (message: string) => void;
}

/** A key store the operating system guards. Values never enter logs, events, transcripts or the webview. */
export interface Secrets {
  readonly get: (name: string) => Promise<string | undefined>;
  readonly set: (name: string, value: string) => Promise<void>;
  readonly delete: (name: string) => Promise<void>;
}

/** What the model can do, so that callers never guess from its name. */
export interface ModelCapabilities {
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  readonly images: boolean;
  readonly documents: boolean;
  readonly systemRole: boolean;
  readonly cacheControl: boolean;
  readonly reportsUsage: boolean;
  readonly thinking: 'none' | 'budget' | 'adaptive';
}

export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** The model is not shown it until a `tool_reference` names it. Left out for models that can't. */
  readonly deferred?: boolean;
}

/**
 * One request. The client adds the cache breakpoints; everything else is sent as given, so that each next
 * request of an agent extends the last one's bytes.
 */
export interface ModelRequest {
  readonly model: string;
  readonly system: readonly string[];
  readonly tools: readonly ToolSchema[];
  readonly messages: readonly ModelMessage[];
  readonly maxTokens?: number;
  /** low, medium, high, xhigh, max, or a thinking budget in tokens; mapped by the model table. */
  readonly effort?: string | number;
}

/** `retryable` failures may be tried again by the person; the client has already retried what makes sense by itself. */
export interface ModelProblem {
  readonly code: 'auth' | 'notFound' | 'invalidRequest' | 'rateLimit' | 'overloaded' | 'network' | 'idle' | 'contextOverflow' | 'notSetUp' | 'server' | 'permission';
  readonly message: string;
  readonly retryable: boolean;
  readonly status?: number;
}

export type ModelStopReason = 'end_turn' | 'tool_use' | 'max_tokens' | 'stop_sequence' | 'pause_turn' | 'refusal' | 'aborted';

/** `end` or `failed` is always the last item. A stream never throws; abort ends it with `end` and `stopReason: 'aborted'`. */
export type ModelEvent =
  | { readonly type: 'start'; readonly model: string }
  | { readonly type: 'text'; readonly block: number; readonly text: string }
  | { readonly type: 'thinking'; readonly block: number; readonly text: string }
  | { readonly type: 'input'; readonly block: number; readonly tool: string; readonly text: string }
  /** What had arrived is void; the next `start` begins anew. */
  | { readonly type: 'retry'; readonly attempt: number; readonly delayMs: number; readonly reason: string }
  | {
      readonly type: 'end';
      readonly content: readonly AssistantBlock[];
      readonly stopReason: ModelStopReason;
      readonly model: string;
      readonly usage: Usage;
      readonly costUsd: number | null;
    }
  | { readonly type: 'failed'; readonly problem: ModelProblem; readonly content: readonly AssistantBlock[]; readonly usage: Usage; readonly costUsd: number | null };

export interface ModelClient {
  readonly capabilities: (model: string) => ModelCapabilities;
  readonly stream: (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>;
}

/** Models an editor offers by itself (VS Code's Language Model API). Absent without an editor. */
export interface HostModels {
  readonly list: () => Promise<readonly ModelChoice[]>;
  readonly client: (model: string) => Promise<ModelClient | undefined>;
  readonly onDidChange: (listener: () => void) => Disposable;
}

/** Which model is set up, and how to set one up. Fails with words a person can act on. */
export interface ModelAccess {
  readonly status: () => ModelStatus;
  readonly client: () => ModelClient | undefined;
  /** The id to use when a session names none. */
  readonly defaultModel: () => string | undefined;
  /** A smaller model for side work (summaries, WebFetch answers); the default model where none is set. */
  readonly smallModel: () => string | undefined;
  readonly list: (signal: AbortSignal) => Promise<Result<readonly ModelChoice[], string>>;
  readonly probe: (server: { readonly baseUrl: string; readonly key: string | undefined }, signal: AbortSignal) => Promise<Result<readonly ModelChoice[], string>>;
  readonly setup: (setup: ModelSetup) => Promise<Result<void, string>>;
  readonly onDidChange: (listener: () => void) => Disposable;
}

/** `path` is absolute, and the real file where `after` is one. `before` names what `Engine.worktreeBase` gives out. */
export interface ChangesReview {
  readonly title: string;
  readonly files: readonly {
    readonly path: string;
    readonly before: 'absent' | { readonly worktree: string; readonly path: string };
    readonly after: 'absent' | 'file';
  }[];
}

/** What the editor has open and can show. Headless runs have none. */
export interface Editor {
  readonly context: () => EditorContext;
  readonly attachment: (kind: 'file' | 'selection' | 'problems') => Promise<Attachment | undefined>;
  readonly openFile: (path: string, line: number | undefined) => Promise<void>;
  /** `before` and `after` are whole texts; `path` names the file for its language and title. */
  readonly openDiff: (diff: { readonly path: string; readonly before: string; readonly after: string; readonly title: string }) => Promise<void>;
  readonly openUrl: (url: string) => Promise<void>;
  readonly openWide: (sessionId: string) => Promise<void>;
  readonly onDidChangeContext: (listener: () => void) => Disposable;
  /** Several files side by side, each as it was against the real file. Absent where the editor can't. */
  readonly openChanges?: (review: ChangesReview) => Promise<void>;
  readonly openFolder?: (path: string, where: 'terminal' | 'window') => Promise<void>;
  /** Text in an editor tab that is not saved yet, so that Read sees what the person sees. */
  readonly unsavedText: (path: string) => string | undefined;
}

/** Errors and warnings of a file as the language servers see it, in lines a model can read. */
export interface LanguageIntelligence {
  readonly diagnostics: (paths: readonly string[]) => Promise<string>;
}

/** Whether what the repository brings may run. Without it nothing of the repository's runs. */
export interface Trust {
  readonly isTrusted: () => boolean;
  readonly onDidGrant: (listener: () => void) => Disposable;
  /** Shows where the person can decide; absent where there is nothing to show it in. */
  readonly manage?: () => Promise<void>;
}

/** Takes a person through a sign-in page in their browser. Absent where there is none. */
export interface SignIn {
  /** Where the page sends the person back to. */
  readonly redirectUrl: () => Promise<string>;
  readonly openPage: (url: string) => Promise<void>;
  /** The query of the redirect that carries `state`; rejects when `signal` aborts. */
  readonly answer: (state: string, signal: AbortSignal) => Promise<URLSearchParams>;
  /** A public document that stands for us where a server takes an address as client id. */
  readonly clientMetadataUrl?: string;
}

/** Hints to the person when no view is looking: one merged notice, never two for one thing. */
export interface Notify {
  readonly awaiting: (counts: { readonly awaiting: number; readonly working: number }) => void;
  readonly ui: (command: UiCommand) => void;
}
