// Whether lists still show an old open group that its look-up did not find: an index by id may lag behind, or lack it. So
// lists are read from its creation on to their proved end. The range holds other known groups too: if the service hides
// them as well, that is no removal (guard-missing.ts).
import type { Instant } from '../instant.ts';
import { FEWEST_OF_EMPTY_RANGE, MAX_RANGE_PAGES, NARROWEST_RANGE } from '../limits.ts';
import { coverRange } from '../reading/cover-range.ts';
import type { FetchPage, Page } from '../reading/page.ts';
import { lookUpOrSetAside, unlessItFails } from './look-up.ts';
import { noteSetAside } from './set-aside.ts';
import type { TickRun } from './tick-run.ts';

export interface ClosedRange {
  readonly from: Instant;
  readonly to: Instant;
}

/** A look-up that found nothing. */
export interface NotFound {
  readonly groupId: number;
  readonly createdAt: Instant;
  readonly page: Page;
}

export interface AroundOptions {
  readonly fetch: FetchPage;
  readonly take: (page: Page) => Promise<void>;
  readonly pollWhenDue: () => Promise<void>;
}

export interface Around {
  /** The range that was read to its proved end; undefined if it has none: then the group is set aside. */
  readonly range: ClosedRange | undefined;
  /** Open groups created before this, and not before the group, were read. */
  readonly coveredThrough: Instant;
}

/** @throws what `unlessItFails` throws */
export async function readAround(run: TickRun, group: NotFound, options: AroundOptions): Promise<Around> {
  const { groupId, createdAt } = group;
  let isShown = false;
  const reader = {
    fetch: options.fetch,
    async take(page: Page) {
      isShown ||= page.rows.some((row) => idOf(row) === groupId);
      await options.take(page);
    },
    trustsShortPages: false,
    maxPages: MAX_RANGE_PAGES,
    depth: run.depth,
  };
  const last = await findLast(run, createdAt);
  const range = { from: createdAt - NARROWEST_RANGE / 2, to: last + NARROWEST_RANGE / 2 };
  const coverage = await unlessItFails(run, groupId, {
    ask: () => coverRange({ created: range }, reader),
    reason: () => NO_PROVED_END,
  });
  if (coverage?.outcome === 'proved') return { range, coveredThrough: last + 1 };
  if (!isShown) setAside(run, groupId);
  await lookUpOthers(run, group, options);
  return { range: undefined, coveredThrough: createdAt + 1 };
}

const NO_PROVED_END = 'its look-up by id finds nothing, and the list at its creation has no proved end';

function setAside(run: TickRun, id: number): void {
  const now = run.session.serviceClock.now().atMost;
  run.update((state) => noteSetAside(state, { id, reason: NO_PROVED_END, digest: '' }, now));
}

function idOf(row: Page['rows'][number]): number | undefined {
  return row.kind === 'readable' ? row.group.id : row.id;
}

/** Looks up the open groups that were created at the same moment. */
async function lookUpOthers(
  run: TickRun,
  { groupId: id, createdAt }: NotFound,
  { take, pollWhenDue }: AroundOptions,
): Promise<void> {
  const { store } = run.session;
  for await (const { groupId } of store.openCreatedBetween(sourceOf(run), createdAt, createdAt)) {
    if (groupId === id) continue;
    await pollWhenDue();
    const page = await lookUpOrSetAside(run, 'open', groupId);
    if (page === undefined) continue;
    if (page.rows.length === 0) setAside(run, groupId);
    else await take(page);
  }
}

/**
 * Returns the creation time of the last of so many known groups that the range can be judged, and fits about a page. Many
 * groups that were created at one moment may not fit, so the range ends before them if it can.
 */
async function findLast(run: TickRun, createdAt: Instant): Promise<Instant> {
  const { session, state } = run;
  const most = Math.max(FEWEST_OF_EMPTY_RANGE, Math.floor(state.longestPage / 2));
  const all = session.store.knownCreatedBetween(sourceOf(run), createdAt, Number.POSITIVE_INFINITY);
  let [last, before] = [createdAt, createdAt];
  let [groups, groupsBefore] = [0, 0];
  for await (const known of all) {
    if (known.createdAt !== last) [before, groupsBefore] = [last, groups];
    last = known.createdAt;
    groups += 1;
    if (groups >= most) break;
  }
  return groupsBefore >= FEWEST_OF_EMPTY_RANGE ? before : last;
}

function sourceOf({ session, state }: TickRun) {
  return { source: session.settings.name, generation: state.generation };
}
