// Mocha inside the extension host of a real VS Code, with a true exit code:
//   node test/workbench/runInHost.mjs [--extension DIR] [--folder DIR] <test file or folder> …
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { format, parseArgs } from 'node:util';
import { bundleHostTests, hostMochaEntry } from './hostTests.mjs';
import { installTestbed, launchChromium, openWorkbench, startServer } from './workbench.mjs';
import { remoteUri } from './workbenchUrl.mjs';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

/**
 * @param {object} options
 * @param {readonly string[]} options.entries mocha test files (TypeScript or JavaScript) or folders of `*.test.*`
 * @param {string} [options.extensionPath] default: this repository
 * @param {string} [options.folder] the folder to open; default: a fresh empty one
 * @param {NodeJS.ProcessEnv} [options.env] for the extension host
 * @param {Record<string, unknown>} [options.settings] user settings
 * @param {number} [options.timeoutMs] for all tests together
 * @returns {Promise<number>} exit code: 0 when all tests passed
 */
export async function runInHost({ entries, extensionPath = REPOSITORY, folder, env = {}, settings, timeoutMs = 300_000 }) {
  const temp = mkdtempSync(path.join(os.tmpdir(), 'troupe-host-'));
  const workspace = folder ?? path.join(temp, 'workspace');
  const report = path.join(temp, 'report.txt');
  mkdirSync(workspace, { recursive: true });
  let server;
  let browser;
  try {
    const tests = await bundleHostTests(entries, path.join(temp, 'tests'));
    const testbed = await installTestbed();
    server = await startServer({ testbed, dir: path.join(temp, 'server'), env: { ...env, ...tests, TROUPE_HOST_OUT: report }, settings });
    browser = await launchChromium(testbed);
    return await openAndAwaitExit({ browser, server, folder: workspace, extensionPath: path.resolve(extensionPath) }, timeoutMs);
  } finally {
    if (existsSync(report)) console.log(readFileSync(report, 'utf8'));
    await browser?.close();
    await server?.stop();
    rmSync(temp, { recursive: true, force: true });
  }
}

/**
 * @param {{ browser: import('playwright-core').Browser, server: import('./workbenchServer.mjs').WorkbenchServer, folder: string, extensionPath: string }} where
 * @param {number} timeoutMs
 * @returns {Promise<number>}
 */
async function openAndAwaitExit(where, timeoutMs) {
  const exit = withResolvers();
  const consoleLines = [];
  const timer = setTimeout(() => exit.reject(new Error(`The tests in the extension host did not end within ${timeoutMs} ms.`)), timeoutMs);
  try {
    await openWorkbench({
      ...where, waitUntilReady: false,
      payload: [['extensionTestsPath', remoteUri(`127.0.0.1:${where.server.port}`, hostMochaEntry)], ['skipWelcome', 'true']],
      beforeLoad: async (page) => {
        await page.exposeFunction('codeAutomationExit', (code) => exit.resolve(code));
        await page.exposeFunction('codeAutomationLog', (type, args) => consoleLines.push(`[${type}] ${format(...args)}`));
        page.once('crash', () => exit.reject(new Error('The page of the workbench crashed.')));
      },
    });
    const code = await exit.promise;
    if (code !== 0) showLines(consoleLines);
    return code;
  } catch (error) {
    showLines(consoleLines);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** The editor's console matters only when something failed. @param {string[]} lines */
function showLines(lines) {
  const noise = /open-vsx|authentication provider|reconnection-grace|AccountPolicyGate|Creating a socket|Canceled/;
  console.log(['Console of the workbench and the tests:', ...lines.filter((line) => !noise.test(line))].join('\n'));
}

/** Promise.withResolvers for Node 20. */
function withResolvers() {
  let resolve = (_) => {};
  let reject = (_) => {};
  const promise = new Promise((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { extension: { type: 'string' }, folder: { type: 'string' } } });
  if (positionals.length === 0) throw new Error('Name a test file or folder.');
  process.exitCode = await runInHost({ entries: positionals, extensionPath: values.extension, folder: values.folder && path.resolve(values.folder) });
}
