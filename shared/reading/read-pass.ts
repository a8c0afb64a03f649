// One pass over the list of a closed range, R1 and R2: page after page, each joined to the one before it, to an end
// that was proved by reading on. What a pass claims once it is complete: in a stable order, every row that stayed
// in the range while it was read has been seen, whatever else left, however the service cuts its pages.
import { SEAM_ROWS, SHORT_PAGE_BYTES, SHORT_PAGE_ROWS } from '../limits.ts';
import type { RowReading } from '../returns-service/parse-return-group.ts';
import type { RowStamps } from './cut-range.ts';
import { type FetchPage, identityOf, type Page, type Range } from './page.ts';
import { judgeSeam } from './seam.ts';

export interface Reader {
  readonly fetch: FetchPage;
  /** Called with each page as it comes, before the next is asked for. */
  readonly take: (page: Page) => Promise<void>;
  /** Whether a page below both SHORT_PAGE bounds ends a list (R1: polls alone, and only once a full page was seen). */
  readonly trustsShortPages: boolean;
  /** Pages that a range may have (R3). */
  readonly maxPages: number;
}

export interface Pass {
  /** `overlong`: more pages than a range may have. `void`: no stable order, nothing is proved. */
  readonly outcome: 'complete' | 'overlong' | 'void';
  readonly reason?: string;
  /** When the rows that were seen were created and updated. */
  readonly stamps: readonly RowStamps[];
  readonly pages: number;
}

/** Reads a range once. The rows have been handed to `reader.take` whatever the outcome. */
export async function readPass(range: Range, reader: Reader): Promise<Pass> {
  const pass = createPass();
  let offset = 0;
  let stepBack = SEAM_ROWS;
  for (;;) {
    if (pass.pages === reader.maxPages) return pass.end('overlong');
    const page = await reader.fetch({ range, offset });
    await reader.take(page);
    const seam = pass.join(page, offset);
    if (seam.verdict === 'void') return pass.end('void', seam.reason);
    if (seam.verdict === 'apart') {
      if (offset === 0)
        return page.rows.length === 0 ? pass.end('complete') : pass.end('void', 'all rows were others');
      stepBack *= 2;
      offset = Math.max(0, offset - stepBack);
      continue;
    }
    if (page.rows.length === 0 || (reader.trustsShortPages && isShort(page))) return pass.end('complete');
    if (seam.fresh === 0 && pass.showsLastRow(page)) {
      if (!pass.isSurelyUncut(page) && !(await isEmptyFrom(range, offset + page.rows.length, reader))) {
        return pass.end('void', 'rows turned up behind the last one');
      }
      return pass.end('complete');
    }
    stepBack = SEAM_ROWS;
    offset += page.rows.length - Math.min(SEAM_ROWS, page.rows.length - 1);
  }
}

/** No service cuts a page this small. */
export function isShort(page: Page): boolean {
  return page.rows.length < SHORT_PAGE_ROWS && page.bytes < SHORT_PAGE_BYTES;
}

async function isEmptyFrom(range: Range, offset: number, reader: Reader): Promise<boolean> {
  const page = await reader.fetch({ range, offset });
  await reader.take(page);
  return page.rows.length === 0;
}

/** The stamps of those rows that can be read. */
export function stampsOf(rows: readonly RowReading[]): RowStamps[] {
  return rows
    .filter((row) => row.kind === 'readable')
    .map(({ createdAt, updatedAt }) => ({ createdAt, updatedAt }));
}

function createPass() {
  const places = new Map<string, number>();
  const stamps: RowStamps[] = [];
  const sizes: number[] = [];
  let last: string | undefined;

  return {
    get pages() {
      return sizes.length;
    },
    join(page: Page, offset: number) {
      sizes.push(page.rows.length);
      const identities = page.rows.map(identityOf);
      const seam = judgeSeam(places, identities, offset);
      if (seam.verdict === 'joined') {
        for (const [index, identity] of identities.entries()) places.set(identity, offset + index);
        stamps.push(...stampsOf(page.rows.slice(page.rows.length - seam.fresh)));
        if (seam.fresh > 0) last = identities.at(-1);
      }
      return seam;
    },
    showsLastRow(page: Page): boolean {
      const shown = page.rows.at(-1);
      return shown !== undefined && identityOf(shown) === last;
    },
    /** The pages before were of one size, and this one is smaller: it ends because the list does. */
    isSurelyUncut(page: Page): boolean {
      const full = sizes.slice(0, -2);
      const largest = sizes[0] ?? 0;
      return page.rows.length < largest && full.every((size) => size === largest);
    },
    end(outcome: Pass['outcome'], reason?: string): Pass {
      return { outcome, stamps, pages: sizes.length, ...(reason === undefined ? {} : { reason }) };
    },
  };
}
