// Draws the plan of a seed. Each behaviour is drawn by itself, and any of them may come together. To test more behaviours,
// add values here; coverage.ts demands that each of them occurs.
import { FAILING_WAYS, type Knobs, ORDERS } from '../../local/reference-service/knobs.ts';
import { createRandom, mix, type Random } from '../../local/reference-service/store/seeded-random.ts';
import {
  fewFail,
  fewUnreadable,
  TRUE_FAULTS,
  withCircumstances,
  withMoreGroups,
} from './draw-circumstances.ts';
import { drawStrangeKnobs, drawStrangeTurns, strangely } from './draw-strange.ts';
import {
  type Bulk,
  type FaultRates,
  MISHAPS,
  NO_FAULTS,
  OPERATIONS,
  OUTAGES,
  type Period,
  type Plan,
  type Profile,
  type SimulatedSettings,
  type Turn,
} from './plan.ts';

const MINUTE_MS = 60_000;
/** Most ticks of a run, whose cost they are. */
const MOST_TICKS = 45;
const LEAST_WITH_MISHAP = 8 * MINUTE_MS;
/** Guards hold more than twenty removals: a mishap has more groups. */
const GROUPS_OF_MISHAP = 45;

/** Returns the plan of a seed and a profile. Pure. */
export function drawPlan(seed: number, profile: Profile): Plan {
  const random = createRandom(mix(seed, profile === 'plausible' ? 77 : 78));
  const isStrange = profile === 'strange';
  const settings = drawSettings(random);
  const drawnMs = drawTime(random, settings.intervalMs);
  const hasMishap = random.chance(0.18);
  // It begins after the baseline.
  const activeMs = hasMishap ? Math.max(LEAST_WITH_MISHAP, drawnMs) : drawnMs;
  const ticks = activeMs / settings.intervalMs;
  const groups = drawGroups(random) + (hasMishap ? GROUPS_OF_MISHAP : 0);
  const bulks = drawBulks(random, activeMs);
  const plausible = drawKnobs(random, settings, bulks);
  const knobs = isStrange ? drawStrangeKnobs(random, plausible, settings) : plausible;
  const turns = drawTurns(random, activeMs, groups, knobs).map(({ knobs, ...turn }) => ({
    ...turn,
    knobs: divisible(knobs, bulks),
  }));
  const sources = random.chance(0.06) ? 2 : 1;
  const plan: Plan = {
    ...{ seed, profile, groups, activeMs, knobs, settings, bulks, sources },
    changesPerSecond: ((8 + random.below(40)) * 1_000) / activeMs,
    handsPerMinute: random.chance(0.5) ? ((2 + random.below(6)) * MINUTE_MS) / activeMs : 0,
    rareValues: random.chance(0.08) || undefined,
    tickMs: withRequests(random.pick([20_000, 50_000, 50_000]), settings),
    faults: drawFaults(random, ticks),
    clockSkewMs: random.pick([0, 500, 1_000]),
    warm: random.pick([1, 1, 0.9, 0.5, 0]),
    endsOverdue: random.chance(0.6),
    outages: drawOutages(random, activeMs),
    turns: isStrange ? [...turns, ...drawStrangeTurns(random, activeMs, knobs)] : turns,
    operations: drawOperations(random, activeMs),
    mishap: hasMishap
      ? { kind: random.pick(MISHAPS[profile]), ...drawPeriod(random, activeMs * 0.6, [120_000, 400_000]) }
      : undefined,
    secret: random.chance(0.03)
      ? { kind: random.pick(['deleted', 'malformed']), ...drawPeriod(random, activeMs, [60_000, 600_000]) }
      : undefined,
    tooLarge: random.chance(0.06) ? drawPeriod(random, activeMs, [240_000, 600_000]) : undefined,
    rotationMs: random.chance(0.08) ? random.below(activeMs) : undefined,
    sweepMs: random.chance(0.2) ? random.below(activeMs) : undefined,
    stops: random.chance(0.1) ? random.pick([0.1, 0.4]) : undefined,
  };
  return withQuickTicks(
    isStrange
      ? strangely(plan, random)
      : withCircumstances(atItsLimits(withNight(withKnownStore(plan), random))),
  );
}

