// Programs a test or `npm start` needs from the machine: find them, name the missing ones, add them on Debian.
import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { endGroup, endWithUs } from './endWithUs.mjs';

/** Debian package for each program; the name people of other systems will look for is the same. */
const DEBIAN_PACKAGE = {
  bwrap: 'bubblewrap', chromium: 'chromium', 'g++': 'g++', git: 'git', make: 'make',
  python3: 'python3', rg: 'ripgrep', socat: 'socat', tmux: 'tmux',
};

export const COMPILER_TOOLS = ['g++', 'make', 'python3'];
export const TEST_TOOLS = ['rg', 'tmux', 'bwrap', 'socat', 'git', 'python3', 'g++', 'make'];

/** Expected failure with text for a person: print the message, no stack. */
export class TestbedError extends Error {
  name = 'TestbedError';
}

/**
 * @param {string} name program name without an extension
 * @returns {string | undefined} absolute path of the first match on PATH
 */
export function findProgram(name) {
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', '.bat'] : [''];
  for (const folder of (process.env.PATH ?? '').split(path.delimiter).filter(Boolean)) {
    for (const ending of endings) {
      const file = path.join(folder, name + ending);
      if (isRunnable(file)) return file;
    }
  }
  return undefined;
}

/** @param {string} file */
function isRunnable(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
}

/** @returns {string | undefined} TROUPE_CHROMIUM, else a Chromium or Chrome on PATH */
export function findChromium() {
  if (process.env.TROUPE_CHROMIUM) return process.env.TROUPE_CHROMIUM;
  return ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'].map(findProgram).find(Boolean);
}

/** @param {string} tool */
const isThere = (tool) => (tool === 'chromium' ? findChromium() : findProgram(tool)) !== undefined;

/**
 * @param {readonly string[]} tools
 * @returns {string[]} the ones that are not on this machine
 */
export const missingTools = (tools) => tools.filter((tool) => !isThere(tool));

/**
 * @param {readonly string[]} tools missing programs
 * @param {string} purpose what they are needed for
 */
export function missingToolsText(tools, purpose) {
  const packages = tools.map((tool) => DEBIAN_PACKAGE[tool] ?? tool).join(' ');
  return [
    `Missing for ${purpose}: ${tools.join(', ')}.`,
    `  Debian, Ubuntu: sudo apt-get install ${packages}`,
    `  Fedora:         sudo dnf install ${packages.replace('g++', 'gcc-c++')}`,
    `  Arch:           sudo pacman -S ${packages.replace('g++', 'gcc').replace('python3', 'python')}`,
    ...(tools.includes('chromium') ? ['  Or name a Chromium or Chrome you have: TROUPE_CHROMIUM=/path/to/chrome'] : []),
  ].join('\n');
}

/**
 * Throw unless all tools are there. With `apt` the missing ones are installed first, which needs root and apt-get.
 * @param {{ tools: readonly string[], purpose: string, apt: boolean, log: (line: string) => void }} request
 */
export async function ensureTools({ tools, purpose, apt, log }) {
  const missing = missingTools(tools);
  if (missing.length === 0) return;
  if (apt && process.getuid?.() === 0 && findProgram('apt-get')) {
    await aptInstall(missing.map((tool) => DEBIAN_PACKAGE[tool] ?? tool), log);
  }
  const still = missingTools(tools);
  if (still.length > 0) throw new TestbedError(missingToolsText(still, purpose));
}

/** @param {string[]} packages @param {(line: string) => void} log */
async function aptInstall(packages, log) {
  log(`apt-get install ${packages.join(' ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const wait = ['-o', 'DPkg::Lock::Timeout=400'];
  await runProgram('apt-get', [...wait, 'update', '-q'], { env });
  await runProgram('apt-get', [...wait, 'install', '-y', '-q', '--no-install-recommends', ...packages], { env });
}

/**
 * Run to the end; output is kept and only shown when the program fails.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, timeoutMs?: number }} [options]
 */
export function runProgram(command, args, { cwd, env = process.env, timeoutMs = 600_000 } = {}) {
  const name = `${path.basename(command)} ${args.join(' ')}`;
  return new Promise((resolve, reject) => {
    const detached = process.platform !== 'win32';
    const child = spawn(command, args, { cwd, env, detached, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (chunk) => {
      output = (output + chunk).slice(-8000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const timer = setTimeout(() => endGroup(child.pid, 'SIGKILL'), timeoutMs);
    const release = endWithUs(child.pid);
    const settle = (problem) => {
      clearTimeout(timer);
      release();
      if (problem) reject(new TestbedError(`${name}\n  in ${cwd ?? process.cwd()}: ${problem}\n${output}`));
      else resolve(output);
    };
    child.once('error', (error) => settle(error.message));
    child.once('close', (code, signal) => settle(code === 0 ? undefined : `ended with ${signal ?? `exit code ${code}`}`));
  });
}

/**
 * The environment for a child npm or VS Code server, without what a surrounding npm script, editor terminal or
 * debugger put there for its own children.
 * @param {NodeJS.ProcessEnv} [extra]
 */
export function cleanEnv(extra = {}) {
  const drop = /^(npm_(lifecycle|package|command|execpath|node_execpath|config_(local_prefix|global_prefix|prefix))|INIT_CWD$|VSCODE_|ELECTRON_RUN_AS_NODE$|NODE_OPTIONS$|CODE_SERVER_|PORT$|PASSWORD$|HASHED_PASSWORD$)/;
  return { ...Object.fromEntries(Object.entries(process.env).filter(([key]) => !drop.test(key))), ...extra };
}
