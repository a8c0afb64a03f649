// Bundles the sources with their packages: a module for the command, and one for each part that only some commands load.
// esbuild ends before the command begins, so it never leaves a process behind.
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
import { basename, dirname, join, resolve } from 'node:path';
import { noteOf, stampOf } from './find-bundle.js';

// Otherwise esbuild keeps a process of its own for later builds.
process.env.ESBUILD_WORKER_THREADS = '0';
const { buildSync } = await import('esbuild');

/** CommonJS packages call `require` for Node's built-in modules; ES modules have no `require`. */
const REQUIRE =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);";

/** A process loads some parts of its bundle late, so bundles stay for longer than processes usually run. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;

/**
 * @param {string} folder of all bundles
 * @param {string} here the directory of the command's sources
 * @returns {string} the module to import
 */
export function bundleSources(folder, here) {
  const startedAt = Date.now();
  const { outputFiles, metafile } = buildSync({
    entryPoints: [join(here, 'main.ts')],
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    mainFields: ['module', 'main'],
    banner: { js: REQUIRE },
    legalComments: 'none',
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    absWorkingDir: here,
    metafile: true,
    write: false,
  });
  const hash = createHash('sha256');
  for (const { contents } of outputFiles) hash.update(contents);
  const place = join(folder, hash.digest('hex').slice(0, 16));
  if (!existsSync(place)) writeTogether(place, outputFiles);
  const bundle = join(place, 'main.mjs');
  const inputs = Object.keys(metafile.inputs).map((input) => resolve(here, input));
  note(noteOf(folder, here), { bundle, startedAt, files: filesToWatch(folder, here, inputs) });
  removeOld(folder, place);
  return bundle;
}

/** Removes old bundles, except the present one of each checkout. */
function removeOld(folder, present) {
  const entries = readdirSync(folder, { withFileTypes: true });
  const notes = entries.filter(({ name }) => name.endsWith('.json'));
  const noted = new Set([present, ...notes.map(({ name }) => bundleOfNote(join(folder, name)))]);
  for (const entry of entries) {
    const place = join(folder, entry.name);
    const age = Date.now() - (statSync(place, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (entry.isDirectory() && !noted.has(place) && age > KEPT_MS)
      rmSync(place, { recursive: true, force: true });
  }
}

/** Returns the directory of the bundle that a note names; undefined if another command has removed the note. */
function bundleOfNote(file) {
  try {
    return dirname(JSON.parse(readFileSync(file, 'utf8')).bundle);
  } catch {
    return undefined;
  }
}

/** Writes elsewhere first, then renames: a command that starts meanwhile must not find half a bundle. */
function writeTogether(place, outputFiles) {
  const temporary = `${place}.${process.pid}`;
  mkdirSync(temporary, { recursive: true });
  for (const { path, contents } of outputFiles) writeFileSync(join(temporary, basename(path)), contents);
  try {
    renameSync(temporary, place);
  } catch (error) {
    rmSync(temporary, { recursive: true });
    // Another command was faster.
    if (!existsSync(place)) throw error;
  }
}

function filesToWatch(folder, here, inputs) {
  const packages = dirname(dirname(folder));
  const installed = join(packages, '.package-lock.json');
  // Without npm's list each file of a package counts.
  const isWatched = (file) => !existsSync(installed) || !file.startsWith(packages);
  const own = [join(here, 'bundle-sources.js'), join(here, '../../tsconfig.json'), installed];
  return [...inputs.filter(isWatched), ...own.filter((file) => existsSync(file))];
}

/** Notes nothing if a file has changed since the bundling began: the bundle may have its old content. */
function note(file, { bundle, startedAt, files }) {
  if (files.some((each) => statSync(each).mtimeMs >= startedAt)) return;
  const text = JSON.stringify({
    bundle,
    files: Object.fromEntries(files.map((each) => [each, stampOf(each)])),
  });
  writeFileSync(`${file}.${process.pid}`, text);
  renameSync(`${file}.${process.pid}`, file);
}
