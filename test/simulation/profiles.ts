// What a seed may draw. A profile is what the product is held to: `polls` leaves out what only reconciliation and
// guards can find, `everything` leaves out nothing. Widening what is proved is adding values here.
import type { Knobs } from '../../local/reference-service/knobs.ts';
import { ORDERS } from '../../local/reference-service/store/orders.ts';
import { createRandom, mix, type Random } from '../../local/reference-service/store/seeded-random.ts';
import { type FaultRates, NO_FAULTS, type Outage, type Plan, type SimulatedSettings } from './plan.ts';

export const PROFILES = ['polls', 'everything'] as const;
export type Profile = (typeof PROFILES)[number];

/** The plan of a seed. Pure: the same seed and profile always make the same. */
export function makePlan(seed: number, profile: Profile): Plan {
  return withRoom(withoutWhatIsNotPromised(drawPlan(seed, profile)));
}

/** Takes back what the feed does not promise; docs/guarantees.md, "Where they end". */
function withoutWhatIsNotPromised(plan: Plan): Plan {
  const knobs = { ...plan.knobs };
  // Without any Date the clocks of several machines are compared with each other.
  const clocks = knobs.date === 'missing' ? { clockSkewMs: 0, faults: { ...plan.faults, clockJump: 0 } } : {};
  // Where Date runs ahead of the stamps, rows that are stamped ahead move their clock, and the feed's start with it.
  const isDateAhead = (knobs.dateSkewSeconds ?? 0) > 0 || knobs.stampForm?.startsWith('none:-') === true;
  if (isDateAhead && (!plan.reconciles || plan.settings.baseline === 'silent')) delete knobs.absurdEvery;
  // A page that is cut before one large row looks short to a poll.
  const crowds = plan.crowds && (plan.reconciles || knobs.pageBytes === undefined);
  return { ...plan, knobs, crowds, ...clocks };
}

/** Where a page is a row or two, everything takes many requests: a budget too small for them proves nothing. */
function withRoom(plan: Plan): Plan {
  const { limitMax = 250, pageBytes = 0, order } = plan.knobs;
  if (limitMax >= 10 && pageBytes !== 1 && order !== 'random') return plan;
  const knobs = { ...plan.knobs };
  delete knobs.rateLimit;
  return { ...plan, knobs, tickMs: 50_000, settings: { ...plan.settings, requestsPerMinute: 240 } };
}

function drawPlan(seed: number, profile: Profile): Plan {
  const random = createRandom(mix(seed, 77));
  const settings = drawSettings(random, profile);
  const knobs = drawKnobs(random, settings, profile);
  const intervals = 4 + random.below(9);
  const outage = random.chance(0.08) ? drawOutage(random, settings) : undefined;
  const activeMs = Math.max(
    60_000,
    Math.min(600_000, settings.intervalMs * intervals),
    outage === undefined ? 0 : outage.fromMs + outage.forMs,
  );
  const changes = 8 + random.below(30);
  const plan: Plan = {
    seed,
    groups: drawGroups(random, knobs),
    activeMs,
    changesPerSecond: (changes * 1_000) / activeMs,
    handsPerMinute: random.chance(0.5) ? (60_000 * (2 + random.below(6))) / activeMs : 0,
    crowds: true,
    knobs,
    settings,
    sources: random.chance(0.08) ? 2 : 1,
    tickMs: random.pick([20_000, 50_000, 50_000]),
    faults: drawFaults(random),
    clockSkewMs: random.pick([0, 2_000, 60_000, 3_600_000]),
    warm: random.pick([1, 0.9, 0.9, 0.5, 0]),
    endsOverdue: random.chance(0.6),
    reconciles: profile === 'everything',
    ...(outage === undefined ? {} : { outage }),
    ...(random.chance(0.05) ? { rotationMs: random.below(activeMs) } : {}),
    ...(random.chance(0.2) ? { sweepMs: random.below(activeMs) } : {}),
  };
  if (profile === 'polls') return random.chance(0.1) ? bustling(plan, random) : plan;
  return random.chance(0.015) ? vast(plan, random) : plan;
}

/** Too large, for its pages and its budget, to be walked as a whole in each cycle. */
function vast(plan: Plan, random: Random): Plan {
  const { pageBytes, ...knobs } = plan.knobs;
  return {
    ...plan,
    groups: 25 + random.below(10),
    activeMs: 240_000,
    changesPerSecond: 0.08,
    crowds: false,
    knobs: { ...withStableOrder(knobs), limitMax: 1 },
    settings: { ...plan.settings, reconcileMs: 30_000, intervalMs: 30_000 },
  };
}

