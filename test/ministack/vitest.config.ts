import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.checks.ts'],
    // Each check builds on the deployment of those before.
    bail: 1,
    setupFiles: ['../infra/remove-apps.ts'],
    maxWorkers: 1,
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
