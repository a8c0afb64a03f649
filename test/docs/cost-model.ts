// The monthly cost of a feed, from units and prices. `npm run costs` writes the table in docs/cost.md, and a test
// compares it with that page, with the sums that other pages name, and with the number of alarms.

/** us-east-1, November 2026, in dollars: https://aws.amazon.com/<service>/pricing/ */
const PRICE = {
  lambdaGbSecond: 13.3334e-6,
  lambdaRequest: 0.2e-6,
  write: 0.625e-6,
  read: 0.125e-6,
  storageGb: 0.25,
  recoveryGb: 0.2,
  sqs: 0.4e-6,
  sqsFifo: 0.5e-6,
  published: 0.3e-6,
  publishedGb: 0.017,
  delivered: 0.01e-6,
  deliveredGb: 0.001,
  keyRequest: 3e-6,
  busEvent: 1e-6,
  archiveGb: 0.1,
  archivedGb: 0.023,
  schedule: 1e-6,
  secret: 0.4,
  metric: 0.3,
  alarm: 0.1,
  logGb: 0.53,
} as const;

/** An account's free units per month. */
const FREE = {
  lambdaRequests: 1_000_000,
  lambdaGbSeconds: 400_000,
  sqsRequests: 1_000_000,
  keyRequests: 20_000,
  storageGb: 25,
  metrics: 10,
  alarms: 10,
  logGb: 5,
  schedules: 14_000_000,
};

const DAYS = 30;
const MINUTES = DAYS * 24 * 60;

/** The assumptions, and their consequences. */
export const UNITS = {
  polls: MINUTES,
  changes: 10_000 * DAYS,
  /** Groups known to the feed. */
  groups: 100_000,
  cycles: 2 * DAYS,
  /** Groups with events in the ledger, which keeps events for 30 days. */
  changedGroups: 50_000,
  newGroups: 30_000,
  closedGroups: 30_000,
  /** Per cycle: 200 groups at a time, plus a tenth to prove that nothing was skipped. */
  requestsPerCycle: 550,
  /** Two relays, three batches a minute. */
  relays: 2 * 3 * MINUTES,
  /** Two a day. */
  sweeps: 2 * DAYS,
  /** Per queue: five long polls of 20 seconds. */
  emptyReceives: 5 * 3 * MINUTES,
  storedGb: 0.43,
  ledgerGb: 0.3,
  /** SNS reuses a data key for five minutes: https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html */
  keyRequests: 2 * (MINUTES / 5),
  eventGb: 1.5e-6,
  /** `feed.source_read`, once a minute: about 0.7 KB. */
  reports: MINUTES,
  reportGb: 0.7e-6,
  logGb: 0.16,
  metrics: 3,
  alarms: 12,
} as const;

export interface Cost {
  readonly what: string;
  readonly units: string;
  readonly price: string;
  /** At list price. */
  readonly list: number;
  /** For an account that uses its always-free units for nothing else. */
  readonly billed: number;
}

/** In the order of the page. */
export function monthlyCosts(): Cost[] {
  return [...ofLambda(), ...ofDynamoDb(), ...ofQueues(), ...ofTopic(), ...ofTheRest(), ofReports()];
}

export function sumOf(costs: readonly Cost[], column: 'list' | 'billed'): number {
  return costs.reduce((sum, cost) => sum + cost[column], 0);
}

/** The cost of one reconciliation cycle over this many groups. */
export function costOfCycle(groups: number): number {
  const requests = (UNITS.requestsPerCycle * groups) / UNITS.groups;
  return groups * PRICE.read + requests * 0.4 * 0.5 * PRICE.lambdaGbSecond;
}

/** The cost of a silent baseline: a snapshot and its index entry for each group. */
export function costOfFirstReading(groups: number): number {
  return groups * 2 * PRICE.write;
}

/** The extra cost of polls every ten seconds instead of every minute; most of them find nothing. */
export function costOfTenSeconds(): number {
  const more = 5 * UNITS.polls;
  const lambda = more * (0.4 * 0.5 * PRICE.lambdaGbSecond + PRICE.lambdaRequest);
  // State twice and activity, two units each, and the budget; one read of state and budget.
  return lambda + more * (7 * PRICE.write + 2 * PRICE.read) + more * 2 * PRICE.sqs;
}

