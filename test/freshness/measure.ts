// Measures the freshness of a reader, as a pure function: compares the status changes of the store with those that the
// reader saw. It compares only statuses, because every reader shows them, and most subscribers act on them.
import { type Instant, SECOND } from '../../shared/instant.ts';

/** A new status of an entity, in the store or as a reader saw it. */
export interface StatusChange {
  readonly at: Instant;
  /** The entity's type and id. */
  readonly entity: string;
  /** Undefined once it is gone. */
  readonly status: string | undefined;
}

export interface Delays {
  /** Seconds from each change until the reader knew it or a later change of the entity, ascending. */
  readonly seconds: readonly number[];
  /** Changes that the reader never knew. */
  readonly never: number;
  /** Changes that were undone before a reading showed them. */
  readonly unseen: number;
}

/**
 * @param opening the statuses before all changes, which the reader knows
 * @param changes of the store, in order
 * @param sightings of the reader: statuses that were new to it, in order
 */
export function delaysOf(
  opening: ReadonlyMap<string, string>,
  changes: readonly StatusChange[],
  sightings: readonly StatusChange[],
): Delays {
  const seen = byEntity(sightings);
  const seconds: number[] = [];
  let never = 0;
  let unseen = 0;
  for (const [entity, made] of byEntity(changes)) {
    const sights = seen.get(entity) ?? [];
    let knows = opening.get(entity);
    let known = 0;
    for (const { at, status } of sights) {
      // If an entity had the status twice, the sighting may be of either: only unrepeated statuses are measured
      // exactly.
      const upTo = made.findLastIndex((change) => change.at <= at && change.status === status);
      // A change that is undone before a reading shows it has no delay.
      const undone = made.findLastIndex((change, index) => index < upTo && change.status === knows);
      for (; known <= upTo; known += 1) {
        if (known <= undone) unseen += 1;
        else seconds.push((at - (made[known]?.at ?? at)) / SECOND);
      }
      knows = status;
    }
    const isRight = knows === made.at(-1)?.status;
    if (isRight) unseen += made.length - known;
    else never += made.length - known;
  }
  return { seconds: seconds.sort((a, b) => a - b), never, unseen };
}

/** The quantile of the delays, in seconds; infinite if the reader never knew that share of the changes. */
export function quantile({ seconds, never }: Delays, share: number): number {
  const place = Math.max(0, Math.ceil((seconds.length + never) * share) - 1);
  return seconds[place] ?? (never > 0 ? Number.POSITIVE_INFINITY : 0);
}

/** The number of entities of which the reader has a wrong status, or none, at a moment. */
export function wrongAt(
  moment: Instant,
  opening: ReadonlyMap<string, string>,
  changes: readonly StatusChange[],
  sightings: readonly StatusChange[],
): number {
  const truth = statusesAt(moment, opening, changes);
  const known = statusesAt(moment, opening, sightings);
  const entities = new Set([...truth.keys(), ...known.keys()]);
  return [...entities].filter((entity) => truth.get(entity) !== known.get(entity)).length;
}

function statusesAt(moment: Instant, opening: ReadonlyMap<string, string>, all: readonly StatusChange[]) {
  const statuses = new Map<string, string | undefined>(opening);
  for (const { at, entity, status } of all) if (at <= moment) statuses.set(entity, status);
  return statuses;
}

function byEntity(all: readonly StatusChange[]): Map<string, StatusChange[]> {
  const entities = new Map<string, StatusChange[]>();
  for (const became of all) {
    const known = entities.get(became.entity);
    if (known === undefined) entities.set(became.entity, [became]);
    else known.push(became);
  }
  return entities;
}
