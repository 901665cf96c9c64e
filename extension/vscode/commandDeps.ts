import type * as vscode from 'vscode';
import type { ChatViewProvider } from './chatViewProvider';
import { commandCaller, type EngineHost } from './engineHost';
import type { EditorLog } from './log';
import type { ShownViews } from './shownViews';
import type { WideEditor } from './wideEditor';

/** What the commands work on. */
export interface CommandDeps {
  readonly engine: EngineHost;
  readonly views: ShownViews;
  readonly chat: ChatViewProvider;
  readonly wide: WideEditor;
  readonly log: EditorLog;
  readonly state: vscode.Memento;
  /** Brings the Troupe view the person used last to the front; the sidebar when none is on screen. */
  readonly reveal: () => Promise<void>;
}

/** The session the person looks at; else the folder's current one. */
export async function currentSession(deps: Pick<CommandDeps, 'engine' | 'views'>): Promise<string> {
  const shown = deps.views.session();
  if (shown !== undefined) return shown;
  const engine = await deps.engine.get();
  return (await engine.handlers['session/current']({}, commandCaller)).sessionId;
}
