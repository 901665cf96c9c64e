import { access } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { errorText } from './base/errorText';
import type { Engine, EnginePorts } from './engine';
import { systemClock } from './platform/systemClock';
import { ChatViewProvider, chatViewId } from './vscode/chatViewProvider';
import { registerAuthoring } from './vscode/authoring';
import { registerCodeActions } from './vscode/codeActions';
import { registerCommands } from './vscode/commands';
import { EditorNotify } from './vscode/editorNotify';
import { EditorPort } from './vscode/editorPort';
import { EngineHost } from './vscode/engineHost';
import { configRoot, knownFolder, readHostOptions } from './vscode/hostOptions';
import { createLanguageIntelligence } from './vscode/languageIntelligence';
import { languageModels } from './vscode/languageModelClient';
import { createLog, type EditorLog } from './vscode/log';
import { createSecrets } from './vscode/secretStore';
import { ShownViews } from './vscode/shownViews';
import { WideEditor, wideViewId } from './vscode/wideEditor';
import { workspaceTrust } from './vscode/workspaceTrust';

/** VS Code calls `deactivate` without the context, and waits for it only: what must end with the window is kept here. */
const running = new Set<EngineHost>();

export function activate(context: vscode.ExtensionContext): void {
  const startedAtMs = performance.now();
  const log = createLog();
  const views = new ShownViews((thrown) => log.error(errorText(thrown)));
  const engine = new EngineHost(() => startEngine(context, log, () => ports));
  const shared = { engine, views, log, extensionUri: context.extensionUri };
  const chat = new ChatViewProvider(shared);
  const wide = new WideEditor({ ...shared, state: context.workspaceState });
  const reveal = async (): Promise<void> => (views.front() === wideViewId ? wide.reveal() : chat.reveal());
  const notify = new EditorNotify({ chat, views, reveal });
  const editor = new EditorPort({
    log,
    openWide: (sessionId) => wide.open(sessionId),
    worktreeBase: async (worktree, path) => (await engine.get()).worktreeBase(worktree, path),
  });
  const language = createLanguageIntelligence(log);
  const ports: EnginePorts = { clock: systemClock, log, secrets: createSecrets(context.secrets), trust: workspaceTrust, editor, language, hostModels: languageModels, notify };

  running.add(engine);
  context.subscriptions.push(
    log,
    notify,
    editor,
    language,
    vscode.window.registerWebviewViewProvider(chatViewId, chat),
    vscode.window.registerWebviewPanelSerializer(wideViewId, wide),
    registerCommands({ engine, views, chat, wide, log, state: context.workspaceState, reveal }),
    registerCodeActions(),
    registerAuthoring(engine),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('troupe') && engine.peek()) void offerReload();
    }),
  );
  void startForOpenAsks(context, engine, log);
  log.debug(`Activated in ${(performance.now() - startedAtMs).toFixed(1)} ms.`);
}

export async function deactivate(): Promise<void> {
  const hosts = [...running];
  running.clear();
  await Promise.all(hosts.map((host) => host.dispose()));
}

async function startEngine(context: vscode.ExtensionContext, log: EditorLog, ports: () => EnginePorts): Promise<Engine> {
  const startedAtMs = performance.now();
  const [{ createEngine }, options] = await Promise.all([import('./engine'), readHostOptions(context)]);
  const engine = await createEngine(ports(), options);
  log.info(`Troupe ${options.version} started for ${options.cwd} in ${(performance.now() - startedAtMs).toFixed(0)} ms.`);
  return engine;
}

/** After a reload what waits for the person must show without a click. A folder nobody used Troupe in costs one look at the disk. */
async function startForOpenAsks(context: vscode.ExtensionContext, engine: EngineHost, log: EditorLog): Promise<void> {
  const folder = knownFolder(context.workspaceState);
  if (folder === undefined) return;
  try {
    const hasSessions = await access(join(configRoot(), 'troupe', 'sessions')).then(
      () => true,
      () => false,
    );
    if (!hasSessions) return;
    const { hasOpenAsks } = await import('./engine');
    if (hasOpenAsks(configRoot(), folder)) await engine.get();
  } catch (thrown) {
    log.warn(`Could not look for requests that were left open: ${errorText(thrown)}`);
  }
}

async function offerReload(): Promise<void> {
  const picked = await vscode.window.showInformationMessage('Troupe: the changed settings count after the window is reloaded.', 'Reload Window');
  if (picked) await vscode.commands.executeCommand('workbench.action.reloadWindow');
}
