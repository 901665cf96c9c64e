import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { FakeHost } from '../../webview/transport/fakeTransport';

export type Theme = 'dark' | 'light' | 'hc';

export interface PageOptions {
  readonly theme?: Theme;
  readonly width?: number;
  readonly height?: number;
  readonly layout?: 'sidebar' | 'wide';
  readonly still?: boolean;
}

type HostMessage = Parameters<FakeHost['transport']['send']>[0];

/** The test a page belongs to at the moment. */
interface PageUser {
  readonly errors: string[];
  readonly send: (message: HostMessage) => void;
}

const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.ttf': 'font/ttf' };
const bodyClass: Readonly<Record<Theme, string>> = { dark: 'vscode-dark', light: 'vscode-light', hc: 'vscode-high-contrast' };
const nonce = 'n0nce';

/** The built page in real Chromium under the product's CSP, with a scripted engine at the other end of the pipe. */
export class WebviewHost {
  /** Pages nobody uses now: the next test loads its own into one, which takes a third of the time of a new one. */
  private readonly idle: Page[] = [];
  private readonly users = new WeakMap<Page, PageUser>();

  private constructor(
    private readonly browser: Browser,
    private readonly server: Server,
    private readonly folder: string,
    private readonly origin: string,
  ) {}

  static async start(): Promise<WebviewHost> {
    const folder = mkdtempSync(join(tmpdir(), 'webview-'));
    for (const file of ['webview.js', 'webview.css', 'codicon.ttf']) writeFileSync(join(folder, file), readFileSync(join('dist', file)));
    writeFileSync(join(folder, 'themes.css'), readFileSync('test/fixtures/themes.css'));
    const server = createServer((request, response) => {
      const url = new URL(request.url ?? '/', 'http://localhost');
      const name = url.pathname.slice(1);
      response.setHeader('content-type', types[extname(name)] ?? 'text/plain');
      if (name === 'favicon.ico') return response.writeHead(204).end();
      if (name === 'page.html') return response.end(pageHtml(url.searchParams));
      try {
        response.end(readFileSync(join(folder, name)));
      } catch {
        response.writeHead(404).end();
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const browser = await chromium.launch({
      executablePath: process.env['TROUPE_CHROMIUM'] ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
        '--disable-dev-shm-usage',
        '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
      ],
    });
    return new WebviewHost(browser, server, folder, `http://127.0.0.1:${port}`);
  }

  async open(engine: FakeHost, { theme = 'dark', width = 320, height = 720, layout = 'sidebar', still = true }: PageOptions = {}): Promise<OpenPage> {
    const errors: string[] = [];
    const page = this.idle.pop() ?? (await this.newPage());
    this.users.set(page, { errors, send: (message) => engine.transport.send(message) });
    await page.setViewportSize({ width, height });
    let queue = Promise.resolve();
    const listening = engine.transport.onMessage((message) => {
      queue = queue.then(() => page.evaluate((m) => window.postMessage(m, '*'), message)).catch(() => undefined);
    });
    await page.goto(`${this.origin}/page.html?${new URLSearchParams({ theme, layout, body: `${bodyClass[theme]}${still ? ' vscode-reduce-motion' : ''}` })}`);
    return new OpenPage(
      page,
      engine,
      errors,
      () => queue,
      async () => {
        listening.dispose();
        await queue;
        await page.evaluate(() => {
          localStorage.clear();
          sessionStorage.clear();
        });
        await page.goto('about:blank');
        this.users.delete(page);
        this.idle.push(page);
      },
    );
  }

  private async newPage(): Promise<Page> {
    const context = await this.browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    page.on('pageerror', (error) => this.users.get(page)?.errors.push(error.message));
    page.on('console', (message) => message.type() === 'error' && this.users.get(page)?.errors.push(message.text()));
    await page.exposeFunction('toHost', (message: HostMessage) => this.users.get(page)?.send(message));
    return page;
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await new Promise((resolve) => this.server.close(resolve));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export class OpenPage {
  constructor(
    readonly page: Page,
    readonly engine: FakeHost,
    /** Uncaught errors, console errors and CSP violations. */
    readonly errors: readonly string[],
    /** Resolves when everything the engine sent so far has reached the page. */
    private readonly sent: () => Promise<void>,
    readonly close: () => Promise<void>,
  ) {}

  /** All that was sent is drawn: two frames after the last message. */
  async settled(): Promise<void> {
    await this.sent();
    await this.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(resolve)))));
    await this.sent();
  }

  async setTheme(theme: Theme): Promise<void> {
    await this.page.evaluate(
      ([name, body]) => {
        document.documentElement.dataset['theme'] = name;
        document.body.className = `${body} vscode-reduce-motion`;
      },
      [theme, bodyClass[theme]] as const,
    );
  }

  /** The params of the calls of one method, in order. */
  calls(method: string): unknown[] {
    return this.engine.calls.filter((call) => call.method === method).map((call) => call.params);
  }

  /** Waits for the first call of `method` after `before` of them. */
  async called(method: string, before = 0): Promise<unknown> {
    const deadline = Date.now() + 5000;
    while (this.calls(method).length <= before) {
      if (Date.now() > deadline) throw new Error(`${method} was not called; calls: ${this.engine.calls.map((c) => c.method).join(', ')}`);
      await this.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    }
    return this.calls(method)[before];
  }
}

function pageHtml(query: URLSearchParams): string {
  const csp = `default-src 'none'; img-src 'self' data:; font-src 'self'; style-src 'self' 'nonce-${nonce}'; script-src 'nonce-${nonce}'`;
  return `<!doctype html>
<html lang="en" data-theme="${query.get('theme')}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${csp}">
<meta property="csp-nonce" content="${nonce}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Troupe</title>
<link rel="stylesheet" href="themes.css">
<link rel="stylesheet" href="webview.css">
</head>
<body class="${query.get('body')}">
<div id="root" data-layout="${query.get('layout')}" data-session="" data-nonce="${nonce}"></div>
<script nonce="${nonce}">
globalThis.acquireVsCodeApi = () => ({
  postMessage: (message) => globalThis.toHost(message),
  getState: () => JSON.parse(sessionStorage.getItem('state') ?? 'null') ?? undefined,
  setState: (state) => sessionStorage.setItem('state', JSON.stringify(state)),
});
</script>
<script nonce="${nonce}" src="webview.js"></script>
</body>
</html>`;
}
