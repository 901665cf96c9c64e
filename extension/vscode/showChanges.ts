import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { ChangesReview } from '../ports';
import { absentUri, baseUri } from './worktreeBaseFiles';

type Change = ChangesReview['files'][number];

/** VS Code's own diff editors, each file as it was against the real file: the person keeps language features and can edit there. */
export async function showChanges({ title, files }: ChangesReview): Promise<void> {
  const [first, ...others] = files;
  if (!first) return;
  if (others.length === 0) {
    await vscode.commands.executeCommand('vscode.diff', before(first) ?? absentUri(first.path), after(first) ?? absentUri(first.path), title);
    return;
  }
  await vscode.commands.executeCommand(
    'vscode.changes',
    title,
    files.map((file) => [vscode.Uri.file(file.path), before(file), after(file)]),
  );
}

function before(file: Change): vscode.Uri | undefined {
  if (file.before === 'absent') return undefined;
  const isRenamed = !file.path.replaceAll('\\', '/').endsWith(`/${file.before.path}`);
  return baseUri(file.before, isRenamed ? `/${file.before.path}` : file.path);
}

function after(file: Change): vscode.Uri | undefined {
  return file.after === 'absent' ? undefined : vscode.Uri.file(file.path);
}

export async function showFolder(path: string, where: 'terminal' | 'window'): Promise<void> {
  if (where === 'terminal') vscode.window.createTerminal({ name: basename(path), cwd: path }).show();
  else await vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.file(path), { forceNewWindow: true });
}
