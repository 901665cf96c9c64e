// Self test of the harness: `node test/workbench/smoke.mjs [screenshot.png]`. Uses an extension of its own.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { writeProbeExtension } from './probeExtension.mjs';
import { extensionHosts, focusView, installTestbed, killExtensionHost, launchChromium, openWorkbench, reload, runCommand, runCommandId, screenshot, startServer, waitFor, webviewFrame } from './workbench.mjs';

const startedMs = Date.now();
const say = (text) => console.log(`${String(Date.now() - startedMs).padStart(6)} ms  ${text}`);
const temp = mkdtempSync(path.join(os.tmpdir(), 'troupe-smoke-'));
const folder = path.join(temp, 'work space');
mkdirSync(folder);
const extensionPath = writeProbeExtension(path.join(temp, 'probe ext'));
let server;
let browser;

/** @param {import('playwright-core').Page} page @param {(state: any) => boolean} holds */
async function waitForState(page, holds) {
  return waitFor(`state ${holds}`, async () => {
    const frame = await webviewFrame(page, '#state');
    const state = JSON.parse((await frame.locator('#state').textContent()) || '{}');
    return holds(state) && state;
  });
}

try {
  const testbed = await installTestbed();
  say('test bed is there');
  server = await startServer({ testbed, dir: path.join(temp, 'server'), env: { PROBE_MARK: 'from-server-env' } });
  say('server answers');
  browser = await launchChromium(testbed);
  say('browser runs');
  const page = await openWorkbench({ browser, server, folder, extensionPath, commandIds: ['probe.countAgain'] });
  say('window painted');
  await focusView(page, 'probe.view');
  const first = await waitForState(page, (state) => state.count === 0);
  say('webview painted');
  assert.equal(first.mark, 'from-server-env');
  await (await webviewFrame(page, '#add')).locator('#add').click();
  await waitForState(page, (state) => state.count === 1);
  say('click in the webview reached the host and came back');
  await (await webviewFrame(page, '#text')).locator('#text').fill('typed');
  await runCommand(page, 'Probe: Count');
  await waitForState(page, (state) => state.count === 2);
  say('command by palette');
  await (await webviewFrame(page, '#text')).locator('#text').focus();
  await runCommandId(page, 'probe.countAgain');
  await waitForState(page, (state) => state.count === 3);
  assert.equal(await (await webviewFrame(page, '#text')).locator('#text').inputValue(), 'typed');
  say('command by id');
  await screenshot(page, process.argv[2] ?? path.join(temp, 'smoke.png'));
  const killed = await killExtensionHost(server);
  assert.equal(killed, first.pid);
  say('extension host killed');
  await reload(page);
  await focusView(page, 'probe.view');
  await waitForState(page, (state) => state.count === 0 && state.pid !== killed);
  say('reloaded, a new extension host took over');
} finally {
  await browser?.close();
  await server?.stop();
  if (server) assert.deepEqual(extensionHosts(server), []);
  rmSync(temp, { recursive: true, force: true });
}
say('all stopped');
