// Compares the readings of a page with what is known of their groups: with digests first, and with the snapshots of those
// that differ.
import type { WatchedEntity } from '../comparing/changes.ts';
import { type CompareOptions, compareReading } from '../comparing/compare-reading.ts';
import { digestOf } from '../comparing/digest.ts';
import { createUnknowable } from '../comparing/known-fields.ts';
import { idOf, type Reading, type Snapshot } from '../comparing/snapshot.ts';
import { isSettled, OLDER_SETTLES, withStamp } from '../comparing/stale-reads.ts';
import { isReadByBaseline } from '../guarding/backfill.ts';
import type { CompareAgain, ComparedReading, Unchanged } from '../guarding/compared-reading.ts';
import { findHold } from '../guarding/holds.ts';
import { type Instant, MILLISECOND, parseStamp } from '../instant.ts';
import type { KnownGroup } from '../ports.ts';
import { walkedAt } from '../position/position.ts';
import type { SourceCell } from '../source/source-cell.ts';
import type { SourceSession } from '../source/source-session.ts';
import type { LaneName } from '../source/source-state.ts';
import { olderSinceOf } from './look-up-queue.ts';

export interface Comparison {
  /** @param known the groups that a walk expects, with their digests */
  compareAll(
    readings: readonly Reading[],
    lane: LaneName,
    known: ReadonlyMap<number, KnownGroup> | undefined,
  ): Promise<(ComparedReading | Unchanged)[]>;
  readonly again: CompareAgain;
}

export function createComparison(session: SourceSession, cell: SourceCell): Comparison {
  const { settings, store, memory } = session;
  const settle = settings.settleMs * MILLISECOND;
  const source = () => ({ source: settings.name, generation: cell.state.generation });

  /**
   * Polls trust the process's memory. A walk trusts only the digests of the index: it finds what another process saved.
   */
  async function compareAll(
    readings: readonly Reading[],
    lane: LaneName,
    known: ReadonlyMap<number, KnownGroup> | undefined,
  ): Promise<(ComparedReading | Unchanged)[]> {
    const isSame = (reading: Reading) => {
      const id = idOf(reading);
      const digest = digestOf(reading.projection);
      const remembered = memory.recall(id);
      const isRemembered = remembered?.digest === digest;
      if (isRemembered) memory.remember(id, { ...remembered, sentAt: reading.sentAt });
      return known === undefined ? isRemembered : known.get(id)?.digest === digest;
    };
    const same = new Set(readings.filter(isSame));
    const others = readings.filter((reading) => !same.has(reading)).map(idOf);
    const snapshots = others.length === 0 ? new Map<number, Snapshot>() : await store.load(source(), others);
    return readings.map((reading) => {
      if (same.has(reading)) return { reading, compared: 'unchanged' };
      const snapshot = snapshots.get(idOf(reading));
      return compare(snapshot, reading, { acceptsOlder: isProved(snapshot, reading, lane) });
    });
  }

  /** Whether a stamp before the known one has shown for long: in look-ups, or since a mass change that is over. */
  function isProved(snapshot: Snapshot | undefined, reading: Reading, lane: LaneName): boolean {
    if (snapshot === undefined) return false;
    const { phase = 'holding' } = findHold(cell.state, 'mass_change') ?? {};
    const lookedUp = lane === 'look-ups' ? olderSinceOf(cell.state, idOf(reading)) : undefined;
    const since = phase === 'holding' ? lookedUp : snapshot.receivedAt;
    return (
      since !== undefined && isSettled(reading.sentAt, Math.max(since, snapshot.receivedAt), OLDER_SETTLES)
    );
  }

  function compare(
    snapshot: Snapshot | undefined,
    shown: Reading,
    choice: Pick<CompareOptions, 'keepsMissing' | 'adopts' | 'acceptsOlder'>,
  ): ComparedReading {
    const reading = withStamp(shown, snapshot);
    const compared = compareReading(snapshot, reading, { ...optionsFor(snapshot, reading), ...choice });
    return { snapshot, reading, compared };
  }

  function optionsFor(snapshot: Snapshot | undefined, reading: Reading): CompareOptions {
    const { state } = cell;
    const { origin = Number.NEGATIVE_INFINITY } = state.position;
    const known = { ...state, walkedAt: walkedAt(state.position) };
    const isEmitting = state.mode === 'emit';
    const isAdopting = findHold(state, 'backfill')?.phase === 'adopting';
    return {
      ...source(),
      settle,
      lastSeenAt: memory.recall(idOf(reading))?.sentAt,
      emits: isEmitting,
      announcesOld: isReadByBaseline(state, reading) ? !isAdopting : isEmitting,
      isOld: ({ createdAt }) => createdAt <= origin,
      isOldEntity: (entity) => !isCreatedAfter(origin, entity),
      unknowable: createUnknowable(known, snapshot, reading, settle),
    };
  }

  return {
    compareAll,
    again: ({ snapshot, reading }, choice) => compare(snapshot, reading, { ...choice, acceptsOlder: true }),
  };
}

/** An entity without a time of creation counts as new. */
function isCreatedAfter(origin: Instant, entity: WatchedEntity): boolean {
  const stamp = 'created_at' in entity ? parseStamp(String(entity.created_at)) : undefined;
  return stamp === undefined || stamp.instant > origin;
}
