import type { AskPage, ReadRow } from './paced-client.ts';

/** More than the maximum of any service in use, so that pages are as large as possible. */
const ASKED_ROWS = 250;
const MOST_PAGES = 10_000;

/** Every page of a list up to an empty one: a short page may be the result of a clamped limit. */
export async function readPages(
  ask: AskPage,
  query: Readonly<Record<string, string>>,
  onPage: (rows: readonly ReadRow[]) => void,
): Promise<void> {
  let offset = 0;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const rows = await ask({ ...query, limit: String(ASKED_ROWS), offset: String(offset) });
    if (rows.length === 0) return;
    onPage(rows);
    offset += rows.length;
  }
}
