// Bundles a program of the tests and runs it in this process: from one file it starts and runs faster than from hundreds.
// Usage: node .ci/bundle-and-run.mjs FILE [ARGUMENTS]
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';

const [entry] = process.argv.splice(2, 1);
const outfile = resolve('node_modules/.cache/simulate', entry.replaceAll('/', '-').replace(/\.ts$/, '.mjs'));
buildSync({
  ...{ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external' },
  logLevel: 'warning',
});
// As if the bundle had been started itself: it starts its worker processes by this name.
process.argv[1] = outfile;
await import(pathToFileURL(outfile).href);
