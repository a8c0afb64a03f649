import { defineConfig } from 'vitest/config';

// `npm test` runs `pure` and `parts`, a few minutes; `npm run test:all` runs everything.

/** They start no process and listen nowhere. */
const PURE = ['test/shared/**/*.test.ts', 'test/simulation/**/*.test.ts'];
/** Parts of the feed against fakes, SQLite, engines and listeners on loopback. */
const PARTS = ['functions', 'contract', 'local/store', 'local/feed'].map(
  (part) => `test/${part}/**/*.test.ts`,
);
/** Each process loads the CDK once, which takes three seconds. */
const INFRA = 'test/infra/**/*.test.ts';
/** They measure, so each file needs a process that has compiled nothing else. */
const MEASURES = ['test/**/speed.test.ts', 'test/**/answer-memory.test.ts'];

export default defineConfig({
  test: {
    // The AWS SDK prints a notice on Node 20; the product silences it in the same way.
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
    // Most of the time goes into the feed's own processes: a core left free would be left idle.
    maxWorkers: '100%',
    // Files leave nothing behind, so they may share a process and its modules: loading these took a tenth of the time.
    isolate: false,
    // A busy machine takes several times as long as a quiet one.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    setupFiles: ['test/restore-environment.ts', 'test/infra/remove-apps.ts'],
    projects: [
      { extends: true, test: { name: 'pure', include: PURE, exclude: MEASURES } },
      {
        extends: true,
        test: { name: 'parts', include: PARTS, exclude: MEASURES, globalSetup: 'test/build-command.js' },
      },
      { extends: true, test: { name: 'infra', include: [INFRA] } },
      { extends: true, test: { name: 'measures', include: MEASURES, isolate: true } },
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['test/**/*.test.ts'],
          exclude: [...PURE, ...PARTS, INFRA, ...MEASURES],
          globalSetup: 'test/build-command.js',
        },
      },
    ],
  },
});
