// R5, the last resort: a range that is too narrow to cut and too full for a page, in an order that is never the
// same twice. It is paged, each time in pages of another size, until as many different rows were seen as there are
// rows, and one more pass shows no other. Two passes that merely agree would prove nothing.
import { MAX_COUNTING_PASSES, PAGE_LIMIT } from '../limits.ts';
import { identityOf, type Range } from './page.ts';
import type { Reader } from './read-pass.ts';

/** @returns whether all rows of the range were seen. */
export async function readByCounting(range: Range, reader: Reader): Promise<boolean> {
  const seen = new Set<string>();
  let wasComplete = false;
  for (let pass = 0; pass < MAX_COUNTING_PASSES; pass += 1) {
    const known = seen.size;
    const counted = await countRows(range, PAGE_LIMIT - pass, seen, reader);
    if (counted === undefined) return false;
    if (wasComplete && seen.size === known && counted <= known) return true;
    wasComplete = seen.size === counted;
  }
  return false;
}

/** Pages once through the range. @returns how many rows it has, or undefined if it has too many pages. */
async function countRows(
  range: Range,
  limit: number,
  seen: Set<string>,
  reader: Reader,
): Promise<number | undefined> {
  let offset = 0;
  for (let pages = 0; pages < reader.maxPages; pages += 1) {
    const page = await reader.fetch({ range, offset, limit });
    await reader.take(page);
    if (page.rows.length === 0) return offset;
    for (const row of page.rows) seen.add(identityOf(row));
    offset += page.rows.length;
  }
  return undefined;
}