/** The cost of each further source without its polls and changes: metric and alarm, and the secret. */
export const COST_OF_SOURCE = { watched: PRICE.metric + PRICE.alarm, secret: PRICE.secret };

/** The cost of each further ordered subscriber that is a function and gets every event: its queue and three alarms. */
export function costOfSubscriber(): number {
  const { changes, emptyReceives, eventGb } = UNITS;
  const delivered = changes * (PRICE.delivered + eventGb * PRICE.deliveredGb);
  return (emptyReceives + 3 * changes) * PRICE.sqsFifo + delivered + 3 * PRICE.alarm;
}

/** The additional cost of an ordered subscriber with `feed.source_read` in its filter. */
export function costOfReportedSubscriber(): number {
  return UNITS.reports * (3 * PRICE.sqsFifo + PRICE.delivered + UNITS.reportGb * PRICE.deliveredGb);
}

/** The cost of an ordered subscriber without events. */
export function costOfIdleSubscriber(): number {
  return UNITS.emptyReceives * PRICE.sqsFifo + 3 * PRICE.alarm;
}

/** The cost of a webhook without events: Lambda's receives from its queue, its secret, its three alarms. */
export function costOfIdleWebhook(): number {
  return UNITS.emptyReceives * PRICE.sqsFifo + PRICE.secret + 3 * PRICE.alarm;
}

/** The cost of a million events that a webhook's endpoint accepts at the first attempt, in 0.3 s. */
export function costOfMillionDeliveries(): number {
  const lambda = 0.3 * 0.25 * PRICE.lambdaGbSecond + PRICE.lambdaRequest;
  const ring = 3 * PRICE.sqsFifo + PRICE.delivered + UNITS.eventGb * PRICE.deliveredGb;
  // The mark is read and moved; the event, the entries after it, and the endpoint's state are read.
  const tables = 4 * PRICE.read + PRICE.write;
  const line = 0.3e-6 * PRICE.logGb;
  return 1e6 * (lambda + ring + tables + line);
}

/** The daily sweep of a webhook. */
export function costOfSweep(): number {
  const { ledgerGb, changedGroups } = UNITS;
  const reads = (ledgerGb * 1e6) / 4 / 2 + changedGroups;
  return DAYS * (120 * 0.5 * PRICE.lambdaGbSecond + reads * PRICE.read);
}

/** The extra cost if the ordered subscriber's events arrive one by one instead of in three batches a minute. */
export function costOfSingleEvents(): number {
  return 2 * (UNITS.changes - 3 * MINUTES) * PRICE.sqsFifo;
}

function ofLambda(): Cost[] {
  const { polls, cycles, requestsPerCycle, relays, sweeps } = UNITS;
  const requests = cycles * requestsPerCycle;
  const price = `${dollars(PRICE.lambdaGbSecond * 1e6)} per million GB-s, ${perMillion(PRICE.lambdaRequest)} requests`;
  const rows = [
    {
      what: 'Lambda, poller: polls',
      units: `${count(polls)} × 1.0 s × 0.5 GB, ${count(polls)} requests`,
      ...{ gbSeconds: polls * 1.0 * 0.5, invocations: polls },
    },
    {
      what: 'Lambda, poller: reconciliation',
      units: `${count(requests)} requests to the service × 0.4 s × 0.5 GB`,
      ...{ gbSeconds: requests * 0.4 * 0.5, invocations: 0 },
    },
    {
      what: 'Lambda, relays',
      units: `${count(relays)} × 0.15 s × 0.25 GB, as many requests: two relays, three batches a minute`,
      ...{ gbSeconds: relays * 0.15 * 0.25, invocations: relays },
    },
    {
      what: 'Lambda, sweeps',
      units: `${count(sweeps)} × 120 s × 0.5 GB`,
      ...{ gbSeconds: sweeps * 120 * 0.5, invocations: sweeps },
    },
  ];
  const left = { gbSeconds: FREE.lambdaGbSeconds, requests: FREE.lambdaRequests };
  return rows.map(({ what, units, gbSeconds, invocations }, place) => {
    const billedGbSeconds = Math.max(0, gbSeconds - left.gbSeconds);
    const billedRequests = Math.max(0, invocations - left.requests);
    left.gbSeconds -= gbSeconds - billedGbSeconds;
    left.requests -= invocations - billedRequests;
    return {
      ...{ what, units, price: place === 0 ? price : 'as above' },
      list: gbSeconds * PRICE.lambdaGbSecond + invocations * PRICE.lambdaRequest,
      billed: billedGbSeconds * PRICE.lambdaGbSecond + billedRequests * PRICE.lambdaRequest,
    };
  });
}

