import { chmodSync, fstatSync, mkdirSync, openSync, closeSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Script } from 'node:vm';

/*
 * What `dist/headless.js` is: it runs `dist/parts/headless.js` with the code V8 compiled in an earlier run. Compiling it
 * anew is a third of the time from start to the first request. Node's own `module.enableCompileCache` needs Node 22.
 * The kept code lies in the person's own config folder, never in a shared one: whoever writes it decides what runs.
 */
const bundle = join(__dirname, 'parts', 'headless.js');
const folder = join(process.env['CLAUDE_CONFIG_DIR'] ?? join(homedir(), '.claude'), 'troupe', 'cache');
const cache = join(folder, 'headless.bin');
const keyBytes = 256;

/** V8 checks its own version and the length of the source only, so the key tells builds apart. */
function keyOf(path: string): string {
  const { size, mtimeMs } = statSync(path);
  return JSON.stringify([process.versions.node, process.arch, size, mtimeMs, path]).slice(0, keyBytes).padEnd(keyBytes);
}

/** @returns undefined when there is none for this build, or when someone else could have written it */
function readKept(key: string): Buffer | undefined {
  try {
    const fd = openSync(cache, 'r');
    try {
      const { uid, mode } = fstatSync(fd);
      if (process.getuid && (uid !== process.getuid() || (mode & 0o022) !== 0)) return undefined;
      const bytes = readFileSync(fd);
      return bytes.toString('utf8', 0, keyBytes) === key ? bytes.subarray(keyBytes) : undefined;
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined; // none yet
  }
}

function keep(key: string, code: Buffer): void {
  const temp = `${cache}.${process.pid}.tmp`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(temp, Buffer.concat([Buffer.from(key), code]), { mode: 0o600 });
    chmodSync(temp, 0o600);
    renameSync(temp, cache);
  } catch {
    rmSync(temp, { force: true }); // a full or read-only disk: the next start is as slow as this one
  }
}

function start(): void {
  const key = keyOf(bundle);
  const kept = readKept(key);
  const script = new Script(`(function(exports,require,module,__dirname){${readFileSync(bundle, 'utf8')}\n})`, { filename: bundle, ...(kept ? { cachedData: kept } : {}) });
  // Kept at the end, with the functions that ran; a run that printed its version has compiled next to nothing.
  const isWorthKeeping = process.argv.some((arg) => arg === '-p' || arg === '--print' || arg === '--stdio');
  if (isWorthKeeping && (!kept || script.cachedDataRejected === true)) process.once('exit', () => keep(key, script.createCachedData()));
  script.runInThisContext()({}, require, module, __dirname);
}

start();
