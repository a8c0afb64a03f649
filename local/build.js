// Builds the command into local/dist: plain JavaScript with its packages, so that a start writes nothing and needs no
// package. `npm ci` runs it (the script "prepare"); `npm start` and the tests run it again if a source has changed.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'local/dist');
const main = join(dist, 'main.mjs');

/** What the build is made from. The lock file stands for the packages. */
const SOURCES = ['local', 'functions', 'shared', 'package.json', 'package-lock.json', 'tsconfig.json'];
/** Commands that are still running may load parts of an older build. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;
/** CommonJS packages call `require` for Node's own modules, and ES modules have none. */
const REQUIRE =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);";

/** Builds unless the sources are those of the last build. */
export async function buildIfChanged() {
  const isBuilt = existsSync(main) && readFileSync(main, 'utf8').endsWith(mark(digestOfSources()));
  if (!isBuilt) await build();
}

/** @throws Error if a source does not compile, or local/dist can't be written */
export async function build() {
  // Before the sources are read: a change during the build makes the next check build again.
  const digest = digestOfSources();
  const esbuild = await import('esbuild');
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'local/package.json'), 'utf8'));
  const { outputFiles } = await esbuild.build({
    entryPoints: [join(root, 'local/cli/main.ts')],
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Native packages find their binaries beside their own files.
    external: Object.keys(optionalDependencies ?? {}),
    banner: { js: REQUIRE },
    legalComments: 'none',
    outdir: dist,
    outExtension: { '.js': '.mjs' },
    absWorkingDir: root,
    write: false,
  });
  await esbuild.stop();
  mkdirSync(dist, { recursive: true });
  // The other files have digests in their names, so a command that starts meanwhile finds all of one build.
  for (const { path, text } of outputFiles.filter(({ path }) => path !== main)) writeAtOnce(path, text);
  const entry = outputFiles.find(({ path }) => path === main);
  writeAtOnce(main, entry.text + mark(digest));
  removeOld(new Set(outputFiles.map(({ path }) => basename(path))));
}

function digestOfSources() {
  const hash = createHash('sha256');
  for (const file of SOURCES.flatMap(filesIn))
    hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

function filesIn(path) {
  const found = statSync(join(root, path), { throwIfNoEntry: false });
  if (!found?.isDirectory()) return found === undefined ? [] : [path];
  const names = readdirSync(join(root, path), { recursive: true }).map((name) => join(path, name));
  return names.filter((name) => /\.(?:ts|js|json)$/.test(name)).sort();
}

function mark(digest) {
  return `// of the sources ${digest}\n`;
}

function writeAtOnce(file, text) {
  writeFileSync(`${file}.${process.pid}`, text);
  renameSync(`${file}.${process.pid}`, file);
}

function removeOld(present) {
  for (const name of readdirSync(dist)) {
    const changed = statSync(join(dist, name), { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (!present.has(name) && Date.now() - changed > KEPT_MS) rmSync(join(dist, name), { force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
