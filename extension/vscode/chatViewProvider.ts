import * as vscode from 'vscode';
import type { Log } from '../ports';
import { awaitingText } from './awaitingText';
import type { EngineHost } from './engineHost';
import type { ShownViews } from './shownViews';
import { connectWebview } from './webviewConnection';
import { failureHtml, webviewHtml } from './webviewHtml';
import { prepareWebview } from './webviewPage';

export const chatViewId = 'troupe.chat';

/** The chat in the activity bar's Troupe container. */
export class ChatViewProvider implements vscode.WebviewViewProvider {
  private view: vscode.WebviewView | undefined;
  private awaiting = 0;

  constructor(private readonly deps: { readonly engine: EngineHost; readonly views: ShownViews; readonly log: Log; readonly extensionUri: vscode.Uri }) {}

  resolveWebviewView(view: vscode.WebviewView): void {
    const page = prepareWebview(view.webview, this.deps.extensionUri, { layout: 'sidebar', sessionId: '' });
    this.view = view;
    this.showBadge();
    const connection = connectWebview(
      {
        viewId: chatViewId,
        pipe: view.webview,
        isVisible: () => view.visible,
        onDidChangeVisibility: (listener) => view.onDidChangeVisibility(listener),
        showFailure: (message) => {
          view.webview.html = failureHtml(page, message);
        },
      },
      this.deps,
    );
    view.onDidDispose(() => {
      connection.dispose();
      this.view = undefined;
    });
    view.webview.html = webviewHtml(page);
  }

  /** Kept until there is a view: VS Code makes it only when it is first opened. */
  setAwaiting(count: number): void {
    this.awaiting = count;
    this.showBadge();
  }

  async reveal(): Promise<void> {
    await vscode.commands.executeCommand(`${chatViewId}.focus`);
    if (this.view?.visible) this.deps.views.show(chatViewId);
  }

  private showBadge(): void {
    if (this.view) this.view.badge = this.awaiting === 0 ? undefined : { value: this.awaiting, tooltip: awaitingText(this.awaiting) };
  }
}
