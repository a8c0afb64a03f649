import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DIAGRAMS, diagramFile, diagramSource, drawDiagram } from './diagrams.ts';

const page = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8');
const FILE = /(?:shared|functions|infra|local|test)\/[\w./-]+\.ts\b/g;

test.each(DIAGRAMS)('docs/%s.svg is what `npm run diagrams` draws', async (name) => {
  const drawn = await drawDiagram(name);

  expect(readFileSync(diagramFile(name), 'utf8')).toBe(drawn);
});

test.each([
  ['docs/architecture.dot', diagramSource('architecture')],
  ['docs/architecture.md', page],
])('%s names only existing files', (_name, text) => {
  const named = [...new Set(text.match(FILE))];

  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((file) => !existsSync(new URL(`../../${file}`, import.meta.url)))).toEqual([]);
});

/** `functionName` (`path/to/file.ts`): the file declares it. */
test('docs/architecture.md names only functions that their files declare', () => {
  const named = [...page.matchAll(/`(\w+)` \(`([\w./-]+\.ts)`\)/g)];

  expect(named.length).toBeGreaterThan(10);
  for (const [, name, file = ''] of named) {
    const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    expect(text, `${file} declares ${name}`).toMatch(
      new RegExp(`\\b(function|const|interface|class) ${name}\\b|^\\s+(async )?${name}\\(`, 'm'),
    );
  }
});