function withStableOrder({ order, ...knobs }: Partial<Knobs>): Partial<Knobs> {
  const isStable = order !== undefined && order !== 'random' && order !== 'shuffled' && order !== 'heap';
  return isStable ? { ...knobs, order } : knobs;
}

/** Much changes while it is read page after page, and little of it is read again. */
function bustling(plan: Plan, random: Random): Plan {
  // How late and how stale things may show follows from the lookback.
  const { lateSeconds, staleShare, ...knobs } = plan.knobs;
  return {
    ...plan,
    groups: 25 + random.below(15),
    activeMs: 90_000,
    changesPerSecond: 1.5,
    knobs: {
      ...withStableOrder(knobs),
      limitMax: 10,
      latencyMs: { least: 100, most: 900 },
    },
    settings: { ...plan.settings, lookbackMs: 5_000, intervalMs: random.pick([10_000, 15_000, 30_000]) },
  };
}

/** Seconds; no run lasts as long. */
const NEVER = 1_000_000;

function drawSettings(random: Random, profile: Profile): SimulatedSettings {
  return {
    intervalMs: random.pick([5, 10, 10, 15, 30, 60]) * 1_000,
    baseline: random.pick(['silent', 'emit']),
    lookbackMs: random.pick([5, 15, 30, 60, 300]) * 1_000,
    settleMs: random.pick([2, 5, 15, 60]) * 1_000,
    reconcileMs: (profile === 'polls' ? NEVER : random.pick([30, 60, 120])) * 1_000,
    requestsPerMinute: random.pick([60, 120, 240, 240]),
    customerData: random.chance(0.15),
    requestTimeoutMs: random.pick([2_000, 10_000, 10_000]),
  };
}

/** Few groups, for a run must be short; the fewer the smaller the pages are or the less the order holds still. */
function drawGroups(random: Random, { order, limitMax = 250, pageBytes = 0 }: Partial<Knobs>): number {
  const isRestless = order === 'random' || order === 'shuffled' || order === 'heap';
  if (limitMax < 4 || pageBytes === 1) return 2 + random.below(2);
  if (isRestless || limitMax < 10) return 2 + random.below(7);
  return random.chance(0.12) ? 12 + random.below(16) : 2 + random.below(7);
}

const EMPTY_ARRAYS = ['null-if-empty', 'absent-if-empty'] as const;

function drawKnobs(random: Random, settings: SimulatedSettings, profile: Profile): Partial<Knobs> {
  const knobs: Partial<Knobs> = {};
  const maybe = <Name extends keyof Knobs>(name: Name, share: number, draw: () => Knobs[Name]) => {
    // Drawn in any case, so that one knob more does not change all others.
    const isTurned = random.chance(share);
    const value = draw();
    if (isTurned) knobs[name] = value;
  };
  // Polls are only promised with pages of ten rows and more.
  const isNarrow = random.chance(profile === 'polls' ? 0 : 0.15);
  maybe('order', 0.6, () => random.pick(ORDERS));
  maybe('ties', 0.2, () => 'unstable');
  maybe('limitMax', 0.6, () => random.pick(isNarrow ? [1, 2, 3, 5, 9] : [10, 11, 13, 20, 50]));
  maybe('limitOver', 0.25, () => 'refuse');
  maybe('limitDefault', 0.2, () => 1 + random.below(3));
  maybe('limitChanges', isNarrow ? 0 : 0.15, () => `${20 + random.below(60)}:${10 + random.below(30)}`);
  maybe('pageBytes', 0.1, () => random.pick([...(isNarrow ? [1] : []), 65_536, 90_000]));
  maybe('lowerBound', 0.3, () => 'exclusive');
  maybe('upperBound', 0.3, () => 'exclusive');
  maybe('stampPrecision', 0.4, () => random.pick(['ms', 's']));
  maybe('stampForm', 0.4, () => random.pick(['Z', '+05:30', '-08:00', 'none', 'none:+02:00', 'none:-05:00']));
  maybe('compares', 0.3, () => 'shown');
  maybe('lateSeconds', 0.3, () => ({ least: 0, most: (settings.lookbackMs / 1_000) * random.fraction() }));
  maybe('lateShare', 0.5, () => 0.2);
  maybe('staleShare', 0.3, () => random.pick([0.1, 0.5]));
  maybe(
    'staleSeconds',
    1,
    () => (Math.min(settings.settleMs, settings.lookbackMs) / 1_000) * random.fraction(),
  );
  maybe('bulkSize', 0.15, () => 2 + random.below(8));
  maybe('removals', 0.15, () => 0.05);
  maybe('groupRemovals', 0.15, () => random.pick([0.05, 0.2]));
  maybe('reappearances', knobs.groupRemovals === undefined ? 0 : 0.6, () => random.pick([0.05, 0.2]));
  maybe('unlistedStatuses', 0.15, () => 0.2);
  maybe('newFields', 0.15, () => true);
  maybe('omissions', 0.35, () => random.pick(['samples', 'all']));
  maybe('lineItemType', 0.2, () => random.pick(['return', 'absent']));
  maybe('arrays', 0.25, () => random.pick(profile === 'polls' ? EMPTY_ARRAYS : [...EMPTY_ARRAYS, 'flicker']));
  maybe('nulls', 0.25, () => random.pick(['absent', 'flicker']));
  maybe('childOrder', 0.25, () => 'shuffled');
  maybe('unreadableEvery', 0.1, () => 3 + random.below(8));
  maybe('pauseSeconds', 0.2, () => random.below(20));
  maybe('badToken', 0.4, () => random.pick(['403', '404', '500', 'html']));
  maybe('rateLimit', 0.2, () => random.pick([20, 60, 0]));
  maybe('rateBody', 0.3, () => random.pick(['text', 'html', 'empty']));
  maybe('retryAfter', 0.3, () => random.pick(['date', 'none']));
  maybe('date', 0.08, () => 'missing');
  maybe('dateSkewSeconds', 0.2, () => Math.round((random.fraction() - 0.5) * 4_000));
  maybe('latencyMs', 0.3, () => ({ least: 5, most: 5 + random.below(800) }));
  maybe('faultRate', 0.4, () => random.pick([0.02, 0.1, 0.3]));
  maybe('slowSeconds', 0.5, () => 1 + random.below(12));
  maybe('absurdEvery', 0.1, () => (profile === 'polls' ? 17 : 2) + random.below(6));
  maybe('absurdStamps', 1, () => 'ahead');
  return profile === 'polls' ? knobs : drawBeyondPolls(random, knobs);
}

