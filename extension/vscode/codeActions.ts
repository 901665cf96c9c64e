import * as vscode from 'vscode';
import { fixRequest } from './diagnosticLines';
import { fileProblems } from './fileProblems';

const askKind = vscode.CodeActionKind.Empty.append('troupe.ask');

/** "Ask Troupe about this" on a selection, "Fix with Troupe" on errors and warnings. */
export const codeActions: vscode.CodeActionProvider = {
  provideCodeActions(document, range, context) {
    const actions: vscode.CodeAction[] = [];
    const problems = fileProblems(document.uri, context.diagnostics);
    if (problems.length > 0) {
      const fix = new vscode.CodeAction('Fix with Troupe', vscode.CodeActionKind.QuickFix);
      fix.diagnostics = [...context.diagnostics];
      fix.command = { command: 'troupe.fix', title: 'Fix with Troupe', arguments: [fixRequest(problems)] };
      actions.push(fix);
    }
    if (!range.isEmpty) {
      const ask = new vscode.CodeAction('Ask Troupe about this', askKind);
      ask.command = { command: 'troupe.ask', title: 'Ask Troupe about this' };
      actions.push(ask);
    }
    return actions;
  },
};

export function registerCodeActions(): vscode.Disposable {
  return vscode.languages.registerCodeActionsProvider({ scheme: 'file' }, codeActions, { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix, askKind] });
}

/** For the palette: what is wrong where the cursor is, else in the whole file. */
export function fixAtCursor(): string | undefined {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return undefined;
  const all = vscode.languages.getDiagnostics(editor.document.uri);
  const here = all.filter((found) => found.range.intersection(editor.selection) !== undefined);
  const problems = fileProblems(editor.document.uri, here.length > 0 ? here : all);
  return problems.length === 0 ? undefined : fixRequest(problems);
}
