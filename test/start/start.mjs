// `npm start`: build the extension of this checkout and open it in an editor. Node's own modules only, up to npm ci.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { installTestbed, testbedFolder } from '../workbench/installTestbed.mjs';
import { TestbedError, cleanEnv, findProgram } from '../workbench/machineTools.mjs';
import { startServer } from '../workbench/workbenchServer.mjs';
import { workbenchUrl } from '../workbench/workbenchUrl.mjs';
import { ensureSample } from './sampleRepository.mjs';
import { USAGE, parseStartOptions } from './startOptions.mjs';

const repository = path.resolve(fileURLToPath(new URL('../..', import.meta.url)));

async function main() {
  const options = parseStartOptions(process.argv.slice(2));
  if (options.help) return console.log(USAGE);
  if (Number(process.versions.node.split('.')[0]) < 20) throw new TestbedError(`Node 20 or newer is needed; this is ${process.version}. Get it at nodejs.org or with your version manager.`);
  await installDependencies();
  say('Building the extension …');
  await runAndShow(process.execPath, ['esbuild.mjs']);
  const folder = options.folder ?? (await openSample());
  const code = options.web ? undefined : desktopCode();
  if (code === undefined) await openPackagedWorkbench(folder, options);
  else await openDesktop(code, folder, options.open);
}

/** @param {string} text */
const say = (text) => console.log(text);

async function installDependencies() {
  const installed = path.join(repository, 'node_modules', '.package-lock.json');
  const lock = path.join(repository, 'package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  say('Installing the dependencies (npm ci) …');
  await runAndShow(findProgram('npm') ?? 'npm', ['ci', '--no-audit', '--no-fund']);
}

/** @returns {Promise<string>} */
async function openSample() {
  const { folder, isNew } = await ensureSample();
  say(isNew ? `Made a sample repository: ${folder} (yours to change; delete the folder to get it anew)` : `Sample repository: ${folder}`);
  return folder;
}

/** @returns {string | undefined} `code` of a desktop VS Code; the one inside a remote terminal can't load a checkout */
function desktopCode() {
  const code = findProgram('code');
  return code === undefined || realpathSync(code).includes('remote-cli') ? undefined : code;
}

/** @param {string} code @param {string} folder @param {boolean} open */
async function openDesktop(code, folder, open) {
  const args = ['--new-window', `--extensionDevelopmentPath=${repository}`, folder];
  if (!open) return say(`Open it with:\n  code ${args.map((arg) => JSON.stringify(arg)).join(' ')}`);
  say('Opening VS Code. In the activity bar on the left is the icon of Troupe. Close the window to stop.');
  await runAndShow(code, args, cleanEnv());
}

/** @param {string} folder @param {import('./startOptions.mjs').StartOptions} options */
async function openPackagedWorkbench(folder, { port, open }) {
  say('Preparing the packaged VS Code workbench (the first time about two minutes; kept for later) …');
  const testbed = await installTestbed({ browser: false, apt: false, log: (line) => say(`  ${line}`) });
  const password = randomBytes(18).toString('base64url');
  const server = await startServer({ testbed, dir: path.join(testbedFolder(), 'start'), port, password, keepSettings: true });
  const stop = stopOnSignal(server);
  try {
    const url = workbenchUrl({ server, folder, extensionPath: repository });
    say(`\nThe workbench runs. Open this address in your browser:\n\n  ${url}\n\nPassword:  ${password}\n`);
    say('In the activity bar on the left is the icon of Troupe. Nobody else can reach this address from outside this computer.');
    say('To stop: press Ctrl+C here. That ends the workbench and everything it started.');
    if (open) openBrowser(url);
    const code = await server.ended;
    if (!stop.asked) throw new TestbedError(`The workbench ended by itself with exit code ${code}; its log: ${server.logFile}`);
  } finally {
    await server.stop();
  }
  say('\nStopped.');
}

/** @param {import('../workbench/workbenchServer.mjs').WorkbenchServer} server */
function stopOnSignal(server) {
  const stop = { asked: false };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      stop.asked = true;
      void server.stop();
    });
  }
  return stop;
}

/** No browser to open is no failure: the address is printed. @param {string} url */
function openBrowser(url) {
  const opener = process.env.DISPLAY || process.env.WAYLAND_DISPLAY ? findProgram('xdg-open') : undefined;
  if (opener === undefined) return;
  const child = spawn(opener, [url], { detached: true, stdio: 'ignore' });
  child.once('error', (error) => say(`(The browser could not be opened: ${error.message})`));
  child.unref();
}

/**
 * @param {string} command @param {string[]} args @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<void>}
 */
function runAndShow(command, args, env = process.env) {
  // Windows runs .cmd files through its shell only; paths with blanks are then ours to quote.
  const shell = process.platform === 'win32' && /\.(cmd|bat)$/i.test(command);
  const quote = (text) => (shell ? `"${text}"` : text);
  return new Promise((resolve, reject) => {
    const child = spawn(quote(command), args.map(quote), { cwd: repository, env, shell, stdio: 'inherit' });
    const fail = (problem) => reject(new TestbedError(`${path.basename(command)} ${args.join(' ')}: ${problem}`));
    child.once('error', (error) => fail(error.message));
    child.once('close', (code) => (code === 0 ? resolve() : fail(`ended with exit code ${code}; see above.`)));
  });
}

try {
  await main();
} catch (error) {
  console.error(error instanceof TestbedError ? `\n${error.message}` : error);
  process.exitCode = 1;
}
