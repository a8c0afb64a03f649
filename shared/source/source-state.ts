// The one item per source that all its ticks share. It is written conditionally; what a tick could not save is read
// again. What can be derived is not stored.
import * as z from 'zod';
import * as feedObjects from '../contract/feed-objects.ts';
import { hold } from '../guarding/hold.ts';
import { position } from '../position/position.ts';
import { room } from '../reading/room.ts';
import { round } from '../reading/round.ts';
import { instant, maybe, type Stored, storedObject } from './stored-object.ts';

/** An event that a poller publishes about its source, and that has no number yet. */
const feedReport = z.discriminatedUnion('type', [
  z.object({ type: z.literal('feed.baseline_completed'), object: feedObjects.baseline, time: instant }),
  z.object({ type: z.literal('feed.drift_detected'), object: feedObjects.drift, time: instant }),
  z.object({ type: z.literal('feed.source_degraded'), object: feedObjects.sourceCondition, time: instant }),
  z.object({ type: z.literal('feed.source_recovered'), object: feedObjects.sourceCondition, time: instant }),
]);

export type FeedReport = Stored<typeof feedReport>;

const lease = z.object({
  owner: z.string(),
  /** Counts the takeovers: shows a process whether another one read in between. */
  epoch: z.int(),
  expiresAt: instant,
});

export type Lease = Stored<typeof lease>;

/** Lanes whose rounds survive ticks. */
export const KEPT_LANES = ['late', 'recent', 'older'] as const;
export type KeptLane = (typeof KEPT_LANES)[number];
/** All lanes, in the order in which `status` shows them. */
export const LANES = ['fresh', 'late', 'recent', 'older', 'look-ups'] as const;
export type LaneName = (typeof LANES)[number];

/** Whether the lane reads all groups by creation. */
export function isWalk(lane: LaneName): lane is 'recent' | 'older' {
  return lane === 'recent' || lane === 'older';
}

const lane = storedObject({
  dueAt: instant,
  /** The round under way. */
  round: maybe(round),
  /** When the last complete round ended; at first the feed's start. */
  endedAt: instant,
  groups: z.int(),
  requests: z.int(),
  /** Known groups that it missed. */
  missing: z.int(),
  /** Where the next round of polls is cut from the start, along `created_at` (reading/plan-parts.ts). */
  cuts: z.array(instant),
});

export type LaneState = Stored<typeof lane>;

/** A problem that one of the checks has found; see guarding/findings.ts. */
const finding = z.object({
  code: z.enum(['groups_hidden', 'filter_ignored', 'polls_miss_changes', 'clock', 'unreadable_field']),
  /** Of `unreadable_field`: each field is a finding of its own. */
  field: z.string().optional(),
  /** The lane that found it. Its first complete round that began later and did not find it again ends it. */
  lane: z.enum(LANES),
  count: z.int(),
  example: z.string(),
  seenAt: instant,
});

export type Finding = Stored<typeof finding>;

const fieldShown = z.object({
  at: instant.optional(),
  asNull: instant.optional(),
  inPart: instant.optional(),
  nowhere: instant.optional(),
});

const setAside = storedObject({
  groupId: maybe(z.int()),
  reason: z.string(),
  digest: z.string(),
  since: instant,
  seenAt: instant,
});

export type SetAside = Stored<typeof setAside>;

/** A group to be looked up by its id. It stays here until an answer shows it or proves that it is gone. */
const lookUp = z.object({
  groupId: z.int(),
  dueAt: instant,
  /** Whether a walk missed it; otherwise a reading of it was left as possibly stale. */
  isMissing: z.boolean().optional(),
  /** When the first look-up that did not find it was answered. */
  absentSince: instant.optional(),
  /** Since when answers show it with a stamp before the known one. Any later answer with the known one ends this. */
  olderSince: instant.optional(),
});

export type LookUp = Stored<typeof lookUp>;

/** Ticks that failed one after the other. */
const failure = z.object({ code: z.string(), message: z.string(), since: instant, ticks: z.int() });

const health = storedObject({
  degradedSince: maybe(instant),
  reasons: z.array(z.object({ code: z.string(), message: z.string() })),
  /** The source rests until then after refusals (401, 403). */
  restUntil: instant,
  refusals: z.int(),
  /** Why the last ticks failed; undefined after one that did not. */
  failure: maybe(failure),
});

/** The settings of the last tick, for readers of the state. */
const pace = z.object({
  intervalMs: z.number(),
  lookbackMs: z.number(),
  settleMs: z.number(),
  reconcileMs: z.number().optional(),
  requestsPerMinute: z.number(),
  walkShare: z.number(),
});

/** All but the source's name and the version, which the store keeps in its own way. */
export const sourceStateBody = storedObject({
  /** Time of creation in base 36, so that generations sort; part of every event's id. */
  generation: z.string(),
  /** The generations before this one; groups may be stored under them as well. */
  earlierGenerations: z.array(z.string()),
  /** Where the state was created (`identity` of the port SourceStates); if it is found elsewhere, the feed stops. */
  mintedIn: z.string(),
  /** The feed's start. */
  startedAt: instant,
  mode: z.enum(['silent', 'emit']),
  /** When the first walk over all groups ended. */
  baselineAt: maybe(instant),
  lease,
  /** The slot of the last tick taken, in milliseconds since the epoch: an older or equal one is dropped. */
  lastSlot: z.number(),
  position,
  room,
  /** Rows to ask for; see reading/page-limit.ts. */
  limit: z.int(),
  stampForm: z.object({ zoned: z.boolean(), digits: z.int() }),
  lanes: z.object({ late: lane, recent: lane, older: lane }),
  lookUps: z.array(lookUp),
  findings: z.array(finding),
  setAside: z.array(setAside),
  /** No request before this moment: the service asked for a pause. */
  pausedUntil: instant,
  /** Hash of the address and token that were last proved to show this source; undefined while in doubt. */
  seenWith: maybe(z.string()),
  holds: z.array(hold),
  /** Of the last hold; numbers are never used twice. */
  lastHold: z.int(),
  /** The last groups that walks compared: 1 for each that differed without a newer stamp, else 0. */
  compared: z.string(),
  /** Entities published as removed since the last walk began. */
  removals: z.int(),
  /** Groups created before the feed began, and first seen since the last walk began. */
  backfilled: z.int(),
  /** When the service first sent each watched field, for instance `shipment.carrier`, if not from the start. */
  fieldsSince: z.record(z.string(), instant),
  /** When and how answers last showed each watched field (comparing/known-fields.ts). */
  fieldsShown: z.record(z.string(), fieldShown),
  health,
  /** The last number of the feed's own events that a poller knows. Sweeps and commands may have appended later ones. */
  feedSequence: z.int(),
  /** Reports of the feed about itself: appended once this state is saved, and again by a process that finds them. */
  feedReports: z.array(feedReport),
  /** The number of the last `feed.source_read`: the minute of its slot, or one more than the one before. */
  readSequence: z.int(),
  /** When the last one was made, until it is appended. */
  readReportAt: maybe(instant),
  /** Unlisted values and fields already reported as drift. Bounded. */
  driftReported: z.array(z.string()),
  pace: maybe(pace),
  /** The service's address in the last tick's settings. */
  baseUrl: maybe(z.string()),
});

export interface SourceState extends Stored<typeof sourceStateBody> {
  readonly source: string;
  readonly version: number;
}
