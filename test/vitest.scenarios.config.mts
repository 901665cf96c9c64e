import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Whole engines with real git, files and processes: a few at a time. */
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  cacheDir: 'node_modules/.cache/vite',
  test: {
    include: ['test/scenarios/**/*.test.ts'],
    globalSetup: ['test/support/buildHeadless.ts'],
    setupFiles: ['test/support/propertySeed.ts'],
    testTimeout: 90_000,
    expect: { poll: { timeout: 60_000 } },
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
    maxConcurrency: 4,
  },
});
