// Plans for cases that ordinary plans never reach, for instance stores that are large for their pages.

import { FAULT_KINDS } from '../../local/reference-service/service/fault-kinds.ts';
import { createRandom, mix, type Random } from '../../local/reference-service/store/seeded-random.ts';
import { type LastingFault, nameOfShape } from './lasting-fault.ts';
import type { Plan } from './plan.ts';
import { atMost, clockJumpOf, withoutRemovals, withStableOrder, withSteadyLimits } from './plan-limits.ts';

/** A store that is too large, for its pages and budget, for a full walk in each cycle. */
export function vast(plan: Plan, random: Random): Plan {
  // With these values the baseline would take the whole run.
  const { pageBytes, faultRate, latencyMs, lateSeconds, staleShare, limitChanges, ...knobs } =
    withoutRemovals(plan.knobs);
  return {
    ...plan,
    groups: 48 + random.below(10),
    activeMs: 420_000,
    changesPerSecond: 0.06,
    crowds: false,
    outage: undefined,
    tickMs: 50_000,
    // The calls that only these plans make need faults here, and the rest must succeed.
    faults: {
      ...plan.faults,
      ...atMost(0.0003, plan.faults),
      ...{ crash: 0.0003, fail: 0.0003, slow: 0.0003, freeze: 0.0001, clockJump: 0.0001 },
      ...{ tickLost: 0, tickLate: 0 },
    },
    knobs: { ...withStableOrder(knobs), limitMax: 1 },
    settings: {
      ...plan.settings,
      reconcileMs: 30_000,
      intervalMs: 30_000,
      settleMs: Math.min(plan.settings.settleMs, 15_000),
    },
  };
}

/** Groups are removed, are published as removed, and come back. */
export function returning(plan: Plan, random: Random): Plan {
  // The allowed staleness follows from the settle.
  const { staleShare, pageBytes, ...knobs } = withStableOrder(plan.knobs);
  return {
    ...plan,
    groups: 8 + random.below(6),
    activeMs: 400_000,
    changesPerSecond: 0.1,
    outage: undefined,
    tickMs: 50_000,
    // A removal takes two walks that complete.
    faults: { ...plan.faults, ...atMost(0.001, plan.faults), tickLost: 0 },
    knobs: { ...knobs, limitMax: 50, groupRemovals: 0.25, reappearances: random.pick([0.1, 0.2]) },
    settings: {
      ...plan.settings,
      reconcileMs: 30_000,
      intervalMs: 15_000,
      settleMs: Math.min(plan.settings.settleMs, 15_000),
      requestsPerMinute: 240,
    },
  };
}

export function withLastingFault(plan: Plan, lasting: LastingFault): Plan {
  // Doubts about the time may last for hours, but a permanent fault must be reported within minutes.
  const faultKinds = FAULT_KINDS.filter((kind) => kind !== 'date-skewed');
  const knobs = lasting.forMs === undefined ? { ...plan.knobs, faultKinds } : plan.knobs;
  // A poll that never gets an answer takes 20 seconds: in shorter ticks no time is left for walks (guarantees.md).
  const tickMs = nameOfShape(lasting.shape) === 'parameter min_updated_at' ? 50_000 : plan.tickMs;
  return { ...plan, tickMs, knobs, lasting, outage: undefined };
}

/** Groups are removed, no look-up ever confirms that, and a tick has several walks. */
export function unconfirmed(plan: Plan, random: Random): Plan {
  const base = returning(plan, random);
  const { reappearances, rateLimit, ...knobs } = base.knobs;
  const settings = { ...base.settings, reconcileMs: 5_000, settleMs: 2_000 };
  return withLastingFault(
    { ...base, knobs: { ...knobs, groupRemovals: 0.5 }, settings },
    {
      shape: { kind: 'parameter', name: 'return_group_id' },
      what: random.pick(['500', '504', '422', '400']),
      fromMs: random.below(60_000),
    },
  );
}

/**
 * Polls, all look-ups, or those of some groups get no answer or fail, in a store of many pages. Walks find all changes,
 * also if each tick has a new process.
 */
