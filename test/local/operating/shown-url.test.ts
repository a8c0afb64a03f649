import { expect, test } from 'vitest';
import { shownUrl } from '../../../local/cli/shown-url.ts';

test.each([
  ['http://127.0.0.1:3000/hook', 'http://127.0.0.1:3000/hook'],
  ['https://example.com/', 'https://example.com'],
  ['https://user:password@example.com/api/v2/returns?key=abc#part', 'https://example.com/api/v2/returns'],
  ['https://hooks.slack.com/services/T024BE7LD/B0SDGS/XW3pTnRqL8s', 'https://hooks.slack.com/services/…/…/…'],
  ['https://example.com/hooks/6f1ed002-ab51-4f6e-9a6a-000000000000/in', 'https://example.com/hooks/…/in'],
  ['https://example.com/hook/AbcdefghijklmnopqrstuvwxyzAbcdefgh', 'https://example.com/hook/…'],
])('a URL is shown without what may be a credential: %s', (url, shown) => {
  expect(shownUrl(new URL(url))).toBe(shown);
});