/** Some plans have quick ticks: they are for sources that are polled once a minute, and walked once an hour. */
function withQuickTicks(plan: Plan): Plan {
  const random = createRandom(mix(plan.seed, 81));
  if (!random.chance(0.2)) return plan;
  const requestsPerMinute = Math.max(60 * plan.sources, plan.settings.requestsPerMinute);
  const reconcileMs = random.pick([plan.settings.reconcileMs, 600_000, 3_600_000]);
  // A report in each minute is news.
  const sourceRead = plan.settings.sourceRead && random.chance(0.2);
  const settings = { ...plan.settings, intervalMs: MINUTE_MS, requestsPerMinute, reconcileMs, sourceRead };
  // Most of its time such a source is at rest.
  const longer = random.pick([1, 2]);
  return {
    ...{ ...plan, settings, isQuick: true, activeMs: longer * plan.activeMs },
    changesPerSecond: plan.changesPerSecond / longer / random.pick([1, 4, 10]),
  };
}

/** Ticks are as long as in the product where shorter ones would have too few requests to get anywhere. */
function withRequests(tickMs: number, { requestsPerMinute }: SimulatedSettings): number {
  return requestsPerMinute < 120 ? 50_000 : tickMs;
}

/** A source that was restored has read nothing yet: no store looks like another one to it. */
function withKnownStore(plan: Plan): Plan {
  if (plan.mishap === undefined) return plan;
  return { ...plan, operations: plan.operations.filter(({ what }) => what !== 'restore') };
}

/** In some plans changes show as late, and reads are as stale, as the settings allow, both at once. */
function atItsLimits(plan: Plan): Plan {
  if (!createRandom(mix(plan.seed, 80)).chance(0.04)) return plan;
  const [lookbackMs, settleMs] = [120_000, 60_000];
  return {
    ...plan,
    settings: { ...plan.settings, lookbackMs, settleMs },
    knobs: {
      ...plan.knobs,
      lateSeconds: { least: (0.8 * lookbackMs) / 1_000, most: (0.95 * lookbackMs) / 1_000 },
      ...{ staleShare: 0.5, staleSeconds: (0.95 * settleMs) / 1_000 },
    },
  };
}

const NIGHT_MS = 5 * 3_600_000;

/** Adds a night to some plans, in which few changes are made besides. */
function withNight(plan: Plan, random: Random): Plan {
  const isDrawn = random.chance(0.04);
  const fromMs = Math.floor(plan.activeMs * (0.5 + 0.3 * random.fraction()));
  if (!isDrawn) return plan;
  return {
    ...withMoreGroups(plan, plan.groups + GROUPS_OF_MISHAP),
    activeMs: plan.activeMs + NIGHT_MS,
    changesPerSecond: plan.changesPerSecond * 0.1,
    handsPerMinute: plan.handsPerMinute * 0.1,
    night: { fromMs, forMs: NIGHT_MS },
  };
}

function drawSettings(random: Random): SimulatedSettings {
  const settleMs = random.pick([2, 5, 15, 60]) * 1_000;
  const lookbacks = [5, 15, 30, 60, 300].map((seconds) => seconds * 1_000);
  return {
    intervalMs: random.pick([5, 15, 30, 60, 60]) * 1_000,
    baseline: random.pick(['silent', 'emit']),
    lookbackMs: random.pick(lookbacks.filter((lookbackMs) => lookbackMs >= 2 * settleMs)),
    settleMs,
    reconcileMs: random.pick([60, 120, 600, 600]) * 1_000,
    requestsPerMinute: random.pick([60, 120, 240, 240]),
    customerData: random.chance(0.15),
    sourceRead: !random.chance(0.1),
    requestTimeoutMs: random.pick([2_000, 10_000, 10_000]),
  };
}

function drawTime(random: Random, intervalMs: number): number {
  const ticks = 8 + random.below(MOST_TICKS - 8);
  return Math.max(3 * MINUTE_MS, Math.min(25 * MINUTE_MS, intervalMs * ticks));
}

function drawGroups(random: Random): number {
  return random.pick([0, 1, 3, 6, 12, 12, 25, 25, 60, 110]);
}