export function hanging(plan: Plan, random: Random): Plan {
  const { pageBytes, rateLimit, date, latencyMs, faultRate, unreadableEvery, ...knobs } = withSteadyLimits(
    withStableOrder(withoutRemovals(plan.knobs)),
  );
  const name = random.pick(['min_updated_at', 'return_group_id'] as const);
  const groupRemovals = name === 'return_group_id' ? { groupRemovals: 0.2 } : {};
  const hangs = {
    ...plan,
    groups: 40 + random.below(30),
    activeMs: 420_000,
    changesPerSecond: 0.1,
    crowds: false,
    rotationMs: undefined,
    sources: 1,
    tickMs: 50_000,
    warm: random.pick([0, 0.9]),
    faults: { ...plan.faults, ...atMost(0.001, plan.faults), tickLost: 0 },
    knobs: { ...knobs, ...groupRemovals, limitMax: 10 },
    settings: {
      ...plan.settings,
      ...{ intervalMs: random.pick([15_000, 60_000]), reconcileMs: 60_000 },
      ...{ requestsPerMinute: 240, requestTimeoutMs: 10_000 },
    },
  };
  const what = createRandom(mix(plan.seed, 89)).pick(['hang', 'hang', 'late'] as const);
  const fault = { what, fromMs: 60_000 + random.below(120_000) };
  const of = createRandom(mix(plan.seed, 90)).pick([undefined, 'existing', 'some'] as const);
  const failsPartly = name === 'return_group_id' && of !== undefined;
  if (!failsPartly) return withLastingFault(hangs, { ...fault, shape: { kind: 'parameter', name } });
  const quick = createRandom(mix(plan.seed, 91)).pick(['500', '400', undefined, undefined] as const);
  return withLastingFault(hangs, { ...fault, what: quick ?? what, shape: { kind: 'look-ups', of } });
}

/** Look-ups of some groups take all that is left of a tick, while groups are removed. */
export function withHangingLookUps(plan: Plan, random: Random): Plan {
  const hangs = hanging(plan, random);
  const removing = { ...hangs, knobs: { ...hangs.knobs, groupRemovals: 0.2 } };
  const fromMs = 60_000 + random.below(120_000);
  return withLastingFault(removing, { what: 'hang', fromMs, shape: { kind: 'look-ups', of: 'some' } });
}

/** Each tick gets a new process without cached state, and many processes share the budget. */
export function newborn(plan: Plan): Plan {
  const { rateLimit, date, pageBytes, limitMax = 250, ...knobs } = withStableOrder(plan.knobs);
  return {
    ...plan,
    activeMs: 120_000,
    outage: undefined,
    sources: 2,
    warm: 0,
    // Without this a process with few requests would often get too many wrong Dates (guarantees.md, "Time").
    clockSkewMs: Math.min(plan.clockSkewMs, 2_000),
    knobs: {
      ...knobs,
      limitMax: Math.max(10, limitMax),
      faultRate: 0.2,
      faultKinds: ['date-skewed', 'date-missing'],
    },
    settings: { ...plan.settings, intervalMs: 5_000, reconcileMs: 30_000, requestsPerMinute: 60 },
  };
}

/** So many groups of a large store change that a poll needs more than one page. */
export function bustling(plan: Plan, random: Random): Plan {
  // The allowed lateness and staleness follow from the lookback.
  const { lateSeconds, staleShare, faultRate, limitChanges, ...knobs } = plan.knobs;
  return {
    ...plan,
    groups: 120 + random.below(60),
    activeMs: 180_000,
    changesPerSecond: 0.3,
    handsPerMinute: 120,
    crowds: false,
    outage: undefined,
    tickMs: 50_000,
    // If a poll misses a change, a later change of the same group would hide that.
    faults: { ...plan.faults, ...atMost(0.001, plan.faults), tickLost: 0, tickLate: 0 },
    knobs: {
      ...withStableOrder(knobs),
      limitMax: 10,
      latencyMs: { least: 500, most: 1_500 },
    },
    settings: { ...plan.settings, lookbackMs: 5_000, intervalMs: 60_000, requestsPerMinute: 240 },
  };
}

/** Lists end at a window that is smaller than the store. A walk must find the rows beyond it. */
export function windowed(plan: Plan, random: Random): Plan {
  return windowedByOneAxis(drawWindow(plan, random));
}

function drawWindow(plan: Plan, random: Random): Plan {
  const knobs = withSteadyLimits(plan.knobs);
  const limitMax = 5 + random.below(6);
  return {
    ...plan,
    groups: 30 + random.below(31),
    activeMs: 240_000,
    changesPerSecond: 0.1,
    outage: undefined,
    tickMs: 50_000,
    // Each range takes many requests, and restarts when cut off.
    faults: { ...plan.faults, ...atMost(0.002, plan.faults) },
    knobs: {
      ...knobs,
      limitMax,
      // With fewer than ten rows, or two pages, a page can't be checked against its neighbour.
      offsetMax: Math.max(10, 2 * limitMax, 12 + random.below(19)),
      offsetOver: random.pick(['empty', 'refuse', 'bad-request', 'timeout']),
    },
    settings: { ...plan.settings, requestsPerMinute: 240 },
  };
}

/**
 * The same, but only lists by update end there, or only all others. So many groups change that polls read lists which are
 * longer than the window.
 */
