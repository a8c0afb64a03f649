// The last line of `.ci/run`: adds up vitest's reports and the steps that failed without one failing test.
// usage: node .ci/count-tests.mjs <directory of results> <exit code so far>; exits with 1 if anything failed
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [, , directory, code] = process.argv;
const names = readdirSync(directory);
const reports = new Map(
  names
    .filter((name) => name.endsWith('.json'))
    .map((name) => [name.slice(0, -'.json'.length), JSON.parse(readFileSync(join(directory, name), 'utf8'))]),
);
const failedSteps = names
  .filter((name) => name.endsWith('.failed'))
  .map((name) => name.slice(0, -'.failed'.length));
const failedTests = (step) => reports.get(step)?.numFailedTests ?? 0;

let passed = 0;
let failed = 0;
for (const [step, report] of reports) {
  passed += report.numPassedTests;
  failed += failedTests(step);
  process.stdout.write(
    `\n${step}: ${report.numPassedTests} passed, ${report.numFailedTests} failed, ${report.numPendingTests} skipped`,
  );
}
for (const step of failedSteps) {
  if (failedTests(step) === 0) failed += 1;
  process.stdout.write(`\n${step}: failed`);
}
// Ended before it came to its steps.
if (code !== '0' && failed === 0) failed = 1;
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
