// The state of the guards of a source: their knowledge and their holds.
import * as z from 'zod';
import { tier } from '../source/cycle-state.ts';
import { instant, maybe, type Stored, storedObject } from '../source/stored-object.ts';

/** The findings for which a guard holds. */
const guard = z.enum([
  'known_group_not_found',
  'known_range_empty',
  'groups_removed',
  'entities_removed',
  'changed_without_stamps',
]);

export type Guard = z.output<typeof guard>;

/** Where a held change lies, and the value that is held: by these a later reading is compared with it. */
const heldValue = storedObject({
  /** For instance `shipment/77120`. */
  entity: z.string(),
  /** Undefined if the whole entity is new. */
  field: maybe(z.string()),
  /** Digest of the held value. */
  held: z.string(),
  /** The newest stamp of the group under which the held value was shown. */
  updatedAt: instant,
});

export type HeldValue = Stored<typeof heldValue>;

/** One held change or removal of a return group, in words. */
const holdSample = z.object({
  groupId: z.int(),
  /** For instance `shipment/77120 status`. */
  what: z.string(),
  before: z.string(),
  after: z.string(),
  /** Only of a change without a newer stamp. */
  value: heldValue.optional(),
});

export type HoldSample = Stored<typeof holdSample>;

/** A held change by which later walks know whether the mistake stands; see hold-witnesses.ts. */
const holdWitness = storedObject({
  groupId: z.int(),
  value: heldValue,
  /** Whether the current cycle has read the held value again; undefined while it is undecided. */
  shows: maybe(z.boolean()),
});

export type HoldWitness = Stored<typeof holdWitness>;

const hold = storedObject({
  /** Names the hold in `release`; a hold that grows beyond twice its size gets another. */
  number: z.int(),
  guard,
  /** The tier whose cycle shows whether the hold is over. */
  tier,
  since: instant,
  /** Groups or entities that are held; after a release, those that may still be published. */
  suspects: z.int(),
  /** How many suspects there were when the hold got its number. */
  numberedAt: z.int(),
  /** How many suspects the current cycle has found. */
  met: z.int(),
  /** Whether these still are too many; after a release, whether the current cycle needed the permit. */
  isOverThreshold: z.boolean(),
  /** The earliest creation time of a range with suspects: a release goes back there. */
  from: maybe(instant),
  /** Hash of the address and token (`accessHash` elsewhere), if the hold is about them. */
  tokenHash: maybe(z.string()),
  /** When it was released; undefined while it stands. */
  releasedAt: maybe(instant),
  /** A few of the suspects, for the operator who decides. */
  samples: z.array(holdSample).default([]),
  /**
   * Some of the suspects as the current cycle began, with what it has found of them; only of changes without a newer
   * stamp.
   */
  witnesses: z.array(holdWitness).default([]),
});

export type Hold = Stored<typeof hold>;

const usualChange = z.object({
  /** Changes of a group per hour: the most of the last days, halved each day. */
  ratePerHour: z.number(),
  learnedAt: instant,
  /** False only in states that an older version of the feed saved: their rate was provisional. */
  isWhole: z.boolean(),
});

export type UsualChange = Stored<typeof usualChange>;

export const guarding = storedObject({
  /** Standing holds, and released ones that still serve as permits. */
  holds: z.array(hold),
  /** The number of the last hold; numbers are never used twice. */
  lastNumber: z.int(),
  /** Hash of the address and token that were last proved to show this source; undefined while in doubt. */
  seenWith: maybe(z.string()),
  /** Entities found missing, and published as removed, in the current period of one cycle's length. */
  entities: z.object({ since: instant, missing: z.int(), removed: z.int() }),
  /** How many groups usually change without a newer stamp; undefined before the first finished walk. */
  usual: maybe(usualChange),
  /** The rate of the last released change without a newer stamp, and when a walk had published it. */
  released: maybe(z.object({ ratePerHour: z.number(), learnedAt: instant })),
});

export type GuardingState = Stored<typeof guarding>;

/** The state of a source's guards at its start, and of a source that was stored before there were guards. */
export const NO_GUARDING: GuardingState = {
  holds: [],
  lastNumber: 0,
  seenWith: undefined,
  entities: { since: 0, missing: 0, removed: 0 },
  usual: undefined,
  released: undefined,
};
