// The tests that mutants are run against (stryker.config.mjs): those of the folders that are mutated, with fewer runs
// of the properties and without what measures speed or cost.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/shared/{reading,comparing,pacing,publishing}/**/*.test.ts'],
    exclude: ['test/shared/comparing/speed.test.ts'],
    setupFiles: ['test/same-examples.ts'],
    testTimeout: 30_000,
  },
});
