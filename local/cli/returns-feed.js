#!/usr/bin/env node
// Runs the TypeScript sources as they are: esbuild joins them into one module, kept beside the packages under a name
// that follows from its content. It ends before the command begins, so no process of it is ever left behind.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';

// Pages come and go by the megabyte, most of it outside the heap, which is collected too seldom for that by default:
// with these a long baseline takes two thirds of the memory, for a tenth more of the processor's time.
setFlagsFromString('--semi-space-growth-factor=1');
setFlagsFromString('--heap-growing-percent=100');

// Else it would keep a process of its own for later builds.
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
  // Written aside and renamed: another command that starts now must not find half of it.
  writeFileSync(`${file}.${process.pid}`, contents);
  renameSync(`${file}.${process.pid}`, file);
}
const { main } = await import(pathToFileURL(file).href);
await main(process.argv);
