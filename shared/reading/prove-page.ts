// R1 for a list of no known order: one page is one read, and so true in itself. That it was the whole list is
// proved by an empty page behind it and then the same page again: rows only leave a closed range, so there were at
// least as many as the page has throughout, and in between not one more.
import { type FetchPage, identityOf, type Page, type Range } from './page.ts';
import { isShort, type Reader } from './read-pass.ts';

/**
 * @param first the range's first page, read just before
 * @returns `whole`: the page held all of the range; `larger`: there is more than it holds; `changed`: rows left
 * while it was being proved, so that trying again may help
 */
export async function provePage(
  range: Range,
  first: Page,
  reader: Reader,
): Promise<'whole' | 'larger' | 'changed'> {
  if (reader.trustsShortPages && isShort(first)) return 'whole';
  const behind = await readOn(range, first.rows.length, reader);
  if (first.rows.length === 0) return behind.rows.length === 0 ? 'whole' : 'changed';
  if (behind.rows.length > 0) return 'larger';
  const again = await readOn(range, 0, reader);
  return haveSameRows(first, again) ? 'whole' : 'changed';
}

async function readOn(range: Range, offset: number, reader: Reader): ReturnType<FetchPage> {
  const page = await reader.fetch({ range, offset });
  await reader.take(page);
  return page;
}

function haveSameRows(a: Page, b: Page): boolean {
  const seen = new Set(a.rows.map(identityOf));
  return a.rows.length === b.rows.length && b.rows.every((row) => seen.has(identityOf(row)));
}