function drawPeriod(random: Random, activeMs: number, lengths: readonly number[]): Period {
  return { fromMs: random.below(activeMs), forMs: random.pick(lengths) };
}

/** Far more groups than a page in one second. */
const MANY_AT_ONCE = 120;

/** Bulk updates, nightly jobs and imports: hundreds of rows in one second. */
function drawBulks(random: Random, activeMs: number): Bulk[] {
  if (!random.chance(0.15)) return [];
  return Array.from({ length: 1 + random.below(2) }, () => {
    const what = random.pick(['update', 'update', 'unstamped update', 'import'] as const);
    const atMs = random.below(activeMs);
    const groups = random.pick([15, 40, 120]);
    return { what, atMs, groups: what === 'import' ? Math.max(MANY_AT_ONCE, groups) : groups };
  });
}

/** Whether each request for equal stamps gets another order, so that offsets can't divide them. */
function isWithoutOrder({ order, ties }: Partial<Knobs>): boolean {
  return ties === 'unstable' || order === 'random' || order === 'shuffled' || order === 'heap';
}

function drawKnobs(random: Random, settings: SimulatedSettings, bulks: readonly Bulk[]): Partial<Knobs> {
  const knobs: Partial<Knobs> = {};
  const maybe = <Name extends keyof Knobs>(name: Name, share: number, draw: () => Knobs[Name]) => {
    // Always drawn, so that other draws do not depend on it.
    const isTurned = random.chance(share);
    const value = draw();
    if (isTurned) knobs[name] = value;
  };
  const isOften = random.chance(0.3);
  maybe('order', 0.7, () => random.pick(ORDERS));
  maybe('ties', 0.2, () => 'unstable');
  maybe('limitMax', 0.6, () => random.pick([10, 11, 13, 20, 50]));
  maybe('limitOver', 0.25, () => 'refuse');
  maybe('offsetMax', 0.1, () => random.pick([10, 25, 60]));
  maybe('bounds', 0.5, () => random.pick(['exclusive', 'half-open']));
  maybe('stampPrecision', 0.4, () => random.pick(['ms', 's']));
  maybe('stampForm', 0.4, () => random.pick(['Z', '+05:30', '-08:00', 'none']));
  // The normal case on SQL: changes of parts do not move the group's stamp.
  maybe('touches', 0.5, () =>
    random.pick([
      ['return_group'],
      ['return_group', 'return_line_item'],
      ['return_group', 'shipment'],
      ['return_group', 'return_line_item', 'exchange_line_item', 'refund_transaction'],
      [],
    ]),
  );
  maybe('lateSeconds', 0.3, () => ({
    least: 0,
    most: (settings.lookbackMs / 1_000) * random.pick([0.2, 0.5, 0.95]),
  }));
  maybe('staleShare', 0.3, () => random.pick([0.1, 0.5]));
  maybe('staleSeconds', 1, () => (settings.settleMs / 1_000) * random.pick([0.2, 0.5, 0.95]));
  maybe('removals', 0.4, () => random.pick([0.1, 0.4]));
  maybe('unlistedStatuses', 0.15, () => 0.2);
  maybe('newFields', 0.1, () => true);
  maybe('omissions', 0.2, () => random.pick(['samples', 'all']));
  maybe('unreadableEvery', 0.1, () => 3 + random.below(20));
  maybe('badToken', 0.4, () => random.pick(['403', '404', '500', 'html']));
  maybe('rateLimit', 0.15, () => random.pick([60, 120, 0]));
  maybe('retryAfter', 0.3, () => random.pick(['date', 'none']));
  maybe('latencyMs', 0.3, () => ({ least: 5, most: 5 + random.below(800) }));
  maybe('faultRate', 0.25, () => random.pick([0.02, 0.1]));
  maybe('faultKinds', 1, () => (isOften ? [random.pick(TRUE_FAULTS)] : TRUE_FAULTS));
  return withinWindow(divisible(knobs, bulks));
}

/**
 * Rows that are equal on both axes can be divided only by offset: in a list with an order, without a window. Others are
 * strange.
 */
