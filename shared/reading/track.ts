// The rows that a pass has seen so far, their places, and how large the pages were.
import type { RowReading } from '../returns-service/parse-return-group.ts';
import type { SeenList } from './confirm-end.ts';
import { type RowStamps, stampsOf } from './cut-range.ts';
import { identityOf, nameOf, type Page, versionOf } from './page.ts';
import { judgeSeam, type Place, type Seam } from './seam.ts';

export interface Pass {
  /** `overlong`: more pages than a range may have. `void`: the order is not stable, so nothing is proved. */
  readonly outcome: 'complete' | 'overlong' | 'void';
  readonly reason?: string;
  /** For a void pass: rows have entered; the order itself may be stable. */
  readonly isShifted: boolean;
  /** Different rows seen. */
  readonly rows: number;
  /** When the rows were created and updated. */
  readonly stamps: readonly RowStamps[];
  /** Pages read, the first included. */
  readonly pages: number;
  /** The seen rows, and where the list ended, if it did. */
  readonly list: SeenList;
}

/** A page and its place in the list: from `offset` up to, not including, `end`. */
export interface PlacedPage {
  readonly rows: readonly RowReading[];
  readonly bytes: number;
  readonly asked: number | undefined;
  readonly offset: number;
  readonly end: number;
}

/** A first page with fewer rows than this is likely the whole list. */
const FEW_ROWS = 10;

export type Track = ReturnType<typeof createTrack>;

export function createTrack() {
  const places = new Map<string, Place>();
  /** Rows that changed between two reads: the content of an unreadable row may differ at each read. */
  const changing = new Set<string>();
  let isEmpty = true;
  const stamps: RowStamps[] = [];
  /** Includes rows without a name and rows of pages that could not be joined. */
  const allStamps = new Map<string, RowStamps>();
  let pages = 0;
  let smallest: number | undefined;
  /** Rows of a page that could not be joined. */
  let others = 0;
  /** Joined rows without a name; those of seams count twice. */
  let nameless = 0;
  let endsAt = 0;

  function judge({ rows, offset }: PlacedPage): Seam {
    return judgeSeam(isEmpty ? undefined : places, rows, offset);
  }

  function freshOf({ rows }: PlacedPage): RowReading[] {
    return rows.filter((row) => {
      const name = nameOf(row);
      return name !== undefined && !places.has(name);
    });
  }

  function append(page: PlacedPage): PlacedPage {
    isEmpty = false;
    stamps.push(...stampsOf(freshOf(page)));
    for (const [index, row] of page.rows.entries()) {
      const name = nameOf(row);
      nameless += name === undefined ? 1 : 0;
      if (name === undefined) continue;
      const rank = places.get(name)?.rank ?? places.size;
      places.set(name, { rank, place: page.offset + index, version: versionOf(row) });
    }
    return page;
  }

  function noteChanging({ rows }: PlacedPage): void {
    for (const row of rows) {
      const name = nameOf(row);
      if (name === undefined) continue;
      const known = places.get(name);
      if (known !== undefined && known.version !== versionOf(row)) changing.add(name);
    }
  }

  const seen = () => ({
    stamps: stamps.length > 0 ? stamps : [...allStamps.values()],
    pages,
    rows: places.size + others,
    list: { end: endsAt, rows: allStamps },
  });

  return {
    get pages() {
      return pages;
    },
    place({ rows, bytes, asked }: Page, offset: number): PlacedPage {
      pages += 1;
      for (const row of rows) for (const its of stampsOf([row])) allStamps.set(identityOf(row), its);
      return { rows, bytes, asked, offset, end: offset + rows.length };
    },
    judge,
    /** Adds a page whose rows are known to follow the seen ones. */
    append,
    /** Adds a page if it joins the rows seen so far. */
    join(page: PlacedPage): Seam {
      const seam = judge(page);
      noteChanging(page);
      if (seam.verdict === 'joined') append(page);
      else others = freshOf(page).length;
      return seam;
    },
    /** Whether a page that begins with this row can be joined by it: the row has a name and has not changed so far. */
    isFoothold(row: RowReading): boolean {
      const name = nameOf(row);
      return name !== undefined && !changing.has(name);
    },
    /**
     * Whether fewer rows were seen than a list that ends there has. Then an update moved one row back, so it was seen
     * at two places, and another row moved up past the cursor unseen.
     */
    lacksRows: (end: number): boolean => places.size + nameless < end,
    /**
     * Notes a page's size, and returns whether it is smaller than all noted before; the first is compared with
     * FEW_ROWS. A hint, never a proof, that the list ends with this page.
     */
    noteSize({ rows }: PlacedPage): boolean {
      const isSmaller = rows.length < (smallest ?? FEW_ROWS);
      smallest = Math.min(smallest ?? rows.length, rows.length);
      return isSmaller;
    },
    /** @param end where the list ended, if it did */
    end(outcome: 'complete' | 'overlong', end = 0): Pass {
      endsAt = end;
      return { outcome, isShifted: false, ...seen() };
    },
    fail({ reason, isShifted }: Pick<Extract<Seam, { verdict: 'void' }>, 'reason' | 'isShifted'>): Pass {
      return { outcome: 'void', reason, isShifted, ...seen() };
    },
  };
}
