// How fresh a reader is: what the store's entities became and when, against what the reader saw and when. Pure. It
// judges statuses only: every reader shows these, and they are what most subscribers act on.
import { type Instant, SECOND } from '../../shared/instant.ts';

/** A status that an entity got, in the store or in a reader's eyes. */
export interface Became {
  readonly at: Instant;
  /** The entity's type and id. */
  readonly entity: string;
  /** Undefined once it is gone. */
  readonly status: string | undefined;
}

export interface Delays {
  /** Seconds from each change to the moment when the reader knew it or a later one of the entity, ascending. */
  readonly seconds: readonly number[];
  /** Changes that the reader never got to know. */
  readonly never: number;
  /** Changes that were undone before a reading showed them. */
  readonly unseen: number;
}

/**
 * @param opening the statuses before all changes, which the reader knows
 * @param changes of the store, in order
 * @param sightings of the reader: statuses other than those it knew, in order
 */
export function delaysOf(
  opening: ReadonlyMap<string, string>,
  changes: readonly Became[],
  sightings: readonly Became[],
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
      // If a status came twice, the reader may mean either: only changes without repetitions are judged exactly.
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

/** The value below which the share of all changes lies, in seconds; infinite if the reader never knew as many. */
export function quantile({ seconds, never }: Delays, share: number): number {
  const place = Math.max(0, Math.ceil((seconds.length + never) * share) - 1);
  return seconds[place] ?? (never > 0 ? Number.POSITIVE_INFINITY : 0);
}

/** The number of entities whose status the reader does not know rightly at a moment. */
export function wrongAt(
  moment: Instant,
  opening: ReadonlyMap<string, string>,
  changes: readonly Became[],
  sightings: readonly Became[],
): number {
  const truth = statusesAt(moment, opening, changes);
  const known = statusesAt(moment, opening, sightings);
  const entities = new Set([...truth.keys(), ...known.keys()]);
  return [...entities].filter((entity) => truth.get(entity) !== known.get(entity)).length;
}

function statusesAt(moment: Instant, opening: ReadonlyMap<string, string>, all: readonly Became[]) {
  const statuses = new Map<string, string | undefined>(opening);
  for (const { at, entity, status } of all) if (at <= moment) statuses.set(entity, status);
  return statuses;
}

function byEntity(all: readonly Became[]): Map<string, Became[]> {
  const entities = new Map<string, Became[]>();
  for (const became of all) {
    const known = entities.get(became.entity);
    if (known === undefined) entities.set(became.entity, [became]);
    else known.push(became);
  }
  return entities;
}
