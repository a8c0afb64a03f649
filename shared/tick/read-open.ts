// Reads the next old groups that are still open: most changes of old groups are of these few. They are read in order of
// creation, a few at a time: if many lie close together by reading their range, otherwise by looking up each.
import type { Instant } from '../instant.ts';
import { PROOF_REQUESTS } from '../limits.ts';
import type { KnownGroup } from '../ports.ts';
import { coverRange } from '../reading/cover-range.ts';
import type { FetchPage, Page } from '../reading/page.ts';
import { lookUpOrSetAside } from './look-up.ts';
import type { TickRun } from './tick-run.ts';

export interface OpenStep {
  /** Open groups created before this were read. */
  readonly coveredThrough: Instant | undefined;
  readonly isDone: boolean;
  /** Creation time of the first group that was read, and how many were found or missing. */
  readonly from: Instant | undefined;
  readonly known: number;
  /** Those of them that the service does not find. */
  readonly missing: readonly number[];
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
  /** Whether less than half of the step's time is used: missing groups take two more requests each. */
  readonly hasTimeForMissing: () => boolean;
}

export async function readOpen(run: TickRun, options: OpenOptions): Promise<OpenStep> {
  const { groups, isDone } = await findNext(run, options);
  const [first, last] = [groups[0], groups.at(-1)];
  if (first === undefined || last === undefined) {
    return { coveredThrough: undefined, isDone: true, from: undefined, known: 0, missing: [] };
  }
  const range = { from: first.createdAt, to: last.createdAt + 1 };
  const seen = (await isDense(run, groups, range)) ? await readRange(range, options) : new Set<number>();
  const missing: number[] = [];
  let found = 0;
  const stepBefore = (end: Instant, isDone: boolean) => ({
    ...{ coveredThrough: end, isDone, from: range.from, known: found + missing.length, missing },
  });
  const { known, missing: missingBefore } = run.state.reconciliation.open;
  for (const [place, { groupId, createdAt }] of groups.entries()) {
    if (seen.has(groupId)) {
      found += 1;
      continue;
    }
    // Groups created at the same moment stay together. Missing groups take more requests, so each ends the step, unless the
    // whole range was read. But as long as this walk has found no group, they are judged with the first that it finds.
    const isNewMoment = createdAt !== (groups[place - 1] ?? first).createdAt;
    const hasFound = known > missingBefore || found > 0;
    const endsByMissing = hasFound && missing.length > 0 && seen.size === 0;
    if (isNewMoment && (endsByMissing || !options.hasTime())) return stepBefore(createdAt, false);
    await options.pollWhenDue();
    const page = await lookUpOrSetAside(run, 'open', groupId);
    if (page === undefined) continue;
    if (page.rows.length === 0) {
      // The next step begins with it, and has more time.
      if (isNewMoment && hasFound && !options.hasTimeForMissing()) return stepBefore(createdAt, false);
      missing.push(groupId);
      continue;
    }
    found += 1;
    await options.take(page);
  }
  return stepBefore(range.to, isDone);
}

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

interface ClosedRange {
  readonly from: Instant;
  readonly to: Instant;
}

/** Whether reading the whole range takes fewer requests than looking up its open groups. */
async function isDense(run: TickRun, groups: readonly KnownGroup[], range: ClosedRange): Promise<boolean> {
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

/** @returns the ids that the range showed; look-ups find out whether the others are missing */
async function readRange(
  range: ClosedRange,
  { fetch, take, maxRequests }: OpenOptions,
): Promise<Set<number>> {
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
  await coverRange({ created: range }, reader);
  return seen;
}

function sourceOf({ session, state }: TickRun) {
  return { source: session.settings.name, generation: state.generation };
}
