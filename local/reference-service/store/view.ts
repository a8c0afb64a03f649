// A state of the store that answers queries. The primary shows each change as soon as it is visible, a replica some time
// later.

import type { Instant } from '../../../shared/instant.ts';
import type { Knobs } from '../knobs.ts';
import { mix, type Random } from './seeded-random.ts';
import type { Change, StoredGroup } from './stored-group.ts';

/** Instants from `from` (included) to `until` (excluded). */
export interface Range {
  readonly from: Instant;
  readonly until: Instant;
}

/** Undefined: no filter. */
export interface GroupQuery {
  readonly groupId?: number | undefined;
  readonly email?: string | undefined;
  readonly orderId?: number | undefined;
  readonly orderName?: string | undefined;
  readonly trackingCode?: string | undefined;
  readonly created?: Range | undefined;
  readonly updated?: Range | undefined;
  /** Matches a group if any of its shipments was shipped within the range. */
  readonly shipped?: Range | undefined;
  readonly offset: number;
  readonly limit: number;
}

type Manner = Pick<Knobs, 'order' | 'ties' | 'strings'>;

export interface View {
  /** The groups of one page, in order. */
  select(query: GroupQuery, manner: Manner): StoredGroup[];
  /** Shows a change from the given instant on. Call this in the order of the changes. */
  show(change: Change, from: Instant): void;
  /** Applies the changes that are visible by now. */
  advance(now: Instant): void;
  /** An independent copy of the view. */
  copy(): View;
}

/** A group in a view; undefined in a row without one. */
interface Row {
  readonly group: StoredGroup | undefined;
  readonly sequence: number;
  /** Its number among the changes that the view has applied; undefined for an initial group. */
  readonly moved: number | undefined;
}

const GONE: Row = { group: undefined, sequence: -1, moved: undefined };

export function createView(base: readonly StoredGroup[], seed: number, random: Random): View {
  const rows = base.map((group) => ({ group, sequence: 0, moved: undefined }));
  return viewOf({ rows, waiting: [] }, seed, random);
}

interface State {
  readonly rows: readonly (Row | undefined)[];
  /** Changes that are not visible yet. */
  readonly waiting: readonly { readonly change: Change; readonly from: Instant }[];
}

function viewOf(initial: State, seed: number, random: Random): View {
  const rows = [...initial.rows];
  let waiting = [...initial.waiting];
  let moves = rows.length;

  /** The key of each row in an order. `heap` moves a changed row to the end, `shuffled` to a random place. */
  const keyOf = (order: Knobs['order'], salt: number): ((row: number) => number) => {
    const [key] = order.split(':');
    if (key === 'created_at' || key === 'updated_at') return (row) => rows[row]?.group?.[key] ?? 0;
    if (key === 'random') return (row) => mix(salt, row);
    if (key === 'heap') return (row) => rows[row]?.moved ?? row;
    if (key === 'id') return (row) => row;
    return (row) => {
      const moved = rows[row]?.moved;
      return moved === undefined ? mix(seed, row, 21) : mix(seed, moved, 22);
    };
  };

  return {
    select(query, { order, ties, strings }) {
      // Random orders and ties differ between requests.
      const salt = order === 'random' || ties === 'unstable' ? random.below(2 ** 32) : 0;
      const key = keyOf(order, salt);
      const tie = ties === 'unstable' ? (row: number) => mix(salt, row) : (row: number) => row;
      const sign = order.endsWith(':desc') ? -1 : 1;
      const found: { readonly group: StoredGroup; readonly key: number; readonly tie: number }[] = [];
      for (const [row, { group } = GONE] of rows.entries())
        if (group !== undefined && isMatch(group, query, strings))
          found.push({ group, key: key(row), tie: tie(row) });
      return found
        .sort((one, other) => sign * (one.key - other.key || one.tie - other.tie))
        .slice(query.offset, query.offset + query.limit)
        .map(({ group }) => group);
    },
    show: (change, from) => void waiting.push({ change, from }),
    advance(now) {
      const due = waiting.filter(({ from }) => from <= now);
      if (due.length === 0) return;
      waiting = waiting.filter(({ from }) => from > now);
      // Late changes become visible in another order than they happened. The sort is stable for equal instants.
      for (const { change } of due.sort((one, other) => one.from - other.from)) {
        const { row, sequence, after } = change;
        // A change that becomes visible late must not replace a later one.
        if ((rows[row]?.sequence ?? -1) > sequence) continue;
        moves += 1;
        rows[row] = { group: after, sequence, moved: moves };
      }
    },
    copy: () => viewOf({ rows, waiting }, seed, random),
  };
}

function isMatch(group: StoredGroup, query: GroupQuery, strings: Manner['strings']): boolean {
  if (!isWithin(group.updated_at, query.updated)) return false;
  const { groupId, orderId, email, orderName, trackingCode, created, shipped } = query;
  const isText = (text: string | null, wanted: string | undefined) =>
    wanted === undefined || (text !== null && isSame(text, wanted, strings));
  return (
    isWithin(group.created_at, created) &&
    (groupId === undefined || group.id === groupId) &&
    (orderId === undefined || group.order.id === orderId) &&
    isText(group.customer.email, email) &&
    isText(group.order.name, orderName) &&
    (trackingCode === undefined ||
      group.shipments.some(({ tracking_number }) => isText(tracking_number, trackingCode))) &&
    (shipped === undefined ||
      group.shipments.some(({ shipped_at }) => shipped_at !== null && isWithin(shipped_at, shipped)))
  );
}

function isWithin(instant: Instant, range: Range | undefined): boolean {
  return range === undefined || (instant >= range.from && instant < range.until);
}

function isSame(text: string, wanted: string, strings: Manner['strings']): boolean {
  if (strings === 'exact') return text === wanted;
  const [one, other] = [text.toLowerCase(), wanted.toLowerCase()];
  return strings === 'partial' ? one.includes(other) : one === other;
}