/** What polls alone can't find, or what needs guards. */
function drawBeyondPolls(random: Random, knobs: Partial<Knobs>): Partial<Knobs> {
  const touches = random.pick([['return_group'], ['return_group', 'return_line_item'], []] as const);
  const isLoose = random.chance(0.4);
  const every = 2 + random.below(6);
  if (random.chance(0.2)) {
    // The year 9999 is beyond whole numbers of microseconds, which sorting ties at random does not survive.
    return withKnownFields({ ...knobs, ties: 'stable', absurdEvery: every, absurdStamps: 'mixed' });
  }
  return isLoose ? withKnownFields({ ...knobs, touches }) : knobs;
}

/** A field, or an array, that the service has never sent is filled in without an event where no stamp moves. */
function withKnownFields(knobs: Partial<Knobs>): Partial<Knobs> {
  return { ...knobs, arrays: 'full', nulls: 'present' };
}

function drawFaults(random: Random): FaultRates {
  if (random.chance(0.15)) return NO_FAULTS;
  const rate = (share: number, ...rates: number[]) => {
    const isOn = random.chance(share);
    const drawn = random.pick(rates);
    return isOn ? drawn : 0;
  };
  return {
    crash: rate(0.6, 0.002, 0.01, 0.03),
    fail: rate(0.5, 0.005, 0.02),
    lost: rate(0.5, 0.005, 0.03),
    twice: rate(0.3, 0.01, 0.05),
    slow: rate(0.3, 0.005, 0.02),
    freeze: rate(0.4, 0.002, 0.01),
    clockJump: rate(0.2, 0.005, 0.02),
    partial: rate(0.4, 0.1, 0.5),
    tickLost: rate(0.3, 0.05, 0.3),
    tickDoubled: rate(0.3, 0.1, 0.3),
    tickLate: rate(0.3, 0.1, 0.3),
    recordLost: rate(0.3, 0.02, 0.2),
    recordDoubled: rate(0.3, 0.1),
    recordLate: rate(0.3, 0.1, 0.3),
    entryFailed: rate(0.4, 0.02, 0.2),
    entryRefused: rate(0.2, 0.005, 0.05),
  };
}

/** Now and then for so long that it has to be told. */
function drawOutage(random: Random, { intervalMs }: SimulatedSettings): Outage {
  return {
    kind: random.pick(['refused', 'unavailable', 'unreachable', 'hanging']),
    fromMs: random.below(60_000),
    forMs: random.pick([30_000, 120_000, intervalMs < 15_000 ? 120_000 : 540_000]),
  };
}
