// Runs `npm start` as a person does, logs in with the printed password and looks for the extension's first view:
// `node test/start/checkStart.mjs [screenshot.png]`. Needs the built test bed and Chromium.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { endWithUs } from '../workbench/endWithUs.mjs';
import { descendants, isStillRunning } from '../workbench/processTree.mjs';
import { installTestbed, launchChromium, screenshot, waitFor, workbenchReady } from '../workbench/workbench.mjs';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const { contributes } = JSON.parse(readFileSync(path.join(repository, 'package.json'), 'utf8'));
const [place, containers] = Object.entries(contributes.viewsContainers)[0];
const { title } = containers[0];
const temp = mkdtempSync(path.join(os.tmpdir(), 'troupe-start-'));
const startedMs = Date.now();
const say = (text) => console.log(`${String(Date.now() - startedMs).padStart(6)} ms  ${text}`);
const testbed = await installTestbed();
const child = spawn(process.execPath, ['test/start/start.mjs', '--web', '--no-open', '--folder', temp], { cwd: repository, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
const release = endWithUs(child.pid);
let output = '';
child.stdout.on('data', (chunk) => {
  output += chunk;
});
let browser;
try {
  const { url, password } = await waitFor('the printed address', () => {
    if (child.exitCode !== null) assert.fail(`npm start ended with ${child.exitCode}:\n${output}`);
    return output.match(/(?<url>http:\/\/127\S+)\s+Password: +(?<password>\S+)/)?.groups;
  }, 120_000);
  say(output);
  const folderless = await fetch(new URL('/', url), { redirect: 'manual' });
  assert.equal(folderless.status, 302, 'without the password the workbench must not open');
  browser = await launchChromium(testbed);
  const page = await browser.newPage();
  await page.goto(url);
  assert.match(page.url(), /\/login/);
  await page.locator('input[type=password]').fill(password);
  await page.locator('input[type=submit]').click();
  await workbenchReady(page);
  say(`logged in (${place}: ${title})`);
  const tab = page.locator('.part [role=tab]').filter({ has: page.locator(`[aria-label^="${title}"]`) }).first();
  await tab.waitFor({ timeout: 90_000 });
  if ((await tab.getAttribute('aria-expanded')) !== 'true') await tab.click();
  await waitFor('content in a webview of the extension', async () => {
    const frames = page.frames().filter((frame) => /fake\.html/.test(frame.url()) || frame.parentFrame()?.parentFrame() === page.mainFrame());
    for (const frame of frames) if ((await frame.locator('body *').count()) > 0) return true;
    return false;
  }, 90_000);
  say('the view of the extension is painted');
  if (process.argv[2]) await screenshot(page, process.argv[2]);
  const started = descendants(child.pid);
  process.kill(child.pid, 'SIGINT');
  await waitFor('the end of npm start after Ctrl+C', () => child.exitCode !== null, 20_000);
  assert.equal(child.exitCode, 0);
  await waitFor('the end of all it started', () => !started.some(isStillRunning), 10_000);
  say('Ctrl+C ended everything');
} finally {
  await browser?.close();
  if (child.exitCode === null) child.kill('SIGTERM');
  await waitFor('the end of npm start', () => child.exitCode !== null || child.signalCode !== null);
  release();
  rmSync(temp, { recursive: true, force: true });
}
