import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { watchConfigFile } from '../../local/feed/watch-config.ts';
import { CLI_PAGE, renderCliPage } from './cli-page.ts';
import { renderWatchConfigSchema, WATCH_CONFIG_SCHEMA } from './watch-config-schema.ts';

test('docs/cli.md matches the commands; `npm run cli-reference` writes it', async () => {
  expect(readFileSync(CLI_PAGE, 'utf8')).toBe(await renderCliPage());
});

test('docs/watch-config.schema.json is the schema of `watch --config`; `npm run cli-reference` writes it', () => {
  expect(readFileSync(WATCH_CONFIG_SCHEMA, 'utf8')).toBe(renderWatchConfigSchema());
});

test('the example of a configuration is one', () => {
  const example = readFileSync(new URL('../../docs/examples/one-machine/feed.json', import.meta.url), 'utf8');

  expect(watchConfigFile.safeParse(JSON.parse(example)).error).toBeUndefined();
});
