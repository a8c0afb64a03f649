// Reads the next old groups that are still open: most changes of old groups are of these few. They are looked up in
// order of creation, a few at a time. If many lie close together, pages of their range are read first, and only groups
// that these don't show are looked up. So nothing has to be proved of the range.
import type { Instant } from '../instant.ts';
import { FIRST_WIDTH, NARROWEST_RANGE, REQUESTS_SAVED_BY_PAGES } from '../limits.ts';
import type { KnownGroup } from '../ports.ts';
import { type FetchPage, type Page, PageOutOfReach } from '../reading/page.ts';
import { readPage } from '../reading/read-pass.ts';
import { mayBeAboutRequest } from '../returns-service/errors.ts';
import { withCycle } from '../source/cycle-state.ts';
import { lookUpOrSetAside } from './look-up.ts';
import { type BoundedInterval, endOfMoment, type NotFound } from './read-around.ts';
import { sourceOf, type TickRun } from './tick-run.ts';

export interface OpenStep {
  /** Open groups created before this were read. */
  readonly coveredThrough: Instant | undefined;
  /** Whether there are no more. */
  readonly isDone: boolean;
  /** The next open group, created at `coveredThrough`, if its look-up found nothing. */
  readonly notFound: NotFound | undefined;
}

export interface OpenOptions {
  readonly coveredThrough: Instant | undefined;
  /** Groups created later are walked as recent ones. */
  readonly until: Instant;
  readonly fetch: FetchPage;
  readonly take: (page: Page) => Promise<void>;
  readonly pollWhenDue: () => Promise<void>;
  /** Requests that there is time for, by what is known so far. */
  readonly maxRequests: number;
  /** Whether there is still time for so many look-ups; for one without a number. */
  readonly hasTime: (lookUps?: number) => boolean;
  /** Notes that open groups created before this were read. */
  readonly noteCovered: (createdAt: Instant) => Promise<void>;
  /** Ids of the groups that this tick's walk was shown; `take` adds to it. */
  readonly seen: ReadonlySet<number>;
}

/** Reads on until the time is used, or up to a group that is not found: read-around.ts goes on with that one. */
export async function readOpen(run: TickRun, options: OpenOptions): Promise<OpenStep> {
  const { groups, isDone } = await findNext(run, options);
  const [first, last] = [groups[0], groups.at(-1)];
  if (first === undefined || last === undefined) return step(undefined, true);
  const range = { from: first.createdAt, to: last.createdAt };
  for (const [place, { groupId, createdAt }] of groups.entries()) {
    // The first is looked up before: if it is not found, there must be time for the lists around it.
    if (place === 1 && mayReadPages(run, range) && (await isDense(run, groups, range, options.seen)))
      await readPages(run, range, groups, options);
    if (options.seen.has(groupId)) continue;
    // Groups created at the same moment stay together: if the tick ended among them, all would be looked up again.
    const isNewMoment = createdAt !== (groups[place - 1] ?? first).createdAt;
    if (isNewMoment) {
      const together = notSeen(groups, options.seen).filter((group) => group.createdAt === createdAt).length;
      if (!options.hasTime(together)) return step(createdAt, false);
      // Only after a turn was cut off. Otherwise each pair would split the turn, and its parts would be judged alone.
      if (together > 1 && wasCutOff(run)) await options.noteCovered(createdAt);
    }
    await options.pollWhenDue();
    const page = await lookUpOrSetAside(run, 'open', groupId);
    if (page === undefined) continue;
    if (page.rows.length === 0) return step(createdAt, false, { groupId, createdAt, page });
    await options.take(page);
  }
  return step(endOfMoment(range.to), isDone);
}

function step(coveredThrough: Instant | undefined, isDone: boolean, notFound?: NotFound): OpenStep {
  return { coveredThrough, isDone, notFound };
}

/**
 * Returns as many groups as there is time to look up. Groups created at the same moment stay together: if a moment
 * does not fit, the next step begins with it.
 */
