import * as vscode from 'vscode';
import type { Log } from '../ports';
import type { EngineHost } from './engineHost';
import type { ShownViews } from './shownViews';
import { connectWebview } from './webviewConnection';
import { failureHtml, webviewHtml } from './webviewHtml';
import { prepareWebview } from './webviewPage';

export const wideViewId = 'troupe.wide';
const shownSessionKey = 'troupe.wide.session';

/** The same app as an editor tab, with room for agents and details beside the conversation. One tab; it survives a reload. */
export class WideEditor implements vscode.WebviewPanelSerializer {
  private panel: vscode.WebviewPanel | undefined;

  constructor(
    private readonly deps: { readonly engine: EngineHost; readonly views: ShownViews; readonly log: Log; readonly extensionUri: vscode.Uri; readonly state: vscode.Memento },
  ) {}

  async open(sessionId: string): Promise<void> {
    if (this.panel) {
      this.reveal();
      const engine = await this.deps.engine.get();
      if (this.deps.views.sessionOf(wideViewId) !== sessionId) engine.sendUi({ name: 'showSession', sessionId });
      return;
    }
    this.fill(vscode.window.createWebviewPanel(wideViewId, 'Troupe', vscode.ViewColumn.Active), sessionId);
  }

  reveal(): void {
    this.panel?.reveal();
    if (this.panel?.visible) this.deps.views.show(wideViewId);
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    this.panel?.dispose();
    this.fill(panel, this.deps.state.get<string>(shownSessionKey) ?? '');
  }

  private fill(panel: vscode.WebviewPanel, sessionId: string): void {
    const { views, engine, extensionUri, state } = this.deps;
    const page = prepareWebview(panel.webview, extensionUri, { layout: 'wide', sessionId });
    panel.iconPath = vscode.Uri.joinPath(extensionUri, 'media', 'icon.png');
    this.panel = panel;
    const connection = connectWebview(
      {
        viewId: wideViewId,
        pipe: panel.webview,
        isVisible: () => panel.visible,
        onDidChangeVisibility: (listener) => panel.onDidChangeViewState(listener),
        showFailure: (message) => {
          panel.webview.html = failureHtml(page, message);
        },
      },
      this.deps,
    );
    const activating = panel.onDidChangeViewState(() => {
      if (panel.active) views.show(wideViewId);
    });
    const naming = views.onDidChange(() => {
      const shown = views.sessionOf(wideViewId);
      if (shown === undefined) return;
      if (state.get<string>(shownSessionKey) !== shown) void state.update(shownSessionKey, shown);
      panel.title = titleOf(engine, shown);
    });
    panel.onDidDispose(() => {
      for (const open of [connection, activating, naming]) open.dispose();
      if (this.panel === panel) this.panel = undefined;
    });
    void state.update(shownSessionKey, sessionId);
    panel.webview.html = webviewHtml(page);
  }
}

function titleOf(engine: EngineHost, sessionId: string): string {
  const title = engine.peek()?.workspace().sessions.find((session) => session.sessionId === sessionId)?.title;
  return title ? `Troupe: ${title}` : 'Troupe';
}
