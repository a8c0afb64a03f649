// Readings for tests: rows as a service sends them, parsed and projected as in the feed.
import {
  type Compared,
  type CompareOptions,
  compareReading,
} from '../../../shared/comparing/compare-reading.ts';
import { projectGroup } from '../../../shared/comparing/project-group.ts';
import type { Reading, Snapshot } from '../../../shared/comparing/snapshot.ts';
import type { EntityEvent } from '../../../shared/contract/event.ts';
import { type Instant, parseStamp, SECOND } from '../../../shared/instant.ts';
import type { DocumentedReturnGroup } from '../../../shared/returns-service/documented-resources.ts';
import { parseReturnGroup } from '../../../shared/returns-service/parse-return-group.ts';
import { sampleRow } from '../returns-service/sample-rows.ts';

export const SETTLE = 60 * SECOND;

export const OPTIONS: CompareOptions = {
  source: 'acme',
  generation: 'mi8x2k',
  settle: SETTLE,
  emits: false,
  isOld: () => false,
  unknowable: () => false,
};

/** A row with writable fields. */
export type Row = { -readonly [Field in keyof DocumentedReturnGroup]: DocumentedReturnGroup[Field] };

/** Group 184467 as a conforming service sends it: a shipment, two line items and so on. */
export function aRow(change: (row: Row) => void = () => {}): Row {
  const row = structuredClone(sampleRow(184_467));
  change(row);
  return row;
}

export function instantOf(stamp: string): Instant {
  const parsed = parseStamp(stamp);
  if (parsed === undefined) throw new Error(`"${stamp}" is not a stamp.`);
  return parsed.instant;
}

/** The time at which the first reading was requested: a second after the sample row's stamp. */
export const FIRST_READ = instantOf('2026-11-20T10:15:03Z');

/**
 * A reading of a row.
 *
 * @param after time from {@link FIRST_READ} to the request; the answer arrives half a second later
 */
export function read(row: unknown, after = 0, more: Partial<Reading> = {}): Reading {
  const parsed = parseReturnGroup(row);
  if (parsed.kind === 'unreadable') throw new Error(`The row can't be read: ${parsed.reason}.`);
  const sentAt = FIRST_READ + after;
  const { group, updatedAt, createdAt } = parsed;
  return {
    projection: projectGroup(group),
    updatedAt,
    createdAt,
    sentAt,
    receivedAt: sentAt + SECOND / 2,
    through: 'poll',
    ...more,
  };
}

/** Compares a reading, and assumes that every save succeeds. */
export function take(
  snapshot: Snapshot | undefined,
  reading: Reading,
  options: Partial<CompareOptions> = {},
): {
  readonly verdict: Compared['verdict'];
  readonly snapshot: Snapshot | undefined;
  readonly events: EntityEvent[];
} {
  const compared = compareReading(snapshot, reading, { ...OPTIONS, ...options });
  if (compared.verdict !== 'differs') return { verdict: compared.verdict, snapshot, events: [] };
  return {
    verdict: 'differs',
    snapshot: stored(compared.save.snapshot),
    events: compared.save.events as EntityEvent[],
  };
}

/** The snapshot of a group's first reading. */
export function snapshotOf(reading: Reading, options: Partial<CompareOptions> = {}): Snapshot {
  const { snapshot } = take(undefined, reading, options);
  if (snapshot === undefined) throw new Error('A first reading is always saved.');
  return snapshot;
}

/** The snapshot as a store returns it, after a round trip through JSON. */
export function stored<Kept extends Snapshot | undefined>(snapshot: Kept): Kept {
  return snapshot && JSON.parse(JSON.stringify(snapshot));
}

/** A line for each event: its type, its place and its previous attributes. */
export function inShort(events: readonly EntityEvent[]): unknown[][] {
  return events.map(({ type, subject, data }) => [
    type,
    subject.split('/').at(-1),
    ...('previous_attributes' in data ? [data.previous_attributes] : []),
  ]);
}
