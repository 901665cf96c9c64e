import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { installTestbed, openWorkbench, runCommandId, screenshot, startServer } from '../workbench.mjs';
import { Sidebar } from './sidebar.mjs';

/** An extension that brings a chat model, as Copilot does. It answers with what it was asked. */
function writeModelExtension(folder) {
  mkdirSync(folder, { recursive: true });
  const contributes = { languageModelChatProviders: [{ vendor: 'walk', displayName: 'Walk' }] };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'walk-model', publisher: 'troupe-test', version: '0.0.1', engines: { vscode: '^1.104.0' }, main: './main.js', activationEvents: ['*'], contributes }));
  writeFileSync(
    path.join(folder, 'main.js'),
    `const vscode = require('vscode');
exports.activate = (context) => context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider('walk', {
  provideLanguageModelChatInformation: () => [{ id: 'walk-one', name: 'Walk One', family: 'walk', version: '1', maxInputTokens: 100000, maxOutputTokens: 4000, capabilities: { toolCalling: true, imageInput: false } }],
  async provideLanguageModelChatResponse(model, messages, options, progress) {
    const text = (message) => message.content.map((part) => part.value ?? (part.content ?? []).map((p) => p.value ?? '').join('')).join('');
    const last = text(messages.at(-1));
    if (/how many/i.test(last)) return progress.report(new vscode.LanguageModelToolCallPart('call-1', 'Read', { file_path: ${JSON.stringify('src/berth.js')} }));
    progress.report(new vscode.LanguageModelTextPart('The model of VS Code '));
    progress.report(new vscode.LanguageModelTextPart('read: ' + (/berths = \\d+/.exec(last) ?? ['nothing'])[0]));
  },
  provideTokenCount: async () => 1,
}));`,
  );
  return folder;
}

/** 1b. The packed extension installs, and works with a model of VS Code's own, without any key. */
export async function packagedWithEditorModel(stage) {
  const vsix = path.join(stage.root, 'dist/troupe.vsix');
  rmSync(vsix, { force: true });
  execFileSync('npm', ['run', '-s', 'package'], { cwd: stage.root, stdio: 'ignore', shell: process.platform === 'win32' });
  assert.ok(existsSync(vsix));
  const server = await startServer({ testbed: await installTestbed(), dir: path.join(stage.temp, 'packaged'), env: { CLAUDE_CONFIG_DIR: path.join(stage.temp, 'packaged-config'), ANTHROPIC_API_KEY: '', ANTHROPIC_BASE_URL: '' }, vsix });
  let page;
  try {
    page = await openWorkbench({ browser: stage.browser, server, folder: stage.repo, extensionPath: writeModelExtension(path.join(stage.temp, 'model-extension')), commandIds: ['troupe.chat.focus'] });
    const sidebar = new Sidebar(page);
    await runCommandId(page, 'troupe.chat.focus', async () => page.frames().length > 2);
    await sidebar.sees('Choose a model to start', 60_000);
    await sidebar.click(/Use VS Code’s models/);
    await (await sidebar.frame()).locator('.picker select').waitFor({ timeout: 60_000 });
    await sidebar.click('Use this model');
    await sidebar.send('How many berths are there?');
    // The person is asked by VS Code itself whether Troupe may use its models.
    await page.getByRole('button', { name: 'Allow' }).first().click({ timeout: 10_000 }).catch(() => undefined);
    await sidebar.sees(/The model of VS Code read: berths = \d+/, 60_000);
    await screenshot(page, stage.shotFile('packaged'));
  } catch (error) {
    if (page) await screenshot(page, path.join(stage.root, 'test/.out/walk-packaged-failed.png'));
    throw error;
  } finally {
    await page?.close();
    await server.stop();
  }
}
