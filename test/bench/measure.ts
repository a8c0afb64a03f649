// Measures the freshness of a reader, as a pure function: compares the changes of a store with those that the reader saw.
// Times are numbers of one unit, whichever the caller has.

/** A new state of an entity, in the store or as a reader saw it. */
export interface Change {
  readonly at: number;
  /** The entity's type and id. */
  readonly entity: string;
  /** Undefined once it is gone. */
  readonly state: string | undefined;
}

export interface Evidence {
  /** The states before all changes, which every reader knows. */
  readonly opening: ReadonlyMap<string, string>;
  /** Those of the store, in order. */
  readonly changes: readonly Change[];
  /** States that were new to the reader, in order. */
  readonly sightings: readonly Change[];
}

export interface Delays {
  /** From each change until the reader knew it or a later change of the entity, ascending. */
  readonly known: readonly number[];
  /** Changes that the reader never knew. */
  readonly never: number;
  /** Changes that were undone before a reading showed them. */
  readonly unseen: number;
}

export function delaysOf({ opening, changes, sightings }: Evidence): Delays {
  const seen = byEntity(sightings);
  const delays: number[] = [];
  let never = 0;
  let unseen = 0;
  for (const [entity, made] of byEntity(changes)) {
    let knows = opening.get(entity);
    let known = 0;
    for (const { at, state } of seen.get(entity) ?? []) {
      // If an entity had the state twice, the sighting may be of either: only unrepeated states are measured exactly.
      const upTo = made.findLastIndex((change) => change.at <= at && change.state === state);
      // A change that is undone before a reading shows it has no delay.
      const undone = made.findLastIndex((change, index) => index < upTo && change.state === knows);
      for (; known <= upTo; known += 1) {
        if (known <= undone) unseen += 1;
        else delays.push(at - (made[known]?.at ?? at));
      }
      knows = state;
    }
    const isRight = knows === made.at(-1)?.state;
    if (isRight) unseen += made.length - known;
    else never += made.length - known;
  }
  return { known: delays.sort((a, b) => a - b), never, unseen };
}

/** The quantile of the delays; infinite if the reader never knew that share of the changes. */
export function quantile({ known, never }: Delays, share: number): number {
  const place = Math.max(0, Math.ceil((known.length + never) * share) - 1);
  return known[place] ?? (never > 0 ? Number.POSITIVE_INFINITY : 0);
}

/** The number of entities of which the reader has a wrong state, or none, at a moment. */
export function wrongAt(moment: number, { opening, changes, sightings }: Evidence): number {
  const truth = statesAt(moment, opening, changes);
  const known = statesAt(moment, opening, sightings);
  const entities = new Set([...truth.keys(), ...known.keys()]);
  return [...entities].filter((entity) => truth.get(entity) !== known.get(entity)).length;
}

/** The largest number of times within a window. @param times ascending */
export function mostWithin(window: number, times: readonly number[]): number {
  let first = 0;
  let most = 0;
  times.forEach((time, index) => {
    while (time - (times[first] ?? time) >= window) first += 1;
    most = Math.max(most, index - first + 1);
  });
  return most;
}

function statesAt(moment: number, opening: Evidence['opening'], all: readonly Change[]) {
  const states = new Map<string, string | undefined>(opening);
  for (const { at, entity, state } of all) if (at <= moment) states.set(entity, state);
  return states;
}

function byEntity(all: readonly Change[]): Map<string, Change[]> {
  const entities = new Map<string, Change[]>();
  for (const change of all) {
    const known = entities.get(change.entity);
    if (known === undefined) entities.set(change.entity, [change]);
    else known.push(change);
  }
  return entities;
}
