import * as vscode from 'vscode';
import type { Problem } from '../base/problem';
import { authoredKeys, type AuthoredKind, kindOfFile } from '../authoring/authoredKeys';
import type { LineEdit } from '../authoring/textFix';
import type { EngineHost } from './engineHost';

const places = '**/.claude/{skills,agents,commands}/**/*.md';
const selector: vscode.DocumentSelector = [
  { scheme: 'file', language: 'markdown', pattern: '**/{SKILL.md,skill.md}' },
  { scheme: 'file', pattern: places },
];
/** Files looked at when the window opens, at most. */
const mostFiles = 500;
const waitMs = 250;
const source = 'Troupe';

/**
 * Problems, quick fixes, completion and hover for SKILL.md, commands and agents, as they stand in the editor or on disk;
 * once the engine runs, also what it found in other files of its own (settings, hooks, MCP servers).
 */
export function registerAuthoring(engine: EngineHost): vscode.Disposable {
  const own = vscode.languages.createDiagnosticCollection('troupe.authoring');
  const found = vscode.languages.createDiagnosticCollection('troupe.files');
  const waiting = new Map<string, NodeJS.Timeout>();
  const look = (uri: vscode.Uri): void => {
    const kind = uri.scheme === 'file' ? kindOfFile(uri.fsPath) : undefined;
    if (kind === undefined) return;
    clearTimeout(waiting.get(uri.toString()));
    waiting.set(uri.toString(), setTimeout(() => void refresh(own, uri, kind), waitMs));
  };
  const watcher = vscode.workspace.createFileSystemWatcher(places);
  const lookAtAll = async (): Promise<void> => (await vscode.workspace.findFiles(places, '**/{node_modules,.claude/worktrees}/**', mostFiles)).forEach(look);
  void lookAtAll();
  for (const document of vscode.workspace.textDocuments) look(document.uri);
  return vscode.Disposable.from(
    own,
    found,
    watcher,
    watcher.onDidCreate(look),
    watcher.onDidChange(look),
    watcher.onDidDelete((uri) => own.delete(uri)),
    vscode.workspace.onDidOpenTextDocument(({ uri }) => look(uri)),
    vscode.workspace.onDidChangeTextDocument(({ document }) => look(document.uri)),
    engine.onStart((running) => followEngine(running, found)),
    vscode.languages.registerCodeActionsProvider(selector, { provideCodeActions: (document, _range, context) => actionsFor(document, context.diagnostics) }, { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] }),
    vscode.languages.registerCompletionItemProvider(selector, { provideCompletionItems: (document, position) => completions(document, position) }, ':', ' '),
    vscode.languages.registerHoverProvider(selector, { provideHover: (document, position) => hoverAt(document, position) }),
    {
      dispose: () => {
        for (const timer of waiting.values()) clearTimeout(timer);
      },
    },
  );
}

async function refresh(into: vscode.DiagnosticCollection, uri: vscode.Uri, kind: AuthoredKind): Promise<void> {
  try {
    const text = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString())?.getText() ?? new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    const { diagnose } = await import('../authoring/diagnose');
    into.set(uri, (await diagnose(text, { kind, path: uri.fsPath })).map((problem) => diagnosticOf(problem, text.split('\n')[(problem.line ?? 1) - 1])));
  } catch {
    into.delete(uri); // it is gone
  }
}

const severities: Readonly<Record<Problem['severity'], vscode.DiagnosticSeverity>> = { error: vscode.DiagnosticSeverity.Error, warning: vscode.DiagnosticSeverity.Warning, info: vscode.DiagnosticSeverity.Information };

class TroupeDiagnostic extends vscode.Diagnostic {
  constructor(
    range: vscode.Range,
    readonly problem: Problem,
  ) {
    super(range, problem.message, severities[problem.severity]);
    this.source = source;
    this.code = problem.code;
  }
}

function diagnosticOf(problem: Problem, line: string | undefined): vscode.Diagnostic {
  const at = Math.max(0, (problem.line ?? 1) - 1);
  return new TroupeDiagnostic(new vscode.Range(at, 0, at, line?.replace(/\r$/, '').length ?? 0), problem);
}

