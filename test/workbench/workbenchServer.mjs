// Starts and ends the server side of the packaged VS Code workbench.
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { endGroup, endWithUs } from './endWithUs.mjs';
import { TestbedError, cleanEnv, runProgram } from './machineTools.mjs';
import { descendants, isStillRunning } from './processTree.mjs';
import { waitFor } from './waitFor.mjs';

const QUIET_SETTINGS = {
  'chat.disableAIFeatures': true, 'extensions.autoCheckUpdates': false, 'extensions.autoUpdate': false,
  'git.openRepositoryInParentFolders': 'never', 'telemetry.telemetryLevel': 'off', 'update.mode': 'none',
  'window.restoreWindows': 'none', 'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none', 'workbench.tips.enabled': false,
};

/**
 * @typedef {object} ServerOptions
 * @property {{ node: string, codeServer: string }} testbed from installTestbed()
 * @property {string} dir own folder for user data, extensions and the server log; made when missing
 * @property {number} [port] default: a free one
 * @property {NodeJS.ProcessEnv} [env] for the server and so for the extension host and its children
 * @property {Record<string, unknown>} [settings] user settings over the quiet ones
 * @property {boolean} [keepSettings] leave a settings file that is there already
 * @property {string} [password] ask for it at the door; default: no door, for tests only
 * @property {boolean} [workspaceTrust] leave workspace trust on (a new folder then opens restricted)
 * @property {string} [vsix] package to install first, as a person would; then open the page without extensionPath
 * @property {string[]} [extraArgs]
 */

/**
 * @typedef {object} WorkbenchServer
 * @property {string} url `http://127.0.0.1:PORT`
 * @property {number} port
 * @property {number} pid also its process group
 * @property {string} userDataDir
 * @property {string} extensionsDir
 * @property {string} logFile what the server printed
 * @property {Promise<number>} ended exit code, when the server has ended for any reason
 * @property {() => Promise<void>} stop end the server and everything it started; may be called twice
 */

/**
 * @param {ServerOptions} options
 * @returns {Promise<WorkbenchServer>} when it answers; always `stop()` it in a `finally`
 */
export async function startServer(options) {
  const { testbed, dir, password } = options;
  const files = writeUserData(options);
  if (options.vsix !== undefined) await installVsix(options, files, options.vsix);
  const port = await usablePort(options.port);
  const { NODE_ENV: _, ...inherited } = cleanEnv({ ...options.env, PATH: [path.dirname(testbed.node), options.env?.PATH ?? process.env.PATH].join(path.delimiter) });
  const log = openSync(files.logFile, 'a');
  const child = spawn(testbed.node, serverArgs(options, files, port), {
    cwd: dir, detached: true, stdio: ['ignore', log, log],
    env: { ...inherited, ...(password === undefined ? {} : { PASSWORD: password }) },
  });
  closeSync(log);
  const ended = new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
  const release = endWithUs(child.pid);
  const stop = async () => {
    await endServer(child.pid, ended);
    release();
  };
  const server = { url: `http://127.0.0.1:${port}`, port, pid: child.pid ?? 0, ...files, ended, stop };
  try {
    await Promise.race([whenHealthy(server), failWhenEnded(server)]);
  } catch (error) {
    await stop();
    throw error;
  }
  return server;
}

/** @param {ServerOptions} options */
function writeUserData({ dir, settings, keepSettings }) {
  const userDataDir = path.join(dir, 'user-data');
  const extensionsDir = path.join(dir, 'extensions');
  mkdirSync(path.join(userDataDir, 'User'), { recursive: true });
  mkdirSync(extensionsDir, { recursive: true });
  writeFileSync(path.join(dir, 'config.yaml'), '');
  const settingsFile = path.join(userDataDir, 'User', 'settings.json');
  if (!(keepSettings && existsSync(settingsFile))) {
    writeFileSync(settingsFile, JSON.stringify({ ...QUIET_SETTINGS, ...settings }, null, 2));
  }
  return { userDataDir, extensionsDir, logFile: path.join(dir, 'server.log') };
}