function divisible(knobs: Partial<Knobs>, bulks: readonly Bulk[]): Partial<Knobs> {
  if (!bulks.some(({ what }) => what === 'import')) return knobs;
  const { offsetMax, ties, ...others } = knobs;
  return isWithoutOrder(others) ? { ...others, order: 'id:asc' } : others;
}

/** A page is no longer than the window of its list. */
function withinWindow(knobs: Partial<Knobs>): Partial<Knobs> {
  const { offsetMax, limitMax = offsetMax } = knobs;
  if (offsetMax === undefined || limitMax === undefined) return knobs;
  return { ...knobs, limitMax: Math.min(limitMax, offsetMax) };
}

/** Changes of the service's behaviour in the middle, most of them for a while. */
function drawTurns(random: Random, activeMs: number, groups: number, planned: Partial<Knobs>): Turn[] {
  const drawn: readonly (readonly [number, Partial<Knobs>])[] = [
    [0.12, { failingEvery: fewFail(groups), failingAs: random.pick(FAILING_WAYS) }],
    [0.1, { faultRate: random.pick([0.1, 0.5, 0.9]) }],
    [0.05, { limitMax: Math.min(random.pick([10, 13, 50]), planned.offsetMax ?? Infinity) }],
    [0.05, { order: random.pick(ORDERS) }],
    [0.05, { stampForm: random.pick(['Z', '+00:00', '+05:30']) }],
    [0.05, { newFields: planned.newFields !== true }],
    [0.05, { touches: planned.touches === undefined ? ['return_group'] : PARTS_OF_GROUP }],
    [0.05, { unreadableEvery: fewUnreadable(groups, 2 + random.below(6)) }],
  ];
  return drawn.flatMap(([share, knobs]) => {
    const isDrawn = random.chance(share);
    const atMs = random.below(activeMs);
    // Faults of many requests end; a row may fail for ever.
    const lasts = 'faultRate' in knobs ? [] : [undefined];
    const forMs = random.pick([45_000, 240_000, 900_000, ...lasts]);
    return isDrawn ? [{ atMs, knobs, ...(forMs === undefined ? {} : { forMs }) }] : [];
  });
}

const PARTS_OF_GROUP = ['return_group', 'return_line_item', 'shipment'] as const;

function drawFaults(random: Random, ticks: number): FaultRates {
  if (random.chance(0.15)) return NO_FAULTS;
  const rate = (share: number, ...rates: number[]) => {
    const isOn = random.chance(share);
    const drawn = random.pick(rates);
    return isOn ? drawn : 0;
  };
  // A lost tick of few is as much as several of many.
  const often = Math.min(1, ticks / 20);
  return {
    crash: rate(0.6, 0.002, 0.01, 0.03),
    fail: rate(0.5, 0.005, 0.02),
    lost: rate(0.5, 0.005, 0.03),
    twice: rate(0.3, 0.01, 0.05),
    slow: rate(0.3, 0.005, 0.02),
    freeze: rate(0.3, 0.002, 0.01),
    clockJump: 0,
    partial: rate(0.4, 0.1, 0.5),
    tickLost: rate(0.3, 0.05, 0.3 * often),
    tickDoubled: rate(0.3, 0.1, 0.3),
    tickLate: rate(0.3, 0.1, 0.3),
    recordLost: rate(0.3, 0.02, 0.2),
    recordDoubled: rate(0.3, 0.1),
    recordLate: rate(0.3, 0.1, 0.3),
    entryFailed: rate(0.4, 0.02, 0.2),
    entryRefused: rate(0.2, 0.005, 0.05),
  };
}

/** Sometimes longer than an outage may stay unreported. */
function drawOutages(random: Random, activeMs: number): Plan['outages'] {
  if (!random.chance(0.12)) return [];
  return Array.from({ length: 1 + random.below(2) }, () => ({
    kind: random.pick(OUTAGES),
    ...drawPeriod(random, activeMs, [20_000, 120_000, 900_000]),
  }));
}

function drawOperations(random: Random, activeMs: number): Plan['operations'] {
  if (!random.chance(0.08)) return [];
  const drawn = Array.from({ length: 1 + random.below(2) }, () => ({
    what: random.pick(OPERATIONS),
    atMs: random.below(activeMs),
  }));
  return drawn.sort((one, other) => one.atMs - other.atMs);
}
