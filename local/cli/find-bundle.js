// Finds the bundle of the sources as they are now. A note beside the bundles names the files that were bundled, with
// the size and the time of their last change; a bundle counts only while none of them has changed. In place of the
// packages' files, the note names npm's list of what is installed.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** @returns {string} the directory of all bundles, beside the packages */
export function folderOfBundles() {
  const packages = dirname(dirname(createRequire(import.meta.url).resolve('esbuild/package.json')));
  return join(packages, '.cache', 'returns-feed');
}

/**
 * The note about the bundle of a checkout: several may share the packages.
 *
 * @param {string} folder
 * @param {string} here the directory of the command's sources
 */
export function noteOf(folder, here) {
  return join(folder, `${createHash('sha256').update(here).digest('hex').slice(0, 16)}.json`);
}

/**
 * @param {string} folder
 * @param {string} here
 * @returns {string | undefined} the module to import; undefined if there is no bundle of these very sources
 */
export function findBundle(folder, here) {
  try {
    const { bundle, files } = JSON.parse(readFileSync(noteOf(folder, here), 'utf8'));
    const isSame = Object.entries(files).every(([file, stamp]) => stampOf(file) === stamp);
    return isSame && existsSync(bundle) ? bundle : undefined;
  } catch {
    // There is none, or one of its files is gone.
    return undefined;
  }
}

/**
 * @param {string} file
 * @returns {string} equal as long as nobody writes the file
 */
export function stampOf(file) {
  const { mtimeMs, ctimeMs, size } = statSync(file);
  return `${mtimeMs} ${ctimeMs} ${size}`;
}
