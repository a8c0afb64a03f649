// Reads a true history in the same way as the feed, with crashes before saves, and keeps the published events.
import { compareReading } from '../../../shared/comparing/compare-reading.ts';
import {
  createUnknowable,
  type FieldMemory,
  type FieldsSince,
  learnFields,
} from '../../../shared/comparing/known-fields.ts';
import { removeGroup } from '../../../shared/comparing/remove-group.ts';
import { GROUP_ARRAYS, type Reading, type Snapshot } from '../../../shared/comparing/snapshot.ts';
import type { EntityEvent } from '../../../shared/contract/event.ts';
import { WATCHED_FIELDS } from '../../../shared/contract/watched-fields.ts';
import { type Instant, SECOND } from '../../../shared/instant.ts';
import type { Save } from '../../../shared/ports.ts';
import { checkSave } from '../../../shared/recording/check-save.ts';
import { parseReturnGroup } from '../../../shared/returns-service/parse-return-group.ts';
import { FIRST_READ, OPTIONS, read, SETTLE, stored } from './a-reading.ts';
import {
  BEGINNING,
  type Happening,
  happen,
  LATE_FIELDS,
  newGroup,
  type Showing,
  show,
  type TrueGroup,
  type Version,
} from './true-history.ts';

export type Step =
  | { readonly does: 'wait'; readonly seconds: number }
  | ({ readonly does: 'happen' } & Happening)
  | { readonly does: 'vanish' }
  | { readonly does: 'upgrade' }
  | { readonly does: 'return' }
  | {
      readonly does: 'read';
      readonly staleSeconds: number;
      readonly showing: Showing;
      /** Whether the process dies before it saves. */
      readonly dies: boolean;
    };

export interface Feed {
  /** Whether first readings publish no events. */
  readonly isSilent: boolean;
  /** Whether the feed keeps the time of the last unchanged reading of the group. */
  readonly keepsUnchanged: boolean;
}

export interface Followed extends Feed {
  readonly versions: readonly Version[];
  readonly events: readonly EntityEvent[];
  /** The readings that were saved. */
  readonly takenIn: readonly TakenIn[];
  /** Whether a complete reading at the end changed nothing. */
  readonly isSettled: boolean;
}

export interface TakenIn {
  readonly reading: Reading;
  /** The number of events published before. */
  readonly eventsBefore: number;
  /** Whether the reading announced the group. */
  readonly isAnnounced: boolean;
}

/** The fields that other groups have shown since long ago: all except the late ones. */
const SENT_FROM_THE_START: FieldsSince = Object.fromEntries(
  Object.entries({ ...WATCHED_FIELDS, refund_transaction: [] }).flatMap(([kind, fields]) =>
    ['id', ...fields]
      .filter((field) => !LATE_FIELDS.includes(field))
      .map((field) => [`${kind}.${field}`, BEGINNING] as const),
  ),
);

export const PLAIN: Showing = {
  leftOut: [],
  isReversed: false,
  hasOffsets: false,
  hidesRefundIds: false,
  isSparse: false,
};

/** Follows a history to its end, and then reads without further changes until nothing is left to publish. */
export function followHistory(steps: readonly Step[], feed: Feed): Followed {
  const world = createWorld();
  const reader = createReader(feed);
  for (const step of steps) take(step, world, reader);
  for (let round = 0; round < 5; round += 1) {
    world.wait(SETTLE / SECOND + 1);
    reader.read(world.now(), world.at(world.now()), PLAIN, false);
  }
  const { events, takenIn } = reader;
  const isSettled = reader.lastVerdict() === 'unchanged';
  return { ...feed, versions: world.versions, events, takenIn, isSettled };
}

type World = ReturnType<typeof createWorld>;
type Reader = ReturnType<typeof createReader>;

function take(step: Step, world: World, reader: Reader): void {
  world.wait(1);
  const now = world.now();
  if (step.does === 'wait') world.wait(step.seconds);
  else if (step.does === 'happen') world.become((group) => group && happen(step, group, now));
  else if (step.does === 'vanish') world.become(() => undefined);
  else if (step.does === 'upgrade') world.upgrade();
  else if (step.does === 'return') world.become((group, last) => group ?? { ...last, updated_at: now });
  else reader.read(now, world.at(now - step.staleSeconds * SECOND), step.showing, step.dies);
}

