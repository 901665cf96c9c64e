import * as vscode from 'vscode';
import type { FileProblem } from './diagnosticLines';

/** The errors and warnings of a file as the Problems panel has them now. */
export function fileProblems(uri: vscode.Uri, diagnostics: readonly vscode.Diagnostic[] = vscode.languages.getDiagnostics(uri)): readonly FileProblem[] {
  return diagnostics.flatMap((found): FileProblem[] => {
    if (found.severity > vscode.DiagnosticSeverity.Warning) return [];
    return [
      {
        path: uri.fsPath,
        line: found.range.start.line + 1,
        column: found.range.start.character + 1,
        severity: found.severity === vscode.DiagnosticSeverity.Error ? 'error' : 'warning',
        message: found.message,
        source: found.source,
        code: codeText(found.code),
      },
    ];
  });
}

/** Of all files of the disk; what extensions report on other schemes is theirs. */
export function allProblems(): readonly FileProblem[] {
  return vscode.languages.getDiagnostics().flatMap(([uri, diagnostics]) => (uri.scheme === 'file' ? fileProblems(uri, diagnostics) : []));
}

function codeText(code: vscode.Diagnostic['code']): string | undefined {
  if (code === undefined) return undefined;
  return String(typeof code === 'object' ? code.value : code);
}
