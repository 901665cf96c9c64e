import * as vscode from 'vscode';

export const diffScheme = 'troupe-diff';
/** Texts of diffs whose tab was never opened or is long gone. */
const maxKept = 40;

/** Read-only documents for the sides of a diff that are not on disk. */
export class DiffDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly registered: vscode.Disposable[];
  private lastId = 0;

  constructor() {
    this.registered = [
      vscode.workspace.registerTextDocumentContentProvider(diffScheme, this),
      vscode.workspace.onDidCloseTextDocument((document) => this.texts.delete(document.uri.toString())),
    ];
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? '';
  }

  /** The path is kept in the URI, so that VS Code picks the language by its name. */
  add(path: string, side: 'before' | 'after', text: string): vscode.Uri {
    this.lastId += 1;
    const uri = vscode.Uri.file(path).with({ scheme: diffScheme, query: `${side}-${this.lastId}` });
    this.texts.set(uri.toString(), text);
    const [oldest] = this.texts.keys();
    if (this.texts.size > maxKept && oldest !== undefined) this.texts.delete(oldest);
    return uri;
  }

  dispose(): void {
    for (const registered of this.registered) registered.dispose();
    this.texts.clear();
  }
}
