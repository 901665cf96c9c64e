// Builds what ships: dist/extension.js, dist/headless.js, dist/webview.{js,css} and the assets beside them.
//   node esbuild.mjs [--watch] [--only=extension|headless|webview[,…]] [--dev] [--metafile]
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, context } from 'esbuild';

process.chdir(fileURLToPath(new URL('.', import.meta.url)));
const has = (name) => process.argv.includes(`--${name}`);
const only = process.argv.find((arg) => arg.startsWith('--only='))?.slice('--only='.length).split(',');
const dev = has('dev');
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

/**
 * Packages the engine loads at their first use. Each is a file of its own beside the bundles, since reading and
 * compiling all of them at every start costs more than everything else before the first request.
 */
const parts = ['@vscode/tree-sitter-wasm', 'diff', 'jsonc-parser', 'pdf-lib', 'picomatch', 'proper-lockfile', 'simple-git', 'turndown', 'undici', 'yaml'];
/** A file of ours that is such a part, with the packages it brings; imported by this name. */
const ownParts = { mcpSdk: 'extension/mcp/mcpSdk.ts', sandboxRuntime: 'extension/platform/sandboxRuntime.ts' };
const partFile = (name) => `parts/${name.replace(/^@/, '').replaceAll('/', '-')}`;
const partsBeside = {
  name: 'parts',
  setup(building) {
    building.onResolve({ filter: new RegExp(`/(${Object.keys(ownParts).join('|')})$`) }, ({ path, kind }) => {
      const name = path.slice(path.lastIndexOf('/') + 1);
      return kind === 'dynamic-import' ? { path: `./${partFile(name)}.js`, external: true } : { errors: [{ text: `${name} is loaded at first use only: import it with import()` }] };
    });
    building.onResolve({ filter: new RegExp(`^(${parts.join('|')})$`) }, ({ path, kind, importer }) => {
      if (kind === 'dynamic-import') return { path: `./${partFile(path)}.js`, external: true };
      // Inside node_modules packages may use each other; ours may not load a part at the start.
      return importer.includes('node_modules') ? undefined : { errors: [{ text: `${path} is loaded at first use only: import it with import()` }] };
    });
  },
};

const node = {
  bundle: true,
  platform: 'node',
  // ES modules first: the UMD build of jsonc-parser requires its parts by names esbuild can't see.
  mainFields: ['module', 'main'],
  format: 'cjs',
  target: 'node20',
  minify: !dev,
  sourcemap: dev ? 'linked' : false,
  legalComments: 'none',
  logLevel: 'info',
  metafile: true,
  // A bundle has no module address; only unbundled tests look for assets by it.
  define: { TROUPE_VERSION: JSON.stringify(version), 'import.meta.url': '"file:///troupe"' },
};
/** `require` for parts loaded at first use: Node's own import() first starts a second module loader. */
const withParts = { ...node, supported: { 'dynamic-import': false }, plugins: [partsBeside] };
const bundles = {
  extension: { ...withParts, entryPoints: ['extension/extension.ts'], outfile: 'dist/extension.js', external: ['vscode'] },
  // Nothing external: a stray `import 'vscode'` breaks this build, which is the point.
  headless: { ...withParts, entryPoints: [{ in: 'extension/headless.ts', out: 'parts/headless' }], outdir: 'dist' },
  /** What starts it: `node dist/headless.js`. */
  headlessLoader: { ...node, entryPoints: [{ in: 'extension/headlessLoader.ts', out: 'headless' }], outdir: 'dist', banner: { js: '#!/usr/bin/env node' } },
  parts: { ...node, entryPoints: [...parts.map((name) => ({ in: name, out: partFile(name) })), ...Object.entries(ownParts).map(([name, file]) => ({ in: file, out: partFile(name) }))], outdir: 'dist' },
  webview: {
    entryPoints: [{ in: 'webview/main.tsx', out: 'webview' }],
    outdir: 'dist',
    bundle: true,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    jsx: 'automatic',
    minify: !dev,
    sourcemap: dev ? 'linked' : false,
    legalComments: 'none',
    loader: { '.ttf': 'file' },
    assetNames: '[name]',
    define: { 'process.env.NODE_ENV': JSON.stringify(dev ? 'development' : 'production') },
    logLevel: 'info',
    metafile: true,
  },
};
const wasm = ['tree-sitter.wasm', 'tree-sitter-bash.wasm', 'tree-sitter-powershell.wasm'];

// Whoever builds an entry needs its parts too.
const alsoOf = { extension: ['parts'], headless: ['headlessLoader', 'parts'] };
const names = only ? [...new Set([...only, ...only.flatMap((name) => alsoOf[name] ?? [])])] : Object.keys(bundles);
for (const name of names) {
  if (!bundles[name]) throw new Error(`--only=${name}: there is no such bundle; there are ${Object.keys(bundles).join(', ')}`);
  const [entry] = bundles[name].entryPoints;
  const path = typeof entry === 'string' ? entry : name === 'parts' ? '.' : entry.in;
  if (!existsSync(path)) throw new Error(`${path} does not exist; build the others with --only=${Object.keys(bundles).filter((n) => n !== name).join(',')}`);
}
mkdirSync('dist', { recursive: true });
if (names.some((name) => name !== 'webview')) {
  for (const file of wasm) copyFileSync(`node_modules/@vscode/tree-sitter-wasm/wasm/${file}`, `dist/${file}`);
  for (const [from, to] of [['extension/plugins/builtin', 'dist/plugins'], ['extension/skills/bundled', 'dist/skills']]) {
    rmSync(to, { recursive: true, force: true });
    cpSync(from, to, { recursive: true });
  }
}

if (names.some((name) => name !== 'webview')) {
  for (const arch of ['x64', 'arm64']) {
    mkdirSync(`dist/seccomp/${arch}`, { recursive: true });
    copyFileSync(`node_modules/@anthropic-ai/sandbox-runtime/vendor/seccomp/${arch}/apply-seccomp`, `dist/seccomp/${arch}/apply-seccomp`);
  }
}

if (has('watch')) {
  for (const name of names) await (await context(bundles[name])).watch();
} else {
  for (const name of names) {
    const result = await build(bundles[name]);
    if (has('metafile')) writeFileSync(`dist/${name}.meta.json`, JSON.stringify(result.metafile));
  }
}
