// Plans for stores whose old groups are still open, and too large for a full walk in each cycle.
import { createRandom, mix, type Random } from '../../local/reference-service/store/seeded-random.ts';
import { MISHAP_OF_LOOK_UPS } from './mishap-names.ts';
import { NO_FAULTS, type Plan } from './plan.ts';
import { namesZone } from './plan-limits.ts';
import { vast, withLastingFault } from './unusual-plans.ts';

/**
 * Many groups stay open for months, in a store that is too large for a full walk in each cycle. So walks over open
 * groups look up the old ones: some are removed, or the look-ups of some fail, or the service hides all old groups for
 * a while.
 */
export function longOpen(plan: Plan, random: Random): Plan {
  const base = vast(plan, random);
  const { rateLimit, date, unreadableEvery, ...usual } = base.knobs;
  const touches = random.chance(0.5) ? { touches: [] } : {};
  const knobs = { ...usual, ...touches, limitMax: 2, lifetimeFactor: 20 };
  const open: Plan = {
    ...base,
    groups: 110 + random.below(20),
    activeMs: 600_000,
    changesPerSecond: 0.1,
    // Without look-ups no new token is trusted.
    rotationMs: undefined,
    sources: 1,
    warm: random.pick([0, 0.5, 1]),
    knobs,
    settings: { ...base.settings, intervalMs: 60_000, requestsPerMinute: 240, requestTimeoutMs: 10_000 },
  };
  const fromMs = 60_000 + random.below(120_000);
  const of = random.pick(['existing', 'some'] as const);
  const what = random.pick(['hang', 'late', '500', '400'] as const);
  const removing = { ...open, knobs: { ...knobs, groupRemovals: random.pick([0.2, 0.4]) } };
  const hiding: Plan = {
    ...open,
    activeMs: 900_000,
    mishap: { kind: 'old groups hidden', fromMs, forMs: 180_000 },
  };
  const failing = withLastingFault(removing, { shape: { kind: 'look-ups', of }, what, fromMs });
  const unusual = random.pick([removing, failing, hiding, hiding]);
  const crowds = createRandom(mix(plan.seed, 94));
  if (!crowds.chance(0.5)) return unusual;
  // Look-ups that take a tick, of some of so many groups, let a walk take hours (guarantees.md, "Budget").
  const isSlow = unusual.lasting?.what === 'hang' || unusual.lasting?.what === 'late';
  const crowd = crowded(crowds.chance(0.6) || isSlow ? removing : unusual, crowds);
  const hasFault = crowd.lasting !== undefined || crowd.mishap !== undefined;
  if (hasFault) return crowd;
  return crowds.pick([() => crowd, withFailingPages, withSlowAnswers])(crowd, crowds);
}

/**
 * Many old groups were created at nearly the same moment, as by imports, and most of them are open. So pages of their
 * range are read before they are looked up. With stamps in milliseconds or seconds they share one moment.
 */
function crowded(open: Plan, random: Random): Plan {
  // A list that ends within a crowd never shows all of it. And no tick has room to prove one whose order changes at
  // every request (guarantees.md, "Where they end").
  const { offsetMax, offsetOver, offsetMaxOf, ties, ...knobs } = open.knobs;
  // Polls read the last hour of stamps without a zone again and again, and the import is in it.
  if (!namesZone(knobs)) delete knobs.absurdEvery;
  return {
    ...open,
    groups: 340 + random.below(60),
    knobs: {
      ...knobs,
      touches: [],
      limitMax: 5,
      lifetimeFactor: 6,
      createdTogether: random.pick([7, 25, 60]),
      stampPrecision: random.pick(['us', 'ms', 's']),
    },
  };
}

/** Pages that show a part of the groups fail for minutes. */
function withFailingPages(crowd: Plan, random: Random): Plan {
  const from = random.fraction() * 0.6;
  return withLastingFault(crowd, {
    shape: { kind: 'range', from, to: from + 0.4 },
    what: random.pick(['500', 'hang', 'late', '422'] as const),
    fromMs: 60_000 + random.below(120_000),
    forMs: 240_000,
  });
}

/**
 * A tick then has time for some thirty requests, and walks take turns. If answers took longer, or each tick had a new
 * process, walks would take hours, and the source would be degraded meanwhile (guarantees.md, "Where they end").
 */
function withSlowAnswers(crowd: Plan): Plan {
  // A tick has to prove all groups of the same seconds, with three requests for each page.
  const createdTogether = 7;
  return {
    ...crowd,
    warm: 1,
    knobs: { ...crowd.knobs, createdTogether, latencyMs: { least: 1_000, most: 1_500 } },
  };
}

/**
 * A store whose old open groups come in pairs of one moment. Either nothing delays a walk over them for more than a few
 * ticks, or look-ups show other values for a while.
 */
export function inPairs(plan: Plan, random: Random): Plan {
  const calm = calmInPairs(plan, random);
  return createRandom(mix(plan.seed, 95)).chance(0.5) ? withOtherLookUps(calm, random) : calm;
}

/** Only walks find most changes. */
function calmInPairs(plan: Plan, random: Random): Plan {
  const base = vast(plan, random);
  const { rateLimit, date, unreadableEvery, offsetMax, offsetOver, offsetMaxOf, ties, ...knobs } = base.knobs;
  return {
    ...base,
    groups: 110 + random.below(20),
    activeMs: 600_000,
    openWalksEndEveryMs: 300_000,
    changesPerSecond: 0.1,
    rotationMs: undefined,
    sources: 1,
    warm: random.pick([0, 1]),
    faults: NO_FAULTS,
    knobs: {
      ...knobs,
      touches: [],
      limitMax: 2,
      lifetimeFactor: 20,
      createdTogether: 2,
      stampPrecision: random.pick(['ms', 's']),
      groupRemovals: random.pick([0, 0.2]),
    },
    settings: { ...base.settings, intervalMs: 60_000, requestsPerMinute: 240, requestTimeoutMs: 10_000 },
  };
}

/**
 * Look-ups show other values than lists for a while, and no group changes. A turn of a walk over open groups judges all
 * that it looks up together, and that is far more than the twenty groups that are never held.
 */
function withOtherLookUps(calm: Plan, random: Random): Plan {
  const { groupRemovals, ...knobs } = calm.knobs;
  return {
    ...calm,
    openWalksEndEveryMs: undefined,
    changesPerSecond: 0,
    handsPerMinute: 0,
    knobs: { ...knobs, lifetimeFactor: 60, rateLimit: 1_200 },
    settings: { ...calm.settings, requestsPerMinute: 1_000 },
    mishap: { kind: MISHAP_OF_LOOK_UPS, fromMs: random.below(120_000), forMs: 240_000 },
  };
}
