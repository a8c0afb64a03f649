// A state of the store that answers requests: the primary shows each change as soon as it is visible, a replica some
// time later. Unchanged groups come from the base, changed ones from their last applied change. Columns and indexes
// hold the data that queries need of all groups.

import type { Instant } from '../../../shared/instant.ts';
import type { BaseGroups } from './base-groups.ts';
import type { Change } from './change.ts';
import { type Columns, createColumns } from './columns.ts';
import { createNameIndex, type NameIndex } from './name-index.ts';
import { createOrderedIndex, type OrderedIndex } from './ordered-index.ts';
import { createPlaces, type Places, type SortKey } from './orders.ts';
import { createPending } from './pending.ts';
import type { StoredGroup } from './stored-group.ts';

export interface View {
  readonly columns: Columns;
  readonly names: NameIndex;
  /** The group in this view; undefined if it does not exist. */
  group(row: number): StoredGroup | undefined;
  /** The existing rows, ordered by a key. */
  index(key: SortKey): OrderedIndex;
  keyOf(key: SortKey): (row: number) => number;
  /** Shows a change from the given instant on. */
  show(change: Change, from: Instant): void;
  /** Applies the changes that are visible by now. */
  advance(now: Instant): void;
  /** An independent copy of the view. */
  copy(): View;
}

/** The view of a newly opened store, and the rows of its open groups. */
export function createView(base: BaseGroups): { view: View; openRows: number[] } {
  const columns = createColumns(base.count + 64);
  const openRows: number[] = [];
  for (let row = 0; row < base.count; row += 1) {
    const outline = base.outline(row);
    columns.put(row, outline);
    if (!outline.isClosed) openRows.push(row);
  }
  const view = viewOver(base, columns, new Map());
  // Nearly every query needs these two: make them now, so that no request waits for them.
  view.index('created_at');
  view.index('updated_at');
  return { view, openRows };
}

function viewOver(base: BaseGroups, columns: Columns, shown: Map<number, Change>): View {
  const indexes = new Map<SortKey, OrderedIndex>();
  const places = new Map<SortKey, Places>();
  const names = createNameIndex(base);
  const pending = createPending();
  for (const change of shown.values()) names.note(change);

  const placesFor = (key: 'heap' | 'shuffled'): Places => {
    const known = places.get(key) ?? createPlaces(key, columns, base.seed);
    places.set(key, known);
    return known;
  };

  const keyOf = (key: SortKey): ((row: number) => number) => {
    if (key === 'id') return (row) => row;
    if (key === 'updated_at') return (row) => columns.updatedAt[row] as number;
    if (key === 'created_at') return (row) => columns.createdAt[row] as number;
    return placesFor(key).of;
  };

  const index = (key: SortKey): OrderedIndex => {
    const known = indexes.get(key) ?? createOrderedIndex(keyOf(key), columns.presentRows());
    indexes.set(key, known);
    return known;
  };

  const apply = (change: Change): void => {
    const { row, after } = change;
    // A change that becomes visible late must not replace a later one.
    if ((shown.get(row)?.sequence ?? -1) > change.sequence) return;
    shown.set(row, change);
    names.note(change);
    if (columns.isPresent[row] === 1) for (const kept of indexes.values()) kept.delete(row);
    for (const kept of places.values()) kept.move(row);
    if (after === undefined) {
      columns.remove(row);
      return;
    }
    columns.put(row, {
      createdAt: after.created_at,
      updatedAt: after.updated_at,
      shippedAt: after.shipments.flatMap(({ shipped_at }) => (shipped_at === null ? [] : [shipped_at])),
    });
    for (const kept of indexes.values()) kept.add(row);
  };

  return {
    columns,
    names,
    keyOf,
    index,
    group: (row) => {
      if (columns.isPresent[row] !== 1) return undefined;
      return shown.get(row)?.after ?? base.group(row);
    },
    show: (change, from) => pending.add(change, from),
    advance: (now) => {
      for (let change = pending.take(now); change !== undefined; change = pending.take(now)) apply(change);
    },
    copy: () => {
      const twin = viewOver(base, columns.copy(), new Map(shown));
      for (const { change, from } of pending.all()) twin.show(change, from);
      return twin;
    },
  };
}
