// What a command loads before it knows its place: the clients of AWS take longer to load than a directory to read.
import { beforeAll, expect, test } from 'vitest';
import { bundleCommand } from '../../../local/build.js';

type Inputs = Awaited<ReturnType<typeof bundleCommand>>['metafile']['inputs'];

let inputs: Inputs;
beforeAll(async () => {
  ({ inputs } = (await bundleCommand({ external: ['@aws-sdk/*'] })).metafile);
}, 60_000);

/** The packages of AWS that a file imports before it runs, by the files that import them. */
function clientsOf(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const imported = (inputs[file]?.imports ?? []).filter(({ kind }) => kind === 'import-statement');
  return imported.flatMap(({ path, external }) => {
    if (external !== true) return clientsOf(path, seen);
    return path.startsWith('@aws-sdk/') ? [`${path} in ${file}`] : [];
  });
}

test.each([
  'watch',
  'start',
  'status',
  'console',
  'explain',
  'export',
  'replay',
  'redrive',
  'release',
  'forget',
  'readers',
])('the command %s loads no client of AWS where its place is a directory', (command) => {
  const clients = clientsOf(`local/commands/${command}.ts`);

  expect(clients).toEqual([]);
});