function createWorld() {
  const versions: Version[] = [{ from: BEGINNING, group: newGroup(BEGINNING), sendsAll: false }];
  let sendsAll = false;
  let now = FIRST_READ;
  let last = newGroup(BEGINNING);
  return {
    versions,
    now: () => now,
    wait(seconds: number) {
      now += seconds * SECOND;
    },
    at: (moment: Instant) => versions.findLast(({ from }) => from <= moment),
    upgrade() {
      sendsAll = true;
      versions.push({ from: now, group: versions.at(-1)?.group, sendsAll });
    },
    become(change: (group: TrueGroup | undefined, last: TrueGroup) => TrueGroup | undefined) {
      const group = change(versions.at(-1)?.group, last);
      versions.push({ from: now, group, sendsAll });
      last = group ?? last;
    },
  };
}

function createReader({ isSilent, keepsUnchanged }: Feed) {
  const events: EntityEvent[] = [];
  const takenIn: TakenIn[] = [];
  let snapshot: Snapshot | undefined;
  let lastSeenAt: Instant | undefined;
  let lackedSince: Instant | undefined;
  let verdict: string | undefined;
  let memory: FieldMemory = { fieldsSince: SENT_FROM_THE_START, fieldsShown: {} };

  function keep(save: Save): void {
    checkSave({ source: 'acme', generation: 'mi8x2k', group: 7 }, save);
    if (save.expectedVersion !== (snapshot?.version ?? 0))
      throw new Error('A save does not continue from the last one.');
    // A round trip through JSON: every comparison starts from a snapshot as a store returns it.
    snapshot = stored(save.snapshot);
    events.push(...(JSON.parse(JSON.stringify(save.events)) as EntityEvent[]));
    lastSeenAt = undefined;
  }

  function lookUpNothing(sentAt: Instant): void {
    const receivedAt = sentAt + SECOND / 2;
    verdict = 'unchanged';
    if (snapshot === undefined || snapshot.removedAt !== undefined) return;
    verdict = 'left';
    lackedSince ??= receivedAt;
    if (sentAt < lackedSince + SETTLE) return;
    const lookUp = { sentAt, receivedAt, through: 'reconciliation' } as const;
    const save = removeGroup(snapshot, lookUp, { ...OPTIONS, lastSeenAt });
    if (save !== undefined) keep(save);
  }

  function learn(row: unknown, receivedAt: Instant): void {
    const parsed = parseReturnGroup(row);
    if (parsed.kind !== 'readable') return;
    memory = learnFields(memory, [parsed.group], { since: receivedAt, sentAt: receivedAt, isWalk: false });
  }

  function compare(reading: Reading, dies: boolean): void {
    const published = events.length;
    const compared = compareReading(snapshot, reading, {
      ...OPTIONS,
      emits: !isSilent,
      isOld: () => true,
      isOldEntity: () => true,
      // Otherwise the next moved stamp would publish fields that are sent for the first time.
      unknowable: createUnknowable(
        { ...memory, walkedAt: undefined },
        snapshot,
        { ...reading, updatedAt: 0 },
        SETTLE,
      ),
      lastSeenAt,
    });
    verdict = compared.verdict;
    if (compared.verdict === 'unchanged' && keepsUnchanged && isWhole(reading, snapshot)) {
      lastSeenAt = reading.sentAt;
    }
    if (compared.verdict !== 'differs' || dies) return;
    const wasGone = snapshot?.removedAt !== undefined;
    keep(compared.save);
    takenIn.push({ eventsBefore: published, reading, isAnnounced: wasGone || !isSilent });
  }

  return {
    events,
    takenIn,
    lastVerdict: () => verdict,
    read(sentAt: Instant, version: Version | undefined, showing: Showing, dies: boolean) {
      if (version?.group === undefined) return lookUpNothing(sentAt);
      const { group, sendsAll } = version;
      lackedSince = undefined;
      const row = show(group, sendsAll, showing);
      const reading = read(row, sentAt - FIRST_READ);
      learn(row, reading.receivedAt);
      if (reading.updatedAt !== group.updated_at) throw new Error('The stamp was misread.');
      compare(reading, dies);
    },
  };
}

function isWhole(reading: Reading, snapshot: Snapshot | undefined): boolean {
  const isGiven = (name: (typeof GROUP_ARRAYS)[number]) =>
    snapshot?.projection[name] === undefined || reading.projection[name] !== undefined;
  return Object.keys(snapshot?.absences ?? {}).length === 0 && GROUP_ARRAYS.every(isGiven);
}
