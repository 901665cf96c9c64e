// Drives the packaged VS Code workbench with a real browser. Callers wait for conditions, never for time.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { waitFor } from './waitFor.mjs';
import { workbenchUrl } from './workbenchUrl.mjs';

export { installTestbed } from './installTestbed.mjs';
export { waitFor } from './waitFor.mjs';
export { extensionHosts, killExtensionHost, startServer } from './workbenchServer.mjs';
export { workbenchUrl } from './workbenchUrl.mjs';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('playwright-core').Frame} Frame */
/** @typedef {import('./workbenchServer.mjs').WorkbenchServer} WorkbenchServer */

const CHROMIUM_ARGS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-component-update',
  '--disable-sync', '--no-first-run', '--disable-dev-shm-usage',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

/** Chords no one else uses; by them the harness runs commands by id, which the palette can't. */
const KEYS = ['Control+Alt+Shift', 'Control+Alt', 'Alt+Shift'].flatMap((held) => Array.from({ length: 12 }, (_, index) => `${held}+F${index + 1}`));

/** Command id -> chord, for each open page. @type {WeakMap<Page, Map<string, string>>} */
const commandKeys = new WeakMap();

/**
 * @param {{ chromium: string | undefined }} testbed
 * @param {import('playwright-core').LaunchOptions} [options]
 * @returns {Promise<import('playwright-core').Browser>} close it in a `finally`
 */
export function launchChromium(testbed, options = {}) {
  return chromium.launch({ executablePath: testbed.chromium, headless: true, args: CHROMIUM_ARGS, timeout: 90_000, ...options });
}

/**
 * @param {object} options
 * @param {import('playwright-core').Browser} options.browser
 * @param {WorkbenchServer} options.server
 * @param {string} options.folder absolute path of the folder to open
 * @param {string} [options.extensionPath] folder of the extension in development
 * @param {readonly (readonly [string, string])[]} [options.payload] more workbench options
 * @param {readonly string[]} [options.commandIds] commands the test will run with runCommandId, beside the view ones
 * @param {readonly object[]} [options.keybindings] more entries of keybindings.json, as a person would write them
 * @param {import('playwright-core').BrowserContextOptions} [options.context] viewport, colour scheme, scale …
 * @param {(page: Page) => Promise<void>} [options.beforeLoad] for exposed functions and listeners
 * @param {boolean} [options.waitUntilReady] default true: return when the window is painted
 * @returns {Promise<Page>}
 */
export async function openWorkbench({ browser, server, folder, extensionPath, payload, commandIds = [], keybindings = [], context = {}, beforeLoad, waitUntilReady = true }) {
  const keys = bindKeys(server, [...viewFocusCommands(extensionPath), ...commandIds], keybindings);
  const browserContext = await browser.newContext({
    viewport: { width: 1280, height: 800 }, permissions: ['clipboard-read', 'clipboard-write'], ...context,
  });
  const page = await browserContext.newPage();
  commandKeys.set(page, keys);
  await beforeLoad?.(page);
  await page.goto(workbenchUrl({ server, folder, extensionPath, payload }), { waitUntil: 'commit', timeout: 90_000 });
  if (waitUntilReady) await workbenchReady(page);
  return page;
}

/**
 * The window is painted and takes keys. Its extensions may start later still: runCommand and focusView wait for them.
 * @param {Page} page
 */
export async function workbenchReady(page) {
  await page.waitForFunction(() => globalThis.driver !== undefined, undefined, { timeout: 90_000, polling: 100 });
  await page.locator('.monaco-workbench .part.statusbar').waitFor({ timeout: 90_000 });
}

/** All that VS Code does at start is done, its late contributions too: some seconds more. @param {Page} page */
export async function workbenchRestored(page) {
  await workbenchReady(page);
  await page.evaluate(() => globalThis.driver.whenWorkbenchRestored());
}

/** Load the page anew, as a person's "Reload Window" does. @param {Page} page */
export async function reload(page) {
  await page.reload({ waitUntil: 'commit', timeout: 90_000 });
  await workbenchReady(page);
}

/** @param {Page} page @param {string} file PNG to write */
export const screenshot = (page, file) => page.screenshot({ path: file, timeout: 60_000 });

/**
 * The frame inside a webview, two deep, that shows `selector`. Ask again after a reload or a restart of the webview.
 * @param {Page} page
 * @param {string} selector
 * @param {number} [timeoutMs]
 * @returns {Promise<Frame>}
 */
