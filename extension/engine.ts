import type { Disposable } from './base/disposable';
import type { Clock, Editor, HostModels, LanguageIntelligence, Log, Notify, Secrets, Trust } from './ports';
import type { Transport, UiCommand } from './protocol/envelope';
import type { Handlers } from './protocol/methods';
import type { WorkspaceView } from './protocol/view';

/** What an entry hands in. Absent ports mean "not in this door": no editor in headless runs. */
export interface EnginePorts {
  readonly clock: Clock;
  readonly log: Log;
  readonly secrets: Secrets;
  readonly trust: Trust;
  readonly editor?: Editor;
  readonly language?: LanguageIntelligence;
  readonly hostModels?: HostModels;
  readonly notify?: Notify;
}

export interface EngineOptions {
  /** The folder the person opened or started in; absolute. */
  readonly cwd: string;
  readonly addDirs: readonly string[];
  /** `CLAUDE_CONFIG_DIR`, else `~/.claude`. */
  readonly configRoot: string;
  readonly homeDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of the bundle, where wasm and other assets lie. */
  readonly assetsDir: string;
  readonly ripgrepPath: string | undefined;
  readonly version: string;
  /** Settings of the flag layer: `--settings`, VS Code's `troupe.*`. */
  readonly flagSettings: readonly Readonly<Record<string, unknown>>[];
  /** No person can answer: what would ask is denied with the reason. */
  readonly interactive: boolean;
}

export interface Engine {
  /** Direct calls, for a front end in the same process. */
  readonly handlers: Handlers;
  /** Serves one view: answers its calls, sends it events of what it subscribed to, and the workspace. */
  readonly connect: (transport: Transport) => Disposable;
  readonly workspace: () => WorkspaceView;
  readonly onDidChangeWorkspace: (listener: (workspace: WorkspaceView) => void) => Disposable;
  /** Sent to the connected views; kept for the next one when none is connected. */
  readonly sendUi: (command: UiCommand) => void;
  /** Interrupts what runs, ends its processes, closes its files. */
  readonly dispose: () => Promise<void>;
}
