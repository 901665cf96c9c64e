import * as vscode from 'vscode';
import type { Engine } from '../engine';
import type { ModelChoice, ModelSetup } from '../protocol/methods';
import type { SetupWay } from '../protocol/view';
import type { CommandDeps } from './commandDeps';
import { commandCaller } from './engineHost';

interface WayItem extends vscode.QuickPickItem {
  readonly way: SetupWay;
}

const ways: readonly WayItem[] = [
  { way: 'apiKey', label: '$(key) Anthropic API key', detail: 'Kept in the secret storage of VS Code; it never enters a settings file.' },
  { way: 'baseUrl', label: '$(server) A server of your own or another provider', detail: 'Any base URL that speaks the Messages API, local models included.' },
  { way: 'vscodeModel', label: '$(vscode) A model VS Code offers', detail: 'For example from GitHub Copilot; VS Code asks once before Troupe may use it.' },
  { way: 'demo', label: '$(play) Demo', detail: 'A scripted model to look around with. No key, no network.' },
];

/** "Set Up Model…". Each step can be left with Esc; nothing is saved before the last. */
export async function setUpModel(deps: CommandDeps): Promise<void> {
  const engine = await deps.engine.get();
  const picked = await vscode.window.showQuickPick(ways, { title: 'Set Up Model', placeHolder: 'Where should the model come from?', matchOnDetail: true });
  const setup = picked && (await enter(engine, picked.way));
  if (!setup) return;
  const { problem } = await engine.handlers['model/setup'](setup, commandCaller);
  if (problem === undefined) {
    const { model } = engine.workspace();
    void vscode.window.showInformationMessage(`Troupe now uses ${model.state === 'ready' ? model.label : 'the model you set up'}.`);
    return;
  }
  const again = await vscode.window.showErrorMessage(`Troupe: the model was not set up. ${problem}`, 'Try Again');
  if (again) await setUpModel(deps);
}

function enter(engine: Engine, way: SetupWay): Promise<ModelSetup | undefined> {
  switch (way) {
    case 'apiKey':
      return enterApiKey();
    case 'baseUrl':
      return enterServer(engine);
    case 'vscodeModel':
      return pickEditorModel(engine);
    case 'demo':
      return Promise.resolve({ way: 'demo' });
  }
}

async function enterApiKey(): Promise<ModelSetup | undefined> {
  const key = await vscode.window.showInputBox({
    title: 'Set Up Model: Anthropic API key',
    prompt: 'From console.anthropic.com. Kept in the secret storage of VS Code.',
    password: true,
    ignoreFocusOut: true,
    validateInput: keyProblem,
  });
  return key === undefined ? undefined : { way: 'apiKey', key: key.trim() };
}

async function enterServer(engine: Engine): Promise<ModelSetup | undefined> {
  const title = 'Set Up Model: server';
  const url = await vscode.window.showInputBox({ title, prompt: 'Base URL of the server', placeHolder: 'http://localhost:4000', ignoreFocusOut: true, validateInput: urlProblem });
  if (url === undefined) return undefined;
  const entered = await vscode.window.showInputBox({ title, prompt: 'Key for this server; leave it empty if it needs none', password: true, ignoreFocusOut: true });
  if (entered === undefined) return undefined;
  const server = { baseUrl: url.trim(), ...(entered.trim() === '' ? {} : { key: entered.trim() }) };
  const { models, problem } = await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: `Asking ${server.baseUrl} for its models…` }, () =>
    engine.handlers['model/probe'](server, commandCaller),
  );
  const model = models.length > 0 ? await pickModel(models, title) : await typeModel(title, problem);
  return model === undefined ? undefined : { way: 'baseUrl', model, ...server };
}

async function pickEditorModel(engine: Engine): Promise<ModelSetup | undefined> {
  const { models } = await engine.handlers['model/list']({}, commandCaller);
  const offered = models.filter((model) => model.provider === 'vscode');
  if (offered.length === 0) {
    void vscode.window.showWarningMessage('Troupe: VS Code offers no models here. Install an extension that brings some, GitHub Copilot for example, and sign in; or pick another way.');
    return undefined;
  }
  const model = await pickModel(offered, 'Set Up Model: from VS Code');
  return model === undefined ? undefined : { way: 'vscodeModel', model };
}

async function pickModel(models: readonly ModelChoice[], title: string): Promise<string | undefined> {
  const items = models.map((model) => ({ label: model.label, description: model.label === model.id ? undefined : model.id, id: model.id }));
  return (await vscode.window.showQuickPick(items, { title, placeHolder: 'Which model?', matchOnDescription: true, ignoreFocusOut: true }))?.id;
}

/** Not every server lists its models. */
async function typeModel(title: string, problem: string | undefined): Promise<string | undefined> {
  const prompt = `${problem ? `The models could not be listed: ${problem} ` : 'The server lists no models. '}Enter the model’s name.`;
  const typed = await vscode.window.showInputBox({ title, prompt, ignoreFocusOut: true, validateInput: (value) => (value.trim() === '' ? 'Enter the name the server knows the model by.' : undefined) });
  return typed?.trim();
}

function keyProblem(value: string): string | undefined {
  if (value.trim() === '') return 'Paste the key here.';
  return /\s/.test(value.trim()) ? 'A key has no spaces; only part of it, or more than it, was pasted.' : undefined;
}

function urlProblem(value: string): string | undefined {
  const isUrl = URL.canParse(value.trim()) && /^https?:$/.test(new URL(value.trim()).protocol);
  return isUrl ? undefined : 'Enter a whole URL, such as http://localhost:4000 or https://api.example.com.';
}
