// Makes a source's first state. `findStart` first reads the service's newest stamps: polls start one lookback before
// the stamps' time, or, without a stamp, as far back as stamps may lag behind any clock.
import { NO_GUARDING } from '../guarding/guarding-state.ts';
import { HOUR, type Instant, MILLISECOND } from '../instant.ts';
import { CLOSED_FOR_SURE_AFTER, FIRST_WIDTH, MAX_TAIL_PAGES, PAGE_LIMIT } from '../limits.ts';
import { NO_LEASE } from '../pacing/lease.ts';
import { UNKNOWN_DEPTHS } from '../reading/list-depth.ts';
import type { FetchPage } from '../reading/page.ts';
import { WIDEST_RANGE } from '../reading/poll.ts';
import { askedAhead, stampsTime } from '../reading/stamps-clock.ts';
import { NOTHING_READ } from '../reporting/read-state.ts';
import { newCycle } from './cycle-state.ts';
import type { SourceSettings } from './source-settings.ts';
import { NO_FAILING_LOOK_UPS, type SourceState, type StampsState } from './source-state.ts';

/** How far back the first look goes, step by step, until it finds a stamp. */
const FIRST_LOOKS = [HOUR, 8 * HOUR, CLOSED_FOR_SURE_AFTER];

export interface MintOptions {
  readonly settings: SourceSettings;
  /** The service's time. */
  readonly now: () => Instant;
  readonly fetch: FetchPage;
  /** The known facts about the stamps so far. */
  readonly stamps: () => StampsState;
}

/**
 * Returns the feed's start by the stamps' clock and the first instant that polls have to read, both taken from the
 * service's latest stamps.
 */
export async function findStart({ settings, now, fetch, stamps }: MintOptions): Promise<{
  readonly startedAt: Instant;
  readonly settledThrough: Instant;
}> {
  const lookback = settings.lookbackMs * MILLISECOND;
  for (const width of [lookback, ...FIRST_LOOKS]) {
    const from = now() - width;
    const page = await fetch({ range: { updated: { from, to: now() + askedAhead(stamps()) } }, offset: 0 });
    if (page.rows.length === 0) continue;
    await findNewest({ now, fetch, stamps });
    const time = stampsTime(stamps(), now());
    if (time !== undefined) return { startedAt: time, settledThrough: time - lookback };
  }
  // Stamps may lag behind any clock by this much. Nothing has changed since then, so nothing old is published.
  const earliest = now() - Math.max(lookback, CLOSED_FOR_SURE_AFTER);
  return { startedAt: earliest + lookback, settledThrough: earliest };
}

/** Requests pages from the newest known stamp on until none is newer: a page need not hold its range's newest row. */
async function findNewest({
  now,
  fetch,
  stamps,
}: Pick<MintOptions, 'now' | 'fetch' | 'stamps'>): Promise<void> {
  for (let pages = 0; pages < MAX_TAIL_PAGES; pages += 1) {
    const known = stampsTime(stamps(), now());
    if (known === undefined || known >= now()) return;
    const { newest } = stamps();
    await fetch({ range: { updated: { from: newest, to: now() } }, offset: 0 });
    if (stamps().newest === newest) return;
  }
}

export interface FirstStateOptions {
  readonly settings: Pick<SourceSettings, 'name' | 'baseline'>;
  readonly mintedIn: string;
  /** By the local clock; it must be later than that of any earlier state. */
  readonly mintedAt: Instant;
  readonly startedAt: Instant;
  readonly settledThrough: Instant;
  readonly now: Instant;
  readonly stamps: StampsState;
  /** The slot of the tick that creates the state, in milliseconds since the epoch. */
  readonly slot: number;
}

/** Returns the state with which a source begins; its version is 0 until it is saved. */
export function firstState(options: FirstStateOptions): SourceState {
  const { settings, mintedAt, now } = options;
  return {
    source: settings.name,
    version: 0,
    generation: Math.floor(mintedAt / MILLISECOND).toString(36),
    earlierGenerations: [],
    mintedIn: options.mintedIn,
    startedAt: options.startedAt,
    settledThrough: options.settledThrough,
    lastSlot: 0,
    lease: NO_LEASE,
    stamps: options.stamps,
    baseline: {
      mode: settings.baseline,
      status: 'running',
      startedAt: now,
      coveredThrough: undefined,
      rangeWidth: FIRST_WIDTH,
      groups: 0,
      requests: 0,
      estimatedGroups: undefined,
    },
    reconciliation: { recent: newCycle(now), open: newCycle(now), all: newCycle(now) },
    feedSequence: 0,
    feedReports: [],
    health: {
      lastSettledAt: options.slot * MILLISECOND,
      lastWalkedAt: options.slot * MILLISECOND,
      degradedSince: undefined,
      reasons: [],
      restUntil: 0,
      refusals: 0,
      lastHoldReported: 0,
      setAsideReported: 0,
      failure: undefined,
    },
    driftReported: [],
    pageLimit: PAGE_LIMIT,
    listDepths: UNKNOWN_DEPTHS,
    fullPageSeen: false,
    longestPage: 0,
    pollWidth: WIDEST_RANGE,
    fieldsSince: {},
    wholeWalks: [],
    setAside: [],
    failingLookUps: NO_FAILING_LOOK_UPS,
    guarding: NO_GUARDING,
    read: NOTHING_READ,
    pace: undefined,
    baseUrl: undefined,
  };
}
