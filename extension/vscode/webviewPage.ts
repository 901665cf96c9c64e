import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { WebviewPage } from './webviewHtml';

/** Sets what the webview may load and gives the page's parts in the webview's own URIs, with a fresh nonce. */
export function prepareWebview(webview: vscode.Webview, extensionUri: vscode.Uri, shown: Pick<WebviewPage, 'layout' | 'sessionId'>): WebviewPage {
  const dist = vscode.Uri.joinPath(extensionUri, 'dist');
  webview.options = { enableScripts: true, localResourceRoots: [dist, vscode.Uri.joinPath(extensionUri, 'media')] };
  return {
    ...shown,
    cspSource: webview.cspSource,
    nonce: randomBytes(16).toString('base64url'),
    scriptUri: webview.asWebviewUri(vscode.Uri.joinPath(dist, 'webview.js')).toString(),
    styleUri: webview.asWebviewUri(vscode.Uri.joinPath(dist, 'webview.css')).toString(),
  };
}
