// The monthly cost of a feed, from units and prices. `npm run costs` writes the table in docs/cost.md, and a test
// compares it with that page, with the sums that other pages name, and with the number of alarms.
import { type Known, secondsOf, walksOf } from './cost-of-walks.ts';
import { FREE, PRICE, UNITS } from './cost-units.ts';

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
export function monthlyCosts(known: Known = UNITS.known): Cost[] {
  return [
    ...ofLambda(known),
    ...ofDynamoDb(known),
    ...ofQueues(known),
    ...ofTopic(),
    ...ofTheRest(),
    ofReports(),
  ];
}

/** What the walks of a month read. */
function walked(known: Known): { readonly requests: number; readonly entries: number } {
  const walks = walksOf(known);
  const sum = (what: 'requests' | 'entries') => walks.reduce((all, each) => all + each[what], 0);
  return { requests: sum('requests'), entries: sum('entries') };
}

export function sumOf(costs: readonly Cost[], column: 'list' | 'billed'): number {
  return costs.reduce((sum, cost) => sum + cost[column], 0);
}

function ofLambda(known: Known): Cost[] {
  const { polls, relays, sweeps, pollerGb, requestSeconds, entrySeconds } = UNITS;
  const walks = walked(known);
  const price = `${dollars(PRICE.lambdaGbSecond * 1e6)} per million GB-s, ${perMillion(PRICE.lambdaRequest)} requests`;
  const rows = [
    {
      what: 'Lambda, poller: polls',
      units: `${count(polls)} × 1.0 s × 0.5 GB, ${count(polls)} requests`,
      ...{ gbSeconds: polls * 1.0 * 0.5, invocations: polls },
    },
    {
      what: 'Lambda, poller: walks',
      units:
        `(${count(walks.requests)} requests to the service × ${requestSeconds} s + ` +
        `${count(walks.entries)} entries × ${count(entrySeconds * 1e6)} µs) × ${pollerGb} GB`,
      ...{ gbSeconds: secondsOf(walks) * pollerGb, invocations: 0 },
    },
    {
      what: 'Lambda, dispatcher',
      units: `${count(polls)} × 0.3 s × 0.5 GB, as many requests`,
      ...{ gbSeconds: polls * 0.3 * 0.5, invocations: polls },
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

function ofDynamoDb(known: Known): Cost[] {
  const { polls, changes, changedGroups, newGroups, sweeps, storedGb, ledgerGb, indexRead, indexPage } =
    UNITS;
  const write = (what: string, units: string, number: number) =>
    paid(`DynamoDB, ${what}`, `${count(number)}: ${units}`, perMillion(PRICE.write), number * PRICE.write);
  const read = (what: string, units: string, number: number) =>
    paid(`DynamoDB, ${what}`, `${count(number)}: ${units}`, perMillion(PRICE.read), number * PRICE.read);
  const { entries } = walked(known);
  const scanned = (sweeps * ledgerGb * 1e6) / 4 / 2;
  return [
    write(
      'writes of changes',
      `${count(changes)} × 6, snapshot and event at most 1 KB each in a transaction (2 × 2), two marks`,
      changes * 6,
    ),
    write(
      'writes of the index',
      `1 for each of ${count(newGroups)} new groups, and for each change, because the index has the digest`,
      newGroups + changes,
    ),
    write(
      'other writes',
      'each minute the source state twice and its activity (2 units each), what became of the shard, the minute',
      8 * polls,
    ),
    read(
      'reads of walks',
      `${count(entries)} entries of the index of 67 bytes, half a unit for 4 KB: for each request a query of at most ${count(indexPage)}`,
      entries * indexRead,
    ),
    read(
      'reads of sweeps: marks',
      `${sweeps} sweeps × ${count(changedGroups)} groups in the ledger`,
      sweeps * changedGroups,
    ),
    read('reads of sweeps: ledger', `${sweeps} sweeps × ${ledgerGb} GB, half a unit for 4 KB`, scanned),
    read(
      'other reads',
      'relays (event and mark, twice), snapshots of changed groups, entries, states, activity, the dispatcher (4 a minute)',
      4 * changes + changes + 7 * polls,
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

function ofQueues(known: Known): Cost[] {
  const { polls, changes, emptyReceives, tickSeconds } = UNITS;
  const walks = Math.ceil(secondsOf(walked(known)) / tickSeconds);
  const ticks = 2 * emptyReceives + 3 * (polls + walks);
  const events = emptyReceives + 3 * changes;
  const freeForEvents = Math.max(0, FREE.sqsRequests - ticks);
  return [
    {
      what: 'SQS, both queues of the poller',
      units: `${count(ticks)}: Lambda asking (5 long polls of 20 s each), and each shard and tick sent, received, deleted`,
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
      `${count(changes)} events of 1.6 KB published, and delivered to one subscription`,
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
  const { reports } = UNITS;
  const { list, billed } = costOfReport();
  return {
    what: '`feed.source_read`',
    units: `${count(reports)} × 4 writes, 4 reads, 2 invocations of relays, an event on the bus and one of the topic`,
    price: 'as above',
    ...{ list: reports * list, billed: reports * billed },
  };
}

/** The cost of one report. */
export function costOfReport(): Pick<Cost, 'list' | 'billed'> {
  // Written twice, because the next tick repeats the append and finds the event; and two marks.
  const tables = 4 * PRICE.write + 4 * PRICE.read;
  const destinations =
    PRICE.busEvent +
    PRICE.published +
    UNITS.reportGb * (PRICE.archiveGb + PRICE.archivedGb + PRICE.publishedGb);
  const billed = tables + destinations;
  return { billed, list: billed + 2 * (0.15 * 0.25 * PRICE.lambdaGbSecond + PRICE.lambdaRequest) };
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
      `${count(changes)} events of 1.6 KB`,
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
      `${metrics}: nine of all sources, freshness of one`,
      dollars(PRICE.metric),
    ),
    within(
      'CloudWatch, alarms',
      alarms,
      FREE.alarms,
      PRICE.alarm,
      `${alarms} metrics that they watch`,
      dollars(PRICE.alarm),
    ),
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
