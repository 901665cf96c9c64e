import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The built page in real Chromium; `node esbuild.mjs --only=webview` first (the set-up does it). One at a time: they share two cores with the browser. */
export default defineConfig({
  root,
  cacheDir: 'node_modules/.cache/vite',
  test: {
    include: ['test/webview/**/*.test.{ts,tsx}'],
    globalSetup: ['test/webview/buildWebview.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    fileParallelism: false,
    sequence: { concurrent: false },
  },
});
