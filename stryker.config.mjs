// Mutants of four folders on which the guarantees rest: their code, broken on purpose in one small place at a time,
// which some test has to notice. test/mutants.md says why some survive. CONTRIBUTING.md: how to run.
const FOLDERS = ['shared/reading', 'shared/comparing', 'shared/pacing', 'shared/publishing'];

export default {
  mutate: FOLDERS.map((folder) => `${folder}/*.ts`),
  testRunner: 'vitest',
  vitest: { configFile: 'vitest.mutation.config.ts' },
  coverageAnalysis: 'perTest',
  concurrency: 1,
  timeoutMS: 5_000,
  dryRunTimeoutMinutes: 20,
  // Stryker would rewrite it for its sandbox, with a programming interface that TypeScript 7 does not have. Vitest
  // needs none.
  tsconfigFile: 'none.json',
  ignorePatterns: [
    '/docs',
    '/functions',
    '/infra',
    '/local',
    '/test/functions',
    '/test/local',
    '/test/simulation',
    '/test/simulation-frame',
    '/test/simulation-of-webhooks',
  ],
  reporters: ['clear-text', 'json', 'html', 'progress-append-only'],
  clearTextReporter: { logTests: false, reportTests: false },
  jsonReporter: { fileName: 'reports/mutation.json' },
  htmlReporter: { fileName: 'reports/mutation.html' },
  incremental: true,
  incrementalFile: 'reports/mutants.json',
  thresholds: { high: 98, low: 95, break: 95 },
};