async function actionsFor(document: vscode.TextDocument, diagnostics: readonly vscode.Diagnostic[]): Promise<vscode.CodeAction[]> {
  const kind = kindOfFile(document.uri.fsPath);
  const ours = diagnostics.filter((one) => one.source === source);
  if (kind === undefined || ours.length === 0) return [];
  const [{ diagnose }, { fixesFor }] = await Promise.all([import('../authoring/diagnose'), import('../authoring/fixes')]);
  const text = document.getText();
  const problems = await diagnose(text, { kind, path: document.uri.fsPath });
  const actions: vscode.CodeAction[] = [];
  for (const diagnostic of ours) {
    const problem = problems.find((one) => one.message === diagnostic.message && (one.line ?? 1) - 1 === diagnostic.range.start.line);
    for (const fix of problem ? await fixesFor(text, problem, { kind, path: document.uri.fsPath }) : []) {
      const action = new vscode.CodeAction(fix.title, vscode.CodeActionKind.QuickFix);
      action.diagnostics = [diagnostic];
      action.edit = new vscode.WorkspaceEdit();
      for (const edit of fix.edits) action.edit.replace(document.uri, rangeOf(document, edit), replacementOf(document, edit));
      action.isPreferred = actions.length === 0;
      actions.push(action);
    }
  }
  return actions;
}

function rangeOf(document: vscode.TextDocument, { from, to }: LineEdit): vscode.Range {
  const end = to - 1 < document.lineCount ? new vscode.Position(to - 1, 0) : document.lineAt(document.lineCount - 1).range.end;
  return new vscode.Range(new vscode.Position(from - 1, 0), end);
}

function replacementOf(document: vscode.TextDocument, { text }: LineEdit): string {
  if (text === undefined) return '';
  const eol = document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
  return `${text.split('\n').join(eol)}${eol}`;
}

async function completions(document: vscode.TextDocument, position: vscode.Position): Promise<vscode.CompletionItem[]> {
  const kind = kindOfFile(document.uri.fsPath);
  if (kind === undefined) return [];
  const { complete } = await import('../authoring/assist');
  return complete(document.getText(), { line: position.line + 1, column: position.character }, { kind }).map(({ label, insert, about }) => {
    const item = new vscode.CompletionItem(label, authoredKeys(kind).some(({ name }) => name === label) ? vscode.CompletionItemKind.Property : vscode.CompletionItemKind.Value);
    item.insertText = insert;
    item.documentation = about;
    return item;
  });
}

async function hoverAt(document: vscode.TextDocument, position: vscode.Position): Promise<vscode.Hover | undefined> {
  const kind = kindOfFile(document.uri.fsPath);
  if (kind === undefined) return undefined;
  const { hover } = await import('../authoring/assist');
  const text = hover(document.getText(), { line: position.line + 1, column: position.character }, kind);
  return text === undefined ? undefined : new vscode.Hover(new vscode.MarkdownString(text));
}

/** Settings, hooks and servers: their files are not Markdown, so what is wrong in them comes from the engine alone. */
function followEngine(engine: import('../engine').Engine, into: vscode.DiagnosticCollection): void {
  let timer: NodeJS.Timeout | undefined;
  const show = async (): Promise<void> => {
    const reports = await Promise.all((['settings', 'hooks', 'mcp', 'plugins'] as const).map((topic) => engine.inspect(topic)));
    const problems = reports.flatMap(({ problems: all }) => (Array.isArray(all) ? all : [])).filter((problem: Problem): problem is Problem & { path: string } => typeof problem?.path === 'string' && kindOfFile(problem.path) === undefined);
    into.clear();
    for (const path of new Set(problems.map((problem) => problem.path))) into.set(vscode.Uri.file(path), problems.filter((problem) => problem.path === path).map((problem) => diagnosticOf(problem, undefined)));
  };
  const soon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void show().catch(() => undefined), waitMs * 4);
  };
  engine.onDidChangeWorkspace(soon);
  soon();
}
