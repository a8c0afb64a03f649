// AsyncAPI's own parser accepts the document, and refuses a broken one. The parser brings 55 MB, so it is installed here
// and not with the project.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EVENTS_FOLDER } from '../shared/contract/committed-contracts.ts';
import { installTool } from './install-tool.ts';

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

test('the parser of AsyncAPI finds no error, and finds a broken schema', async ({ skip }) => {
  const startedAt = Date.now();
  const parser = installTool('@asyncapi/parser@3.6.6') as ParserModule | undefined;
  if (parser === undefined) return skip('the parser could not be installed');
  const { Parser } = parser;
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
