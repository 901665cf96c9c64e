import * as vscode from 'vscode';
import type { LanguageIntelligence, Log } from '../ports';
import { diagnosticLines } from './diagnosticLines';
import { fileProblems } from './fileProblems';
import { errorText } from '../base/errorText';

/** After the last change for these files; language servers report a file in one or two bursts. */
const quietMs = 250;
/** For a language that has reported before in this window. */
const knownLimitMs = 1500;
/** For a language nobody may be checking at all. */
const unknownLimitMs = 600;
const maxLines = 40;

/** What the language servers say about files an agent has just changed. */
export function createLanguageIntelligence(log: Log): LanguageIntelligence & vscode.Disposable {
  const reporting = new Set<string>();
  const note = (uris: readonly vscode.Uri[]): void => {
    const ids = new Map(vscode.workspace.textDocuments.map((document) => [document.uri.toString(), document.languageId]));
    for (const uri of uris) reporting.add(ids.get(uri.toString()) ?? '');
  };
  const watching = vscode.languages.onDidChangeDiagnostics((change) => note(change.uris));
  return {
    diagnostics: async (paths) => {
      const uris = paths.map((path) => vscode.Uri.file(path));
      const settled = waitUntilSettled(uris);
      const languages = await Promise.all(uris.map((uri) => openLanguage(uri, log)));
      const isKnown = languages.some((id) => id !== undefined && reporting.has(id));
      await settled(isKnown ? knownLimitMs : unknownLimitMs);
      return diagnosticLines(uris.flatMap((uri) => [...fileProblems(uri)]), maxLines);
    },
    dispose: () => watching.dispose(),
  };
}

/** A server checks only documents VS Code has open; opening one shows no tab. */
async function openLanguage(uri: vscode.Uri, log: Log): Promise<string | undefined> {
  try {
    return (await vscode.workspace.openTextDocument(uri)).languageId;
  } catch (thrown) {
    log.debug(`No diagnostics for ${uri.fsPath}: ${errorText(thrown)}`); // deleted or binary
    return undefined;
  }
}

/** Listens from now on; the returned wait ends `quietMs` after the last report, or at its limit. */
function waitUntilSettled(uris: readonly vscode.Uri[]): (limitMs: number) => Promise<void> {
  const wanted = new Set(uris.map((uri) => uri.toString()));
  let quiet: NodeJS.Timeout | undefined;
  let finish: () => void = () => undefined;
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const listening = vscode.languages.onDidChangeDiagnostics((change) => {
    if (!change.uris.some((uri) => wanted.has(uri.toString()))) return;
    clearTimeout(quiet);
    quiet = setTimeout(finish, quietMs);
  });
  return async (limitMs) => {
    const limit = setTimeout(finish, limitMs);
    await done;
    clearTimeout(limit);
    clearTimeout(quiet);
    listening.dispose();
  };
}
