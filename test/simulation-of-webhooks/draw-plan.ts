// Draws the plan of a seed: its duration, the webhooks with their filters, the behaviour of receivers, the faults of
// calls, and the actions of the operator.
import { createRandom, mix, type Random } from '../../local/reference-service/store/seeded-random.ts';
import type { EventFilter } from '../../shared/contract/event-filter.ts';
import {
  type ClockAhead,
  type FaultRates,
  NO_FAULTS,
  type Operation,
  type Outage,
  type Plan,
  type WebhookPlan,
} from './plan.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Duration, maximum of groups, maximum of saves. Long runs have few groups; otherwise they would take minutes. */
const LENGTHS = [
  { share: 0.42, activeMs: 20 * MINUTE_MS, groups: 12, saves: 60 },
  { share: 0.33, activeMs: 4 * HOUR_MS, groups: 8, saves: 60 },
  { share: 0.18, activeMs: 2 * DAY_MS, groups: 5, saves: 40 },
  { share: 0.04, activeMs: 16 * DAY_MS, groups: 2, saves: 16 },
  { share: 0.03, activeMs: 37 * DAY_MS, groups: 2, saves: 16 },
] as const;

const OUTAGES_MS = [1, 12, 15 * 24, 29 * 24, 31 * 24, 35 * 24].map((hours) => hours * HOUR_MS);

const FILTERS: readonly EventFilter[] = [
  { sources: ['s1'] },
  { entities: ['shipment'] },
  { types: ['return_line_item.status_changed', 'shipment.created'] },
  { to: ['DELIVERED'] },
  { entities: ['shipment'], to: ['DELIVERED', 'IN_TRANSIT'] },
];

const RETRY_AFTER = [undefined, '0', '-1', '1000000000', '40', '7200', 'soon', '+90', '+7200', '-3600 ago'];
const STATUSES = [
  500, 500, 502, 401, 403, 404, 404, 405, 410, 301, 307, 429, 429, 503, 503, 400, 413, 415, 422,
];
const CONTENT = [400, 413, 415, 422];

export function drawPlan(seed: number): Plan {
  const random = createRandom(seed);
  const length = drawLength(random);
  const { activeMs } = length;
  const isLong = activeMs > 3 * DAY_MS;
  const names = ['Wms', 'Erp', 'Crm'].slice(0, 1 + random.below(isLong ? 2 : 3));
  const webhooks = names.map((name, index) => drawWebhook(random, name, index, activeMs));
  const plan = withRivals({
    seed,
    sources: random.chance(0.3) ? 2 : 1,
    groups: 1 + random.below(length.groups),
    activeMs,
    saves: 5 + random.below(length.saves),
    eventsAtOnce: random.pick([1, 3, 3, 12]),
    newGenerationMs: random.chance(0.15) ? random.below(activeMs) : undefined,
    webhooks,
    faults: drawFaults(random, isLong),
    clockSkewMs: random.chance(0.3) ? random.below(2_000) : 0,
    latency: activeMs > HOUR_MS * 5 ? 0.15 : 1,
    endsOverdue: random.chance(0.5),
    operations: drawOperations(random, activeMs, webhooks.length, length.groups),
  });
  // Drawn last: the other seeds stay what they were before this was drawn.
  return withWholeReturns(
    random.chance(0.2) ? { ...plan, clockAhead: drawClockAhead(random, activeMs) } : plan,
  );
}

/**
 * In some plans two senders often have an event at once, and the receiver fails one of them while it accepts the event
 * of the other. So a failure is noted after the mark has moved, and the return's next event may fail as well. A
 * generator of its own: the other seeds keep their plans.
 */
function withRivals(plan: Plan): Plan {
  const random = createRandom(mix(plan.seed, 1));
  if (!random.chance(0.08)) return plan;
  const status = random.pick([undefined, 500, 422]);
  const failsSome: Outage = {
    kind: status === undefined ? 'hang' : 'status',
    status,
    fromMs: 0,
    toMs: plan.activeMs,
    share: 0.3,
    acceptedAnyway: 0,
  };
  const webhooks = plan.webhooks.map((webhook, index) =>
    index === 0 ? { ...webhook, outages: [failsSome, ...webhook.outages] } : webhook,
  );
  return { ...plan, webhooks, faults: { ...plan.faults, messageDoubled: 0.3 } };
}

/** In some plans a further webhook gets whole returns. A generator of its own, likewise. */
function withWholeReturns(plan: Plan): Plan {
  const random = createRandom(mix(plan.seed, 2));
  if (!random.chance(0.4)) return plan;
  const { activeMs, groups, webhooks, operations } = plan;
  const whole = { ...drawWebhook(random, 'Whole', 0, activeMs), shape: 'return', filter: {} } as const;
  const own = drawOperations(random, activeMs, 1, groups).filter(({ kind }) => kind !== 'forget');
  const further = own.map((operation) => ({ ...operation, webhook: webhooks.length }));
  return {
    ...plan,
    webhooks: [...webhooks, whole],
    operations: [...operations, ...further].sort((a, b) => a.atMs - b.atMs),
  };
}

