// The one item per source that all its ticks share. It is written conditionally; what a tick could not save is learned
// again. Its type is that of its schema, whose defaults are for states that an older release saved.
import * as z from 'zod';
import * as feedObjects from '../contract/feed-objects.ts';
import { guarding, NO_GUARDING } from '../guarding/guarding-state.ts';
import { UNKNOWN_DEPTHS } from '../reading/list-depth.ts';
import { NOTHING_READ, read } from '../reporting/read-state.ts';
import { reconciliation } from './cycle-state.ts';
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
  epoch: z.int(),
  /** In slot time. */
  expiresAt: instant,
});

export type Lease = Stored<typeof lease>;

/** Learned properties of the service's stamps; see reading/stamps-clock.ts. */
const stamps = storedObject({
  zoned: z.boolean(),
  /** Digits after the second. */
  precision: z.int(),
  /** How far plausible stamps run ahead of the answers' Date, in the unit of Instant. */
  lead: z.number(),
  /**
   * Set when stamps fell back. Rows that have not changed since then have stamps up to `from`: such a stamp moves the
   * stamps' clock only if it is ahead of `Date` by at most `lead`.
   */
  fall: maybe(storedObject({ from: instant, lead: z.number() })),
  /** The leads of the last groups that changed, one per group, from which `lead` is taken. */
  leads: z.array(z.object({ groupId: z.int(), lead: z.number() })),
  newest: maybe(instant),
  /** When the answer that brought `newest` was received, by the service's clock, on the late side. */
  newestReceivedAt: instant,
  /**
   * Groups that changed since polls last saw a change, with stamps that polls had settled; see
   * tick/stamps-fall-back.ts.
   */
  passed: z.array(z.object({ groupId: z.int(), updatedAt: instant, receivedAt: instant })).default([]),
  /** Defined while it is in doubt whether polls can see changes; see tick/blind-polls.ts. */
  pollsInDoubt: maybe(
    storedObject({
      /** Groups that changed, with the stamps to ask for, at most three; the next group that changes is added. */
      changed: z.array(z.object({ groupId: z.int(), updatedAt: instant })),
      /** The slot, as an instant, since when the requests for them fail; undefined if the last one succeeded. */
      unansweredSince: maybe(instant),
    }),
  ),
});

export type StampsState = Stored<typeof stamps>;

const baseline = storedObject({
  mode: z.enum(['silent', 'emit']),
  status: z.enum(['running', 'completed']),
  startedAt: instant,
  /** Creation time up to which all groups were read. */
  coveredThrough: maybe(instant),
  /** Width of the next range, in the unit of Instant. */
  rangeWidth: z.number(),
  groups: z.int(),
  requests: z.int(),
  /** Roughly how many groups there are in all; undefined before the estimate, 0 if it failed. */
  estimatedGroups: maybe(z.int()),
});

export type BaselineState = Stored<typeof baseline>;

/** Ticks that failed one after the other. */
const failure = z.object({
  /** The last one's, as in the reasons of health. */
  code: z.string(),
  message: z.string(),
  /** The slot, as an instant, of the first of them. */
  since: instant,
  ticks: z.int(),
});

const health = storedObject({
  /** The slot, as an instant, of the last tick whose polls were complete: slots go on in an outage. */
  lastSettledAt: instant,
  /**
   * The slot, as an instant, of the last tick whose walks made progress or had nothing to do; undefined before the
   * first tick of a release that notes it.
   */
  lastWalkedAt: maybe(instant),
  degradedSince: maybe(instant),
  reasons: z.array(z.object({ code: z.string(), message: z.string() })),
  /** The source rests until then after refusals (401, 403). */
  restUntil: instant,
  refusals: z.int(),
  /** The number of the last hold that was reported. */
  lastHoldReported: z.int().default(0),
  /** How many groups were set aside at the last report. */
  setAsideReported: z.int().default(0),
  /** Why the last ticks failed; undefined after one that did not. */
  failure: maybe(failure),
});

export type HealthState = Stored<typeof health>;

const listDepth = storedObject({
  trusted: z.number(),
  confirmed: maybe(z.number()),
  most: maybe(z.number()),
  grownTo: maybe(z.number()),
  halfConfirmed: maybe(z.number()),
  longest: maybe(z.number()),
  suspect: maybe(z.number()),
  since: instant,
});

const setAside = storedObject({
  groupId: maybe(z.int()),
  reason: z.string(),
  digest: z.string(),
  since: instant,
  /** When it was last seen; undefined in notes of a release that did not keep it. */
  seenAt: maybe(instant),
});

