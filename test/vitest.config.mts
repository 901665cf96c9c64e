import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('..', import.meta.url));

export default defineConfig({
  root,
  cacheDir: 'node_modules/.cache/vite',
  test: {
    include: ['test/{unit,protocol,architecture}/**/*.test.{ts,tsx}'],
    setupFiles: ['test/support/propertySeed.ts'],
    testTimeout: 30_000,
    expect: { poll: { timeout: 15_000 } },
    hookTimeout: 30_000,
    pool: 'threads',
    isolate: false,
  },
});
