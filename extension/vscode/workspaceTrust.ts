import * as vscode from 'vscode';
import type { Trust } from '../ports';

export const workspaceTrust: Trust = {
  isTrusted: () => vscode.workspace.isTrusted,
  manage: async () => {
    await vscode.commands.executeCommand('workbench.trust.manage');
  },
  onDidGrant: (listener) => vscode.workspace.onDidGrantWorkspaceTrust(listener),
};
