import * as vscode from 'vscode';
import { Emitter } from '../base/disposable';
import { errorText } from '../base/errorText';
import type { Editor, Log } from '../ports';
import type { Attachment } from '../protocol/interaction';
import type { EditorContext } from '../protocol/view';
import { diagnosticLines } from './diagnosticLines';
import { DiffDocuments } from './diffDocuments';
import { allProblems } from './fileProblems';
import { showChanges, showFolder } from './showChanges';
import { WorktreeBaseFiles } from './worktreeBaseFiles';

const contextDelayMs = 150;
const maxProblems = 100;

/** What the editor has open, and what it can show. */
export class EditorPort implements Editor, vscode.Disposable {
  private readonly diffs = new DiffDocuments();
  private readonly bases: WorktreeBaseFiles;
  private readonly changed: Emitter<void>;
  private readonly watching: vscode.Disposable[];
  private lastEditor = vscode.window.activeTextEditor;
  private lastContext = '';
  private delay: NodeJS.Timeout | undefined;

  constructor(
    private readonly deps: {
      readonly log: Log;
      readonly openWide: (sessionId: string) => Promise<void>;
      readonly worktreeBase: (worktree: string, path: string) => Promise<Uint8Array | undefined>;
    },
  ) {
    this.bases = new WorktreeBaseFiles(deps.worktreeBase);
    this.changed = new Emitter((thrown) => deps.log.error(errorText(thrown)));
    const soon = (): void => this.changeSoon();
    this.watching = [
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        if (editor) this.lastEditor = editor;
        this.changeSoon();
      }),
      vscode.window.onDidChangeTextEditorSelection(soon),
      vscode.window.onDidChangeVisibleTextEditors(soon),
      vscode.languages.onDidChangeDiagnostics(soon),
    ];
  }

  readonly context = (): EditorContext => {
    const editor = this.editor();
    return { file: editor?.document.uri.fsPath, selection: editor && selectedLines(editor), problemCount: allProblems().length };
  };

  readonly attachment = async (kind: 'file' | 'selection' | 'problems'): Promise<Attachment | undefined> => {
    const editor = this.editor();
    if (kind === 'problems') {
      const problems = allProblems();
      return problems.length === 0 ? undefined : { kind, text: diagnosticLines(problems, maxProblems), count: problems.length };
    }
    if (!editor) return undefined;
    const lines = selectedLines(editor);
    if (kind === 'file' || !lines) return { kind: 'file', path: editor.document.uri.fsPath };
    return { kind, ...lines, text: editor.document.getText(new vscode.Range(lines.startLine - 1, 0, lines.endLine, 0)).replace(/\r?\n$/, '') };
  };

  readonly openFile = async (path: string, line: number | undefined): Promise<void> => {
    const at = line === undefined ? undefined : new vscode.Range(Math.max(0, line - 1), 0, Math.max(0, line - 1), 0);
    await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(path), { selection: at });
  };

  readonly openDiff = async (diff: { readonly path: string; readonly before: string; readonly after: string; readonly title: string }): Promise<void> => {
    const before = this.diffs.add(diff.path, 'before', diff.before);
    const after = (await isTextNow(diff.path, diff.after)) ? vscode.Uri.file(diff.path) : this.diffs.add(diff.path, 'after', diff.after);
    await vscode.commands.executeCommand('vscode.diff', before, after, diff.title);
  };

  readonly openChanges = showChanges;

  readonly openFolder = showFolder;

  readonly openUrl = async (url: string): Promise<void> => {
    const uri = vscode.Uri.parse(url, true);
    if (!['http', 'https', 'mailto'].includes(uri.scheme)) throw new Error(`Troupe opens http, https and mailto links only, not "${uri.scheme}:".`);
    await vscode.env.openExternal(uri);
  };

  readonly openWide = (sessionId: string): Promise<void> => this.deps.openWide(sessionId);

  readonly onDidChangeContext = (listener: () => void): vscode.Disposable => {
    const listening = this.changed.on(listener);
    return { dispose: () => listening.dispose() };
  };

  readonly unsavedText = (path: string): string | undefined =>
    vscode.workspace.textDocuments.find((document) => document.isDirty && document.uri.scheme === 'file' && document.uri.fsPath === path)?.getText();

  dispose(): void {
    clearTimeout(this.delay);
    for (const watching of [...this.watching, this.diffs, this.bases]) watching.dispose();
  }

  /** A focused webview tab is the active editor and no text editor is; the text beside it still counts. */
  private editor(): vscode.TextEditor | undefined {
    const last = this.lastEditor;
    const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors.find((visible) => visible.document === last?.document);
    return editor?.document.uri.scheme === 'file' ? editor : undefined;
  }

  private changeSoon(): void {
    this.delay ??= setTimeout(() => {
      this.delay = undefined;
      const context = JSON.stringify(this.context());
      if (context === this.lastContext) return;
      this.lastContext = context;
      this.changed.fire();
    }, contextDelayMs);
  }
}

/** Whole lines, counted from 1; a selection that ends at the start of a line does not take that line in. */
function selectedLines(editor: vscode.TextEditor): { readonly path: string; readonly startLine: number; readonly endLine: number } | undefined {
  const { selection, document } = editor;
  if (selection.isEmpty) return undefined;
  const endsBefore = selection.end.character === 0 && selection.end.line > selection.start.line;
  return { path: document.uri.fsPath, startLine: selection.start.line + 1, endLine: selection.end.line + (endsBefore ? 0 : 1) };
}

/** Then the file itself is shown, and the person keeps its language features. */
async function isTextNow(path: string, text: string): Promise<boolean> {
  try {
    return (await vscode.workspace.openTextDocument(vscode.Uri.file(path))).getText() === text;
  } catch {
    return false; // no such file, or not text: the given text is shown
  }
}
