// Draws the plan of a seed. A profile decides which changes the feed must find: `polls` omits changes that only
// reconciliation and guards find, `everything` omits none, `guards` always has work for the guards, in `look-ups` the
// look-ups of some groups always hang, and in `open-groups` old open groups come in pairs of one moment:
// nothing delays the walks over them, or look-ups show other values for a while. To test more behaviours, add values
// here.
import type { Knobs } from '../../local/reference-service/knobs.ts';
import { FAULT_KINDS } from '../../local/reference-service/service/fault-kinds.ts';
import { createRandom, mix, type Random } from '../../local/reference-service/store/seeded-random.ts';
import { rotating, sharedToken, withoutToken } from './credential-plans.ts';
import { drawKnobs } from './draw-knobs.ts';
import { drawLastingFault } from './lasting-fault.ts';
import { movedAddress, suspicious, withHeldValues, withLaterChanges } from './mishap-plans.ts';
import { inPairs, longOpen } from './open-groups-plans.ts';
import { withOperations } from './operations.ts';
import {
  type EarlySlot,
  type FaultRates,
  isDateAhead,
  NO_FAULTS,
  type Outage,
  type Plan,
  type Profile,
  type SimulatedSettings,
} from './plan.ts';
import { namesZone, withStableOrder } from './plan-limits.ts';
import { blinded, createdElsewhere, fallenStamps } from './stamps-plans.ts';
import { drawTurn } from './turn.ts';
import {
  bustling,
  hanging,
  imported,
  newborn,
  numbersLater,
  returning,
  sluggish,
  unconfirmed,
  vast,
  windowed,
  withHangingLookUps,
  withLastingFault,
  withoutOrder,
} from './unusual-plans.ts';

/** Returns the plan of a seed and a profile. Pure. */
export function makePlan(seed: number, profile: Profile): Plan {
  return ADDED.reduce((plan, add) => add(plan), drawPlan(seed, profile));
}

/** Each may change the plan that the one before it returned. */
const ADDED: readonly ((plan: Plan) => Plan)[] = [
  withLongOpen,
  withTwoZones,
  withImport,
  withBlindPolls,
  withStops,
  withRareValues,
  withLargeGroups,
  withReports,
  withoutWhatIsNotPromised,
  withRoom,
  withOperations,
];

/** Drawn separately, so that the seeds of everything else stay the same. */
function withReports(plan: Plan): Plan {
  const sourceRead = !createRandom(mix(plan.seed, 80)).chance(0.1);
  return { ...plan, settings: { ...plan.settings, sourceRead } };
}

/** As withReports. */
function withTwoZones(plan: Plan): Plan {
  const random = createRandom(mix(plan.seed, 81));
  return isPlain(plan) && random.chance(0.06) ? createdElsewhere(plan, random) : plan;
}

/** As withReports. */
function withImport(plan: Plan): Plan {
  const random = createRandom(mix(plan.seed, 86));
  return isPlain(plan) && random.chance(0.02) ? imported(plan, random) : plan;
}

/** As withReports. */
function withBlindPolls(plan: Plan): Plan {
  const random = createRandom(mix(plan.seed, 87));
  return isPlain(plan) && plan.imported === undefined && plan.secret === undefined && random.chance(0.01)
    ? blinded(plan, random)
    : plan;
}

/** As withReports. */
function withLongOpen(plan: Plan): Plan {
  const random = createRandom(mix(plan.seed, 92));
  return isPlain(plan) && plan.secret === undefined && plan.reconciles && random.chance(0.01)
    ? longOpen(plan, random)
    : plan;
}

/** As withReports. */
function withStops(plan: Plan): Plan {
  const random = createRandom(mix(plan.seed, 101));
  return isPlain(plan) && random.chance(0.08) ? { ...plan, stops: random.pick([0.1, 0.4]) } : plan;
}

/** As withReports. */
function withRareValues(plan: Plan): Plan {
  const random = createRandom(mix(plan.seed, 103));
  const isLeftAlone = !isPlain(plan) || plan.numbersLater || plan.imported !== undefined;
  if (isLeftAlone || !random.chance(0.08)) return plan;
  // The store's own steps compute with amounts that it then lacks.
  return { ...plan, rareValues: true, changesPerSecond: 0, handsPerMinute: Math.max(6, plan.handsPerMinute) };
}

/** As withReports. */
function withLargeGroups(plan: Plan): Plan {
  const random = createRandom(mix(plan.seed, 104));
  if (!isPlain(plan) || !plan.reconciles || !random.chance(0.1)) return plan;
  const fromMs = random.below(Math.ceil(plan.activeMs / 3));
  const knobs = { ...plan.knobs, groupRemovals: 0.2 };
  return { ...plan, knobs, tooLarge: { fromMs, forMs: random.pick([240_000, 600_000]) } };
}

