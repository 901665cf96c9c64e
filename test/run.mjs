// npm test: installs what the tests need and runs everything. Ends with one plain line of counts.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const results = 'test/.out/results';

function run(command, args, env = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...env }, shell: process.platform === 'win32' });
    child.on('close', (code) => resolve(code ?? 1));
    child.on('error', (error) => {
      console.error(`${command}: ${error.message}`);
      resolve(1);
    });
  });
}

const counts = { passed: 0, failed: 0, skipped: 0 };
const failures = [];

function count(name, { passed = 0, failed = 0, skipped = 0 }) {
  counts.passed += passed;
  counts.failed += failed;
  counts.skipped += skipped;
  if (failed > 0) failures.push(name);
}

/** A step without tests of its own counts as one. */
async function step(name, command, args) {
  console.log(`\n== ${name}`);
  const startedAtMs = Date.now();
  const code = await run(command, args);
  console.log(`== ${name}: ${code === 0 ? 'ok' : `failed (exit ${code})`}, ${((Date.now() - startedAtMs) / 1000).toFixed(0)} s`);
  return code;
}

async function single(name, command, args) {
  const code = await step(name, command, args);
  count(name, code === 0 ? { passed: 1 } : { failed: 1 });
  return code === 0;
}

async function vitest(name, config) {
  const file = `${results}/${name}.json`;
  const code = await step(name, 'npx', ['--no-install', 'vitest', 'run', '--config', config, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`]);
  if (!existsSync(file)) return count(name, { failed: 1 });
  const report = JSON.parse(readFileSync(file, 'utf8'));
  const failed = report.numFailedTests + (code !== 0 && report.numFailedTests === 0 ? 1 : 0);
  count(name, { passed: report.numPassedTests, failed, skipped: report.numPendingTests + report.numTodoTests });
}

/** A script that writes its counts. */
async function counted(name, script) {
  const file = `${results}/${name}.json`;
  const code = await step(name, 'node', [script, '--results', file]);
  if (!existsSync(file)) return count(name, { failed: 1 });
  const { passed, failed } = JSON.parse(readFileSync(file, 'utf8'));
  count(name, { passed, failed: failed + (code !== 0 && failed === 0 ? 1 : 0) });
}

rmSync(results, { recursive: true, force: true });
mkdirSync(results, { recursive: true });
const isInstalled = existsSync('node_modules/.package-lock.json') && statSync('node_modules/.package-lock.json').mtimeMs >= statSync('package-lock.json').mtimeMs - 1000;
const ready =
  (isInstalled || (await single('npm ci', 'npm', ['ci', '--no-audit', '--no-fund']))) &&
  (await single('test bed', 'node', ['test/workbench/installTestbed.mjs'])) &&
  (await single('build', 'node', ['esbuild.mjs']));
if (ready) {
  await single('types', 'npx', ['--no-install', 'tsc', '-p', 'tsconfig.json', '--noEmit']);
  await single('lint', 'npx', ['--no-install', 'biome', 'lint', '--config-path=test/lint.json', '--error-on-warnings', 'extension', 'webview', 'test', 'esbuild.mjs']);
  await vitest('unit', 'test/vitest.config.mts');
  await vitest('scenarios', 'test/vitest.scenarios.config.mts');
  await counted('fixtures', 'test/fixtures/runLoaderFixtures.mjs');
  await vitest('webview', 'test/vitest.webview.config.mts');
  await single('in the extension host', 'node', ['test/workbench/runInHost.mjs', 'test/workbench/host']);
  await counted('walk', 'test/workbench/walk.mjs');
}
if (failures.length > 0) console.log(`\nFailed: ${failures.join(', ')}`);
console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed === 0 && ready ? 0 : 1;
