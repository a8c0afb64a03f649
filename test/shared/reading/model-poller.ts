// A feed that polls a model list: it learns the stamps, saves rows or leaves them unsaved, and keeps the settled time.
// The rows that it took show whether R6 holds.
import { type Instant, MINUTE, SECOND } from '../../../shared/instant.ts';
import { createExpectation } from '../../../shared/reading/expectation.ts';
import { readNews } from '../../../shared/reading/news.ts';
import type { Page, PageRequest } from '../../../shared/reading/page.ts';
import { type PollOptions, type PollResult, poll, WIDEST_RANGE } from '../../../shared/reading/poll.ts';
import { learnLead, learnStamps, UNKNOWN_STAMPS } from '../../../shared/reading/stamps-clock.ts';
import type { RowReading } from '../../../shared/returns-service/parse-return-group.ts';
import type { StampsState } from '../../../shared/source/source-state.ts';
import type { ModelList } from './model-list.ts';
import type { ModelRow, RowVersion } from './model-row.ts';
import { type StampStyle, shown } from './model-stamps.ts';

export const LOOKBACK = 5 * MINUTE;

export interface ModelPoller {
  stamps: StampsState;
  settledThrough: Instant;
  /** The share of the rows that can't be saved when they arrive. */
  unsavedShare: number;
  poll(options?: Partial<PollOptions>): Promise<PollResult>;
  /** Rows that are settled by their stamps, although their current version was not taken. */
  missed(): ModelRow[];
}

export function createModelPoller(
  list: ModelList,
  style: StampStyle,
  settledThrough: Instant,
  options: Partial<PollOptions> = {},
): ModelPoller {
  const taken = new Map<ModelRow, Set<RowVersion>>();
  let rangeWidth = WIDEST_RANGE;
  const expectation = createExpectation();

  /** @returns the row's stamp if the row could not be saved */
  function save(reading: RowReading, page: Page): Instant | undefined {
    const row = list.rowOf(reading);
    const version = list.versionOf(reading);
    if (row === undefined || version === undefined || reading.kind !== 'readable') return undefined;
    const versions = taken.get(row) ?? new Set();
    const isNews = !versions.has(version);
    if (isNews && list.random.chance(poller.unsavedShare)) return reading.updatedAt;
    if (isNews) poller.stamps = learnLead(poller.stamps, row.id, reading.updatedAt, page.receivedAt);
    taken.set(row, versions.add(version));
    return undefined;
  }

  const poller: ModelPoller = {
    stamps: UNKNOWN_STAMPS,
    settledThrough,
    unsavedShare: 0,
    async poll(changed = {}) {
      let unsavedFrom: Instant | undefined;
      const reader = {
        async fetch(request: PageRequest) {
          const page = await list.fetch(request);
          poller.stamps = learnStamps(poller.stamps, page.rows, page.receivedAt);
          return page;
        },
        async take(page: Page) {
          for (const reading of page.rows) {
            const unsaved = save(reading, page);
            if (unsaved !== undefined) unsavedFrom = Math.min(unsavedFrom ?? unsaved, unsaved);
          }
        },
        stamps: () => poller.stamps,
        now: () => Math.floor(list.now / SECOND) * SECOND,
      };
      const result = await poll({
        ...reader,
        fetchToCover: reader.fetch,
        readNews: (since) => readNews(since, reader),
        areNewsDue: () => false,
        isByWalk: () => false,
        trustsShortPages: false,
        maxPages: 50,
        settledThrough: poller.settledThrough,
        knowsTime: () => true,
        lookback: LOOKBACK,
        unsavedFrom: () => unsavedFrom,
        onCovered: (progress) => {
          poller.settledThrough = progress.settledThrough;
        },
        expectsLittle: expectation.begin(),
        rangeWidth,
        hasTimeFor: () => true,
        ...options,
        ...changed,
      });
      poller.settledThrough = result.settledThrough;
      rangeWidth = result.rangeWidth;
      expectation.end(result.wasLittle);
      return result;
    },
    missed: () =>
      list.rows.filter((row) => {
        const version = list.current(row);
        if (version === undefined || row.looks !== 'readable') return false;
        const stamp = shown(version.updatedAt, style);
        return (
          stamp >= settledThrough && stamp < poller.settledThrough && taken.get(row)?.has(version) !== true
        );
      }),
  };
  return poller;
}