function isPlain({ mishap, turns, lasting, earlySlot, openWalksEndEveryMs }: Plan): boolean {
  return [mishap, turns, lasting, earlySlot, openWalksEndEveryMs].every((each) => each === undefined);
}

const DAY_MS = 86_400_000;

function drawEarlySlot(random: Random, activeMs: number): EarlySlot {
  return { atMs: random.below(activeMs), aheadMs: random.pick([1, 365]) * DAY_MS };
}

/** The share of answers with a wrong Date from which a new process may trust it. */
const OFTEN = 0.3 / FAULT_KINDS.length;

/** Removes behaviours for which the feed has no guarantee; docs/guarantees.md, "Where they end". */
function withoutWhatIsNotPromised(plan: Plan): Plan {
  const knobs = { ...plan.knobs };
  // Without a Date the clocks of several machines are compared with each other.
  const clockSkewMs = knobs.date === 'missing' ? 0 : plan.clockSkewMs;
  const clockJump = knobs.date === 'missing' ? 0 : plan.faults.clockJump;
  // An answer from before stamps lose digits looks newer than those after it.
  const freeze = plan.turns?.some((turn) => 'stampPrecision' in turn.knobs) ? 0 : plan.faults.freeze;
  // If Date is ahead of the stamps, rows stamped ahead move the stamps' clock, and the feed's start with it.
  if (isDateAhead(knobs) && (!plan.reconciles || plan.settings.baseline === 'silent'))
    delete knobs.absurdEvery;
  // The first answers of one of many processes may agree on a wrong Date.
  const { faultRate = 0, faultKinds = FAULT_KINDS } = knobs;
  const isOftenWrong = faultKinds.includes('date-skewed') && faultRate / faultKinds.length >= OFTEN;
  if (plan.warm === 0 && isOftenWrong) {
    const others = faultKinds.filter((kind) => kind !== 'date-skewed');
    knobs.faultKinds = others.length > 0 ? others : FAULT_KINDS.filter((kind) => kind !== 'date-skewed');
  }
  // A poll takes a page that is cut before a large row for the last page. So a service must allow 64 KB and its largest
  // row.
  if (!plan.reconciles && knobs.pageBytes === 65_536) knobs.pageBytes = 90_000;
  // Fresh and stale answers of one row each may confirm an end that is none.
  if (knobs.limitMax === 1 && withStableOrder(knobs).order !== knobs.order) delete knobs.staleShare;
  const crowds = plan.crowds && (plan.reconciles || knobs.pageBytes === undefined);
  // Rows without an id can't be passed if they fill whole pages.
  const mayFillPages = knobs.pageBytes === 1 && plan.turns?.some(({ knobs }) => 'unreadableEvery' in knobs);
  if (mayFillPages) delete knobs.pageBytes;
  // Where stamps name no zone, the range of the new groups stays open for a day: no narrower one leaves such rows out.
  const hasOneRow = knobs.pageBytes === 1 || knobs.limitMax === 1;
  if (hasOneRow && !namesZone(knobs)) delete knobs.unreadableEvery;
  return { ...plan, knobs, crowds, clockSkewMs, faults: { ...plan.faults, clockJump, freeze } };
}

/** Pages of one or two rows need many requests, so their budget must not be too small. */
function withRoom(plan: Plan): Plan {
  const { limitMax = 250, pageBytes = 0, order, date, rateLimit } = plan.knobs;
  const isLaborious = limitMax < 10 || pageBytes === 1 || order === 'random';
  // A new process learns from five answers that there is no Date.
  const isLearning = date === 'missing' && plan.warm === 0 && plan.sources > 1;
  // A tick of three requests proves no page, and one of ten takes longer than the checker waits if a fault lasts.
  const isShort = plan.tickMs === 20_000 || plan.lasting !== undefined;
  // A new process reads the news again, and with ten requests it may get no further.
  const isTooShort = rateLimit === 20 && plan.sources > 1 && (isShort || plan.warm <= 0.5);
  // Each walk looks up every known group whose row can't be read and has no id.
  const mayHideIds = plan.turns?.some(({ knobs }) => 'unreadableEvery' in knobs) === true;
  if (!isLaborious && !isLearning && !isTooShort && !mayHideIds) return plan;
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
    reconciles: profile !== 'polls',
    ...(outage === undefined ? {} : { outage }),
    ...(random.chance(0.1) ? { rotationMs: random.below(activeMs) } : {}),
    ...(random.chance(0.2) ? { sweepMs: random.below(activeMs) } : {}),
  };
  if (profile === 'polls') return random.chance(0.07) ? bustling(plan, random) : plan;
  if (profile === 'guards') return withHeldValues(withLaterChanges(inAnotherOrder(suspicious(plan, random))));
  if (profile === 'look-ups') return withHangingLookUps(plan, random);
  if (profile === 'open-groups') return inPairs(plan, random);
  const [unusual] = UNUSUAL.filter(({ share }) => random.chance(share));
  return unusual === undefined ? withLaterWorlds(plan) : unusual.make(plan, random);
}

