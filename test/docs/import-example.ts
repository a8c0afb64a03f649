// Imports a file of docs/examples, with this checkout's kit in place of the installed package.
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** @param file for instance `rows.ts` */
export async function importExample<Module>(file: string): Promise<Module> {
  const outfile = join(ROOT, 'node_modules/.cache/examples', `${basename(file, '.ts')}.mjs`);
  await build({
    entryPoints: [join(ROOT, 'docs/examples', file)],
    ...{ outfile, bundle: true, platform: 'node', format: 'esm' },
    external: ['@aws-*', 'standardwebhooks', 'zod'],
  });
  return import(pathToFileURL(outfile).href);
}
