import { execFileSync } from 'node:child_process';

export default function buildWebview(): void {
  execFileSync(process.execPath, ['esbuild.mjs', '--only=webview'], { stdio: 'inherit' });
}
