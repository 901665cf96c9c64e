import * as vscode from 'vscode';
import { errorCode, errorText } from '../base/errorText';
import type { UiCommand } from '../protocol/envelope';
import { fixAtCursor } from './codeActions';
import { type CommandDeps, currentSession } from './commandDeps';
import { commandCaller } from './engineHost';

/** The palette. Each command is declared in package.json; `test/architecture/manifest.test.ts` compares the two. */
export function registerCommands(deps: CommandDeps): vscode.Disposable {
  const register = (id: string, run: (given: unknown) => Promise<void>): vscode.Disposable => vscode.commands.registerCommand(id, (given: unknown) => guarded(deps, () => run(given)));
  return vscode.Disposable.from(
    register('troupe.newSession', () => send(deps, { name: 'newSession' })),
    register('troupe.openChat', () => deps.chat.reveal()),
    register('troupe.openInEditor', async () => deps.wide.open(await currentSession(deps))),
    register('troupe.resumeSession', async () => (await import('./sessionQuickPick')).resumeSession(deps)),
    register('troupe.runSkill', async (given) => (await import('./skillQuickPick')).runSkill(deps, given)),
    register('troupe.stop', () => stop(deps)),
    register('troupe.setUpModel', async () => (await import('./modelSetup')).setUpModel(deps)),
    register('troupe.ask', () => ask(deps)),
    register('troupe.fix', (given) => fix(deps, given)),
    register('troupe.showOldestAsk', () => showOldestAsk(deps)),
    register('troupe.reloadSkills', () => reloadSkills(deps)),
    register('troupe.manageTrust', async () => {
      await vscode.commands.executeCommand('workbench.trust.manage');
    }),
    register('troupe.showLog', async () => deps.log.show()),
  );
}

/** The command is handed over first: the engine keeps it for the view that is about to come up. */
async function send(deps: CommandDeps, command: UiCommand): Promise<void> {
  const engine = await deps.engine.get();
  engine.sendUi(command);
  await deps.reveal();
}

async function ask(deps: CommandDeps): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const attach = editor ? (editor.selection.isEmpty ? 'file' : 'selection') : undefined;
  await send(deps, { name: 'compose', text: '', submit: false, attach });
}

async function fix(deps: CommandDeps, given: unknown): Promise<void> {
  const text = typeof given === 'string' ? given : fixAtCursor();
  if (text === undefined) {
    void vscode.window.showInformationMessage('Troupe: there are no errors or warnings in the open file.');
    return;
  }
  await send(deps, { name: 'compose', text, submit: true });
}

/** What the person looks at; with no view on screen, whatever works. */
async function stop(deps: CommandDeps): Promise<void> {
  const engine = deps.engine.peek();
  if (!engine) return;
  const working = engine.workspace().sessions.filter((session) => session.group !== 'done' && !session.readOnly);
  const shown = working.find((session) => session.sessionId === deps.views.session());
  for (const session of shown ? [shown] : working) await engine.handlers['turn/interrupt']({ sessionId: session.sessionId }, commandCaller);
}

async function showOldestAsk(deps: CommandDeps): Promise<void> {
  const engine = await deps.engine.get();
  const [oldest] = engine
    .workspace()
    .sessions.filter((session) => session.pendingAsks > 0)
    .sort((a, b) => a.lastEventAtMs - b.lastEventAtMs);
  if (oldest && oldest.sessionId !== deps.views.session()) engine.sendUi({ name: 'showSession', sessionId: oldest.sessionId });
  if (oldest) engine.sendUi({ name: 'focusAsk' });
  await deps.reveal();
}

async function reloadSkills(deps: CommandDeps): Promise<void> {
  const engine = await deps.engine.get();
  const { count, problemCount } = await engine.handlers['skill/reload']({}, commandCaller);
  const problems = problemCount === 0 ? '' : ` ${problemCount} ${problemCount === 1 ? 'problem' : 'problems'} in their files; see the Troupe log.`;
  void vscode.window.setStatusBarMessage(`Troupe: ${count} ${count === 1 ? 'skill' : 'skills'} loaded.${problems}`, 5000);
}

/** The door where what a command could not do becomes words for the person. */
async function guarded(deps: CommandDeps, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (thrown) {
    const message = errorText(thrown);
    deps.log.error(message);
    const action = errorCode(thrown) === 'notReady' ? 'Set Up Model…' : 'Show Log';
    const picked = await vscode.window.showErrorMessage(message.startsWith('Troupe') ? message : `Troupe: ${message}`, action);
    if (picked === 'Set Up Model…') await vscode.commands.executeCommand('troupe.setUpModel');
    if (picked === 'Show Log') deps.log.show();
  }
}
