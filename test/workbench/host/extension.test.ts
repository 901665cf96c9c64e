import assert from 'node:assert/strict';
import * as vscode from 'vscode';

/** mocha's own globals: its runner lives in the host. */
declare const describe: (name: string, body: () => void) => void;
declare const it: (name: string, body: () => Promise<void>) => void;

/** The editor calls such a request off when something else comes up, and asks again: so does the test, until mocha's limit. */
async function untilNotCancelled<T>(ask: () => Thenable<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (thrown) {
      if (!(thrown instanceof Error) || !/^Cancell?ed$/.test(thrown.message || thrown.name)) throw thrown;
    }
  }
}

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
    const file = vscode.Uri.joinPath(folder, 'asked.txt');
    await vscode.workspace.fs.writeFile(file, Buffer.from('let a = 1;\n'));
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(file));
    const actions = await untilNotCancelled(() => vscode.commands.executeCommand<vscode.CodeAction[]>('vscode.executeCodeActionProvider', file, new vscode.Range(0, 0, 0, 5)));
    assert.ok(actions.some((action) => action.title === 'Ask Troupe about this'));
  });
});
