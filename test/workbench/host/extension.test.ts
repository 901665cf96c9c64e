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

/** Polls, since the editor tells nobody when its diagnostics are in; mocha's limit ends it. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 50));
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

  it('shows what is wrong with a skill, mends it by quick fix, and completes and explains its keys', async () => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    assert.ok(folder);
    const file = vscode.Uri.joinPath(folder, '.claude/skills/odd/SKILL.md');
    await vscode.workspace.fs.writeFile(file, Buffer.from('---\ndescription: Use when: it is odd\nmodle: opus\n---\nBody.\n'));
    const document = await vscode.workspace.openTextDocument(file);
    const shown = (): readonly vscode.Diagnostic[] => vscode.languages.getDiagnostics(file).filter(({ source }) => source === 'Troupe');
    await until(() => shown().length === 2);
    assert.deepEqual(shown().map(({ code, range }) => [code, range.start.line]), [['yaml-recovered', 1], ['unknown-key', 2]]);
    for (const [left, title] of [[1, 'Quote the value of description'], [0, 'Rename modle to model']] as const) {
      const actions = await untilNotCancelled(() => vscode.commands.executeCommand<vscode.CodeAction[]>('vscode.executeCodeActionProvider', file, new vscode.Range(1, 0, 2, 5)));
      const fix = actions.find((action) => action.title === title);
      assert.ok(fix?.edit, `${title} is offered; there are ${actions.map((action) => action.title).join(', ')}`);
      await vscode.workspace.applyEdit(fix.edit);
      await until(() => shown().length === left);
    }
    assert.equal(document.getText(), '---\ndescription: "Use when: it is odd"\nmodel: opus\n---\nBody.\n');
    const listed = await vscode.commands.executeCommand<vscode.CompletionList>('vscode.executeCompletionItemProvider', file, new vscode.Position(2, 7));
    assert.ok(listed.items.some(({ label }) => label === 'haiku'), 'values of the key');
    const [hover] = await vscode.commands.executeCommand<vscode.Hover[]>('vscode.executeHoverProvider', file, new vscode.Position(2, 2));
    assert.match(hover?.contents.map((part) => (typeof part === 'string' ? part : 'value' in part ? part.value : '')).join('') ?? '', /model/);
    await document.save();
  });
});
