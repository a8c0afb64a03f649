// The documents stay short. Tables, code and links count; what is generated does not.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const GENERATED = /^docs\/(cli\.md|cost\.md|events\/)/;

test.each([
  ['README.md', 750],
  ['docs/first-hour.md', 300],
])('%s has at most %i words', (document, most) => {
  expect(wordsIn(document)).toBeLessThanOrEqual(most);
});

test('README and docs have at most 25,000 words', () => {
  const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`)
    .filter((document) => !GENERATED.test(document));

  const words = ['README.md', ...pages].reduce((sum, document) => sum + wordsIn(document), 0);

  expect(words).toBeGreaterThan(1_000);
  expect(words).toBeLessThanOrEqual(25_000);
});

function wordsIn(document: string): number {
  return readFileSync(join(ROOT, document), 'utf8').split(/\s+/).filter(Boolean).length;
}
