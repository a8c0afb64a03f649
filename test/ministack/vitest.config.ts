import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    include: ['test/ministack/*.checks.ts'],
    // Each check builds on the deployment of those before.
    bail: 1,
    setupFiles: ['test/infra/remove-apps.ts'],
    maxWorkers: 1,
    isolate: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
