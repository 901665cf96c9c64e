// Puts a real VS Code workbench (code-server on its own Node) into a cache folder outside the checkout.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { withFolderLock } from './folderLock.mjs';
import { COMPILER_TOOLS, TEST_TOOLS, TestbedError, cleanEnv, ensureTools, findChromium, findProgram, missingTools, runProgram } from './machineTools.mjs';

const NODE_MAJOR = '24'; // this code-server answers /healthz on older ones and then hangs
const CODE_SERVER = '4.139.1';

/** @typedef {{ node: string, codeServer: string, chromium: string | undefined }} Testbed `codeServer` is its package folder */
/** @typedef {{ browser?: boolean, apt?: boolean, log?: (line: string) => void }} InstallOptions */

/** @returns {string} absolute path of the cache folder */
export function testbedFolder() {
  const cache = process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache');
  return path.resolve(process.env.TROUPE_TESTBED_DIR || path.join(cache, 'troupe-testbed'));
}

/**
 * Install what is missing and return where it is; nothing is run when all is there. Safe to call from several
 * processes at once. Throws a TestbedError that names a missing program and how to get it.
 * @param {InstallOptions} [options] `browser`: also Chromium. `apt`: install the programs the tests need with apt-get
 *   (as root on Debian); without it only the compiler for the rebuild step is asked for, and only if that step is due.
 * @returns {Promise<Testbed>}
 */
export async function installTestbed({ browser = true, apt = true, log = (line) => console.error(`[testbed] ${line}`) } = {}) {
  if (process.platform !== 'linux') {
    throw new TestbedError('The packaged workbench runs on Linux only. Here use VS Code itself: put `code` on PATH (in VS Code: "Shell Command: Install \'code\' command in PATH").');
  }
  const root = testbedFolder();
  const bed = { root, log, node: path.join(root, 'node', 'node_modules', 'node', 'bin', 'node'), codeServer: path.join(root, 'code-server', 'node_modules', 'code-server') };
  const tools = [...(apt ? TEST_TOOLS : []), ...(browser ? ['chromium'] : [])];
  if (!isComplete(bed) || missingTools(tools).length > 0) {
    mkdirSync(root, { recursive: true });
    await withFolderLock(path.join(root, 'install.lock'), log, async () => {
      await ensureTools({ tools, purpose: 'the tests in a real VS Code', apt, log });
      await installSteps(bed);
    });
  }
  return { node: bed.node, codeServer: bed.codeServer, chromium: browser ? findChromium() : undefined };
}

/** @typedef {{ root: string, node: string, codeServer: string, log: (line: string) => void }} Bed */

/**
 * In order; a later step is due again when an earlier one was.
 * @type {{ name: string, version: string, product: (bed: Bed) => string, run: (bed: Bed) => Promise<void> }[]}
 */
const STEPS = [
  { name: 'node', version: NODE_MAJOR, product: (bed) => bed.node, run: installNode },
  { name: 'codeServer', version: CODE_SERVER, product: (bed) => path.join(bed.codeServer, 'out/node/entry.js'), run: installCodeServer },
  { name: 'dependencies', version: '1', product: (bed) => path.join(bed.codeServer, 'lib/vscode/node_modules'), run: installDependencies },
  { name: 'rebuild', version: '1', product: (bed) => path.join(bed.codeServer, 'lib/vscode/node_modules/@vscode/spdlog/build/Release/spdlog.node'), run: rebuildNative },
];

/** @param {Bed} bed @param {Record<string, string>} stamp @param {(typeof STEPS)[number]} step */
const isDone = (bed, stamp, step) => stamp[step.name] === step.version && existsSync(step.product(bed));

/** @param {Bed} bed */
function isComplete(bed) {
  const stamp = readStamp(bed.root);
  return STEPS.every((step) => isDone(bed, stamp, step));
}

/** @param {Bed} bed */
async function installSteps(bed) {
  const stamp = readStamp(bed.root);
  const firstDue = STEPS.findIndex((step) => !isDone(bed, stamp, step));
  if (firstDue < 0) return;
  await ensureTools({ tools: ['npm', ...COMPILER_TOOLS], purpose: 'building the packaged VS Code workbench (once)', apt: false, log: bed.log });
  for (const step of STEPS.slice(firstDue)) {
    const startedMs = Date.now();
    bed.log(`${step.name} ${step.version} …`);
    await step.run(bed);
    stamp[step.name] = step.version;
    writeStamp(bed.root, stamp);
    bed.log(`${step.name} done in ${Math.round((Date.now() - startedMs) / 1000)} s`);
  }
}

/** @param {string} root @returns {Record<string, string>} */
function readStamp(root) {
  const file = path.join(root, 'stamp.json');
  if (!existsSync(file)) return {};
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return {}; // a torn write: install again
    throw error;
  }
}

/** @param {string} root @param {Record<string, string>} stamp */
function writeStamp(root, stamp) {
  const file = path.join(root, 'stamp.json');
  writeFileSync(`${file}.new`, JSON.stringify(stamp, null, 1));
  renameSync(`${file}.new`, file);
}

/** @param {Bed} bed */
async function installNode(bed) {
  await npmInstallAlone(path.join(bed.root, 'node'), `node@${NODE_MAJOR}`, [], cleanEnv());
}

/** @param {Bed} bed */
async function installCodeServer(bed) {
  await npmInstallAlone(path.join(bed.root, 'code-server'), `code-server@${CODE_SERVER}`, ['--ignore-scripts'], newNodeEnv(bed));
}

/** @param {Bed} bed */
async function installDependencies(bed) {
  const vscode = path.join(bed.codeServer, 'lib', 'vscode');
  const args = ['install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
  for (const cwd of [vscode, path.join(vscode, 'extensions')]) await runNpm(args, { cwd, env: newNodeEnv(bed) });
  link('code-linux.sh', path.join(vscode, 'bin/remote-cli/code-server'));
  link('browser-linux.sh', path.join(vscode, 'bin/helpers/browser.sh'));
}

/** @param {Bed} bed */
async function rebuildNative(bed) {
  const headers = path.join(path.dirname(bed.node), '..');
  const env = newNodeEnv(bed);
  if (existsSync(path.join(headers, 'include', 'node', 'node_api.h'))) env.npm_config_nodedir = headers;
  await runNpm(['rebuild', '@vscode/spdlog', '@vscode/native-watchdog'], { cwd: path.join(bed.codeServer, 'lib', 'vscode'), env });
}

/** @param {Bed} bed */
const newNodeEnv = (bed) => cleanEnv({ PATH: `${path.dirname(bed.node)}${path.delimiter}${process.env.PATH ?? ''}` });

/** @param {string[]} args @param {{ cwd: string, env: NodeJS.ProcessEnv }} where */
async function runNpm(args, where) {
  await runProgram(findProgram('npm') ?? 'npm', args, where);
}

/**
 * @param {string} folder made anew, so that a half-done earlier try can't be in the way
 * @param {string} spec @param {string[]} flags @param {NodeJS.ProcessEnv} env
 */
async function npmInstallAlone(folder, spec, flags, env) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
  await runNpm(['install', spec, '--no-audit', '--no-fund', ...flags], { cwd: folder, env });
}

/** @param {string} target relative to the link @param {string} file */
function link(target, file) {
  rmSync(file, { force: true });
  symlinkSync(target, file);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    console.log(JSON.stringify(await installTestbed(), null, 1));
  } catch (error) {
    console.error(error instanceof TestbedError ? error.message : error);
    process.exitCode = 1;
  }
}
