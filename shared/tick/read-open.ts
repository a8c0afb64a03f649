// Reads the next old groups that are still open: most changes of old groups are of these few. They are read in order of
// creation, a few at a time: if many lie close together by reading their range, otherwise by looking up each.
import type { Instant } from '../instant.ts';
import { PROOF_REQUESTS } from '../limits.ts';
import type { KnownGroup } from '../ports.ts';
import { coverRange } from '../reading/cover-range.ts';
import type { FetchPage, Page } from '../reading/page.ts';
import { lookUpOrSetAside } from './look-up.ts';
import type { BoundedInterval, NotFound } from './read-around.ts';
import { sourceOf, type TickRun } from './tick-run.ts';

export interface OpenStep {
  /** Open groups created before this were read. */
  readonly coveredThrough: Instant | undefined;
  /** Whether there are no more, except those of `range`. */
  readonly isDone: boolean;
  /** The next range, if it was read to its proved end: known groups that it lacks are missing. */
  readonly range: BoundedInterval | undefined;
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
  /** Whether there is still time: a new process only guesses how long a look-up takes. */
  readonly hasTime: () => boolean;
}

/** Reads on until the time is used, or up to a group that is not found: read-around.ts goes on with that one. */
export async function readOpen(run: TickRun, options: OpenOptions): Promise<OpenStep> {
  const { groups, isDone } = await findNext(run, options);
  const [first, last] = [groups[0], groups.at(-1)];
  if (first === undefined || last === undefined)
    return { ...NOTHING, coveredThrough: undefined, isDone: true };
  const range = { from: first.createdAt, to: last.createdAt + 1 };
  let seen: ReadonlySet<number> = new Set();
  for (const [place, { groupId, createdAt }] of groups.entries()) {
    // The first is looked up before: if it is not found, there must be time for the lists around it.
    if (place === 1 && (await isDense(run, groups, range))) {
      const read = await readRange(range, options);
      // A range that shows none may be elsewhere: some services send false creation times.
      if (read.isProved && read.seen.size > 0)
        return { ...NOTHING, coveredThrough: range.from, isDone, range };
      seen = read.seen;
    }
    if (seen.has(groupId)) continue;
    // Groups created at the same moment stay together.
    const isNewMoment = createdAt !== (groups[place - 1] ?? first).createdAt;
    if (isNewMoment && !options.hasTime()) return { ...NOTHING, coveredThrough: createdAt, isDone: false };
    await options.pollWhenDue();
    const page = await lookUpOrSetAside(run, 'open', groupId);
    if (page === undefined) continue;
    if (page.rows.length === 0)
      return { ...NOTHING, coveredThrough: createdAt, isDone: false, notFound: { groupId, createdAt, page } };
    await options.take(page);
  }
  return { ...NOTHING, coveredThrough: range.to, isDone };
}

const NOTHING = { range: undefined, notFound: undefined };

/** Returns as many groups as there is time to look up; groups created at the same moment stay together. */
async function findNext(
  run: TickRun,
  { coveredThrough = Number.NEGATIVE_INFINITY, until, maxRequests }: OpenOptions,
) {
  const { store } = run.session;
  const groups: KnownGroup[] = [];
  for await (const group of store.openCreatedBetween(sourceOf(run), coveredThrough, until - 1)) {
    if (groups.length >= maxRequests && group.createdAt !== groups.at(-1)?.createdAt) {
      return { groups, isDone: false };
    }
    groups.push(group);
  }
  return { groups, isDone: true };
}

/** Whether reading the whole range takes fewer requests than looking up its open groups. */
async function isDense(
  run: TickRun,
  groups: readonly KnownGroup[],
  range: BoundedInterval,
): Promise<boolean> {
  const { baseline } = run.state;
  const rowsPerRequest = Math.max(1, baseline.groups / Math.max(1, baseline.requests));
  const most = (groups.length - PROOF_REQUESTS) * rowsPerRequest;
  let rows = 0;
  for await (const _ of run.session.store.knownCreatedBetween(sourceOf(run), range.from, range.to)) {
    rows += 1;
    if (rows >= most) return false;
  }
  return true;
}

/** Reads the range; look-ups find out whether groups that it does not show are missing. */
async function readRange(range: BoundedInterval, { fetch, take, maxRequests }: OpenOptions) {
  const seen = new Set<number>();
  const reader = {
    fetch,
    async take(page: Page) {
      for (const row of page.rows) if (row.kind === 'readable') seen.add(row.group.id);
      await take(page);
    },
    trustsShortPages: false,
    maxPages: maxRequests,
  };
  const { outcome } = await coverRange({ created: range }, reader);
  return { isProved: outcome === 'proved', seen };
}
