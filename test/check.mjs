// npm run check: types, lint, layers and unit tests, side by side. Ends with exit code 1 when any fails.
import { spawn } from 'node:child_process';

const steps = [
  ['types', ['tsc', '-p', 'tsconfig.json', '--noEmit']],
  ['lint', ['biome', 'lint', '--config-path=test/lint.json', '--error-on-warnings', 'extension', 'webview', 'test', 'esbuild.mjs']],
  ['unit', ['vitest', 'run', '--config', 'test/vitest.config.mts']],
];

function run([name, args]) {
  return new Promise((resolve) => {
    const startedAtMs = Date.now();
    const child = spawn('npx', ['--no-install', ...args], { stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32' });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('close', (code) => {
      process.stdout.write(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} ${((Date.now() - startedAtMs) / 1000).toFixed(1)} s\n`);
      if (code !== 0) process.stdout.write(`${output}\n`);
      resolve(code === 0);
    });
  });
}

const [types, lint, unit] = await Promise.all(steps.map(run));
process.exitCode = types && lint && unit ? 0 : 1;
