// R1 for a list of unknown order: one page is one read, and so is consistent by itself. An empty page behind it, and
// then the same rows again, prove that it was the whole list: rows only leave a closed range, so the range had all rows
// of the page until the second reading, and the empty page shows that it had no others. The same holds for an open
// range, as long as none of the rows has left it meanwhile.
import { confirmEnd, seenInPage } from './confirm-end.ts';
import { nameOf, type Page, PageOutOfReach, type Range } from './page.ts';
import { isShort, readPage } from './read-pass.ts';
import type { Reader } from './reader.ts';

/** Rows may leave while a page is being proved; it is then tried again with the remaining rows. */
const TRIES = 3;

/**
 * @param first the range's first page, read just before
 * @returns `whole`: the seen rows are the whole range; `larger`: the range has more than a page holds; `changed`: rows
 * left during each try
 */
export async function provePage(
  range: Range,
  first: Page,
  reader: Reader,
): Promise<'whole' | 'larger' | 'changed'> {
  let page = first;
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (page.rows.length === 0 || (reader.trustsShortPages && isShort(page))) return 'whole';
    if (!(await endsBehind(page, range, reader))) return 'larger';
    const again = await readPage(range, 0, reader);
    if (hasStayed(page, again))
      return (await confirmEnd(range, seenInPage(page), reader)) ? 'whole' : 'larger';
    page = again;
  }
  return 'changed';
}

async function endsBehind({ rows }: Page, range: Range, reader: Reader): Promise<boolean> {
  try {
    return (await readPage(range, rows.length, reader)).rows.length === 0;
  } catch (error) {
    if (error instanceof PageOutOfReach) return false;
    throw error;
  }
}

/** Whether `again` has all the rows of `page`; of rows that can't be distinguished, at least as many. */
function hasStayed(page: Page, again: Page): boolean {
  const { names, unnamed } = namesOf(page);
  const later = namesOf(again);
  const isConsistent = names.size + unnamed === page.rows.length;
  return isConsistent && later.unnamed >= unnamed && [...names].every((name) => later.names.has(name));
}

function namesOf({ rows }: Page): { readonly names: Set<string>; readonly unnamed: number } {
  const named = rows.map(nameOf).filter((name) => name !== undefined);
  return { names: new Set(named), unnamed: rows.length - named.length };
}
