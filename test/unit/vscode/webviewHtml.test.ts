import { expect } from 'vitest';
import { failureHtml, webviewHtml } from '../../../extension/vscode/webviewHtml';
import { verifies } from '../../support/verifies';

const page = { cspSource: 'https://*.vscode-cdn.net', nonce: 'N0nce', scriptUri: 'https://x/dist/webview.js', styleUri: 'https://x/dist/webview.css', layout: 'wide', sessionId: '"><script>alert(1)</script>' } as const;
const policy = `default-src 'none'; img-src https://*.vscode-cdn.net data:; font-src https://*.vscode-cdn.net; style-src https://*.vscode-cdn.net 'nonce-N0nce'; script-src 'nonce-N0nce'`;

verifies('workbench:view:strict-csp', () => {
  const html = webviewHtml(page);
  expect(html).toContain(`<meta http-equiv="Content-Security-Policy" content="${policy}">`);
  expect(html).not.toMatch(/unsafe-|command:/);
  expect(html).toContain('<meta property="csp-nonce" nonce="N0nce" content="N0nce">');
  expect([...html.matchAll(/<script[^>]*>/g)].map(String)).toEqual(['<script nonce="N0nce" src="https://x/dist/webview.js">']);
  expect(html).toContain('<div id="root" data-layout="wide" data-session="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"></div>');
});

verifies(
  'workbench:view:strict-csp',
  () => {
    const html = failureHtml(page, 'no <b>disk</b>');
    expect(html).toContain(policy);
    expect(html).toContain('<p role="alert">no &lt;b&gt;disk&lt;/b&gt;</p>');
    expect(html).not.toContain('<script');
  },
  { case: 'the page that says why the engine did not start' },
);
