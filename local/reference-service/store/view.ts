// A state of the store that answers requests. The primary shows each change as soon as it is visible, a replica some
// time later. Unchanged groups come from the base, changed ones from their last applied change. The view has the stamps
// of all groups, by which queries filter and sort, so that only the groups of a page are made.

import type { Instant } from '../../../shared/instant.ts';
import type { BaseGroups } from './base-groups.ts';
import type { Change } from './change.ts';
import { createNameIndex, type NameIndex } from './name-index.ts';
import { createOrderedIndex, type OrderedIndex } from './ordered-index.ts';
import { createPlaces, type Keys, type SortKey } from './orders.ts';
import type { StoredGroup } from './stored-group.ts';

/** The stamps of a group that queries filter and sort by. */
export interface RowStamps {
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** Of each shipped shipment. */
  readonly shippedAt: readonly Instant[];
}

export interface View {
  readonly names: NameIndex;
  /** The number of rows ever used, including removed groups. */
  readonly rows: number;
  /** The group's stamps in this view; undefined if it does not exist. */
  stamps(row: number): RowStamps | undefined;
  /** The group in this view; undefined if it does not exist. */
  group(row: number): StoredGroup | undefined;
  /** The existing rows, ordered by a key. */
  index(key: SortKey): OrderedIndex;
  /** Shows a change from the given instant on. Call this in the order of the changes. */
  show(change: Change, from: Instant): void;
  /** Applies the changes that are visible by now. */
  advance(now: Instant): void;
  /** An independent copy of the view. */
  copy(): View;
}

/** A change that the view does not show yet, and the instant when it becomes visible. */
interface Waiting {
  readonly change: Change;
  readonly from: Instant;
}

interface State {
  /** By row. */
  readonly stamps: RowStamps[];
  /** The last applied change of each changed row. */
  readonly shown: Map<number, Change>;
  readonly waiting: readonly Waiting[];
}

/** The view of a newly opened store, and the rows of its open groups. */
export function createView(base: BaseGroups): { view: View; openRows: number[] } {
  const stamps: RowStamps[] = [];
  const openRows: number[] = [];
  for (let row = 0; row < base.count; row += 1) {
    const { createdAt, updatedAt, shippedAt, isClosed } = base.outline(row);
    stamps.push({ createdAt, updatedAt, shippedAt });
    if (!isClosed) openRows.push(row);
  }
  const view = viewOver(base, { stamps, shown: new Map(), waiting: [] });
  // Nearly every query needs these two indexes: make them now, so that no request waits for them.
  view.index('created_at');
  view.index('updated_at');
  return { view, openRows };
}

function viewOver(base: BaseGroups, { stamps, shown, ...initial }: State): View {
  const indexes = new Map<SortKey, { index: OrderedIndex; keys: Keys }>();
  const names = createNameIndex(base.seed);
  let waiting = [...initial.waiting];
  for (const change of shown.values()) names.note(change);

  const keysFor = (key: SortKey): Keys => {
    switch (key) {
      case 'id':
        return { of: (row) => row };
      case 'updated_at':
        return { of: (row) => stamps[row]?.updatedAt ?? Number.NaN };
      case 'created_at':
        return { of: (row) => stamps[row]?.createdAt ?? Number.NaN };
      default:
        return createPlaces(key, stamps.length, base.seed);
    }
  };

  const index = (key: SortKey): OrderedIndex => {
    const known = indexes.get(key);
    if (known !== undefined) return known.index;
    const keys = keysFor(key);
    const rows = Array.from(stamps.keys()).filter((row) => stamps[row] !== undefined);
    const made = createOrderedIndex(keys.of, rows);
    indexes.set(key, { index: made, keys });
    return made;
  };

  const apply = (change: Change): void => {
    const { row, after } = change;
    // A change that becomes visible late must not replace a later one.
    if ((shown.get(row)?.sequence ?? -1) > change.sequence) return;
    shown.set(row, change);
    names.note(change);
    for (const { index, keys } of indexes.values()) {
      if (stamps[row] !== undefined) index.delete(row);
      keys.move?.(row);
    }
    if (after === undefined) {
      delete stamps[row];
      return;
    }
    stamps[row] = stampsOf(after);
    for (const { index } of indexes.values()) index.add(row);
  };

  return {
    names,
    get rows() {
      return stamps.length;
    },
    stamps: (row) => stamps[row],
    index,
    group: (row) => {
      if (stamps[row] === undefined) return undefined;
      return shown.get(row)?.after ?? base.group(row);
    },
    show: (change, from) => void waiting.push({ change, from }),
    advance: (now) => {
      const due = waiting.filter(({ from }) => from <= now);
      if (due.length === 0) return;
      waiting = waiting.filter(({ from }) => from > now);
      // Late changes become visible in another order than they happened. The sort is stable for equal instants.
      for (const { change } of due.sort((one, other) => one.from - other.from)) apply(change);
    },
    copy: () => viewOver(base, { stamps: [...stamps], shown: new Map(shown), waiting }),
  };
}

function stampsOf({ created_at, updated_at, shipments }: StoredGroup): RowStamps {
  return {
    createdAt: created_at,
    updatedAt: updated_at,
    shippedAt: shipments.flatMap(({ shipped_at }) => shipped_at ?? []),
  };
}
