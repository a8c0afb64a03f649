// The monthly cost of a feed with many sources that `sources add` added, at list price. Each has 2,000 returns, is polled
// every minute, changes 20 times a day, and is walked and reported every hour.
import { costOfReport } from './cost-model.ts';
import { costOfWalk } from './cost-of-walks.ts';
import { DAYS, MINUTES, PRICE, UNITS } from './cost-units.ts';

const RETURNS = 2_000;
const CHANGES = 20 * DAYS;
const HOURS = 24 * DAYS;
const OF_A_SHARD = 20;
/** A shard is as slow as the slowest of its twenty services. */
const SHARD_SECONDS = 2;
/** The processes that poll, and how often a day Lambda renews them: each decrypts each token once. */
const [PROCESSES, RENEWALS] = [10, 4];
/** An entry in the directory's index, in KB. */
const ENTRY_KB = 0.3;

export interface SourcesCost {
  readonly what: string;
  readonly of: (sources: number) => number;
}

export const COSTS_OF_SOURCES: readonly SourcesCost[] = [
  {
    what: 'polls: a shard of twenty for 2 s',
    of: (sources) => shards(sources) * lambda(SHARD_SECONDS, UNITS.pollerGb),
  },
  {
    what: 'walks: 13 requests of 0.4 s, the index',
    of: (sources) => sources * HOURS * (costOfWalk(RETURNS) + PRICE.lambdaRequest),
  },
  {
    what: 'states read, and saved with news, a walk or a report; progress; the directory',
    of(sources) {
      // With the lease and at the end, two units each; the note of a walk's tick.
      const writes = sources * ((CHANGES + 2 * HOURS) * 4 + HOURS) + shards(sources) + MINUTES;
      // Each poll reads the state; the dispatcher the notes of two minutes, and the directory, half a unit for 4 KB.
      const reads = sources * (MINUTES + HOURS) + 2 * shards(sources) + MINUTES;
      const listed = ((sources * ENTRY_KB) / 8) * MINUTES;
      return writes * PRICE.write + (reads + listed) * PRICE.read;
    },
  },
  {
    what: 'changes: tables, relays, topic, bus, one queue',
    of(sources) {
      const changes = sources * CHANGES;
      const { eventGb, emptyReceives } = UNITS;
      const tables = 7 * PRICE.write + 5 * PRICE.read;
      const topic = PRICE.published + PRICE.delivered + eventGb * (PRICE.publishedGb + PRICE.deliveredGb);
      const bus = PRICE.busEvent + eventGb * (PRICE.archiveGb + PRICE.archivedGb);
      const relays = 2 * Math.min(changes, 3 * MINUTES) * lambda(0.15, 0.25);
      return changes * (tables + topic + bus + 3 * PRICE.sqsFifo) + emptyReceives * PRICE.sqsFifo + relays;
    },
  },
  { what: '`feed.source_read`', of: (sources) => sources * HOURS * costOfReport().list },
  {
    what: 'SQS: both queues asked, shards, ticks of walks',
    of: (sources) => (2 * UNITS.emptyReceives + 3 * (shards(sources) + sources * HOURS)) * PRICE.sqs,
  },
  {
    what: 'KMS: the key, tokens',
    of: (sources) => PRICE.key + sources * PROCESSES * RENEWALS * DAYS * PRICE.keyRequest,
  },
  {
    what: 'dispatcher',
    of: (sources) => MINUTES * (lambda(0.3 + sources * 0.0005, 0.5) + PRICE.schedule),
  },
  {
    what: 'sweeps, storage',
    of(sources) {
      const share = (sources * CHANGES) / UNITS.changes;
      const reads = UNITS.sweeps * share * (UNITS.changedGroups + (UNITS.ledgerGb * 1e6) / 8);
      const storedGb = share * UNITS.ledgerGb + sources * RETURNS * 0.7e-6;
      return (
        UNITS.sweeps * lambda(120, 0.5) + reads * PRICE.read + storedGb * (PRICE.storageGb + PRICE.recoveryGb)
      );
    },
  },
  {
    what: 'metrics, alarms, logs',
    of(sources) {
      // None of a source alone.
      const watched = (UNITS.metrics - 1) * PRICE.metric + (UNITS.alarms - 1) * PRICE.alarm;
      return watched + (shards(sources) * 0.7e-6 + sources * HOURS * 0.9e-6 + MINUTES * 0.5e-6) * PRICE.logGb;
    },
  },
];

export const COUNTS = [1, 100, 1_000, 10_000] as const;

export function costOfSources(sources: number): number {
  return COSTS_OF_SOURCES.reduce((sum, { of }) => sum + of(sources), 0);
}

/** In a month. */
function shards(sources: number): number {
  return Math.ceil(sources / OF_A_SHARD) * MINUTES;
}

function lambda(seconds: number, gb: number): number {
  return seconds * gb * PRICE.lambdaGbSecond + PRICE.lambdaRequest;
}
