// The last lines of `.ci/run`: each failed test with its error, then the sums of vitest's reports and of the steps that
// failed without one failing test. A log that is cut from its start still says what failed.
// usage: node .ci/count-tests.mjs <directory of results> <exit code so far>; exits with 1 if anything failed
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const [, , directory, code] = process.argv;
const names = readdirSync(directory);
const failedSteps = stepsWith('.failed');
let passed = 0;
let failed = 0;

for (const step of stepsWith('.json')) {
  for (const line of failuresOf(readReport(step))) print(`${step}: ${line}`);
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

/** A file that could not be run, or whose hook failed, has no failed test of its own: its message stands for it. */
function failuresOf({ testResults = [] }) {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(process.cwd(), name);
    const tests = assertionResults.filter((test) => test.status === 'failed');
    if (tests.length === 0) return status === 'failed' ? [`${file} failed\n${message}`] : [];
    return tests.map(
      (test) =>
        `${file} > ${test.fullName}\n${test.failureMessages.map(withoutFramesOfLibraries).join('\n')}`,
    );
  });
}

function withoutFramesOfLibraries(message) {
  const lines = message.split('\n');
  return lines.filter((line) => !/^\s+at (?:.*node_modules|new Promise)/.test(line)).join('\n');
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
