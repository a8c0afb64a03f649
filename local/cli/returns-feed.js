#!/usr/bin/env node
// Runs the TypeScript sources without a build step: esbuild bundles them into one module, cached beside the packages
// under a hash of its content. esbuild ends before the command begins, so it never leaves a process behind.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';

// Pages allocate megabytes, mostly outside the heap, and by default the heap is collected too rarely for that. With
// these flags a long baseline takes two thirds of the memory, for a tenth more CPU time.
setFlagsFromString('--semi-space-growth-factor=1');
setFlagsFromString('--heap-growing-percent=100');

// Otherwise esbuild keeps a process of its own for later builds.
process.env.ESBUILD_WORKER_THREADS = '0';
const { buildSync } = await import('esbuild');

const here = dirname(fileURLToPath(import.meta.url));
const { outputFiles } = buildSync({
  entryPoints: [join(here, 'main.ts')],
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: 'inline',
  write: false,
});
const [{ contents }] = outputFiles;
const packages = dirname(dirname(createRequire(import.meta.url).resolve('esbuild/package.json')));
const folder = join(packages, '.cache', 'returns-feed');
const file = join(folder, `${createHash('sha256').update(contents).digest('hex').slice(0, 16)}.mjs`);
if (!existsSync(file)) {
  mkdirSync(folder, { recursive: true });
  // Write to another name, then rename: a command that starts meanwhile must not find half a file.
  writeFileSync(`${file}.${process.pid}`, contents);
  renameSync(`${file}.${process.pid}`, file);
}
const { main } = await import(pathToFileURL(file).href);
await main(process.argv);
