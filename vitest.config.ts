import { defineConfig } from 'vitest/config';

/** They start no process, listen nowhere and leave nothing behind: their files may share one process and its modules. */
const PURE = 'test/shared/**/*.test.ts';
/** The same; each process loads the CDK once, which takes three seconds. */
const INFRA = 'test/infra/**/*.test.ts';
/** Measures, so it needs a process that has compiled nothing else. */
const SPEED = 'test/shared/**/speed.test.ts';

export default defineConfig({
  test: {
    // The AWS SDK prints a notice on Node 20; the product silences it in the same way.
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
    // Most of the time goes into the feed's own processes: a core left free would be left idle.
    maxWorkers: '100%',
    // A busy machine takes several times as long as a quiet one.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    setupFiles: 'test/infra/remove-apps.ts',
    projects: [
      { extends: true, test: { name: 'pure', include: [PURE], exclude: [SPEED], isolate: false } },
      { extends: true, test: { name: 'infra', include: [INFRA], isolate: false } },
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['test/**/*.test.ts'],
          exclude: [`${PURE.replace('*.test', '!(speed).test')}`, INFRA],
        },
      },
    ],
  },
});
