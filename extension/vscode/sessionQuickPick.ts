import * as vscode from 'vscode';
import type { SessionSummary } from '../protocol/view';
import type { CommandDeps } from './commandDeps';
import { commandCaller } from './engineHost';

const rename: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('edit'), tooltip: 'Rename' };
const remove: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('trash'), tooltip: 'Delete' };
const groups: readonly { readonly group: SessionSummary['group']; readonly label: string; readonly icon: string }[] = [
  { group: 'needsYou', label: 'needs you', icon: '$(bell-dot)' },
  { group: 'working', label: 'working', icon: '$(sync)' },
  { group: 'done', label: 'done', icon: '$(check)' },
];

interface SessionItem extends vscode.QuickPickItem {
  readonly session?: SessionSummary;
}

/** "Resume Session…": all sessions of this folder, what needs the person first. */
export async function resumeSession(deps: CommandDeps): Promise<void> {
  const engine = await deps.engine.get();
  const list = vscode.window.createQuickPick<SessionItem>();
  const refresh = (): void => {
    list.items = sessionItems(engine.workspace().sessions);
  };
  list.title = 'Sessions';
  list.placeholder = 'Resume a session of this folder';
  list.matchOnDescription = true;
  refresh();
  if (list.items.length === 0) list.placeholder = 'There are no sessions in this folder yet';
  const watching = engine.onDidChangeWorkspace(refresh);
  list.onDidHide(() => {
    watching.dispose();
    list.dispose();
  });
  list.onDidAccept(() => {
    const session = list.selectedItems[0]?.session;
    list.hide();
    if (session) void show(deps, session.sessionId);
  });
  list.onDidTriggerItemButton(({ item, button }) => {
    list.hide();
    if (item.session) void run(deps, () => (button === rename ? renameSession(deps, item.session) : deleteSession(deps, item.session)));
  });
  list.show();
}

async function show(deps: CommandDeps, sessionId: string): Promise<void> {
  const engine = await deps.engine.get();
  engine.sendUi({ name: 'showSession', sessionId });
  await deps.reveal();
}

async function renameSession(deps: CommandDeps, session: SessionSummary | undefined): Promise<void> {
  if (!session) return;
  const title = await vscode.window.showInputBox({ title: 'Rename Session', value: session.title, validateInput: (value) => (value.trim() === '' ? 'A session needs a name.' : undefined) });
  if (title === undefined) return;
  const engine = await deps.engine.get();
  await engine.handlers['session/rename']({ sessionId: session.sessionId, title: title.trim() }, commandCaller);
}

async function deleteSession(deps: CommandDeps, session: SessionSummary | undefined): Promise<void> {
  if (!session) return;
  const detail = 'Its conversation goes to Troupe’s trash folder on this machine. Files it has changed stay as they are.';
  const picked = await vscode.window.showWarningMessage(`Delete the session “${session.title}”?`, { modal: true, detail }, 'Delete');
  if (picked !== 'Delete') return;
  const engine = await deps.engine.get();
  await engine.handlers['session/delete']({ sessionId: session.sessionId }, commandCaller);
}

async function run(deps: CommandDeps, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    deps.log.error(message);
    void vscode.window.showErrorMessage(`Troupe: ${message}`);
  }
}

function sessionItems(sessions: readonly SessionSummary[]): readonly SessionItem[] {
  return groups.flatMap(({ group, label, icon }) => {
    const inGroup = sessions.filter((session) => session.group === group).sort((a, b) => b.lastEventAtMs - a.lastEventAtMs);
    if (inGroup.length === 0) return [];
    return [{ label, kind: vscode.QuickPickItemKind.Separator }, ...inGroup.map((session) => sessionItem(session, icon))];
  });
}

function sessionItem(session: SessionSummary, icon: string): SessionItem {
  const asks = session.pendingAsks === 0 ? '' : `${session.pendingAsks} waiting`;
  const when = new Date(session.lastEventAtMs).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  const cost = session.costUsd === null ? '' : `$${session.costUsd.toFixed(2)}`;
  return {
    session,
    label: `${icon} ${session.title}`,
    description: [asks, when, cost, session.readOnly ? 'open in another window' : ''].filter(Boolean).join(' · '),
    buttons: session.readOnly ? [] : [rename, remove],
  };
}