function ofDynamoDb(): Cost[] {
  const { polls, changes, groups, cycles, changedGroups, newGroups, closedGroups, sweeps } = UNITS;
  const { requestsPerCycle, storedGb, ledgerGb } = UNITS;
  // A poll with changes makes two requests.
  const requests = 2 * polls + cycles * requestsPerCycle;
  const write = (what: string, units: string, number: number) =>
    paid(`DynamoDB, ${what}`, `${count(number)}: ${units}`, perMillion(PRICE.write), number * PRICE.write);
  const read = (what: string, units: string, number: number) =>
    paid(`DynamoDB, ${what}`, `${count(number)}: ${units}`, perMillion(PRICE.read), number * PRICE.read);
  const scanned = (sweeps * ledgerGb * 1e6) / 4 / 2;
  return [
    write(
      'writes of changes',
      `${count(changes)} × 6, snapshot and event at most 1 KB each in a transaction (2 × 2), two marks`,
      changes * 6,
    ),
    write(
      'writes of the index',
      `1 for each of ${count(newGroups)} new groups, 2 for each of ${count(closedGroups)} closed or opened ones`,
      newGroups + 2 * closedGroups,
    ),
    write(
      'other writes',
      'source state twice a tick and activity once (2 units each), budget once a request',
      6 * polls + requests,
    ),
    read('reads of reconciliation', `${cycles} cycles × ${count(groups)} snapshots`, cycles * groups),
    read(
      'reads of sweeps: marks',
      `${sweeps} sweeps × ${count(changedGroups)} groups in the ledger`,
      sweeps * changedGroups,
    ),
    read('reads of sweeps: ledger', `${sweeps} sweeps × ${ledgerGb} GB, half a unit for 4 KB`, scanned),
    read(
      'other reads',
      `relays (event and mark, twice), snapshots of changed groups, states, budget`,
      4 * changes + changes + polls + requests,
    ),
    {
      what: 'DynamoDB, storage and point-in-time recovery',
      units: `${storedGb} GB`,
      price: `${dollars(PRICE.storageGb)} + ${dollars(PRICE.recoveryGb)} per GB`,
      list: storedGb * (PRICE.storageGb + PRICE.recoveryGb),
      billed: Math.max(0, storedGb - FREE.storageGb) * PRICE.storageGb + storedGb * PRICE.recoveryGb,
    },
  ];
}

function ofQueues(): Cost[] {
  const { polls, changes, emptyReceives } = UNITS;
  const ticks = emptyReceives + 3 * polls;
  const events = emptyReceives + 3 * changes;
  const freeForEvents = Math.max(0, FREE.sqsRequests - ticks);
  return [
    {
      what: 'SQS, poll queue',
      units: `${count(ticks)}: Lambda asking (5 long polls of 20 s), and each tick sent, received, deleted`,
      price: perMillion(PRICE.sqs),
      list: ticks * PRICE.sqs,
      billed: Math.max(0, ticks - FREE.sqsRequests) * PRICE.sqs,
    },
    {
      what: 'SQS, queue of the ordered subscriber',
      units: `${count(events)}: likewise; each event sent by SNS, received and deleted by itself`,
      price: perMillion(PRICE.sqsFifo),
      list: events * PRICE.sqsFifo,
      billed: Math.max(0, events - freeForEvents) * PRICE.sqsFifo,
    },
  ];
}

