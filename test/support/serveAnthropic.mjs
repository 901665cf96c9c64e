/**
 * The strict model server for plain Node, where nothing compiles TypeScript.
 *   node test/support/serveAnthropic.mjs [script file] [--port N] [--key K]... [--no-key] [--model ID]... [--with-parent]
 * Prints one JSON line {"url","pid"} when it listens. A script file (.json, .mjs or .ts) is a list of replies, or exports
 * one as `script`. --with-parent ends the server when stdin closes. Control: POST /_script, POST /_release, GET /_requests.
 * As a module: `const { startAnthropicServer, say, callTool } = await loadAnthropicServer()`.
 */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));

async function importBundled(stdin) {
  const result = await build({ stdin: { resolveDir: here, loader: 'ts', ...stdin }, bundle: true, write: false, platform: 'node', target: 'node20', format: 'esm', logLevel: 'silent' });
  return import(`data:text/javascript;base64,${Buffer.from(result.outputFiles[0].contents).toString('base64')}`);
}

export function loadAnthropicServer() {
  return importBundled({ contents: "export * from './anthropicServer'; export * from './script';" });
}

async function loadScript(file) {
  if (file === undefined) return [];
  const path = resolve(file);
  const found = path.endsWith('.json') ? JSON.parse(await readFile(path, 'utf8')) : (await importBundled({ contents: `export * from ${JSON.stringify(path)};` })).script;
  const script = typeof found === 'function' ? [found] : (found?.script ?? found);
  if (!Array.isArray(script)) throw new Error(`${file} holds no script: it needs a list of replies, exported as \`script\` unless it is JSON.`);
  return script;
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { port: { type: 'string', default: '0' }, key: { type: 'string', multiple: true }, 'no-key': { type: 'boolean' }, model: { type: 'string', multiple: true }, 'with-parent': { type: 'boolean' } },
  });
  const [{ startAnthropicServer }, script] = await Promise.all([loadAnthropicServer(), loadScript(positionals[0])]);
  const server = await startAnthropicServer({ script, port: Number(values.port), keys: values['no-key'] ? [] : values.key, models: values.model, tolerant: true });
  console.log(JSON.stringify({ url: server.url, pid: process.pid }));
  const end = () => server.close().then(() => process.exit(0));
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
  if (values['with-parent']) process.stdin.once('end', end).once('error', end).resume();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  main().catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
