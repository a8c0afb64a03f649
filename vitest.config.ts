import { defineConfig } from 'vitest/config';

// `npm test` runs `pure`, `functions` and `parts`, a few minutes; `npm run test:all` runs everything.

/** They start no process and listen nowhere. */
const PURE = ['test/shared/**/*.test.ts', 'test/simulation/**/*.test.ts'];
/** What runs in Lambda, also on the oldest Node that the package needs. */
const FUNCTIONS = 'test/functions/**/*.test.ts';
/** Parts of the feed against fakes, SQLite, engines and listeners on loopback. */
const PARTS = ['contract', 'local/store', 'local/feed'].map((part) => `test/${part}/**/*.test.ts`);
/** Each process loads the CDK once, which takes three seconds. */
const INFRA = 'test/infra/**/*.test.ts';
/** They measure, so each file needs a process that has compiled nothing else. */
const MEASURES = ['test/**/speed.test.ts', 'test/**/answer-memory.test.ts'];
/** Their packages are built once for all of them. */
const PACKAGE = 'test/package/**/*.test.ts';

export default defineConfig({
  test: {
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
      { extends: true, test: { name: 'functions', include: [FUNCTIONS], exclude: MEASURES } },
      {
        extends: true,
        test: { name: 'parts', include: PARTS, exclude: MEASURES, globalSetup: 'test/build-command.js' },
      },
      { extends: true, test: { name: 'infra', include: [INFRA] } },
      { extends: true, test: { name: 'measures', include: MEASURES, isolate: true } },
      {
        extends: true,
        test: { name: 'package', include: [PACKAGE], globalSetup: 'test/package/build-packages.ts' },
      },
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['test/**/*.test.ts'],
          exclude: [...PURE, FUNCTIONS, ...PARTS, INFRA, ...MEASURES, PACKAGE],
          globalSetup: 'test/build-command.js',
        },
      },
    ],
  },
});
