// Plans for what ordinary ones never get to: stores that are large for their pages, polls that are longer than a page.
import type { Knobs } from '../../local/reference-service/knobs.ts';
import { FAULT_KINDS } from '../../local/reference-service/service/fault-kinds.ts';
import { mix, type Random } from '../../local/reference-service/store/seeded-random.ts';
import type { LastingFault } from './lasting-fault.ts';
import { ADDRESS_MISHAPS, MISHAP_NAMES, type MishapName } from './mishap-names.ts';
import type { FaultRates, Plan } from './plan.ts';

/** Too large, for its pages and its budget, to be walked as a whole in each cycle. */
export function vast(plan: Plan, random: Random): Plan {
  // With these its baseline alone would take all the time.
  const { pageBytes, faultRate, latencyMs, lateSeconds, staleShare, limitChanges, ...knobs } =
    withoutRemovals(plan.knobs);
  return {
    ...plan,
    groups: 25 + random.below(10),
    activeMs: 420_000,
    changesPerSecond: 0.06,
    crowds: false,
    outage: undefined,
    tickMs: 50_000,
    // What is called in these plans alone has to meet its faults here, and the rest to get through.
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

/** Of what ends a tick or a part of it: each range takes hundreds of calls, and one that was cut off begins anew. */
function atMost(most: number, faults: FaultRates): Partial<FaultRates> {
  const names = ['crash', 'fail', 'lost', 'slow', 'freeze'] as const;
  return Object.fromEntries(names.map((name) => [name, Math.min(faults[name], most)]));
}

function withStableOrder({ order, ...knobs }: Partial<Knobs>): Partial<Knobs> {
  const isStable = order !== undefined && order !== 'random' && order !== 'shuffled' && order !== 'heap';
  return isStable ? { ...knobs, order } : knobs;
}

/** Groups go, are told as removed, and come back. */
export function returning(plan: Plan, random: Random): Plan {
  // How stale reads may be follows from the settle.
  const { staleShare, pageBytes, ...knobs } = withStableOrder(plan.knobs);
  return {
    ...plan,
    groups: 8 + random.below(6),
    activeMs: 400_000,
    changesPerSecond: 0.1,
    outage: undefined,
    tickMs: 50_000,
    // A removal takes two walks that come to their end.
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
  // A doubt about the time takes hours to pass, and for ever is told to be over after minutes.
  const faultKinds = FAULT_KINDS.filter((kind) => kind !== 'date-skewed');
  const knobs = lasting.forMs === undefined ? { ...plan.knobs, faultKinds } : plan.knobs;
  return { ...plan, knobs, lasting, outage: undefined };
}

/** Groups go, no look-up ever says so, and several walks fall into one tick. */
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

const STORE_MISHAPS = MISHAP_NAMES.filter((name) => !ADDRESS_MISHAPS.some((other) => other === name));

/** Something happens that guards are there for, in a store that is large enough for it. */
export function suspicious(plan: Plan, random: Random): Plan {
  const { lateSeconds, staleShare, pageBytes, rateLimit, touches, ...known } = withoutRemovals(plan.knobs);
  // Of groups that nobody knows, or whose stamps say nothing, a guard can say nothing either.
  const { absurdEvery, absurdStamps, unreadableEvery, ...knobs } = known;
  // Ticks must be many, and get through, for what is held to be seen, released and told.
  const faults = { ...plan.faults, ...atMost(0.005, plan.faults) };
  const { stampForm, limitMax = 250, ...others } = withStableOrder(knobs);
  const isZoneTold = stampForm !== undefined && !stampForm.startsWith('none:');
  return {
    ...plan,
    groups: 40 + random.below(10),
    activeMs: 480_000,
    changesPerSecond: 0.05,
    outage: undefined,
    rotationMs: undefined,
    tickMs: 50_000,
    faults,
    knobs: { ...others, ...(isZoneTold ? { stampForm } : {}), limitMax: Math.max(20, limitMax) },
    settings: {
      ...plan.settings,
      reconcileMs: 30_000,
      intervalMs: 15_000,
      lookbackMs: Math.min(plan.settings.lookbackMs, 30_000),
      settleMs: Math.min(plan.settings.settleMs, 15_000),
      requestsPerMinute: 240,
    },
    mishap: {
      kind: STORE_MISHAPS[mix(plan.seed, 61) % STORE_MISHAPS.length] as MishapName,
      fromMs: random.below(60_000),
      forMs: random.pick([60_000, 120_000]),
    },
  };
}

function withoutRemovals({
  removals,
  groupRemovals,
  reappearances,
  ...knobs
}: Partial<Knobs>): Partial<Knobs> {
  return knobs;
}

/** The token is rotated under a process that lives on, and the service says of the old one whatever it likes. */
export function rotating(plan: Plan, random: Random): Plan {
  return {
    ...plan,
    outage: undefined,
    rotationMs: Math.floor(plan.activeMs * (0.3 + 0.4 * random.fraction())),
    warm: 1,
    faults: { ...plan.faults, ...atMost(0.001, plan.faults) },
    knobs: { ...plan.knobs, badToken: random.pick(['403', '404', '500', 'html']) },
  };
}

/** Each tick meets a process that knows nothing yet, and many of them share what may be asked for. */
export function newborn(plan: Plan): Plan {
  const { rateLimit, date, pageBytes, limitMax = 250, ...knobs } = withStableOrder(plan.knobs);
  return {
    ...plan,
    activeMs: 120_000,
    outage: undefined,
    sources: 2,
    warm: 0,
    knobs: {
      ...knobs,
      limitMax: Math.max(10, limitMax),
      faultRate: 0.2,
      faultKinds: ['date-skewed', 'date-missing'],
    },
    settings: { ...plan.settings, intervalMs: 5_000, reconcileMs: 30_000, requestsPerMinute: 60 },
  };
}

/** Of so many groups so many change, anywhere among them, that a poll is longer than what it reads at once. */
export function bustling(plan: Plan, random: Random): Plan {
  // How late and how stale things may show follows from the lookback.
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
    // What nobody polls in time changes again, and nobody sees that it was missed.
    faults: { ...plan.faults, ...atMost(0.001, plan.faults), tickLost: 0, tickLate: 0 },
    knobs: {
      ...withStableOrder(knobs),
      limitMax: 10,
      latencyMs: { least: 500, most: 1_500 },
    },
    settings: { ...plan.settings, lookbackMs: 5_000, intervalMs: 60_000, requestsPerMinute: 240 },
  };
}

/** Lists end at a window that is smaller than the store: a walk has to find out that there is more. */
export function windowed(plan: Plan, random: Random): Plan {
  const { pageBytes, rateLimit, limitChanges, limitMax: _, ...knobs } = plan.knobs;
  const limitMax = 5 + random.below(6);
  return {
    ...plan,
    groups: 30 + random.below(31),
    activeMs: 240_000,
    changesPerSecond: 0.1,
    outage: undefined,
    tickMs: 50_000,
    // Each range takes many requests, and one that was cut off begins anew.
    faults: { ...plan.faults, ...atMost(0.002, plan.faults) },
    knobs: {
      ...knobs,
      limitMax,
      // Below ten rows, or two pages, there is no room to prove a page against its neighbour.
      offsetMax: Math.max(10, 2 * limitMax, 12 + random.below(19)),
      offsetOver: random.pick(['empty', 'refuse', 'bad-request', 'timeout']),
    },
    settings: { ...plan.settings, requestsPerMinute: 240 },
  };
}

/** A field that no answer had, and that items get one after the other, each without a newer stamp. */
export function numbersLater(plan: Plan): Plan {
  // How stale reads may be follows from the settle.
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
    // Most of it must be walked through several times.
    faults: { ...plan.faults, ...atMost(0.002, plan.faults) },
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

/** The configured address is another one for a while: of the same service, or of another store. */
export function movedAddress(plan: Plan, random: Random): Plan {
  const moved = suspicious(plan, random);
  const kind = random.pick(ADDRESS_MISHAPS);
  return { ...moved, mishap: { kind, fromMs: random.below(60_000), forMs: 120_000 } };
}

/** The secret is deleted, or holds no token, for longer than that may go unreported. */
export function withoutToken(plan: Plan, random: Random): Plan {
  const { date, ...knobs } = plan.knobs;
  const secret = {
    kind: random.pick(['deleted', 'malformed'] as const),
    fromMs: random.below(60_000),
    forMs: random.pick([60_000, 600_000]),
  } as const;
  return {
    ...plan,
    activeMs: Math.max(plan.activeMs, secret.fromMs + secret.forMs),
    outage: undefined,
    rotationMs: undefined,
    // Only a new process reads the secret. It can't spend what it has on learning that there is no Date.
    warm: 0,
    knobs,
    secret,
    settings: { ...plan.settings, intervalMs: Math.max(15_000, Math.min(30_000, plan.settings.intervalMs)) },
  };
}

/** Two sources with one token and a budget that they use up; one of the two secrets ends in a newline. */
export function sharedToken(plan: Plan): Plan {
  const { rateLimit, latencyMs, pageBytes, limitChanges, ...knobs } = withStableOrder(plan.knobs);
  return {
    ...plan,
    sources: 2,
    outage: undefined,
    rotationMs: undefined,
    tickMs: 50_000,
    // A new process spends its first requests on learning the page's size and the time: there would be none for more.
    warm: Math.max(0.5, plan.warm),
    secret: { kind: 'newline', fromMs: 0, forMs: plan.activeMs },
    knobs: { ...knobs, limitMax: 10 },
    settings: { ...plan.settings, reconcileMs: 30_000, intervalMs: 5_000, requestsPerMinute: 60 },
  };
}
