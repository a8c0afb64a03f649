/**
 * The groups that answers show, indexed by creation and by update, so that the cost of a request depends on its range, not
 * on the size of the store. Its time only moves forward.
 */
export interface ShownGroups<Group extends Timed> {
  /** From `shownFrom` on, answers show this version; undefined if the group is gone. */
  add(id: number, shownFrom: number, group: Group | undefined): void;
  moveTo(time: number): void;
  /** Returns a copy of the groups within the inclusive bounds, in order of creation. */
  within(created: Bounds, updated: Bounds): Group[];
}

interface Timed {
  readonly id: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Milliseconds since 1970. */
export interface Bounds {
  readonly least: number;
  readonly most: number;
}

type Order = (group: Timed) => number;

const BY_CREATION: Order = (group) => group.createdAt;
const BY_UPDATE: Order = (group) => group.updatedAt;

export function createShownGroups<Group extends Timed>(): ShownGroups<Group> {
  const shown = new Map<number, Group>();
  const byCreation: Group[] = [];
  const byUpdate: Group[] = [];
  const waiting: { readonly id: number; readonly shownFrom: number; readonly group: Group | undefined }[] =
    [];

  function replace(id: number, group: Group | undefined): void {
    const before = shown.get(id);
    for (const [list, order] of [
      [byCreation, BY_CREATION],
      [byUpdate, BY_UPDATE],
    ] as const) {
      if (before) list.splice(place(list, before, order), 1);
      if (group) list.splice(place(list, group, order), 0, group);
    }
    if (group) shown.set(id, group);
    else shown.delete(id);
  }

  return {
    add(id, shownFrom, group) {
      let index = waiting.length;
      while (index > 0 && waiting[index - 1]!.shownFrom > shownFrom) index -= 1;
      waiting.splice(index, 0, { id, shownFrom, group });
    },
    moveTo(time) {
      const count = waiting.findIndex(({ shownFrom }) => shownFrom > time);
      for (const due of waiting.splice(0, count < 0 ? waiting.length : count)) replace(due.id, due.group);
    },
    within(created, updated) {
      const born = range(byCreation, created, BY_CREATION);
      const moved = range(byUpdate, updated, BY_UPDATE);
      if (born.end - born.from <= moved.end - moved.from) {
        const groups = byCreation.slice(born.from, born.end);
        return moved.end - moved.from === byUpdate.length
          ? groups
          : groups.filter(({ updatedAt }) => updatedAt >= updated.least && updatedAt <= updated.most);
      }
      return byUpdate
        .slice(moved.from, moved.end)
        .filter(({ createdAt }) => createdAt >= created.least && createdAt <= created.most)
        .sort((one, other) => compare(one, other, BY_CREATION));
    },
  };
}

function compare(one: Timed, other: Timed, order: Order): number {
  return order(one) - order(other) || one.id - other.id;
}

function place(list: readonly Timed[], group: Timed, order: Order): number {
  return firstIndex(list, (other) => compare(other, group, order) >= 0);
}

function range(list: readonly Timed[], { least, most }: Bounds, order: Order) {
  const from = firstIndex(list, (group) => order(group) >= least);
  const end = firstIndex(list, (group) => order(group) > most);
  return { from, end: Math.max(from, end) };
}

/** Returns the first index from which the predicate holds, or else the list's length. */
function firstIndex(list: readonly Timed[], holds: (group: Timed) => boolean): number {
  let from = 0;
  let end = list.length;
  while (from < end) {
    const middle = (from + end) >> 1;
    if (holds(list[middle]!)) end = middle;
    else from = middle + 1;
  }
  return from;
}
