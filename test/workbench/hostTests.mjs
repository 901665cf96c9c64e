// Test files as the extension host can load them: CommonJS, with `vscode` and mocha left outside.
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** The module to name as extensionTestsPath. */
export const hostMochaEntry = fileURLToPath(new URL('hostMocha.cjs', import.meta.url));

/**
 * @param {readonly string[]} entries test files, or folders with `*.test.{ts,mts,js,mjs,cjs}` files
 * @param {string} outDir for the bundles
 * @returns {Promise<{ TROUPE_HOST_TESTS: string }>} environment for the extension host
 */
export async function bundleHostTests(entries, outDir) {
  const files = entries.map((entry) => path.resolve(entry)).flatMap((entry) => (statSync(entry).isDirectory() ? testFiles(entry) : [entry]));
  if (files.length === 0) throw new Error(`No test files in ${entries.join(', ')}.`);
  const entryPoints = files.map((file, index) => ({ in: file, out: `${index}-${path.basename(file).replace(/\.[cm]?[jt]s$/, '')}` }));
  await build({
    entryPoints, outdir: outDir, outExtension: { '.js': '.cjs' }, bundle: true, platform: 'node', format: 'cjs',
    target: 'node20', sourcemap: 'inline', external: ['vscode', 'mocha'], logLevel: 'warning',
  });
  return { TROUPE_HOST_TESTS: JSON.stringify(entryPoints.map(({ out }) => path.join(outDir, `${out}.cjs`))) };
}

/** @param {string} folder @returns {string[]} */
function testFiles(folder) {
  const names = /** @type {string[]} */ (readdirSync(folder, { recursive: true }));
  return names.filter((name) => /\.test\.[cm]?[jt]s$/.test(name)).sort().map((name) => path.join(folder, name));
}
