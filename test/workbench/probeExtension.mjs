// A throw-away extension, written to a temp folder: one webview view, one command. It proves the harness itself.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const PACKAGE = {
  name: 'probe', publisher: 'troupe-test', version: '0.0.1', engines: { vscode: '^1.104.0' }, main: './main.js',
  capabilities: { untrustedWorkspaces: { supported: true } },
  contributes: {
    commands: [{ command: 'probe.count', title: 'Count', category: 'Probe' }, { command: 'probe.countAgain', title: 'Count Again', category: 'Probe' }],
    viewsContainers: { activitybar: [{ id: 'probe', title: 'Probe', icon: 'icon.svg' }] },
    views: { probe: [{ type: 'webview', id: 'probe.view', name: 'Probe View' }] },
  },
};

const MAIN = `const vscode = require('vscode');
exports.activate = (context) => {
  let count = 0;
  let view;
  const show = () => view?.webview.postMessage({ count, pid: process.pid, trusted: vscode.workspace.isTrusted, mark: process.env.PROBE_MARK });
  const add = () => { count += 1; show(); };
  context.subscriptions.push(
    vscode.commands.registerCommand('probe.count', add),
    vscode.commands.registerCommand('probe.countAgain', add),
    vscode.window.registerWebviewViewProvider('probe.view', { resolveWebviewView(shown) {
      view = shown;
      shown.webview.options = { enableScripts: true };
      shown.webview.onDidReceiveMessage((message) => (message === 'ready' ? show() : add()));
      shown.webview.html = '<button id="add">add</button><input id="text"><output id="state"></output><script>' +
        'const api = acquireVsCodeApi();' +
        'addEventListener("message", (event) => { document.getElementById("state").textContent = JSON.stringify(event.data); });' +
        'document.getElementById("add").onclick = () => api.postMessage("add");' +
        'api.postMessage("ready");</script>';
    } }),
  );
};
`;

/** @param {string} folder made when missing @returns {string} the same folder */
export function writeProbeExtension(folder) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(PACKAGE, null, 1));
  writeFileSync(path.join(folder, 'main.js'), MAIN);
  writeFileSync(path.join(folder, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><circle cx="12" cy="12" r="9"/></svg>');
  return folder;
}
