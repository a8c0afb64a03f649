// What plans of `plausible` have besides: small budgets, pauses that the service does not time, clocks and zones behind
// the feed's, walks from a minute to 12 hours apart, returns that turn old, refused limits, lost routes, caches and copies
// that lag, and values of another shape. Each has random numbers of its own, so that the other draws do not depend on it,
// and any may come together.
import { FAULT_KINDS, LIMIT_OVER } from '../../local/reference-service/knobs.ts';
import { createRandom, mix, type Random } from '../../local/reference-service/store/seeded-random.ts';
import type { Period, Plan, Turn } from './plan.ts';

interface Circumstance {
  /** Of all plans. */
  readonly share: number;
  change(plan: Plan, random: Random): Plan;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Its random numbers are numbered from here. */
const FIRST_RANDOM = 81;

const CIRCUMSTANCES: readonly Circumstance[] = [
  { share: 0.07, change: withSmallBudget },
  { share: 0.07, change: withUntimedPauses },
  { share: 0.06, change: withClockBehind },
  { share: 0.05, change: withLocalTime },
  { share: 0.08, change: withRhythm },
  { share: 0.06, change: withAging },
  { share: 0.1, change: withRefusedLimit },
  { share: 0.06, change: withLostRoute },
  { share: 0.08, change: withCache },
  { share: 0.08, change: withLag },
  { share: 0.08, change: withConvertedValues },
  { share: 0.06, change: withNullStamps },
  { share: 0.06, change: withSomeNulls },
  { share: 0.08, change: withBrokenRows },
];

export function withCircumstances(plan: Plan): Plan {
  return CIRCUMSTANCES.reduce((drawn, { share, change }, place) => {
    const random = createRandom(mix(plan.seed, FIRST_RANDOM + place));
    return random.chance(share) ? change(drawn, random) : drawn;
  }, plan);
}

export const SMALL_BUDGETS = [20, 30] as const;

function withSmallBudget(plan: Plan, random: Random): Plan {
  return withBudget(plan, random.pick(SMALL_BUDGETS));
}

/** @param requestsPerMinute of each source */
function withBudget(plan: Plan, requestsPerMinute: number): Plan {
  // More frequent polls would leave a walk too few requests of the ticks that a run has.
  const intervalMs = Math.max(15_000, plan.settings.intervalMs);
  const settings = { ...plan.settings, intervalMs, requestsPerMinute: requestsPerMinute * plan.sources };
  // As long as in the product: shorter ticks would have too few requests to get anywhere.
  return { ...plan, settings, tickMs: 50_000 };
}

/** A service that refuses with 429 and does not say for how long. */
function withUntimedPauses(plan: Plan, random: Random): Plan {
  const isLimit = random.chance(0.5);
  const rateLimit = random.pick([60, 120]);
  const others = [random.pick(TRUE_FAULTS), random.pick(TRUE_FAULTS)];
  const knobs = isLimit
    ? ({ rateLimit, retryAfter: 'none' } as const)
    : ({ faultRate: 0.2, faultKinds: ['429', ...others] } as const);
  return { ...plan, knobs: { ...plan.knobs, ...knobs } };
}

/** Faults that leave the Date right. A 404 is drawn by itself. */
export const TRUE_FAULTS = FAULT_KINDS.filter((kind) => kind !== 'date-skewed' && kind !== '404');

/** A service that refuses large pages in its own way. */
function withRefusedLimit(plan: Plan, random: Random): Plan {
  const limitOver = random.pick(LIMIT_OVER.filter((word) => word !== 'clamp'));
  const limitMax = Math.min(random.pick([10, 20, 50, 100]), plan.knobs.offsetMax ?? Infinity);
  return { ...plan, knobs: { ...plan.knobs, limitOver, limitMax } };
}

/** One of several servers does not know the route, for hours or for a while. */
function withLostRoute(plan: Plan, random: Random): Plan {
  const faultKinds = ['404'] as const;
  const faultRate = random.pick([0.1, 0.5, 0.9]);
  if (faultRate === 0.1) return { ...plan, knobs: { ...plan.knobs, faultRate, faultKinds } };
  const atMs = random.below(plan.activeMs);
  const turn = { atMs, forMs: random.pick([45_000, 240_000, 900_000]), knobs: { faultRate, faultKinds } };
  return { ...plan, turns: [...plan.turns, turn] };
}

function withClockBehind(plan: Plan, random: Random): Plan {
  const clockBehindSeconds = random.pick([20, 90, 300, 720, 900]);
  return { ...plan, knobs: { ...plan.knobs, clockBehindSeconds } };
}

export const WESTERN_TIME = 'none:-05:00';

function withLocalTime(plan: Plan): Plan {
  // Stamps that jump by hours are strange.
  const turns = plan.turns.filter(({ knobs }) => knobs.stampForm === undefined);
  return { ...plan, turns, knobs: { ...plan.knobs, stampForm: WESTERN_TIME } };
}

/** Values of other types that mean the same: from the start, or from a release of the service on. */
function withConvertedValues(plan: Plan, random: Random): Plan {
  const knobs = { values: 'converted' } as const;
  if (random.chance(0.4)) return { ...plan, knobs: { ...plan.knobs, ...knobs } };
  const forMs = random.pick([240_000, undefined]);
  return withTurn(plan, { atMs: random.below(plan.activeMs), knobs, ...(forMs && { forMs }) });
}

function withNullStamps(plan: Plan): Plan {
  return { ...plan, knobs: { ...plan.knobs, nullStamps: 'never-updated' } };
}

/** Fields that are left out instead of null, beside others that are null. */
function withSomeNulls(plan: Plan): Plan {
  return { ...plan, knobs: { ...plan.knobs, omissions: 'some' } };
}

/** Fields and entities that can't be read, for a while or for ever. */
function withBrokenRows(plan: Plan, random: Random): Plan {
  const knobs = { brokenEvery: 2 + random.below(12) };
  const forMs = random.pick([120_000, 600_000, undefined]);
  return withTurn(plan, { atMs: random.below(plan.activeMs), knobs, ...(forMs && { forMs }) });
}

function withTurn(plan: Plan, turn: Turn): Plan {
  return { ...plan, turns: [...plan.turns, turn] };
}

export const RHYTHM_MINUTES = [1, 10, 60, 240, 360, 720] as const;
/** A run has so many walks where they are rare, and so many ticks for each. */
const WALKS = 2.5;
const TICKS_OF_WALK = 30;

function withRhythm(plan: Plan, random: Random): Plan {
  const reconcileMs = random.pick([...RHYTHM_MINUTES, 60]) * MINUTE_MS;
  const settings = { ...plan.settings, reconcileMs };
  if (reconcileMs < HOUR_MS || plan.night !== undefined) return { ...plan, settings };
  const intervalMs = Math.max(settings.intervalMs, reconcileMs / TICKS_OF_WALK);
  return stretched({ ...plan, settings: { ...settings, intervalMs } }, WALKS * reconcileMs);
}

/** Walks over recent groups alone need more groups than a tenth of their budget reads: minutes, and requests a minute. */
const RARELY_APART = [10, 20] as const;
const APART = [[1, 60], [1, 120], [2, 60], RARELY_APART, RARELY_APART] as const;
const GROUPS_APART = 190;
/** `older` groups are walked so often. */
const OLDER_MS = 12 * HOUR_MS;
const NEAR_MS = 20 * MINUTE_MS;

/** Returns turn old during the run, and old ones change without a stamp. In long runs around the second walk over these. */
function withAging(plan: Plan, random: Random): Plan {
  const drawn = random.pick(APART);
  const groups = GROUPS_APART + random.below(30);
  const isLong = random.chance(0.35) && plan.night === undefined && plan.activeMs < HOUR_MS;
  const [minutes, budget] = isLong ? RARELY_APART : drawn;
  const changes = 12 + random.below(14);
  const knobs = { ...plan.knobs, limitMax: 10 };
  const settings = { ...plan.settings, reconcileMs: minutes * MINUTE_MS };
  const apart = withBudget(withMoreGroups({ ...plan, knobs, settings }, groups), budget);
  if (!isLong) return aging(apart, { fromMs: 0, forMs: plan.activeMs }, changes);
  const activeMs = OLDER_MS + 2 * NEAR_MS;
  const intervalMs = Math.max(settings.intervalMs, MINUTE_MS);
  const fewer = (rate: number) => (rate * plan.activeMs) / activeMs;
  const long = {
    ...{ ...apart, activeMs, settings: { ...apart.settings, intervalMs } },
    changesPerSecond: fewer(plan.changesPerSecond),
    handsPerMinute: fewer(plan.handsPerMinute),
    // When it ends decides how far walks over recent groups are apart from the one over older groups.
    night: { fromMs: plan.activeMs, forMs: OLDER_MS - plan.activeMs - random.below(HOUR_MS), isQuiet: true },
  };
  return aging(long, { fromMs: OLDER_MS - NEAR_MS, forMs: 2 * NEAR_MS }, changes);
}

function aging(plan: Plan, { fromMs, forMs }: Period, changes: number): Plan {
  const agingSeconds = { least: fromMs / 1_000, most: (fromMs + forMs) / 1_000 };
  return { ...plan, knobs: { ...plan.knobs, agingSeconds }, oldChanges: { fromMs, forMs, changes } };
}

/** A cache before the service: its answers are minutes old, and say so. */
function withCache(plan: Plan, random: Random): Plan {
  const keptMs = random.pick([30_000, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS]);
  return { ...plan, cache: { keptMs, heedsNoCache: random.chance(0.5) } };
}

/** One of several replicas lags by minutes. */
function withLag(plan: Plan, random: Random): Plan {
  const fromMs = Math.floor(plan.activeMs * 0.3 * random.fraction());
  const behindMs = random.pick([90_000, 150_000, 5 * MINUTE_MS, 20 * MINUTE_MS]);
  return { ...plan, lag: { fromMs, forMs: plan.activeMs, behindMs, share: random.pick([0.2, 0.5]) } };
}

/** So few rows fail that a tick with few requests finds them. */
export function fewFail(groups: number): number {
  return Math.max(7, Math.ceil(groups * 0.7));
}

/** So few are unreadable that those without an id do not look removed, which makes a hold. */
export function fewUnreadable(groups: number, drawn: number): number {
  return Math.max(drawn, Math.ceil((groups + 120) / 40));
}

/** Adapts what depends on the number of groups. */
export function withMoreGroups(plan: Plan, groups: number): Plan {
  const turns = plan.turns.map(({ knobs, ...turn }) => ({
    ...turn,
    knobs: {
      ...knobs,
      ...(knobs.failingEvery === undefined ? {} : { failingEvery: fewFail(groups) }),
      ...(knobs.unreadableEvery === undefined
        ? {}
        : { unreadableEvery: fewUnreadable(groups, knobs.unreadableEvery) }),
    },
  }));
  return { ...plan, groups, turns };
}

/** Spreads everything that happens over another time. */
function stretched(plan: Plan, activeMs: number): Plan {
  const factor = activeMs / plan.activeMs;
  const at = <Event extends { readonly atMs: number }>(event: Event): Event => ({
    ...event,
    atMs: Math.round(event.atMs * factor),
  });
  const during = <Each extends Period>(period: Each): Each => ({
    ...period,
    fromMs: Math.round(period.fromMs * factor),
    forMs: Math.round(period.forMs * factor),
  });
  const { mishap, secret, tooLarge, rotationMs, sweepMs } = plan;
  return {
    ...plan,
    activeMs,
    changesPerSecond: plan.changesPerSecond / factor,
    handsPerMinute: plan.handsPerMinute / factor,
    outages: plan.outages.map(during),
    turns: plan.turns
      .map(at)
      .map((turn) => (turn.forMs === undefined ? turn : { ...turn, forMs: Math.round(turn.forMs * factor) })),
    bulks: plan.bulks.map(at),
    operations: plan.operations.map(at),
    mishap: mishap && during(mishap),
    secret: secret && during(secret),
    tooLarge: tooLarge && during(tooLarge),
    rotationMs: rotationMs === undefined ? undefined : Math.round(rotationMs * factor),
    sweepMs: sweepMs === undefined ? undefined : Math.round(sweepMs * factor),
  };
}
