// Plans in which a whole source looks like another store, or is one, for some time: work for the guards.
import { createRandom, mix, type Random } from '../../local/reference-service/store/seeded-random.ts';
import { ADDRESS_MISHAPS, MISHAP_NAMES, MISHAP_OF_LOOK_UPS, type MishapName } from './mishap-names.ts';
import type { Mishap, Plan } from './plan.ts';
import { atMost, clockJumpOf, withoutRemovals, withStableOrder } from './plan-limits.ts';

const DRAWN_ELSEWHERE = new Set<MishapName>([...ADDRESS_MISHAPS, 'old groups hidden', MISHAP_OF_LOOK_UPS]);

const STORE_MISHAPS = MISHAP_NAMES.filter((name) => !DRAWN_ELSEWHERE.has(name));

/** A mishap for the guards, in a store that is large enough for it. */
export function suspicious(plan: Plan, random: Random): Plan {
  const { lateSeconds, staleShare, pageBytes, rateLimit, touches, ...known } = withoutRemovals(plan.knobs);
  // Guards can't judge unknown groups, or groups with meaningless stamps.
  const { absurdEvery, absurdStamps, unreadableEvery, ...knobs } = known;
  // Enough ticks must succeed for held changes to be seen, released and published.
  const faults = { ...plan.faults, ...atMost(0.005, plan.faults), clockJump: clockJumpOf(plan) };
  const { stampForm, ...others } = withStableOrder(knobs);
  const kind = STORE_MISHAPS[mix(plan.seed, 61) % STORE_MISHAPS.length] as MishapName;
  // The walk that ends a hold then finds true changes among those that were held.
  const movesNone = kind === 'answered otherwise' && mix(plan.seed, 62) % 2 === 0;
  const namesZone = stampForm !== undefined && !stampForm.startsWith('none:');
  return {
    ...plan,
    groups: 40 + random.below(10),
    activeMs: 480_000,
    // With many true changes, less than half of the groups show the mistake, or as many changes are usual.
    changesPerSecond: movesNone ? 0.02 : 0.05,
    handsPerMinute: 0,
    outage: undefined,
    rotationMs: undefined,
    tickMs: 50_000,
    faults,
    knobs: {
      ...withLongPages(others),
      ...(namesZone ? { stampForm } : {}),
      ...(movesNone ? { touches: [] } : {}),
    },
    settings: {
      ...plan.settings,
      reconcileMs: 30_000,
      intervalMs: 15_000,
      lookbackMs: Math.min(plan.settings.lookbackMs, 30_000),
      settleMs: Math.min(plan.settings.settleMs, 15_000),
      requestsPerMinute: 240,
    },
    mishap: {
      kind,
      fromMs: random.below(60_000),
      forMs: random.pick([60_000, 120_000]),
    },
  };
}

/**
 * Pages shorter than twenty rows let a guard take a mistake for a few changes. A refused size is halved: 100, 50, 25.
 */
function withLongPages({ limitMax = 250, ...knobs }: Plan['knobs']): Plan['knobs'] {
  return { ...knobs, limitMax: Math.max(knobs.limitOver === 'refuse' ? 25 : 20, limitMax) };
}

/**
 * Held groups change while the service answers in another way, or another mistake follows a release. Drawn separately,
 * so that the other seeds stay the same.
 */
export function withLaterChanges(plan: Plan): Plan {
  const random = createRandom(mix(plan.seed, 81));
  const isDrawn = random.chance(0.6);
  const changes = random.pick(['with stamps', 'without stamps'] as const);
  const { mishap } = plan;
  if (!isDrawn || mishap === undefined) return plan;
  if (mishap.kind === 'answered otherwise')
    return { ...plan, activeMs: 540_000, mishap: { ...mishap, forMs: 120_000, changes } };
  if (mishap.kind === 'changed without stamps') {
    // An array that is left out while a release is published shows later, and makes such changes usual.
    const { arrays, ...knobs } = plan.knobs;
    return { ...plan, activeMs: 540_000, knobs, mishap: { ...mishap, forMs: 60_000, isFollowed: true } };
  }
  return plan;
}

/**
 * The service answers in another way with values that are hard to compare, or what is held becomes true. Drawn
 * separately, so that the other seeds stay the same.
 */
export function withHeldValues(plan: Plan): Plan {
  const random = createRandom(mix(plan.seed, 84));
  const isDrawn = random.chance(0.3);
  const drawn = random.pick<Partial<Mishap>>([
    { values: 'long', changes: 'without stamps' },
    // A hold that ends too early is over after two walks, and a third publishes the mistake.
    { values: 'of ids with blanks', changes: 'with stamps', forMs: 240_000 },
    { changes: 'most become true' },
    { changes: 'all become true' },
    { changes: 'all become true without stamps' },
  ]);
  const { mishap } = plan;
  if (!isDrawn || mishap === undefined) return plan;
  const { fromMs } = mishap;
  const otherwise: Mishap = { kind: 'answered otherwise', fromMs, forMs: 120_000, ...drawn };
  // A walk whose requests fail narrows its range, and publishes the first twenty groups of it.
  const { faultRate, latencyMs, ...steady } = plan.knobs;
  // In the pieces of a list without order, what is left of the mistake may still be most of one.
  const knobs = drawn.values === 'of ids with blanks' ? withLongPages(withStableOrder(steady)) : steady;
  return { ...plan, activeMs: 600_000, knobs, mishap: otherwise };
}

/** The configured address changes for some time, to the same service or to another store. */
export function movedAddress(plan: Plan, random: Random): Plan {
  const moved = suspicious(plan, random);
  const kind = random.pick(ADDRESS_MISHAPS);
  return { ...moved, mishap: { kind, fromMs: random.below(60_000), forMs: 120_000 } };
}
