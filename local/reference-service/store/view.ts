// One state of the store that requests can be answered from: the primary shows each change as soon as it may show,
// a replica so much later. Untouched groups come from the base, changed ones from the last change applied; what a
// query needs of all groups is kept in columns and indexes.

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
  /** The group as this view shows it; undefined if it is not there. */
  group(row: number): StoredGroup | undefined;
  /** The rows that are there, by a key. */
  index(key: SortKey): OrderedIndex;
  keyOf(key: SortKey): (row: number) => number;
  /** Shows a change from the given instant on. */
  show(change: Change, from: Instant): void;
  /** Applies what is to be seen by now. */
  advance(now: Instant): void;
  /** A view of the same state that goes its own way from here. */
  copy(): View;
}

/** The view of a store just opened, and which of its groups are still open. */
export function createView(base: BaseGroups): { view: View; openRows: number[] } {
  const columns = createColumns(base.count + 64);
  const openRows: number[] = [];
  for (let row = 0; row < base.count; row += 1) {
    const outline = base.outline(row);
    columns.put(row, outline);
    if (!outline.isClosed) openRows.push(row);
  }
  const view = viewOver(base, columns, new Map());
  // These two are needed by nearly every query; made now, no request has to wait for them.
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
    // A change that shows late must not bring back what a later one replaced.
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
