// `npm run test:electron`: the in-host tests in a desktop VS Code, which @vscode/test-electron downloads (so it needs
// internet, and a display: on a headless Linux run it under xvfb-run). Without internet: test/workbench/runInHost.mjs.
//   node test/electron/runElectron.mjs [test file or folder …]   VSCODE_VERSION: stable, insiders or a number
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runTests } from '@vscode/test-electron';
import { bundleHostTests, hostMochaEntry } from '../workbench/hostTests.mjs';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const entries = process.argv.length > 2 ? process.argv.slice(2) : [path.join(repository, 'test', 'workbench', 'host')];
const temp = mkdtempSync(path.join(os.tmpdir(), 'troupe-el-')); // short: VS Code makes a socket in its user data

try {
  if (!existsSync(path.join(repository, 'dist', 'extension.js'))) throw new Error('Build first: node esbuild.mjs');
  const workspace = path.join(temp, 'workspace');
  mkdirSync(workspace);
  process.exitCode = await runTests({
    version: process.env.VSCODE_VERSION ?? 'stable',
    extensionDevelopmentPath: repository,
    extensionTestsPath: hostMochaEntry,
    extensionTestsEnv: await bundleHostTests(entries, path.join(temp, 'tests')),
    launchArgs: [workspace, '--user-data-dir', path.join(temp, 'user'), '--disable-extensions', '--disable-workspace-trust', '--skip-welcome'],
  });
} catch (error) {
  console.error(`The tests in VS Code failed or could not run: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  rmSync(temp, { recursive: true, force: true });
}
