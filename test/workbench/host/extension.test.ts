import assert from 'node:assert/strict';
import * as vscode from 'vscode';

/** mocha's own globals: its runner lives in the host. */
declare const describe: (name: string, body: () => void) => void;
declare const it: (name: string, body: () => Promise<void>) => void;

/** Runs inside the extension host of a real VS Code. */
describe('the extension in its host', () => {
  const extension = vscode.extensions.all.find((candidate) => candidate.packageJSON.name === 'troupe');

  it('is there and activates in a moment', async () => {
    assert.ok(extension, 'the extension in development is loaded');
    await extension.activate();
    assert.equal(extension.isActive, true);
  });

  it('registers every command it declares', async () => {
    const declared: { command: string }[] = extension?.packageJSON.contributes.commands;
    const known = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(declared.map(({ command }) => command).filter((command) => !known.has(command)), []);
  });

  it('offers to ask about a selection as a code action', async () => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    assert.ok(folder);
    const file = vscode.Uri.joinPath(folder, 'asked.js');
    await vscode.workspace.fs.writeFile(file, Buffer.from('let a = 1;\n'));
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(file));
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>('vscode.executeCodeActionProvider', file, new vscode.Range(0, 0, 0, 5));
    assert.ok(actions.some((action) => action.title === 'Ask Troupe about this'));
  });
});
