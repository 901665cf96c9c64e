import * as vscode from 'vscode';
import type { Notify } from '../ports';
import type { UiCommand } from '../protocol/envelope';
import { type AwaitingCounts, AwaitingReminder, awaitingText } from './awaitingText';
import type { ChatViewProvider } from './chatViewProvider';
import type { ShownViews } from './shownViews';
import { StatusBar } from './statusBar';

/** Asks often come in a burst (agents started together); they are told of together. */
const mergeMs = 500;

/** Badge, status bar, the commands' enablement and one merged notification, all from the same two counts. */
export class EditorNotify implements Notify, vscode.Disposable {
  private readonly statusBar = new StatusBar();
  private readonly reminder = new AwaitingReminder();
  private readonly watching: vscode.Disposable;
  private counts: AwaitingCounts = { awaiting: 0, working: 0 };
  private merging: NodeJS.Timeout | undefined;

  constructor(private readonly deps: { readonly chat: ChatViewProvider; readonly views: ShownViews; readonly reveal: () => Promise<void> }) {
    this.watching = deps.views.onDidChange(() => this.remindSoon());
  }

  readonly awaiting = (counts: AwaitingCounts): void => {
    if (counts.awaiting === this.counts.awaiting && counts.working === this.counts.working) return;
    this.counts = counts;
    this.statusBar.show(counts);
    this.deps.chat.setAwaiting(counts.awaiting);
    void vscode.commands.executeCommand('setContext', 'troupe.awaiting', counts.awaiting > 0);
    void vscode.commands.executeCommand('setContext', 'troupe.working', counts.working > 0);
    this.remindSoon();
  };

  /** The engine keeps the command for the next view when none is on screen; here the view is brought up. */
  readonly ui = (_command: UiCommand): void => {
    if (!this.deps.views.isAnyShown()) void this.deps.reveal();
  };

  dispose(): void {
    clearTimeout(this.merging);
    this.watching.dispose();
    this.statusBar.dispose();
  }

  private remindSoon(): void {
    this.merging ??= setTimeout(() => {
      this.merging = undefined;
      this.remind();
    }, mergeMs);
  }

  private remind(): void {
    const count = this.reminder.next({ awaiting: this.counts.awaiting, isLooking: this.deps.views.isAnyShown() });
    if (count === undefined) return;
    vscode.window.showInformationMessage(`Troupe: ${awaitingText(count)}.`, 'Show').then((picked) => {
      this.reminder.closed();
      if (picked) void vscode.commands.executeCommand('troupe.showOldestAsk');
      else this.remindSoon();
    });
  }
}
