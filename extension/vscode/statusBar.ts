import * as vscode from 'vscode';
import { type AwaitingCounts, statusText } from './awaitingText';

/** "2 awaiting you · 3 running" at the bottom; a click goes to the oldest ask, or to the chat. Hidden when there is nothing. */
export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('troupe.status', vscode.StatusBarAlignment.Left, 40);

  constructor() {
    this.item.name = 'Troupe';
  }

  show(counts: AwaitingCounts): void {
    const text = statusText(counts);
    if (text === undefined) {
      this.item.hide();
      return;
    }
    const waits = counts.awaiting > 0;
    this.item.text = `${waits ? '$(bell-dot)' : '$(sync)'} ${text}`;
    this.item.accessibilityInformation = { label: `Troupe: ${text}` };
    this.item.tooltip = waits ? 'Troupe: show the oldest request' : 'Troupe: open the chat';
    this.item.command = waits ? 'troupe.showOldestAsk' : 'troupe.openChat';
    this.item.backgroundColor = waits ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    this.item.show();
  }

  dispose(): void {
    this.item.dispose();
  }
}
