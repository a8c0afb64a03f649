// The documents that come with the command: in a checkout, and in the package.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder that has `docs`. This file may run from its place or from a build. @throws Error without the documents */
export function documentsFolder(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'docs', 'events', 'examples'))) return folder;
    if (folder === dirname(folder)) throw new Error(`There is no folder docs above ${import.meta.url}.`);
  }
}
