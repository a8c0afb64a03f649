#!/usr/bin/env node
// The command, as `npm ci` has built it (local/build.js).
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { whyTooOld } from './needed-node.js';

// Pages allocate megabytes, mostly outside the heap, and by default the heap is collected too rarely for that. With
// these flags a long baseline takes two thirds of the memory, for a tenth more CPU time.
setFlagsFromString('--semi-space-growth-factor=1');
setFlagsFromString('--heap-growing-percent=100');

const built = fileURLToPath(new URL('../dist/main.cjs', import.meta.url));
const problem =
  whyTooOld() ??
  (existsSync(built)
    ? undefined
    : 'The command is not built. Run "npm ci", or "npm run prepare" if npm runs no scripts.');
if (problem === undefined) {
  // `import` would search the file for its exports first, which takes as long as the rest of a start.
  const { main } = createRequire(import.meta.url)(built);
  await main(process.argv);
} else {
  process.stderr.write(`error: ${problem}\n`);
  process.exitCode = 1;
}