function ofTopic(): Cost[] {
  const { changes, eventGb, keyRequests } = UNITS;
  const gb = changes * eventGb;
  return [
    paid(
      'SNS, ordered topic',
      `${count(changes)} events of 1.5 KB published, and delivered to one subscription`,
      `${perMillion(PRICE.published)} and ${dollars(PRICE.publishedGb)} per GB published; ` +
        `${perMillion(PRICE.delivered)} and ${dollars(PRICE.deliveredGb)} per GB delivered`,
      changes * (PRICE.published + PRICE.delivered) + gb * (PRICE.publishedGb + PRICE.deliveredGb),
    ),
    {
      what: "KMS, SNS's key of the topic",
      units: `${count(keyRequests)}: two for each five minutes`,
      price: perMillion(PRICE.keyRequest),
      list: keyRequests * PRICE.keyRequest,
      billed: Math.max(0, keyRequests - FREE.keyRequests) * PRICE.keyRequest,
    },
  ];
}

/** `feed.source_read`. An account's free units of Lambda are enough for it. */
function ofReports(): Cost {
  const { reports, reportGb } = UNITS;
  // Written twice, because the next tick repeats the append and finds the event; and two marks.
  const tables = 4 * PRICE.write + 4 * PRICE.read;
  const destinations =
    PRICE.busEvent + PRICE.published + reportGb * (PRICE.archiveGb + PRICE.archivedGb + PRICE.publishedGb);
  const billed = reports * (tables + destinations);
  const relays = 2 * reports * (0.15 * 0.25 * PRICE.lambdaGbSecond + PRICE.lambdaRequest);
  return {
    what: '`feed.source_read`',
    units: `${count(reports)} × 4 writes, 4 reads, 2 invocations of relays, an event on the bus and one of the topic`,
    price: 'as above',
    ...{ list: billed + relays, billed },
  };
}

function ofTheRest(): Cost[] {
  const { polls, changes, sweeps, eventGb, metrics, alarms, logGb } = UNITS;
  const gb = changes * eventGb;
  const within = (
    what: string,
    number: number,
    free: number,
    price: number,
    units: string,
    unit: string,
  ): Cost => ({
    ...{ what, units, price: unit },
    ...{ list: number * price, billed: Math.max(0, number - free) * price },
  });
  return [
    paid(
      'EventBridge, bus and archive',
      `${count(changes)} events of 1.5 KB`,
      `${perMillion(PRICE.busEvent)}; ${dollars(PRICE.archiveGb)} + ${dollars(PRICE.archivedGb)} per GB`,
      changes * PRICE.busEvent + gb * (PRICE.archiveGb + PRICE.archivedGb),
    ),
    within(
      'EventBridge Scheduler',
      polls + sweeps,
      FREE.schedules,
      PRICE.schedule,
      count(polls + sweeps),
      perMillion(PRICE.schedule),
    ),
    paid('Secrets Manager', '1 secret', dollars(PRICE.secret), PRICE.secret),
    within(
      'CloudWatch, metrics',
      metrics,
      FREE.metrics,
      PRICE.metric,
      `${metrics}: freshness by source, held, set aside`,
      dollars(PRICE.metric),
    ),
    within('CloudWatch, alarms', alarms, FREE.alarms, PRICE.alarm, `${alarms}`, dollars(PRICE.alarm)),
    within(
      'CloudWatch, logs',
      logGb,
      FREE.logGb,
      PRICE.logGb,
      `${logGb} GB`,
      `${dollars(PRICE.logGb)} per GB`,
    ),
  ];
}

/** A cost without free units. */
function paid(what: string, units: string, price: string, amount: number): Cost {
  return { what, units, price, list: amount, billed: amount };
}

function count(number: number): string {
  return number.toLocaleString('en-US', { maximumFractionDigits: 0 });
}

function perMillion(price: number): string {
  return `${dollars(price * 1e6)} per million`;
}

/** In dollars: to four digits, with at least two decimals. */
function dollars(amount: number): string {
  const digits = Number(amount.toPrecision(4)).toString();
  return `${(digits.split('.')[1] ?? '').length < 2 ? amount.toFixed(2) : digits} $`;
}