export function webviewFrame(page, selector, timeoutMs = 90_000) {
  return waitFor(`a webview with ${selector}`, async () => {
    for (const frame of page.frames()) {
      if (frame !== page.mainFrame() && (await hasSelector(frame, selector))) return frame;
    }
    return undefined;
  }, timeoutMs);
}

/** @param {Frame} frame @param {string} selector */
async function hasSelector(frame, selector) {
  try {
    return (await frame.locator(selector).count()) > 0;
  } catch (error) {
    if (frame.isDetached() || /detached|destroyed|navigat/i.test(String(error))) return false;
    throw error;
  }
}

/**
 * Run a command as a person does in the command palette.
 * @param {Page} page
 * @param {string} title as the palette shows it, with its category: `Troupe: New Session`
 */
export async function runCommand(page, title) {
  const widget = page.locator('.quick-input-widget');
  const input = widget.locator('.quick-input-box input');
  const row = widget.locator('.monaco-list-row').filter({ has: page.locator('.label-name', { hasText: exactly(title) }) }).first();
  await waitFor(`the command "${title}" in the palette`, async () => {
    await leaveWebview(page);
    await page.keyboard.press('F1');
    await input.waitFor({ state: 'visible', timeout: 3000 });
    await input.fill(`>${title}`);
    await row.waitFor({ state: 'visible', timeout: 2000 }); // the list does not learn of commands that come later
    return true;
  }, 90_000);
  await row.click();
  // The command may show an input of its own, so only the palette's text has to be gone.
  await waitFor(`the palette to take "${title}"`, async () => !(await input.isVisible()) || (await input.inputValue()) !== `>${title}`);
}

/** @param {string} text */
const exactly = (text) => new RegExp(`^\\s*${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\s*$`);

/**
 * Run a command by its id. The id must be in `commandIds` of openWorkbench, or be a view's `<viewId>.focus`.
 * It returns when the keys are pressed: wait for the effect, with `until` when the command may not be there yet.
 * @param {Page} page
 * @param {string} id
 * @param {() => Promise<boolean>} [until] the keys are pressed again every few seconds until this holds
 */
export async function runCommandId(page, id, until) {
  const keys = commandKeys.get(page)?.get(id);
  if (keys === undefined) throw new Error(`No key is bound to ${id}; name it in commandIds of openWorkbench.`);
  await waitFor(`the effect of ${id}`, async () => {
    await leaveWebview(page);
    await page.keyboard.press(keys);
    return until === undefined || waitFor('effect', until, 2000);
  }, 90_000);
}

/**
 * Show a view of the extension and put the focus there.
 * @param {Page} page
 * @param {string} viewId id from `contributes.views` of the extension's package.json
 */
export async function focusView(page, viewId) {
  const icon = `.icon.view-${viewId.replace(/[.:]/g, '-')}`; // the only trace of the view's id in the page
  const pane = page.locator('.pane.expanded').filter({ has: page.locator(icon) }).locator('.pane-body').first();
  await runCommandId(page, `${viewId}.focus`, () => pane.isVisible());
}

/** Keys pressed inside a webview would also type there. @param {Page} page */
const leaveWebview = (page) => page.evaluate(() => {
  if (document.activeElement instanceof HTMLIFrameElement) document.activeElement.blur();
});

/** @param {string | undefined} extensionPath @returns {string[]} */
function viewFocusCommands(extensionPath) {
  if (extensionPath === undefined || !existsSync(path.join(extensionPath, 'package.json'))) return [];
  const { contributes } = JSON.parse(readFileSync(path.join(extensionPath, 'package.json'), 'utf8'));
  return Object.values(contributes?.views ?? {}).flat().map((view) => `${view.id}.focus`);
}

/** @param {WorkbenchServer} server @param {string[]} ids @param {readonly object[]} more @returns {Map<string, string>} */
function bindKeys(server, ids, more) {
  if (ids.length > KEYS.length) throw new Error(`${ids.length} commands, but keys for ${KEYS.length} only`);
  const keys = new Map(ids.map((id, index) => [id, KEYS[index] ?? '']));
  const bindings = [...keys].map(([command, key]) => ({ key: key.replace('Control', 'ctrl').toLowerCase(), command }));
  writeFileSync(path.join(server.userDataDir, 'User', 'keybindings.json'), JSON.stringify([...bindings, ...more], null, 1));
  return keys;
}
