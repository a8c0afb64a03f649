// Whether lists still show an old open group that its look-up did not find: an index by id may lag behind, or lack it.
// So lists are read from its creation on to their proved end, with the next known group. If these show nothing, one
// page shows whether groups created later are there. If it shows none of the next known groups, and these are more than
// may be removed in a cycle, the service hides them: no removal (guard-missing.ts). The feed judges the groups of one
// moment at a time, so no group counts twice.

import { mostRemovals } from '../guarding/most-removals.ts';
import type { Instant } from '../instant.ts';
import { MAX_RANGE_PAGES, NARROWEST_RANGE } from '../limits.ts';
import { coverRange } from '../reading/cover-range.ts';
import type { FetchPage, Page } from '../reading/page.ts';
import { readPage } from '../reading/read-pass.ts';
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
  /**
   * The moment of the group, if lists around it were read to their proved end. Known groups of it that were not shown
   * are looked up.
   */
  readonly range: BoundedInterval | undefined;
  /** Whether the lists show none of the next known groups either, more than may be removed. */
  readonly isHidden: boolean;
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
  const askHere = <Answer>(ask: () => Promise<Answer>) =>
    askOrSetAside(run, groupId, { ask, reason: () => NO_PROVED_END });
  const isProved = async (created: BoundedInterval) =>
    (await askHere(() => coverRange({ created }, reader)))?.outcome === 'proved';
  const range = { from: createdAt, to: endOfMoment(createdAt) };
  const around = { range, coveredThrough: range.to };
  async function setAsideNotFound(): Promise<Around> {
    if (!shown.has(groupId)) setAside(run, groupId);
    for (const id of await lookUpOthers(run, group, options)) setAside(run, id);
    return { ...around, range: undefined, isHidden: false };
  }
  const near = await rangeOf(run, createdAt, KNOWN_NEAR);
  if (!(await isProved(near))) return setAsideNotFound();
  if (shown.size > 0) return { ...around, isHidden: false };
  // Hidden together with others, or removed? One page shows that, if it shows any.
  const most = mostRemovals(run.state);
  const far = await rangeOf(run, createdAt, most + 1);
  await askHere(() => readPage({ created: far }, 0, reader));
  const isFarProved = shown.size > 0 || (await isProved(far));
  if (shown.size === 0) {
    if (!isFarProved) return setAsideNotFound();
    await lookUpOthers(run, group, options);
    return { ...around, isHidden: far.groups > most };
  }
  // An empty answer may be false.
  if (!shown.has(groupId)) await askHere(() => readPage({ created: near }, 0, reader));
  return { ...around, isHidden: false };
}

const NO_PROVED_END = 'its look-up by id finds nothing, and the list at its creation has no proved end';

function setAside(run: TickRun, id: number): void {
  const now = run.session.serviceClock.now().atMost;
  run.update((state) => noteSetAside(state, { id, reason: NO_PROVED_END, digest: '' }, now));
}

/**
 * Looks up the open groups that were created at the same moment.
 *
 * @returns the ids of those that are not found
 */
async function lookUpOthers(
  run: TickRun,
  { groupId: id, createdAt }: NotFound,
  { take, pollWhenDue }: AroundOptions,
): Promise<readonly number[]> {
  const { store } = run.session;
  const notFound: number[] = [];
  for await (const { groupId } of store.openCreatedBetween(sourceOf(run), createdAt, createdAt)) {
    if (groupId === id) continue;
    await pollWhenDue();
    const page = await lookUpOrSetAside(run, 'open', groupId);
    if (page === undefined) continue;
    if (page.rows.length === 0) notFound.push(groupId);
    else await take(page);
  }
  return notFound;
}

/** Returns the range of so many known groups, or of fewer if there are no more, and their number. */
async function rangeOf(
  run: TickRun,
  createdAt: Instant,
  most: number,
): Promise<BoundedInterval & { readonly groups: number }> {
  const all = run.session.store.knownCreatedBetween(sourceOf(run), createdAt, Number.POSITIVE_INFINITY);
  let last = createdAt;
  let groups = 0;
  for await (const known of all) {
    last = known.createdAt;
    groups += 1;
    if (groups >= most) break;
  }
  return { from: createdAt - NARROWEST_RANGE / 2, to: last + NARROWEST_RANGE / 2, groups };
}

/** Returns the next instant; beyond the safe integers (the year 1, for instance), the next number that differs. */
export function endOfMoment(createdAt: Instant): Instant {
  return createdAt + Math.max(1, Math.abs(createdAt) * Number.EPSILON);
}
