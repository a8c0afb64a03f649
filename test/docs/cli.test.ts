import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CLI_PAGE, renderCliPage } from './cli-page.ts';

test('docs/cli.md matches the commands; `npm run cli-reference` writes it', async () => {
  expect(readFileSync(CLI_PAGE, 'utf8')).toBe(await renderCliPage());
});
