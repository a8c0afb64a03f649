// Builds both packages as folders and packs them, into dist/:
// - returns-change-feed: the contract, the subscriber's kit and the construct as JavaScript with types, and the functions
//   that the construct deploys as finished bundles, so that its users need neither esbuild nor the SDK.
// - returns-feed: the command as two files, which depend on nothing. The AWS SDK is in the second one, because few
//   commands load it.
// Usage: tsx .ci/build-packages.ts [FOLDER]
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile, type Plugin } from 'esbuild';
import { bundle } from '../infra/bundle-function.ts';
import { noticesOf } from '../infra/third-party-notices.ts';
import { bundleCommand } from '../local/build.js';
import { OLDEST_NODE } from '../local/cli/needed-node.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = resolve(process.argv[2] ?? join(root, 'dist'));
const { version, dependencies } = readJson('package.json');

const KEYWORDS = ['returns', 'change-data-capture', 'webhooks', 'events', 'polling', 'aws-cdk', 'warehouse'];
const COMMON = ['LICENSE', 'CHANGELOG.md', 'SECURITY.md'];
const SDK_FILE = 'aws-sdk.cjs';

for (const name of ['returns-change-feed', 'returns-feed'])
  rmSync(join(dist, name), { recursive: true, force: true });
buildLibrary(join(dist, 'returns-change-feed'));
await buildCommand(join(dist, 'returns-feed'));
for (const name of ['returns-change-feed', 'returns-feed']) {
  const options = ['--pack-destination', dist, '--silent', '--ignore-scripts'];
  process.stdout.write(execFileSync('npm', ['pack', join(dist, name), ...options], { cwd: dist }));
}

function buildLibrary(folder: string): void {
  const code = join(folder, 'dist');
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json'), '--outDir', code], {
    cwd: root,
    stdio: 'inherit',
  });
  // tsc rewrites `./name.ts` in the JavaScript and leaves it in the types, where older compilers refuse it.
  for (const file of readdirSync(code, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.d.ts')) continue;
    const types = readFileSync(join(code, file), 'utf8');
    writeFileSync(join(code, file), types.replaceAll(/(['"])(\.{1,2}\/[^'"]+)\.ts\1/g, '$1$2.js$1'));
  }
  for (const name of ['declared-sources', 'dispatcher', 'poller', 'pull', 'relay', 'webhook'])
    bundle(join(root, `functions/${name}/handler.ts`), join(code, `bundles/${name}/index.mjs`));
  copyDocuments(folder, ['README.md', ...COMMON]);
  writeManifest(folder, { ...readJson('.ci/returns-change-feed.json'), dependencies });
}

async function buildCommand(folder: string): Promise<void> {
  const names = new Set<string>();
  const { outputFiles, metafile } = await bundleCommand({ plugins: [sdkInItsFile(names)] });
  write(join(folder, 'dist/main.cjs'), outputFiles[0]?.text ?? '');
  const loaders = [...names]
    .sort()
    .map((name) => `${JSON.stringify(name)}: () => require(${JSON.stringify(name)})`);
  const sdk = await build({
    stdin: { contents: `module.exports = { ${loaders.join(', ')} };`, resolveDir: root },
    outfile: join(folder, 'dist', SDK_FILE),
    absWorkingDir: root,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'cjs',
    target: `node${OLDEST_NODE}`,
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
  });
  for (const name of ['returns-feed.js', 'needed-node.js'])
    cpSync(join(root, 'local/cli', name), join(folder, 'cli', name));
  cpSync(join(root, 'local/new-app'), join(folder, 'new-app'), { recursive: true });
  cpSync(join(root, 'local/README.md'), join(folder, 'README.md'));
  copyDocuments(folder, COMMON);
  writeNotices(folder, [metafile, sdk.metafile]);
  const { private: _, ...manifest } = readJson('local/package.json');
  writeManifest(folder, {
    ...manifest,
    engines: { node: `>=${OLDEST_NODE}` },
    exports: { './package.json': './package.json' },
  });
}

/** Loads each package of the SDK from its file when a command first needs it. @param names receives those packages */
function sdkInItsFile(names: Set<string>): Plugin {
  return {
    name: 'sdk-in-its-file',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^@aws-sdk\// }, ({ path }) => {
        names.add(path);
        return { path, namespace: 'sdk' };
      });
      onResolve({ filter: /./, namespace: 'sdk' }, ({ path }) => ({ path, external: true }));
      onLoad({ filter: /./, namespace: 'sdk' }, ({ path }) => ({
        contents: `module.exports = require('./${SDK_FILE}')[${JSON.stringify(path)}]();`,
      }));
    },
  };
}

/** All that a folder has is published; the workflow that publishes knows the repository. */
function writeManifest(folder: string, manifest: { readonly name: string }): void {
  const { name, ...fields } = manifest;
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env;
  const url = `${server}/${repository}`;
  const published = {
    ...{ keywords: KEYWORDS, files: readdirSync(folder), publishConfig: { access: 'public' } },
    ...(repository && { homepage: `${url}#readme`, repository: { type: 'git', url: `git+${url}.git` } }),
  };
  write(
    join(folder, 'package.json'),
    `${JSON.stringify({ name, version, ...fields, ...published }, null, 2)}\n`,
  );
}

/** Without the screenshots, which are most of the size, and the lines that show them. */
function copyDocuments(folder: string, names: readonly string[]): void {
  for (const name of names) copyDocument(name, folder);
  for (const name of readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }))
    if (!name.startsWith('screenshots') && statSync(join(root, 'docs', name)).isFile())
      copyDocument(join('docs', name), folder);
}

function copyDocument(name: string, folder: string): void {
  const content = readFileSync(join(root, name));
  const isMarkdown = name.endsWith('.md');
  write(
    join(folder, name),
    isMarkdown ? content.toString().replaceAll(/^.*\bscreenshots\/.*\n\n?/gm, '') : content,
  );
}

/** The licences of all packages in the bundles: most require that copies have their text. */
function writeNotices(folder: string, metafiles: readonly Metafile[]): void {
  const outputs = metafiles.flatMap((each, index) =>
    Object.entries(each.outputs).map(([name, output]) => [`${index}/${name}`, output]),
  );
  write(join(folder, 'THIRD-PARTY-NOTICES.txt'), noticesOf({ outputs: Object.fromEntries(outputs) }, root));
}

function write(file: string, content: string | Buffer): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

function readJson(file: string) {
  return JSON.parse(readFileSync(join(root, file), 'utf8'));
}
