// The licences of the packages in a bundle, which ask for their text in each copy that is published or deployed.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

const FILES = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

/**
 * Returns the text of a notices file, the same for the same packages.
 *
 * @param root the folder that the paths of the bundle begin at
 * @throws Error if a package has no licence
 */
export function noticesOf({ outputs }: Pick<Metafile, 'outputs'>, root: string): string {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const folders = inputs.flatMap(([path, { bytesInOutput }]) => {
    const [, folder] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
    return folder === undefined || bytesInOutput === 0 ? [] : [folder];
  });
  /** Many packages share a text. */
  const owners = new Map<string, string[]>();
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
}

/** Some packages only name their licence. */
function textsIn(folder: string): string {
  const files = readdirSync(folder).filter((file) => FILES.test(file));
  const texts = files
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim());
  return texts.join('\n\n');
}
