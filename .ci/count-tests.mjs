// The last line of `.ci/run`: adds up vitest's reports, and the steps that failed without one failing test.
// usage: node .ci/count-tests.mjs <directory of results> <exit code so far>; exits with 1 if anything failed
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [, , directory, code] = process.argv;
const names = readdirSync(directory);
const failedSteps = stepsWith('.failed');
let passed = 0;
let failed = 0;

for (const step of stepsWith('.json')) {
  const { numPassedTests = 0, numFailedTests = 0, numPendingTests = 0 } = readReport(step);
  passed += numPassedTests;
  failed += numFailedTests;
  print(`${step}: ${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`);
}
for (const step of failedSteps) {
  print(`${step}: failed`);
  if (!(readReport(step).numFailedTests > 0)) failed += 1;
}
// It ended before it came to its steps.
if (code !== '0' && failed === 0) failed = 1;
print(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function stepsWith(ending) {
  return names.filter((name) => name.endsWith(ending)).map((name) => name.slice(0, -ending.length));
}

/** Empty where there is none, or only the half of one that was written when its run was ended. */
function readReport(step) {
  try {
    return JSON.parse(readFileSync(join(directory, `${step}.json`), 'utf8'));
  } catch {
    return {};
  }
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