function drawClockAhead(random: Random, activeMs: number): ClockAhead {
  const fromMs = random.below(activeMs / 2);
  const toMs = fromMs + random.below(activeMs - fromMs);
  const byMs = random.pick([HOUR_MS, DAY_MS, 7 * DAY_MS, 30 * DAY_MS, 30 * DAY_MS]);
  return { fromMs, toMs, byMs, share: random.pick([0.2, 0.5, 1]) };
}

function drawLength(random: Random): (typeof LENGTHS)[number] {
  let left = random.fraction();
  for (const length of LENGTHS) {
    left -= length.share;
    if (left < 0) return length;
  }
  return LENGTHS[0];
}

function drawWebhook(random: Random, name: string, index: number, activeMs: number): WebhookPlan {
  const maxConcurrency = random.pick([2, 5, 5, 10]);
  return {
    name,
    filter: random.chance(0.5) ? {} : random.pick(FILTERS),
    fromMs: random.chance(0.3) ? random.below(activeMs / 2) : 0,
    lagMs: random.chance(0.5) ? random.below(15 * MINUTE_MS) : 0,
    maxConcurrency,
    retriesAtOnce: Math.max(1, Math.floor(maxConcurrency / 2)),
    // The first webhook has outages more often; the others show whether that affects them.
    outages: random.chance(index === 0 ? 0.9 : 0.4) ? drawOutages(random, activeMs) : [],
  };
}

function drawOutages(random: Random, activeMs: number): Outage[] {
  const outages = Array.from({ length: 1 + random.below(3) }, () => drawOutage(random, activeMs));
  const refusesForEver: Outage = {
    kind: 'status',
    status: random.pick(CONTENT),
    fromMs: 0,
    every: { of: random.pick(['return', 'event']), n: 3 + random.below(6) },
    share: 1,
    acceptedAnyway: 0,
  };
  const lasts: Outage = {
    kind: 'status',
    status: random.pick([401, 403, 404, 404, 410, 500]),
    fromMs: random.below(activeMs),
    // Long enough to skip the event, if only the time decided.
    toMs: activeMs + 1.5 * DAY_MS,
    every: { of: random.pick(['return', 'event']), n: 2 + random.below(4) },
    share: 1,
    acceptedAnyway: 0,
  };
  const first = random.fraction();
  if (first < 0.25) return [refusesForEver, ...outages];
  return first < 0.4 ? [lasts, ...outages] : outages;
}

function drawOutage(random: Random, activeMs: number): Outage {
  const kind = random.pick([
    'hang',
    'slow',
    'status',
    'status',
    'status',
    'reset',
    'refused connection',
  ] as const);
  const isWhole = random.chance(0.5);
  const outages = OUTAGES_MS.filter((forMs) => forMs < activeMs);
  const isOutage = isWhole && outages.length > 0 && random.chance(0.6);
  const forMs = isOutage ? (outages[outages.length - 1 - random.below(Math.min(2, outages.length))] ?? 0) : 0;
  const fromMs = random.below(isOutage ? activeMs - forMs : activeMs);
  return {
    kind,
    fromMs,
    toMs: isOutage ? fromMs + forMs : fromMs + random.below(activeMs - fromMs),
    every: isWhole ? undefined : { of: random.pick(['return', 'event']), n: 1 + random.below(4) },
    share: random.chance(0.7) ? 1 : 0.3,
    status: kind === 'status' ? random.pick(STATUSES) : undefined,
    retryAfter: kind === 'status' ? random.pick(RETRY_AFTER) : undefined,
    acceptedAnyway: random.chance(0.5) ? 0 : 0.3,
  };
}

function drawFaults(random: Random, isLong: boolean): FaultRates {
  if (random.chance(0.25)) return NO_FAULTS;
  const rates = isLong ? [0, 0.0005] : [0, 0, 0.002, 0.01, 0.04];
  const drawn = Object.keys(NO_FAULTS).map((name) => [name, random.pick(rates)] as const);
  return Object.fromEntries(drawn) as unknown as FaultRates;
}

function drawOperations(random: Random, activeMs: number, webhooks: number, groups: number): Operation[] {
  if (random.chance(0.5)) return [];
  const operations: Operation[] = [];
  for (let left = 1 + random.below(4); left > 0; left -= 1) {
    const kind = random.pick(['pause', 'ring', 'step over', 'step over', 'forget'] as const);
    const at = { webhook: random.below(webhooks), group: random.below(groups) };
    const atMs = random.below(activeMs);
    operations.push({ kind, atMs, ...at });
    if (kind === 'pause')
      operations.push({ ...at, kind: 'resume', atMs: atMs + random.below(activeMs - atMs) });
  }
  return operations.sort((a, b) => a.atMs - b.atMs);
}
