// A model of a list of return groups that changes while it is read; tests prove reading against it. It keeps every
// version of every row, so that it can answer late or like a lagging replica. It answers in any order and with any
// pages that the service's document permits. Its time passes with each request, and when a test sets it.
import type { Instant } from '../../../shared/instant.ts';
import { SECOND } from '../../../shared/instant.ts';
import { boundsOf } from '../../../shared/reading/bounds.ts';
import type { FetchPage, Page, Range } from '../../../shared/reading/page.ts';
import { UNKNOWN_STAMPS } from '../../../shared/reading/stamps-clock.ts';
import type { RowReading } from '../../../shared/returns-service/parse-return-group.ts';
import type { StampsState } from '../../../shared/source/source-state.ts';
import { createSeededRandom, type SeededRandom } from '../../fakes/seeded-random.ts';
import { compareRows, type Order } from './model-orders.ts';
import { createCutter, type PagePolicy, UNCUT_PAGES } from './model-pages.ts';
import type { ModelRow, RowVersion } from './model-row.ts';
import { createFilter, EXACT_STAMPS, type Looks, type StampStyle, showRow } from './model-stamps.ts';

export interface ModelOptions {
  readonly seed: number;
  /** The service's time at the start. */
  readonly now: Instant;
  readonly order?: Order;
  /** Rows of equal rank change their order with each request. */
  readonly hasUnstableTies?: boolean;
  readonly pages?: PagePolicy;
  readonly stamps?: StampStyle;
  /** The delay from a change's stamp to its visibility. */
  readonly lateness?: (random: SeededRandom) => number;
  /** The share of the requests that a replica answers; `staleBy` is its lag. */
  readonly staleShare?: number;
  readonly staleBy?: number;
  /** The duration of a request. */
  readonly latency?: number;
}

export interface ModelList {
  now: Instant;
  readonly random: SeededRandom;
  readonly fetch: FetchPage;
  requests: number;
  /** Called before each request is answered; changes the list. */
  meanwhile: () => void;
  add(row: { createdAt: Instant; updatedAt?: Instant; bytes?: number; looks?: Looks }): ModelRow;
  /** Changes the row, with the current stamp or another one. */
  update(row: ModelRow, updatedAt?: Instant): void;
  remove(row: ModelRow): void;
  /** Restores a row that was removed or has left a range. */
  undo(row: ModelRow): void;
  readonly rows: readonly ModelRow[];
  /** The row behind a reading, readable or not. */
  rowOf(reading: RowReading): ModelRow | undefined;
  /** The version of the row in a reading. */
  versionOf(reading: RowReading): RowVersion | undefined;
  /** The row as the list shows it at this moment; undefined while it does not show the row. */
  current(row: ModelRow, at?: Instant): RowVersion | undefined;
}

