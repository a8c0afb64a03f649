// The states that a reader knows: of each entity, and since when. A state is a text of the entity's watched fields, so
// that a row and an event with the same values give the same state.
import { entitiesOf } from '../acceptance/entities-of-row.ts';
import type { EntityKind, Fields } from '../acceptance/history.ts';
import { WATCHED } from '../acceptance/printed-event.ts';

export interface Learnt {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly subject: string;
  readonly state: string;
}

export const GONE = 'gone';

export interface KnownStates {
  /** Notes the state, if it differs from the one before. */
  learn(subject: string, state: string, at: number): void;
  readonly learnt: readonly Learnt[];
}

export function createKnownStates(): KnownStates {
  const current = new Map<string, string>();
  const learnt: Learnt[] = [];
  return {
    learnt,
    learn(subject, state, at) {
      if (current.get(subject) === state) return;
      current.set(subject, state);
      learnt.push({ at, subject, state });
    },
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
