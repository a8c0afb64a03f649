// Bundles a function's code into one minified file that includes the SDK. In a checkout, esbuild runs in this process
// during synthesis. It needs no Docker, and the same sources give the same bytes on any machine. The package contains
// finished bundles (.ci/build-packages.ts).
import { existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as esbuild from 'esbuild';
import { noticesOf } from './third-party-notices.ts';

/** A folder of `functions/` with a `handler.ts`. */
export type FunctionName =
  | 'declared-sources'
  | 'dispatcher'
  | 'poller'
  | 'pull'
  | 'relay'
  | 'sample-warehouse'
  | 'webhook';

/** Lambda's handler setting for an export of the bundle. */
export function handlerSetting(exportName: string): string {
  return `index.${exportName}`;
}

export function bundleFunction(name: FunctionName): lambda.Code {
  const shipped = pathTo(`../bundles/${name}`);
  if (existsSync(shipped)) return lambda.Code.fromAsset(shipped);
  return lambda.Code.fromAsset(repositoryRoot, {
    // Hash the output: a bundle depends on only a part of the sources.
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // Never used: local bundling always succeeds or throws.
      image: DockerImage.fromRegistry('scratch'),
      // Not run either. CDK caches the asset under these options, so they must differ for each function.
      command: [name],
      local: {
        tryBundle(outputDir) {
          bundle(pathTo(`../functions/${name}/handler.ts`), `${outputDir}/index.mjs`);
          return true;
        },
      },
    },
  });
}

const NOTICES = 'THIRD-PARTY-NOTICES.txt';

/** Bundles an entry file, and writes the licences of its packages beside it. @throws esbuild's errors */
export function bundle(entry: string, outfile: string): void {
  // Loaded only here: users of the package have no esbuild.
  const require = createRequire(import.meta.url);
  const { buildSync } = require('esbuild') as typeof esbuild;
  const { metafile } = buildSync({
    entryPoints: [entry],
    outfile,
    absWorkingDir: repositoryRoot,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    // Loads in two thirds of the time of CommonJS.
    format: 'esm',
    // Defines `require` for bundled CommonJS packages that load Node's modules.
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    mainFields: ['module', 'main'],
    alias: { '@aws-sdk/credential-provider-node': pathTo('environment-credentials.ts') },
    charset: 'utf8',
    // All licences are in the file of notices.
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
  });
  writeFileSync(join(dirname(outfile), NOTICES), noticesOf(metafile, repositoryRoot));
}

const repositoryRoot = pathTo('..');

function pathTo(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}