function windowedByOneAxis(plan: Plan): Plan {
  const random = createRandom(mix(plan.seed, 83));
  if (!random.chance(0.7)) return plan;
  const offsetMaxOf = random.pick(['updated', 'updated', 'created'] as const);
  const { dateSkewSeconds = 0, ...knobs } = withoutRemovals(plan.knobs);
  return {
    ...plan,
    // In a smaller store polls are walks.
    groups: 120,
    // More changes between two polls than such a list shows.
    changesPerSecond: 0.8,
    // Frozen twice in one exchange, a process saves later than the checker knows.
    faults: { ...plan.faults, freeze: 0 },
    knobs: {
      // So many removals are held, which other plans test.
      ...knobs,
      // With a Date behind the stamps, more new groups than such a list shows would seem to come from the future.
      dateSkewSeconds: Math.max(0, dateSkewSeconds),
      ...{ limitMax: 10, offsetMax: 20 + random.below(5), offsetMaxOf },
    },
    settings: { ...plan.settings, intervalMs: 60_000, reconcileMs: 300_000, requestsPerMinute: 240 },
  };
}

/** A store whose groups were all created at one moment, as imports and fixtures create them: no list of them can be cut. */
export function imported(plan: Plan, random: Random): Plan {
  // A list that ends earlier never shows them all. A lagging replica shows the store before the import: an empty one. A
  // tick needs room for three requests for each page. And rows without an id can't be told apart in pages that move.
  const {
    unreadableEvery,
    offsetMax,
    offsetOver,
    staleShare,
    latencyMs,
    pageBytes,
    rateLimit,
    limitMax = 250,
    ...knobs
  } = withStableOrder(plan.knobs);
  return {
    ...plan,
    groups: 0,
    imported: 10 + random.below(40),
    // New groups and later changes spread the stamps.
    activeMs: 240_000,
    changesPerSecond: random.pick([0, 0.02]),
    handsPerMinute: 0,
    outage: undefined,
    tickMs: 50_000,
    knobs: { ...knobs, limitMax: Math.max(10, limitMax) },
    settings: { ...plan.settings, requestsPerMinute: 240 },
  };
}

/** Items get a new field one by one, without a newer stamp. */
export function numbersLater(plan: Plan): Plan {
  // The allowed staleness follows from the settle.
  const { groupRemovals, reappearances, pageBytes, rateLimit, unreadableEvery, staleShare, ...knobs } =
    withStableOrder(plan.knobs);
  return {
    ...plan,
    numbersLater: true,
    groups: 6,
    activeMs: 300_000,
    changesPerSecond: 0,
    handsPerMinute: 4,
    outage: undefined,
    tickMs: 50_000,
    // Most of the store must be walked several times.
    faults: { ...plan.faults, ...atMost(0.002, plan.faults), clockJump: clockJumpOf(plan) },
    knobs: { ...knobs, nulls: 'absent', touches: [] },
    settings: {
      ...plan.settings,
      reconcileMs: 30_000,
      intervalMs: 15_000,
      settleMs: Math.min(plan.settings.settleMs, 15_000),
      requestsPerMinute: 240,
    },
  };
}

/** A list in another order at every request, of many pages: it is walked in the pieces that the known groups show. */
export function withoutOrder(plan: Plan, random: Random): Plan {
  const { offsetMax, pageBytes, rateLimit, staleShare, staleSeconds, ...knobs } = plan.knobs;
  return {
    ...plan,
    groups: 20 + random.below(25),
    activeMs: 240_000,
    changesPerSecond: 0.15,
    tickMs: 50_000,
    outage: undefined,
    warm: Math.max(0.5, plan.warm),
    knobs: {
      ...knobs,
      order: 'random',
      limitMax: random.pick([5, 7, 10]),
      touches: random.pick([[], ['return_group']]),
    },
    settings: {
      ...plan.settings,
      intervalMs: random.pick([5, 15]) * 1_000,
      reconcileMs: random.pick([5, 30]) * 1_000,
      settleMs: random.pick([2, 5]) * 1_000,
      requestsPerMinute: 240,
    },
  };
}

/** Answers take some three seconds, so a tick has 16 requests, and walks go on over many ticks. */
export function sluggish(plan: Plan, random: Random): Plan {
  const { faultRate, unreadableEvery, date, ...knobs } = withSteadyLimits(withStableOrder(plan.knobs));
  return {
    ...plan,
    groups: 40 + random.below(40),
    activeMs: Math.max(plan.activeMs, 300_000),
    outage: undefined,
    rotationMs: undefined,
    sources: 1,
    tickMs: 50_000,
    // A new process learns from five answers that there is no Date: most of a tick's requests.
    warm: Math.max(0.5, plan.warm),
    faults: { ...plan.faults, ...atMost(0.002, plan.faults) },
    knobs: { ...knobs, limitMax: 10, latencyMs: { least: 2_500, most: 3_500 } },
    settings: {
      ...plan.settings,
      intervalMs: random.pick([10_000, 60_000]),
      reconcileMs: 60_000,
      requestsPerMinute: 240,
      requestTimeoutMs: 10_000,
    },
  };
}