/**
 * Draws the order of rows. With another order at every request, sweeps find changes before the walk judges them. A walk
 * reads such a list in pieces of one page or half of it, and publishes the first twenty groups of a mistake if a piece
 * has hardly more (guarantees.md, "Where they end"): here it has at least forty.
 */
function inAnotherOrder(plan: Plan): Plan {
  const random = createRandom(mix(plan.seed, 79));
  if (!random.chance(0.35)) return plan;
  const knobs = { ...plan.knobs, order: 'random', limitMax: 50 } as const;
  const unordered: Plan = { ...plan, groups: 2 * plan.groups, knobs };
  if (!random.chance(0.5)) return unordered;
  const swept = answeredOtherwiseAfterSweeps(unordered);
  return random.chance(0.5) ? inSmallPieces(swept) : swept;
}

/** A process that lasts and has swept for a while, before the service answers in another way. */
function answeredOtherwiseAfterSweeps(plan: Plan): Plan {
  const { fromMs = 0, forMs = 120_000 } = plan.mishap ?? {};
  return {
    ...plan,
    warm: 1,
    faults: { ...plan.faults, crash: 0, freeze: 0 },
    mishap: { kind: 'answered otherwise', fromMs: fromMs + 120_000, forMs },
  };
}

/**
 * A store of many small pages, whose walk takes most of a cycle. A round of sweeps then ends between two ranges of a
 * walk, or before it, so what the sweeps teach counts for what the walk judges next.
 */
function inSmallPieces(plan: Plan): Plan {
  return {
    ...plan,
    groups: 60,
    knobs: { ...plan.knobs, limitMax: 5 },
    settings: { ...plan.settings, intervalMs: 60_000, reconcileMs: 120_000 },
  };
}

/** Drawn separately, so that the seeds of everything else stay the same. */
function withLaterWorlds(plan: Plan): Plan {
  const random = createRandom(mix(plan.seed, 78));
  if (random.chance(0.035)) return windowed(plan, random);
  const { limitMax = 250 } = plan.knobs;
  const lasting = drawLastingFault(random, plan.activeMs, limitMax);
  if (random.chance(0.1)) return withLastingFault(plan, lasting);
  if (random.chance(0.09)) return { ...plan, turns: [drawTurn(random, plan.activeMs, plan.knobs)] };
  if (random.chance(0.03)) return { ...plan, knobs: { ...plan.knobs, personalFields: true } };
  if (random.chance(0.02)) return movedAddress(plan, random);
  if (random.chance(0.04)) return withoutToken(plan, random);
  if (random.chance(0.02)) return sharedToken(plan);
  if (random.chance(0.03)) return { ...plan, earlySlot: drawEarlySlot(random, plan.activeMs) };
  if (random.chance(0.025)) return numbersLater(plan);
  if (random.chance(0.03)) return unconfirmed(plan, random);
  if (random.chance(0.06)) return withoutOrder(plan, random);
  if (random.chance(0.03)) return sluggish(plan, random);
  if (random.chance(0.08)) return fallenStamps(plan, random);
  return withHangingRequests(plan);
}

function withHangingRequests(plan: Plan): Plan {
  const random = createRandom(mix(plan.seed, 88));
  return random.chance(0.05) ? hanging(plan, random) : plan;
}

/** Unusual plans, and the share of each. */
const UNUSUAL = [
  { share: 0.02, make: vast },
  { share: 0.03, make: returning },
  { share: 0.12, make: (plan: Plan, random: Random) => withHeldValues(suspicious(plan, random)) },
  { share: 0.02, make: rotating },
  { share: 0.025, make: newborn },
];

/** Seconds; longer than any run. */
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
    sourceRead: true,
    requestTimeoutMs: random.pick([2_000, 10_000, 10_000]),
  };
}

/** Few groups, because runs must be short, and fewer with small pages or a changing order. */
function drawGroups(random: Random, { order, limitMax = 250, pageBytes = 0 }: Partial<Knobs>): number {
  const isRestless = order === 'random' || order === 'shuffled' || order === 'heap';
  if (limitMax < 4 || pageBytes === 1) return 2 + random.below(2);
  if (isRestless || limitMax < 10) return 2 + random.below(7);
  return random.chance(0.12) ? 12 + random.below(16) : 2 + random.below(7);
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

/** Sometimes longer than an outage may stay unreported. */
function drawOutage(random: Random, { intervalMs }: SimulatedSettings): Outage {
  return {
    kind: random.pick(['refused', 'unavailable', 'unreachable', 'hanging']),
    fromMs: random.below(60_000),
    forMs: random.pick([30_000, 120_000, intervalMs < 15_000 ? 120_000 : 540_000]),
  };
}
