import { type Disposable, Emitter } from '../base/disposable';
import { newId } from '../base/ids';
import type { ModelAccess } from '../ports';
import type { EnginePorts } from './contract';
import type { Transport, UiCommand } from '../protocol/envelope';
import type { UiEvent } from '../protocol/events';
import type { Handlers } from '../protocol/methods';
import { serve } from '../protocol/serve';
import type { WorkspaceView } from '../protocol/view';
import type { WorktreesView } from '../protocol/worktree';
import type { Sessions } from './sessions';
import type { SettingsAccess } from './settingsAccess';
import type { SkillBook } from './skillBook';
import { ViewConnection } from './viewConnection';

export interface ViewDeskPorts {
  readonly ports: EnginePorts;
  readonly sessions: Sessions;
  readonly models: ModelAccess;
  readonly skills: SkillBook;
  readonly settings: SettingsAccess;
  readonly worktrees: () => WorktreesView;
}

/** Changes of the small per-window state are gathered for this long. */
const workspaceMs = 60;
const noEditor = { file: undefined, selection: undefined, problemCount: 0 };

/** The connected views of one window: what they are sent, and the state they share. */
export class ViewDesk {
  private readonly views = new Set<ViewConnection>();
  private readonly changes: Emitter<WorkspaceView>;
  private readonly listening: readonly Disposable[];
  private readonly waitingUi: UiCommand[] = [];
  private pending: Disposable | undefined;

  constructor(private readonly desk: ViewDeskPorts) {
    const { ports, sessions, models, skills } = desk;
    this.changes = new Emitter((thrown) => ports.log.error(`A listener of the workspace failed: ${String(thrown)}`));
    this.listening = [
      sessions.onEvent((sessionId, event) => this.take(sessionId, event)),
      models.onDidChange(() => this.changed()),
      skills.onDidChange(() => this.changed()),
      ...(ports.editor ? [ports.editor.onDidChangeContext(() => this.changed())] : []),
    ];
  }

  workspace(): WorkspaceView {
    const { ports, sessions, models, skills, settings, worktrees } = this.desk;
    return {
      sessions: sessions.summaries(),
      model: models.status(),
      editor: ports.editor?.context() ?? noEditor,
      trusted: ports.trust.isTrusted(),
      skillCount: skills.report.loaded.length,
      problemCount: skills.report.problems.length + settings.problems().length,
      worktrees: worktrees(),
    };
  }

  onDidChange(listener: (workspace: WorkspaceView) => void): Disposable {
    return this.changes.on(listener);
  }

  connect(transport: Transport, handlers: Handlers): Disposable {
    const { ports, sessions } = this.desk;
    const view = new ViewConnection(transport, ports.clock);
    this.views.add(view);
    const serving = serve(transport, handlers, {
      viewId: newId('view'),
      subscribe: (target) => view.subscribe(target, target ? (sessions.peek(target.sessionId)?.log.view.seq ?? 0) : 0),
    });
    for (const command of this.waitingUi.splice(0)) view.send({ kind: 'ui', command });
    return {
      dispose: () => {
        serving.dispose();
        view.dispose();
        this.views.delete(view);
      },
    };
  }

  sendUi(command: UiCommand): void {
    if (this.views.size === 0) this.waitingUi.push(command);
    for (const view of this.views) view.send({ kind: 'ui', command });
    this.desk.ports.notify?.ui(command);
  }

  /** Something the per-window state shows has changed. */
  changed(): void {
    this.pending ??= this.desk.ports.clock.every(workspaceMs, () => this.tell());
  }

  dispose(): void {
    this.pending?.dispose();
    for (const part of this.listening) part.dispose();
    for (const view of this.views) view.dispose();
    this.views.clear();
  }

  private take(sessionId: string, event: UiEvent): void {
    for (const view of this.views) view.take(sessionId, event);
    if ('seq' in event) this.changed();
  }

  private tell(): void {
    this.pending?.dispose();
    this.pending = undefined;
    // Listing the sessions reads the disk.
    if (this.views.size === 0 && !this.changes.hasListeners && !this.desk.ports.notify) return;
    const workspace = this.workspace();
    this.changes.fire(workspace);
    for (const view of this.views) view.send({ kind: 'workspace', workspace });
    const live = this.desk.sessions.all();
    this.desk.ports.notify?.awaiting({
      awaiting: workspace.sessions.reduce((sum, session) => sum + session.pendingAsks, 0),
      working: live.filter((session) => session.isWorking).length,
    });
  }
}
