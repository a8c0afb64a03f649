// Builds what the package ships, into dist/: the contract, the subscriber's kit and the construct as JavaScript with
// types, and the functions that the construct deploys as finished bundles, so that who uses it needs neither esbuild
// nor the SDK. `npm pack` runs it.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');

rmSync(dist, { recursive: true, force: true });
const tsc = join(root, 'node_modules/typescript/bin/tsc');
execFileSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json')], {
  cwd: root,
  stdio: 'inherit',
});

// tsc rewrites `./name.ts` in the JavaScript and leaves it in the types, where older compilers refuse it.
for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
  if (!file.endsWith('.d.ts')) continue;
  const types = readFileSync(join(dist, file), 'utf8');
  writeFileSync(join(dist, file), types.replaceAll(/(['"])(\.{1,2}\/[^'"]+)\.ts\1/g, '$1$2.js$1'));
}

// esbuild, which the construct runs in a checkout, is not there in another repository.
if (existsSync(join(root, 'infra/bundle-function.ts'))) {
  const { bundle } = await import('../infra/bundle-function.ts');
  for (const name of ['poller', 'relay', 'webhook']) {
    bundle(join(root, `functions/${name}/handler.ts`), join(dist, `bundles/${name}/index.mjs`));
  }
}
