// A source's state as the table stores it: `n` its version, `b` the rest as a body.
import * as z from 'zod';
import { baseline, drift, sourceCondition, sourceRead } from '../../shared/contract/feed-objects.ts';
import { NO_GUARDING } from '../../shared/guarding/no-guarding.ts';
import { UNKNOWN_DEPTH } from '../../shared/reading/list-depth.ts';
import { NOTHING_READ } from '../../shared/reporting/source-read.ts';
import { newCycle } from '../../shared/source/reconciliation-plan.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import { bytesValue, type StoredItem, storedBytes, storedNumber } from './attribute-values.ts';
import { decodeBody, encodeBody } from './stored-body.ts';
import { formatAttribute, readStored, UnreadableItemError } from './stored-format.ts';
import { maybe, storedObject } from './stored-object.ts';

const FORMAT = 1;

export function sourceStateKey(source: string): string {
  return `source/${source}`;
}

/** All attributes but key and version. */
export function toSourceStateAttributes({ source, version, ...rest }: SourceState): StoredItem {
  const body: Readable = rest;
  return { ...formatAttribute(FORMAT), b: bytesValue(encodeBody(renamed(body, STORED_NAMES))) };
}

/** @throws UnreadableItemError */
export function fromSourceStateItem(item: StoredItem, source: string): SourceState {
  try {
    return readStored(item, { [FORMAT]: (stored) => readFormat1(stored, source) });
  } catch (error) {
    throw new UnreadableItemError(`The state of source "${source}" can't be read.`, { cause: error });
  }
}

function readFormat1(item: StoredItem, source: string): SourceState {
  const { n: version, b: body } = format1.parse(item);
  return { source, version, ...body1.parse(renamed(decodeBody(body), OWN_NAMES)) };
}

const format1 = z.object({ n: storedNumber, b: storedBytes });

const instant = z.number();

const cycle = storedObject({
  isUnderWay: z.boolean(),
  startedAt: instant,
  coveredThrough: maybe(instant),
  rangeWidth: z.number(),
  pausedUntil: instant,
  progressedAt: maybe(instant),
  requests: z.int(),
  removals: z.int(),
  compared: z.int().default(0),
  unstamped: z.int().default(0),
  previousStartedAt: maybe(instant),
  isAsked: z.boolean().default(false),
  lastRequests: maybe(z.int()),
  lastCompletedAt: maybe(instant),
});

const tier = z.enum(['recent', 'open', 'all']);

const hold = storedObject({
  number: z.int(),
  guard: z.enum([
    'known_group_not_found',
    'known_range_empty',
    'groups_removed',
    'entities_removed',
    'changed_without_stamps',
  ]),
  tier,
  since: instant,
  suspects: z.int(),
  numberedAt: z.int(),
  met: z.int(),
  isOverThreshold: z.boolean(),
  from: maybe(instant),
  tokenHash: maybe(z.string()),
  releasedAt: maybe(instant),
  samples: z
    .array(z.object({ groupId: z.int(), what: z.string(), before: z.string(), after: z.string() }))
    .default([]),
});

const guarding = storedObject({
  holds: z.array(hold),
  lastNumber: z.int(),
  seenWith: maybe(z.string()),
  entities: z.object({ since: instant, missing: z.int(), removed: z.int() }),
  usual: maybe(z.object({ ratePerHour: z.number(), learnedAt: instant, isWhole: z.boolean() })),
});

const pace = z.object({
  intervalMs: z.number(),
  lookbackMs: z.number(),
  reconcileMs: z.number(),
  requestsPerMinute: z.number(),
});

const report = z.discriminatedUnion('type', [
  z.object({ type: z.literal('feed.baseline_completed'), object: baseline, time: instant }),
  z.object({ type: z.literal('feed.drift_detected'), object: drift, time: instant }),
  z.object({ type: z.literal('feed.source_degraded'), object: sourceCondition, time: instant }),
  z.object({ type: z.literal('feed.source_recovered'), object: sourceCondition, time: instant }),
]);

