// Whether lists still show an old open group that its look-up did not find: an index by id may lag behind, or lack it. So
// lists are read from its creation on to their proved end, with the next known group. If these show nothing, one page
// shows whether groups created later are there. If the service hides more than may be removed, that is no removal
// (guard-missing.ts).
import type { Instant } from '../instant.ts';
import { MAX_RANGE_PAGES, NARROWEST_RANGE } from '../limits.ts';
import { coverRange } from '../reading/cover-range.ts';
import type { FetchPage, Page } from '../reading/page.ts';
import { readPage } from '../reading/read-pass.ts';
import { mostRemovals } from '../source/reconciliation-plan.ts';
import { askOrSetAside, lookUpOrSetAside } from './look-up.ts';
import { noteSetAside } from './set-aside.ts';
import { sourceOf, type TickRun } from './tick-run.ts';

/** The group that was not found, and the next one. */
const KNOWN_NEAR = 2;

export interface BoundedInterval {
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
  /** The range that was read to its proved end, if any. Without one, the group is set aside unless a list showed it. */
  readonly range: BoundedInterval | undefined;
  /** Open groups created before this, and not before the group, were read. */
  readonly coveredThrough: Instant;
}

/** @throws what `askOrSetAside` throws */
export async function readAround(run: TickRun, group: NotFound, options: AroundOptions): Promise<Around> {
  const { groupId, createdAt } = group;
  const shown = new Set<number | undefined>();
  const reader = {
    fetch: options.fetch,
    async take(page: Page) {
      for (const row of page.rows) shown.add(row.kind === 'readable' ? row.group.id : row.id);
      await options.take(page);
    },
    trustsShortPages: false,
    maxPages: MAX_RANGE_PAGES,
    depth: run.depth,
  };
  const unless = <Answer>(ask: () => Promise<Answer>) =>
    askOrSetAside(run, groupId, { ask, reason: () => NO_PROVED_END });
  const isProved = async (created: BoundedInterval) =>
    (await unless(() => coverRange({ created }, reader)))?.outcome === 'proved';
  const near = await rangeOf(run, createdAt, KNOWN_NEAR);
  if (await isProved(near)) {
    const far = await rangeOf(run, createdAt, mostRemovals(run.state) + 1);
    // Hidden together with others, or removed? One page shows that, if it shows any.
    if (shown.size === 0) await unless(() => readPage({ created: far }, 0, reader));
    if (shown.size > 0) return { range: near, coveredThrough: endOf(near) };
    if (await isProved(far)) return { range: far, coveredThrough: endOf(far) };
  }
  if (!shown.has(groupId)) setAside(run, groupId);
  await lookUpOthers(run, group, options);
  return { range: undefined, coveredThrough: createdAt + 1 };
}

const NO_PROVED_END = 'its look-up by id finds nothing, and the list at its creation has no proved end';

function setAside(run: TickRun, id: number): void {
  const now = run.session.serviceClock.now().atMost;
  run.update((state) => noteSetAside(state, { id, reason: NO_PROVED_END, digest: '' }, now));
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

/** Returns the range of so many known groups, or of fewer if there are no more. */
async function rangeOf(run: TickRun, createdAt: Instant, most: number): Promise<BoundedInterval> {
  const all = run.session.store.knownCreatedBetween(sourceOf(run), createdAt, Number.POSITIVE_INFINITY);
  let last = createdAt;
  let groups = 0;
  for await (const known of all) {
    last = known.createdAt;
    groups += 1;
    if (groups >= most) break;
  }
  return { from: createdAt - NARROWEST_RANGE / 2, to: last + NARROWEST_RANGE / 2 };
}

/** Groups created before this are in the range, whatever the service makes of its bounds. */
function endOf({ to }: BoundedInterval): Instant {
  return to - NARROWEST_RANGE / 2 + 1;
}