async function findNext(
  run: TickRun,
  { coveredThrough = Number.NEGATIVE_INFINITY, until, maxRequests }: OpenOptions,
) {
  const { store } = run.session;
  const groups: KnownGroup[] = [];
  for await (const group of store.openCreatedBetween(sourceOf(run), coveredThrough, until - 1)) {
    const last = groups.at(-1)?.createdAt;
    if (groups.length >= maxRequests && group.createdAt !== last) return { groups, isDone: false };
    if (groups.length >= maxRequests && groups[0]?.createdAt !== last)
      return { groups: groups.filter(({ createdAt }) => createdAt !== last), isDone: false };
    groups.push(group);
  }
  return { groups, isDone: true };
}

/** Narrows the range after a turn that was cut off, by the tick's end or by a failure. */
export function noteCutOff(run: TickRun): void {
  setWidth(run, Math.min(run.state.reconciliation.open.rangeWidth, FIRST_WIDTH - 1));
}

/** Whether a turn of this cycle was cut off, or pages did not show what they should: both narrow the range. */
function wasCutOff({ state }: TickRun): boolean {
  return state.reconciliation.open.rangeWidth < FIRST_WIDTH;
}

function notSeen(groups: readonly KnownGroup[], seen: ReadonlySet<number>): readonly KnownGroup[] {
  return groups.filter(({ groupId }) => !seen.has(groupId));
}

/** Saved as the width if pages did not show a range too narrow to be divided: below the width of any range. */
const PAGES_FAILED = -1;

/**
 * Whether pages of a range may be read before its groups are looked up. Once the pages of a few seconds did not show
 * them, chance decides: pages may fail in each tick, but look-ups alone may not fit a tick either.
 */
function mayReadPages({ state, session }: TickRun, { from, to }: BoundedInterval): boolean {
  const { rangeWidth } = state.reconciliation.open;
  if (rangeWidth === PAGES_FAILED) return to - from <= NARROWEST_RANGE && session.random() < 0.5;
  return to - from <= rangeWidth;
}

function setWidth(run: TickRun, rangeWidth: number): void {
  run.update((state) => withCycle(state, 'open', { ...state.reconciliation.open, rangeWidth }));
}

/** Whether reading the pages of the whole range takes fewer requests than looking up its open groups. */
async function isDense(
  run: TickRun,
  groups: readonly KnownGroup[],
  range: BoundedInterval,
  seen: ReadonlySet<number>,
): Promise<boolean> {
  const { baseline } = run.state;
  const rowsPerRequest = Math.max(1, baseline.groups / Math.max(1, baseline.requests));
  const most = (notSeen(groups, seen).length - REQUESTS_SAVED_BY_PAGES) * rowsPerRequest;
  let rows = 0;
  for await (const _ of run.session.store.knownCreatedBetween(sourceOf(run), range.from, range.to)) {
    rows += 1;
    if (rows >= most) return false;
  }
  return true;
}

/**
 * Reads pages of a range as long as there is time and they show more. If time or a failure ends that, ranges as wide
 * are not tried again in this cycle: each tick might read the same pages.
 */
async function readPages(
  run: TickRun,
  { from, to }: BoundedInterval,
  groups: readonly KnownGroup[],
  { fetch, take, hasTime, maxRequests, seen }: OpenOptions,
): Promise<void> {
  const created = { from: from - NARROWEST_RANGE / 2, to: to + NARROWEST_RANGE / 2 };
  const reader = { fetch, take, trustsShortPages: false, maxPages: maxRequests };
  const { rangeWidth } = run.state.reconciliation.open;
  const isNarrowest = to - from <= NARROWEST_RANGE;
  setWidth(run, isNarrowest ? PAGES_FAILED : Math.max(Math.floor((to - from) / 2), NARROWEST_RANGE));
  let rows = 0;
  try {
    for (let pages = 0; pages < maxRequests && hasTime(); pages += 1) {
      const page = await readPage({ created }, rows, reader);
      rows += page.rows.length;
      if (page.rows.length > 0 && notSeen(groups, seen).length > 0) continue;
      setWidth(run, Math.max(rangeWidth, NARROWEST_RANGE));
      return;
    }
  } catch (error) {
    if (!mayBeAboutRequest(error) && !(error instanceof PageOutOfReach)) throw error;
  }
}