const body1 = storedObject({
  generation: z.string(),
  earlierGenerations: z.array(z.string()).default([]),
  mintedIn: z.string(),
  startedAt: instant,
  settledThrough: instant,
  lastSlot: z.number(),
  lease: z.object({ owner: z.string(), epoch: z.int(), expiresAt: instant }),
  stamps: storedObject({
    zoned: z.boolean(),
    precision: z.int(),
    lead: z.number(),
    leads: z.array(z.object({ groupId: z.int(), lead: z.number() })),
    newest: maybe(instant),
    newestReceivedAt: instant,
  }),
  baseline: storedObject({
    mode: z.enum(['silent', 'emit']),
    status: z.enum(['running', 'completed']),
    startedAt: instant,
    coveredThrough: maybe(instant),
    rangeWidth: z.number(),
    groups: z.int(),
    requests: z.int(),
    estimatedGroups: maybe(z.int()),
  }),
  reconciliation: z
    .object({ recent: cycle, open: cycle.optional(), all: cycle })
    .transform(({ recent, open, all }) => ({ recent, open: open ?? newCycle(recent.startedAt), all })),
  feedSequence: z.int(),
  feedReports: z.array(report).default([]),
  health: storedObject({
    lastSettledAt: instant,
    lastWalkedAt: maybe(instant),
    degradedSince: maybe(instant),
    reasons: z.array(z.object({ code: z.string(), message: z.string() })),
    restUntil: instant,
    refusals: z.int(),
    lastHoldReported: z.int().default(0),
    setAsideReported: z.int().default(0),
    failure: maybe(z.object({ code: z.string(), message: z.string(), since: instant, ticks: z.int() })),
  }),
  driftReported: z.array(z.string()),
  pageLimit: z.number(),
  listDepth: storedObject({
    trusted: z.number(),
    confirmed: maybe(z.number()),
    most: maybe(z.number()),
    grownTo: maybe(z.number()),
    halfConfirmed: maybe(z.number()),
    suspect: maybe(z.number()),
    since: instant,
  }).default(UNKNOWN_DEPTH),
  fullPageSeen: z.boolean(),
  longestPage: z.int().default(0),
  pollWidth: z.number(),
  fieldsSince: z.record(z.string(), instant),
  wholeWalks: z.array(z.object({ fieldsUntil: instant, endedAt: instant })).default([]),
  setAside: z.array(
    storedObject({
      groupId: maybe(z.int()),
      reason: z.string(),
      digest: z.string(),
      since: instant,
      seenAt: maybe(instant),
    }),
  ),
  guarding: guarding.default({ ...NO_GUARDING, holds: [] }),
  read: storedObject({
    upTo: maybe(instant),
    reconciledThrough: maybe(instant),
    walkedFrom: maybe(instant),
    isOvertaken: z.boolean(),
    sequence: z.int(),
    report: maybe(z.object({ object: sourceRead, time: instant })),
    reportedAt: maybe(instant),
  }).default(NOTHING_READ),
  pace: maybe(pace),
  baseUrl: maybe(z.string()),
});

/** Fields that are stored under their names of the first release. */
const STORED_NAMES = new Map([
  ['feedReports', 'toTell'],
  ['driftReported', 'driftTold'],
  ['lastHoldReported', 'lastHoldTold'],
  ['setAsideReported', 'setAsideTold'],
  ['isOverThreshold', 'isMet'],
]);
const OWN_NAMES = new Map([...STORED_NAMES].map(([own, stored]) => [stored, own]));

/** The value with its objects' fields renamed, at any depth. */
function renamed(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [names.get(name) ?? name, renamed(item, names)]),
  );
}

/** The written type must match the read one: a field that only one of them has does not compile. */
type Readable = DeepReadonly<z.output<typeof body1>>;
type DeepReadonly<Value> = Value extends object
  ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
  : Value;
