// Builds the command into one file, local/dist/main.cjs: plain JavaScript with the packages that every command needs.
// So a start writes nothing, and opens few files. `npm ci` runs it (the script "prepare"); `npm start` and the tests
// run it again if a source has changed.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OLDEST_NODE } from './cli/needed-node.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const built = join(root, 'local/dist/main.cjs');

/** What the build is made from. The lock file stands for the packages. */
const SOURCES = ['local', 'functions', 'shared', 'package.json', 'package-lock.json', 'tsconfig.json'];
/** Few commands need the AWS SDK, and the build would take twice as long with it. */
const STAY_PACKAGES = ['@aws-sdk/*'];

/** Builds unless the sources are those of the last build. @throws as {@link build} */
export async function buildIfChanged() {
  const isPresent = existsSync(built) && readFileSync(built, 'utf8').endsWith(mark(digestOfSources()));
  if (!isPresent) await build();
}

/** @throws Error if a source does not compile, or local/dist can't be written */
export async function build() {
  // Taken first: a change during the build makes the next check build again.
  const digest = digestOfSources();
  const { outputFiles } = await bundleCommand({ external: STAY_PACKAGES });
  // Renamed, so that a command that starts meanwhile finds the whole of one build.
  const unfinished = `${built}.${process.pid}`;
  mkdirSync(dirname(built), { recursive: true });
  writeFileSync(unfinished, outputFiles[0].text + mark(digest));
  renameSync(unfinished, built);
}

/** @param options `external` and `plugins` of esbuild. @returns esbuild's result, which nothing has written */
export async function bundleCommand({ external = [], plugins = [] }) {
  const esbuild = await import('esbuild');
  const result = await esbuild.build({
    entryPoints: [join(root, 'local/cli/main.ts')],
    bundle: true,
    platform: 'node',
    // With `require`, a command loads its own packages only, one file at a time.
    format: 'cjs',
    target: `node${OLDEST_NODE}`,
    external,
    plugins,
    metafile: true,
    define: { 'import.meta.url': 'ownUrl' },
    banner: { js: "const ownUrl = require('node:url').pathToFileURL(__filename).href;" },
    minifyWhitespace: true,
    // Node prints the whole line of an error that nothing catches.
    lineLimit: 120,
    // Those of a checkout are in node_modules; the package has a file of notices.
    legalComments: 'none',
    absWorkingDir: root,
    write: false,
  });
  await esbuild.stop();
  return result;
}

function mark(digest) {
  return `// of the sources ${digest}\n`;
}

function digestOfSources() {
  const hash = createHash('sha256');
  for (const file of SOURCES.flatMap(filesIn))
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  return hash.digest('hex');
}

function filesIn(path) {
  const found = statSync(join(root, path), { throwIfNoEntry: false });
  if (!found?.isDirectory()) return found === undefined ? [] : [path];
  const names = readdirSync(join(root, path), { recursive: true }).map((name) => join(path, name));
  return names.filter((name) => /\.(?:ts|js|json)$/.test(name)).sort();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
