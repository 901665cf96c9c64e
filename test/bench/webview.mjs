// Frames per second of the built page in headless Chromium, and its size. Prints one JSON line for each measure.
//   node esbuild.mjs --only=webview && node test/bench/webview.mjs
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';

const targets = { fps: 50, gzipKb: 250 };
const results = [];
const report = (name, values, passed) => {
  results.push(passed);
  console.log(JSON.stringify({ bench: name, ...values, passed }));
};

const gzipKb = (file) => gzipSync(readFileSync(file)).length / 1024;
const size = { jsGzipKb: Math.round(gzipKb('dist/webview.js')), cssGzipKb: Math.round(gzipKb('dist/webview.css')) };
report('webview size', size, size.jsGzipKb + size.cssGzipKb < targets.gzipKb);

// The engine of the page: answers the calls of the start with a ready view.
const fakeApi = `
const entries = (n) => Array.from({ length: n }, (_, i) => {
  const base = { id: 'e' + i, turnId: 't', atMs: 0 };
  if (i % 5 === 0) return { ...base, kind: 'user', origin: 'person', text: 'Question ' + i, attachments: [], steering: false };
  if (i % 5 === 3) return { ...base, kind: 'tool', name: 'Edit', toolKind: 'edit', title: '/repo/src/file' + i + '.ts', input: {}, call: { status: 'completed', durationMs: 20, note: undefined, text: '', display: { kind: 'diff', diff: { path: '/repo/src/file' + i + '.ts', kind: 'edit', added: 2, removed: 1, hunks: [] } } } };
  return { ...base, kind: 'assistant', model: 'opus', part: 'text', partial: false, text: 'Reply **' + i + '** with some \`code\` and a list:\\n\\n- one of them\\n- two of them, a little longer than the first\\n\\n' + (i % 7 === 0 ? '\`\`\`ts\\nconst a = ' + i + ';\\nfor (const b of list) run(b);\\n\`\`\`' : 'And a last paragraph.') };
});
const agent = (id, parentId) => ({ agentId: id, parentId, name: id, agentType: 'x', description: '', model: 'opus', status: 'working', activity: 'Edit', depth: parentId ? 1 : 0, worktree: undefined, callId: undefined, usage: {}, costUsd: 0, contextTokens: 1000, startedAtMs: 0, finishedAtMs: undefined, summary: undefined, liveTokens: 0, waiting: undefined });
const ids = ['main', ...Array.from({ length: 15 }, (_, i) => 'agent-' + i)];
const view = { seq: 1, session: { sessionId: 's', title: 'Bench', projectRoot: '/repo', cwd: '/repo', model: 'opus', mode: 'default', startedAtMs: 0, lastEventAtMs: 0 }, agents: Object.fromEntries(ids.map((id) => [id, agent(id, id === 'main' ? undefined : 'main')])), conversations: Object.fromEntries(ids.map((id) => [id, id === 'main' ? entries(globalThis.entryCount) : []])), streaming: Object.fromEntries(ids.map((id) => [id, { messageId: 'm-' + id, turnId: 't', model: 'opus', startedAtMs: 0, blocks: [] }])), pendingAsks: [], queue: [], notices: [], usage: {}, costUsd: 0 };
const workspace = { sessions: [], model: { state: 'ready', provider: 'demo', model: 'opus', label: 'Opus', contextTokens: 200000, baseUrl: undefined }, editor: { file: undefined, selection: undefined, problemCount: 0 }, trusted: true, skillCount: 0, problemCount: 0 };
globalThis.acquireVsCodeApi = () => ({ getState: () => undefined, setState: () => {}, postMessage: ({ id, method }) => {
  const result = method === 'hello' ? { protocolVersion: 1, workspace } : method === 'session/current' ? { sessionId: 's', view } : method === 'session/snapshot' ? { view } : {};
  setTimeout(() => window.postMessage({ kind: 'reply', id, result }, '*'));
} });
globalThis.agentIds = ids;
globalThis.frames = () => { const times = []; let on = true; const tick = (t) => { times.push(t); if (on) requestAnimationFrame(tick); }; requestAnimationFrame(tick); return () => { on = false; const gaps = times.slice(1).map((t, i) => t - times[i]); const sorted = [...gaps].sort((a, b) => a - b); return { fps: Math.round(1000 * gaps.length / (times.at(-1) - times[0])), p95Ms: Math.round(sorted[Math.floor(sorted.length * 0.95)]), worstMs: Math.round(sorted.at(-1)) }; }; };
`;
const files = {
  '/webview.js': ['text/javascript', 'dist/webview.js'],
  '/webview.css': ['text/css', 'dist/webview.css'],
  '/codicon.ttf': ['font/ttf', 'dist/codicon.ttf'],
  '/themes.css': ['text/css', 'test/fixtures/themes.css'],
};
const server = createServer((request, response) => {
  const url = new URL(request.url, 'http://localhost');
  const file = files[url.pathname];
  response.setHeader('content-type', file?.[0] ?? 'text/html');
  response.end(
    file
      ? readFileSync(file[1])
      : `<!doctype html><html lang="en" data-theme="dark"><link rel="stylesheet" href="themes.css"><link rel="stylesheet" href="webview.css"><body class="vscode-dark"><div id="root" data-layout="sidebar"></div><script>globalThis.entryCount=${Number(url.searchParams.get('entries'))};${fakeApi}</script><script src="webview.js"></script>`,
  );
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const browser = await chromium.launch({ executablePath: process.env.TROUPE_CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });

async function open(entries) {
  const page = await browser.newPage({ viewport: { width: 320, height: 800 } });
  await page.goto(`http://127.0.0.1:${server.address().port}/?entries=${entries}`);
  await page.locator('.chat-row').first().waitFor();
  await page.waitForTimeout(500);
  return page;
}

try {
  const long = await open(10_000);
  const scroll = await long.evaluate(async () => {
    const list = document.querySelector('.chat-scroll');
    const stop = globalThis.frames();
    list.dispatchEvent(new WheelEvent('wheel', { deltaY: -1, bubbles: true }));
    const end = performance.now() + 4000;
    await new Promise((resolve) => {
      const step = () => {
        list.scrollTop -= 60;
        if (performance.now() < end) requestAnimationFrame(step);
        else resolve();
      };
      requestAnimationFrame(step);
    });
    return { ...stop(), rows: document.querySelectorAll('.chat-row').length };
  });
  report('scroll through 10,000 entries', scroll, scroll.fps >= targets.fps);
  await long.close();

  // As the host sends it: one envelope each 33 ms, the shown agent's text and counters of the others; then all 16 texts, the worst a host could do.
  for (const [name, texts] of [
    ['16 agents stream, one shown', 1],
    ['16 agents stream, all texts sent', 16],
  ]) {
    const page = await open(400);
    const stream = await page.evaluate(async (shown) => {
      const { agentIds, frames } = globalThis;
      const words = 'Some words of a reply, with `code` and **weight**, that go on and on.\n\n- a point\n- another\n\n'.repeat(2000);
      const perTick = Math.round((80 * 4 * 33) / 1000); // 80 tokens/s of about four letters
      let sent = 0;
      const stop = frames();
      await new Promise((resolve) => {
        const timer = setInterval(() => {
          const events = agentIds.map((agentId, i) =>
            i < shown
              ? { type: 'message/delta', agentId, messageId: `m-${agentId}`, block: 0, kind: 'text', offset: sent, text: words.slice(sent, sent + perTick), afterSeq: 1 }
              : { type: 'agent/progress', agentId, outputTokens: Math.round(sent / 4), afterSeq: 1 },
          );
          window.postMessage({ kind: 'events', sessionId: 's', fromSeq: 1, events }, '*');
          sent += perTick;
          if (sent > perTick * 120) {
            clearInterval(timer);
            resolve();
          }
        }, 33);
      });
      return stop();
    }, texts);
    report(name, stream, stream.fps >= targets.fps);
    await page.close();
  }
} finally {
  await browser.close();
  server.close();
}
process.exitCode = results.every(Boolean) ? 0 : 1;
