// The pages of a data directory with 1,000 sources.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask, openAddress } from './ask-console.ts';
import { type ManySources, openManySources } from './many-sources.ts';

const SOURCES = 1_000;

let many: ManySources;
let access: { readonly cookie: string };
beforeAll(async () => {
  many = await openManySources(SOURCES);
  access = await openAddress(many.console);
});
afterAll(() => many.close());

async function read(path: string): Promise<string> {
  const { status, body } = await ask(new URL(path, many.console.url), { headers: access });
  expect(status).toBe(200);
  return body;
}

/** The names in the table of sources, in its order. */
const sourcesIn = (page: string) =>
  [...page.matchAll(/data-column="Source">([^<]+)</g)].map(([, name]) => name);

it('the overview begins with the worst sources, and counts all', async () => {
  const page = await read('/');

  const names = sourcesIn(page);
  expect(names).toHaveLength(50);
  expect(names.slice(0, 6)).toEqual([400, 250, 500, 750, 1_000, 1].map((number) => nameOf(number)));
  expect(page).toContain('1,000 sources: 1 held, 4 failing, 995 well. 48,192,990 returns, 2 set aside.');
  expect(page).toContain('1 to 50 of 1,000');
});

it('the pages of the overview have each source once', async () => {
  const pages = await Promise.all(Array.from({ length: 20 }, (_, place) => read(`/?page=${place + 1}`)));

  const names = pages.flatMap(sourcesIn);
  expect(new Set(names).size).toBe(SOURCES);
  expect(names).toHaveLength(SOURCES);
  expect(sourcesIn(await read('/?page=99'))).toEqual(sourcesIn(pages.at(-1) ?? ''));
});

it('the overview is searched by a part of the name, and keeps the search on its pages', async () => {
  const [one, several, none] = [
    await read('/?source=STORE-0400'),
    await read('/?source=store-0'),
    await read('/?source=elsewhere'),
  ];

  expect(sourcesIn(one)).toEqual(['store-0400']);
  expect(several).toContain('1 to 50 of 999');
  expect(several).toContain('/?source=store-0&#38;page=2#sources');
  expect(none).toContain('No source has “elsewhere” in its name.');
});

it('the live list names the source of each event', async () => {
  const page = await read('/live');

  expect(page).toMatch(
    /<a href="\/returns\/store-0001\/500">[^<]+<\/a> <span class="meta">source store-0001</,
  );
  expect(page).toContain('<datalist id="all-source">');
});

function nameOf(number: number): string {
  return `store-${String(number).padStart(4, '0')}`;
}
