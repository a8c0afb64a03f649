// The licences of the packages in a bundle, which ask for their text in each copy. Plain CommonJS, so that the build of
// the command (local/build.js) and the synthesis of the stack (infra/bundle-function.ts) can load it as it is.
const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

const FILES = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

/**
 * Returns the text of a notices file, the same for the same packages.
 *
 * @param {import('esbuild').Metafile} metafile of the bundle
 * @param {string} root the folder that its paths begin at
 * @throws Error if a package has no licence
 */
exports.noticesOf = function noticesOf({ outputs }, root) {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const folders = inputs.flatMap(([path, { bytesInOutput }]) => {
    const [, folder] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
    return folder === undefined || bytesInOutput === 0 ? [] : [folder];
  });
  /** Many packages share a text. */
  const owners = new Map();
  for (const folder of [...new Set(folders)].sort()) {
    const { name, version, license, author } = JSON.parse(
      readFileSync(join(root, folder, 'package.json'), 'utf8'),
    );
    const text = textsIn(join(root, folder)) || [license, author?.name ?? author].filter(Boolean).join(', ');
    if (text === '') throw new Error(`${name} is in a bundle and has no licence.`);
    owners.set(text, [...(owners.get(text) ?? []), `${name} ${version}`]);
  }
  const parts = [...owners].map(([text, packages]) => `${packages.join('\n')}\n\n${text}\n`);
  return `This program contains the following packages, each under its licence.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`;
};

/** Some packages only name their licence. */
function textsIn(folder) {
  const files = readdirSync(folder).filter((file) => FILES.test(file));
  const texts = files
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim());
  return texts.join('\n\n');
}