export function createModelList(options: ModelOptions): ModelList {
  const { order = 'id asc', stamps = EXACT_STAMPS, staleShare = 0, staleBy = 0 } = options;
  const random = createSeededRandom(options.seed);
  const cut = createCutter(options.pages ?? UNCUT_PAGES, random);
  const rows: ModelRow[] = [];
  const shownAs = new WeakMap<RowReading, ShownRow>();
  const isRestless = order === 'random' || options.hasUnstableTies === true;
  const isTimeless = !isRestless && options.lateness === undefined && staleShare === 0;
  const sorted = { change: -1, rows: [] as ShownRow[] };
  let changes = 0;

  function change(row: ModelRow, version: Pick<RowVersion, 'createdAt' | 'updatedAt' | 'isGone'>): void {
    const lateness = options.lateness?.(random) ?? 0;
    changes += 1;
    row.versions.push({ ...version, shownFrom: list.now + lateness, change: changes, luck: random.next() });
  }

  function current(row: ModelRow, at: Instant = list.now): RowVersion | undefined {
    const version = row.versions.findLast(({ shownFrom }) => shownFrom <= at);
    return version?.isGone === true ? undefined : version;
  }

  /** All rows as shown at a moment, in the list's order. */
  function inOrder(at: Instant): readonly ShownRow[] {
    if (isTimeless && sorted.change === changes) return sorted.rows;
    const shown = rows.flatMap((row) => {
      const version = current(row, at);
      if (version === undefined) return [];
      const { createdAt, updatedAt } = version;
      return [{ row, version, createdAt, updatedAt, tie: random.next() }];
    });
    const rank = order === 'random' ? () => 0 : compareRows(order);
    shown.sort((a, b) => rank(a, b) || (isRestless ? a.tie - b.tie : a.row.id - b.row.id));
    Object.assign(sorted, { change: changes, rows: shown });
    return shown;
  }

  const list: ModelList = {
    now: options.now,
    random,
    requests: 0,
    meanwhile: () => {},
    rows,
    rowOf: (reading) => shownAs.get(reading)?.row,
    versionOf: (reading) => shownAs.get(reading)?.version,
    current,
    async fetch({ range, offset, limit }): Promise<Page> {
      list.requests += 1;
      const sentAt = Math.floor(list.now / SECOND) * SECOND;
      list.now += Math.floor((options.latency ?? 200_000) / 2);
      list.meanwhile();
      const at = random.chance(staleShare) ? list.now - staleBy : list.now;
      const matches = select(inOrder(at), range);
      const page = cut(matches, offset, limit);
      list.now += Math.ceil((options.latency ?? 200_000) / 2);
      return {
        rows: page.map((shown) => {
          const reading = showRow(shown.row.id, shown.version, shown.row.looks, stamps, random);
          shownAs.set(reading, shown);
          return reading;
        }),
        bytes: page.reduce((sum, { row }) => sum + row.bytes, 2),
        sentAt,
        receivedAt: Math.ceil(list.now / SECOND) * SECOND,
      };
    },
    add({ createdAt, updatedAt = createdAt, bytes = 3_000, looks = 'readable' }) {
      const row: ModelRow = { id: rows.length + 1, bytes, looks, versions: [] };
      changes += 1;
      const version = { createdAt, updatedAt, isGone: false, change: changes, luck: random.next() };
      row.versions.push({ ...version, shownFrom: Number.NEGATIVE_INFINITY });
      rows.push(row);
      return row;
    },
    update(row, updatedAt = list.now) {
      const { createdAt } = lastOf(row);
      change(row, { createdAt, updatedAt, isGone: false });
    },
    remove(row) {
      change(row, { ...lastOf(row), isGone: true });
    },
    undo(row) {
      const before = row.versions.at(-2);
      if (before !== undefined) change(row, before);
    },
  };

  function select(shown: readonly ShownRow[], range: Range): readonly ShownRow[] {
    const bounds = boundsOf(range, formOf(stamps));
    const isUpdatedWithin = createFilter(bounds.minUpdatedAt, bounds.maxUpdatedAt, stamps);
    const isCreatedWithin = createFilter(bounds.minCreatedAt, bounds.maxCreatedAt, stamps);
    const matches: ShownRow[] = [];
    for (const each of shown) {
      if (isUpdatedWithin?.(each.updatedAt) !== false && isCreatedWithin?.(each.createdAt) !== false) {
        matches.push(each);
      }
    }
    return matches;
  }

  return list;
}

interface ShownRow {
  readonly row: ModelRow;
  readonly version: RowVersion;
  /** Copied from the version, for speed in lists of many thousand rows. */
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly tie: number;
}

function lastOf(row: ModelRow): RowVersion {
  const last = row.versions.at(-1);
  if (last === undefined) throw new Error('The row has no version.');
  return last;
}

/** The learned form of stamps, for tests in which reading does not learn it. */
export function formOf({ zone, digits }: StampStyle): StampsState {
  return { ...UNKNOWN_STAMPS, zoned: zone === 'Z', precision: digits };
}