export type SetAside = Stored<typeof setAside>;

/** Look-ups by id that fail; tick/failing-look-ups.ts decides by it which are made. */
const failingLookUps = storedObject({
  /** Groups whose last look-up failed, each with its first and last failure; bounded. */
  groups: z.array(z.object({ groupId: z.int(), since: instant, at: instant })),
  /**
   * Groups about which a request was cut off, by the end of a tick, a failed connection, or an answer that ends it
   * (401, 403, 429), since the last walk over all groups began; bounded.
   */
  cutOff: z.array(z.int()),
  /** Groups whose look-up failed for the first time, since the last one that was answered. */
  inRow: z.int(),
  /** Since when, and when last, removals could not be confirmed, because the look-ups of other groups failed. */
  unconfirmed: maybe(z.object({ since: instant, at: instant })),
});

export type FailingLookUps = Stored<typeof failingLookUps>;

export const NO_FAILING_LOOK_UPS: FailingLookUps = {
  groups: [],
  cutOff: [],
  inRow: 0,
  unconfirmed: undefined,
};

/** The settings needed to interpret a source's figures. */
const pace = z.object({
  intervalMs: z.number(),
  lookbackMs: z.number(),
  reconcileMs: z.number(),
  requestsPerMinute: z.number(),
});

/** All but the source's name and the version, which the store keeps in its own way. */
export const sourceStateBody = storedObject({
  /** Time of creation in base 36, so that generations sort; part of every event's id. */
  generation: z.string(),
  /** The generations before this one; groups may be stored under them as well. */
  earlierGenerations: z.array(z.string()).default([]),
  /** Where the state was created (`identity` of the port SourceStates); if it is found elsewhere, the feed stops. */
  mintedIn: z.string(),
  /**
   * The feed's start by the stamps' clock. A silent baseline publishes only groups that were updated since then, or
   * within the lookback before.
   */
  startedAt: instant,
  /** The instant, by the stamps' clock, before which polls have nothing left to read. */
  settledThrough: instant,
  /**
   * The slot of the last tick taken, in milliseconds since the epoch; 0 before the first. An older or equal one is
   * dropped.
   */
  lastSlot: z.number(),
  lease,
  stamps,
  baseline,
  reconciliation,
  /** The last number of the feed's own events that a poller knows. Sweeps and commands may have appended later ones. */
  feedSequence: z.int(),
  /** Reports of the feed about itself: appended once this state is saved, and again by a process that finds them. */
  feedReports: z.array(feedReport).default([]),
  health,
  /** Unlisted values and fields already reported as drift. Bounded. */
  driftReported: z.array(z.string()),
  /**
   * Rows to a page that the service accepts: halved after a 422 on `limit`, and after a page that was too large or too
   * slow. A walk over all groups may reset it.
   */
  pageLimit: z.number(),
  /** How far the service's lists can be paged. An earlier release kept one depth for all lists, as `listDepth`. */
  listDepths: storedObject({ updated: listDepth, created: listDepth, since: instant }).default(
    UNKNOWN_DEPTHS,
  ),
  /**
   * Whether a page of ten or more rows came since the last walk over all groups began: only then may a short page end a
   * poll (R1).
   */
  fullPageSeen: z.boolean(),
  /** Rows of the longest page since the last walk over all groups began: what the service really gives. */
  longestPage: z.int().default(0),
  /** Width of the poll's next closed range, in the unit of Instant; halved where a range had too many pages (R3). */
  pollWidth: z.number(),
  /** When the service first sent each watched field, for instance `shipment.carrier`: older snapshots can't hold it. */
  fieldsSince: z.record(z.string(), instant),
  /**
   * Walks that read every field which was sent before `fieldsUntil`. If a group shows one of these fields for the first
   * time after such a walk, that is a change.
   */
  wholeWalks: z.array(z.object({ fieldsUntil: instant, endedAt: instant })).default([]),
  /** Set-aside groups: id if known, reason, digest of the row. */
  setAside: z.array(setAside),
  guarding: guarding.default({ ...NO_GUARDING, holds: [] }),
  read: read.default(NOTHING_READ),
  failingLookUps: failingLookUps.default({ ...NO_FAILING_LOOK_UPS, groups: [], cutOff: [] }),
  /** The last tick's settings, for readers of the state; undefined in a state that was saved without them. */
  pace: maybe(pace),
  /** The service's address in the last tick's settings; undefined in a state that was saved without it. */
  baseUrl: maybe(z.string()),
});

export interface SourceState extends Stored<typeof sourceStateBody> {
  readonly source: string;
  readonly version: number;
}
