import type { KnownState } from './change-set.ts';
import { keyOf } from './change-set.ts';
import type { Change, WatchedEntity } from './changes.ts';
import type { GroupProjection } from './snapshot.ts';

/** The state that results from publishing `changes`, and nothing else, on top of `state`. */
export function applyChanges(state: KnownState, changes: readonly Change[]): KnownState {
  return changes.reduce(applyChange, state);
}

function applyChange(state: KnownState, change: Change): KnownState {
  const { projection } = state;
  const { object } = change;
  if (object.type === 'refund_transaction') {
    const refunds = [...(projection.refund_transactions ?? []), object];
    return { ...state, projection: { ...projection, refund_transactions: refunds } };
  }
  const rest = {
    ...state,
    absences: without(state.absences, keyOf(object)),
    unpublished: without(state.unpublished, keyOf(object)),
  };
  if (object.type === 'return_group') return { ...rest, projection: { ...projection, group: object } };
  const name = `${object.type}s` as const;
  const entities: readonly WatchedEntity[] = projection[name] ?? [];
  const others = entities.filter((entity) => entity.id !== object.id);
  const next = change.verb === 'removed' ? others : [...others, object];
  return { ...rest, projection: { ...projection, [name]: next } as GroupProjection };
}

function without<Value>(
  record: Readonly<Record<string, Value>>,
  key: string,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));
}
