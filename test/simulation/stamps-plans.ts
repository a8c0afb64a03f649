// Plans in which stamps, or the filters by them, name another zone or fall back.
import type { Knobs } from '../../local/reference-service/knobs.ts';
import type { Random } from '../../local/reference-service/store/seeded-random.ts';
import type { LastingFault } from './lasting-fault.ts';
import type { Plan } from './plan.ts';
import { atMost, withoutRemovals, withStableOrder, withSteadyLimits } from './plan-limits.ts';

/**
 * Groups are created by a clock in another zone than that of all other stamps, and nothing but polls finds changes
 * soon.
 */
export function createdElsewhere(plan: Plan, random: Random): Plan {
  const {
    absurdEvery,
    absurdStamps,
    limitMax = 250,
    ...knobs
  } = withSteadyLimits(withStableOrder(plan.knobs));
  const [createdForm, stampForm] = random.pick<readonly [string, string]>([
    ['none', 'none:-05:00'],
    ['none:+05:30', 'none'],
    ['Z', 'none:-05:00'],
    ['none:-05:00', 'none:+02:00'],
  ]);
  return {
    ...plan,
    groups: 20 + random.below(20),
    activeMs: 480_000,
    changesPerSecond: 0.2,
    outage: undefined,
    tickMs: 50_000,
    knobs: { ...knobs, stampForm, createdForm, limitMax: Math.max(20, limitMax) },
    settings: { ...plan.settings, intervalMs: 15_000, requestsPerMinute: 240 },
  };
}

/** A store that is too large to be walked at each poll. */
function largeStore(plan: Plan, random: Random): Plan {
  return {
    ...plan,
    groups: 110 + random.below(40),
    changesPerSecond: 0.3,
    crowds: false,
    outage: undefined,
    rotationMs: undefined,
    sources: 1,
    tickMs: 50_000,
    warm: Math.max(0.5, plan.warm),
    // In runs this short, too few ticks would end.
    faults: { ...plan.faults, ...atMost(0.001, plan.faults), tickLost: 0, clockJump: 0, freeze: 0, crash: 0 },
    settings: {
      ...plan.settings,
      settleMs: Math.min(plan.settings.settleMs, 15_000),
      intervalMs: random.pick([10_000, 15_000]),
      reconcileMs: 60_000,
      requestsPerMinute: 240,
    },
  };
}

/** Stamps fall back in the middle, in a store that is too large to be walked at each poll. */
export function fallenStamps(plan: Plan, random: Random): Plan {
  const { unreadableEvery, staleShare, faultRate, ...knobs } = withSteadyLimits(
    withStableOrder(withoutRemovals(plan.knobs)),
  );
  const { absurdEvery, absurdStamps, touches, date, dateSkewSeconds, ...known } = knobs;
  const ahead = 900 + random.below(3_000);
  const [before, after] = random.pick<readonly [Partial<Knobs>, Partial<Knobs>]>([
    [{ stampForm: 'Z', stampsAheadSeconds: ahead }, { stampsAheadSeconds: 0 }],
    [{ stampForm: 'none', stampsAheadSeconds: ahead }, { stampsAheadSeconds: 0 }],
    [{ stampForm: 'none:+02:00' }, { stampForm: 'none:+01:00' }],
    [{ stampForm: 'none:+02:00' }, { stampForm: 'none:-05:00' }],
    [{ stampForm: 'none:+05:30' }, { stampForm: 'Z' }],
  ]);
  const large = largeStore(plan, random);
  return {
    ...large,
    activeMs: 480_000,
    knobs: { ...known, ...before, limitMax: 10 },
    settings: { ...large.settings, lookbackMs: Math.min(plan.settings.lookbackMs, 30_000) },
    turns: [{ atMs: 120_000 + random.below(60_000), knobs: after }],
  };
}

/** In hours: a little more than the width of the list that shows whether polls are blind. */
const SHORTEST_SKEW = 0.04;

const LOOK_UPS_FAIL: LastingFault = {
  shape: { kind: 'parameter', name: 'return_group_id' },
  what: 'empty',
  fromMs: 0,
};

/** The service reads filters in another zone for a while, in a store that is too large to be walked at each poll. */
export function blinded(plan: Plan, random: Random): Plan {
  const { unreadableEvery, staleShare, faultRate, ...knobs } = withSteadyLimits(
    withStableOrder(withoutRemovals(plan.knobs)),
  );
  const groupsAreRemoved = random.chance(0.4);
  const lookUpsFail = !groupsAreRemoved && random.chance(0.5);
  // Polls settle stamps later if these don't name their zone, or if Date is behind or missing: then walks find the
  // changes first.
  const { absurdEvery, absurdStamps, touches, createdForm, date, dateSkewSeconds, ...others } = knobs;
  // A walk must fit into a tick. And a list by update would seem to have no order: then polls are walks.
  const { offsetMax, offsetOver, latencyMs, order = 'id:asc', ...known } = others;
  const stampForm = random.pick(['Z', '+05:30']);
  // With SHORTEST_SKEW: once walks have found something, the settled instant is further back than the filters' skew.
  const filterSkewSeconds = random.pick([-5, 2, 5.5, SHORTEST_SKEW]) * 3_600;
  const hasLongCycles = filterSkewSeconds === SHORTEST_SKEW * 3_600;
  const large = largeStore(plan, random);
  return {
    ...large,
    // A tick that fails loses what its walk has learned, and with long cycles a run has only four walks.
    faults: { ...large.faults, ...(hasLongCycles && atMost(0.0003, large.faults)) },
    ...(lookUpsFail && { lasting: LOOK_UPS_FAIL }),
    activeMs: 900_000,
    knobs: {
      ...known,
      ...(groupsAreRemoved && { groupRemovals: 0.1 }),
      ...{ stampForm, limitMax: 10, order: order.startsWith('updated_at') ? 'id:asc' : order },
    },
    settings: {
      ...large.settings,
      lookbackMs: Math.min(plan.settings.lookbackMs, 15_000),
      reconcileMs: hasLongCycles ? 180_000 : 60_000,
    },
    turns: [{ atMs: 60_000 + random.below(30_000), knobs: { filterSkewSeconds }, forMs: 780_000 }],
  };
}
