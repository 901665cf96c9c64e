import * as vscode from 'vscode';
import type { Trust } from '../ports';

export const workspaceTrust: Trust = {
  isTrusted: () => vscode.workspace.isTrusted,
  onDidGrant: (listener) => vscode.workspace.onDidGrantWorkspaceTrust(listener),
};
