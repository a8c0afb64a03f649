// AsyncAPI's own parser accepts the document, and refuses a broken one. The parser brings 55 MB, so it is installed here
// and not with the project.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { EVENTS_FOLDER } from '../shared/contract/committed-contracts.ts';

const PARSER = '@asyncapi/parser@3.6.6';
const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/generated-types/asyncapi/', import.meta.url));

interface Diagnostic {
  readonly severity: number;
  readonly message: string;
  readonly path: readonly (string | number)[];
}

interface ParserModule {
  readonly Parser: new () => {
    parse(
      text: string,
    ): Promise<{ readonly document?: unknown; readonly diagnostics: readonly Diagnostic[] }>;
  };
}

test('the parser of AsyncAPI finds no error, and finds a broken schema', async () => {
  const startedAt = Date.now();
  if (!isInstalled()) return console.log(`AsyncAPI is skipped: ${PARSER} could not be installed`);
  const { Parser } = createRequire(join(FOLDER, 'package.json'))('@asyncapi/parser') as ParserModule;
  const text = readFileSync(new URL('asyncapi.yaml', EVENTS_FOLDER), 'utf8');
  const errorsIn = async (document: string) =>
    (await new Parser().parse(document)).diagnostics.filter(({ severity }) => severity === 0);

  const none = await errorsIn(text);
  const ofSchema = await errorsIn(text.replace('      type: object', '      type: objekt'));
  const ofChannel = await errorsIn(text.replace('"#/channels/bus"', '"#/channels/buss"'));

  console.log(`AsyncAPI: ${Math.round((Date.now() - startedAt) / 1_000)} s`);
  expect(none).toEqual([]);
  expect(ofSchema).not.toEqual([]);
  expect(ofChannel).not.toEqual([]);
}, 300_000);

function isInstalled(): boolean {
  if (existsSync(join(FOLDER, 'node_modules', '@asyncapi', 'parser'))) return true;
  mkdirSync(FOLDER, { recursive: true });
  const options = ['--no-audit', '--no-fund', '--no-save', '--ignore-scripts', '--silent'];
  return spawnSync('npm', ['install', '--prefix', FOLDER, ...options, PARSER]).status === 0;
}
