/** What the page needs; URIs are already those of the webview. */
export interface WebviewPage {
  readonly cspSource: string;
  readonly nonce: string;
  readonly scriptUri: string;
  readonly styleUri: string;
  readonly layout: 'sidebar' | 'wide';
  /** The session to show first; empty for the current one. */
  readonly sessionId: string;
}

/** The page of the chat. Nothing runs or loads but our own bundle: no inline script, no eval, no other host. */
export function webviewHtml(page: WebviewPage): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
${head(page)}
<meta property="csp-nonce" nonce="${attribute(page.nonce)}" content="${attribute(page.nonce)}">
<link rel="stylesheet" href="${attribute(page.styleUri)}">
<title>Troupe</title>
</head>
<body>
<div id="root" data-layout="${page.layout}" data-session="${attribute(page.sessionId)}"></div>
<script nonce="${attribute(page.nonce)}" src="${attribute(page.scriptUri)}"></script>
</body>
</html>`;
}

/** Shown instead when the engine did not start. */
export function failureHtml(page: WebviewPage, message: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
${head(page)}
<title>Troupe</title>
</head>
<body>
<h3>Troupe could not start</h3>
<p role="alert">${attribute(message)}</p>
<p>Run “Troupe: Show Log” for the details, then “Developer: Reload Window” to try again.</p>
</body>
</html>`;
}

function head(page: WebviewPage): string {
  const source = attribute(page.cspSource);
  const nonce = `'nonce-${attribute(page.nonce)}'`;
  const policy = `default-src 'none'; img-src ${source} data:; font-src ${source}; style-src ${source} ${nonce}; script-src ${nonce}`;
  return `<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">`;
}

function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
