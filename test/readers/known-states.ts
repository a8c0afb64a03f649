// The states that a reader knows: of each entity, and since when. A state is a text of the entity's watched fields, so
// that a row and an event with the same values give the same state.
import { entitiesOf } from '../acceptance/entities-of-row.ts';
import type { EntityHistory, EntityKind, Fields } from '../acceptance/history.ts';
import { WATCHED } from '../acceptance/printed-event.ts';
import type { Change, Evidence } from './measure.ts';

export const GONE = 'gone';

export interface KnownStates {
  /** Notes the state, if it differs from the one before. Times are milliseconds since 1970. */
  learn(entity: string, state: string, at: number): void;
  readonly learnt: readonly Change[];
}

export function createKnownStates(): KnownStates {
  const current = new Map<string, string>();
  const learnt: Change[] = [];
  return {
    learnt,
    learn(entity, state, at) {
      if (current.get(entity) === state) return;
      current.set(entity, state);
      learnt.push({ at, entity, state });
    },
  };
}

/** The service's own history beside the states that a reader learnt. */
export function evidenceOf(histories: readonly EntityHistory[], learnt: readonly Change[]): Evidence {
  const all = histories.flatMap(({ subject: entity, kind, states }) =>
    states
      .map(({ changedAt: at, fields }) => ({ at, entity, state: stateOf(kind, fields) }))
      .filter(({ state }, index, made) => made[index - 1]?.state !== state),
  );
  const isOpening = ({ at }: Change) => at === 0;
  return {
    opening: new Map(all.filter(isOpening).map(({ entity, state }) => [entity, state])),
    changes: all.filter((change) => !isOpening(change)),
    sightings: learnt,
  };
}

/** The state of an entity: times in any notation are equal, as are null and absent values, and lists in any order. */
export function stateOf(kind: EntityKind, fields: Fields | undefined): string {
  if (!fields) return GONE;
  return JSON.stringify(
    WATCHED[kind].map((name) => {
      const value = fields[name] ?? null;
      if (Array.isArray(value)) return [...value].sort();
      return name.endsWith('_at') && typeof value === 'string' ? Date.parse(value) : value;
    }),
  );
}

/** Each entity of a row: its subject, as events name it, and its state. */
export function statesOfRow(row: Fields): [subject: string, state: string][] {
  return [...entitiesOf(row)].map(([subject, { kind, fields }]) => [subject, stateOf(kind, fields)]);
}