/** @param {ServerOptions} options @param {{ userDataDir: string, extensionsDir: string }} files @param {string} vsix */
async function installVsix({ testbed, dir }, files, vsix) {
  const folders = ['--config', path.join(dir, 'config.yaml'), '--user-data-dir', files.userDataDir, '--extensions-dir', files.extensionsDir];
  const entry = path.join(testbed.codeServer, 'out/node/entry.js');
  await runProgram(testbed.node, [entry, ...folders, '--install-extension', vsix, '--force'], { env: cleanEnv(), timeoutMs: 120_000 });
}

/** @param {ServerOptions} options @param {{ userDataDir: string, extensionsDir: string }} files @param {number} port */
function serverArgs({ testbed, dir, password, workspaceTrust, extraArgs = [] }, files, port) {
  return [
    path.join(testbed.codeServer, 'out/node/entry.js'),
    '--auth', password === undefined ? 'none' : 'password', '--bind-addr', `127.0.0.1:${port}`,
    '--config', path.join(dir, 'config.yaml'), '--user-data-dir', files.userDataDir, '--extensions-dir', files.extensionsDir,
    '--disable-telemetry', '--disable-update-check', '--disable-getting-started-override', '--ignore-last-opened',
    ...(workspaceTrust ? [] : ['--disable-workspace-trust']),
    '--vscode-option', 'enable-smoke-test-driver', // else the page ignores extensionDevelopmentPath
    ...extraArgs,
  ];
}

/** @param {number | undefined} wanted @returns {Promise<number>} */
function usablePort(wanted = 0) {
  return new Promise((resolve, reject) => {
    const probe = net.createServer();
    probe.once('error', (error) => reject(new TestbedError(`Port ${wanted} can't be used: ${error.message}`)));
    probe.listen(wanted, '127.0.0.1', () => {
      const { port } = /** @type {net.AddressInfo} */ (probe.address());
      probe.close(() => resolve(port));
    });
  });
}

/** @param {{ url: string }} server */
const whenHealthy = ({ url }) => waitFor(`an answer from ${url}/healthz`, async () => {
  const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(5000) });
  return answer.ok;
}, 90_000);

/** @param {WorkbenchServer} server */
async function failWhenEnded({ ended, logFile }) {
  const code = await ended;
  throw new TestbedError(`The workbench server ended with exit code ${code}:\n${readFileSync(logFile, 'utf8').slice(-4000)}`);
}

/**
 * Terminals and detached children have groups of their own, so they are noted first and ended one by one.
 * @param {number | undefined} pid @param {Promise<number>} ended
 */
async function endServer(pid, ended) {
  if (pid === undefined) return;
  const children = descendants(pid);
  endGroup(pid, 'SIGTERM');
  const grace = new AbortController();
  await Promise.race([ended, waitUntilAborted(AbortSignal.any([grace.signal, AbortSignal.timeout(3000)]))]);
  grace.abort();
  endGroup(pid, 'SIGKILL');
  for (const facts of children.filter(isStillRunning)) killOne(facts.pid);
  await ended;
}

/** @param {AbortSignal} signal */
const waitUntilAborted = (signal) => new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));

/** @param {number} pid */
function killOne(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/**
 * @param {WorkbenchServer} server
 * @returns {import('./processTree.mjs').ProcessFacts[]} the extension hosts now running; one per open page
 */
export const extensionHosts = (server) => descendants(server.pid).filter((facts) => facts.argv.includes('--type=extensionHost'));

/**
 * Kill -9 the extension host, as a crash would. For an installed extension VS Code starts a new host by itself (three
 * times in five minutes); for one in development it does not: reload the page.
 * @param {WorkbenchServer} server
 * @returns {Promise<number>} its pid, when it is gone
 */
export async function killExtensionHost(server) {
  const [host] = await waitFor('an extension host to kill', () => {
    const hosts = extensionHosts(server);
    return hosts.length > 0 && hosts;
  });
  process.kill(host.pid, 'SIGKILL');
  await waitFor(`the end of extension host ${host.pid}`, () => !isStillRunning(host));
  return host.pid;
}
