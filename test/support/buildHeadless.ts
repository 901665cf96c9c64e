import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Builds what ships, once for all scenarios, and keeps a copy that another build can't change while they run. */
export function setup(): () => void {
  execFileSync(process.execPath, ['esbuild.mjs', '--only=headless'], { stdio: ['ignore', 'ignore', 'inherit'] });
  const dir = mkdtempSync(join(tmpdir(), 'troupe-bundle-'));
  for (const file of readdirSync('dist').filter((name) => name === 'headless.js' || name === 'parts' || name === 'plugins' || name === 'skills' || name.endsWith('.wasm'))) cpSync(join('dist', file), join(dir, file), { recursive: true });
  process.env['TROUPE_SCENARIO_BUNDLE'] = join(dir, 'headless.js');
  return () => rmSync(dir, { recursive: true, force: true });
}
