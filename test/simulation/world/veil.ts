// A layer between the service and its store that changes how lists and look-ups show groups, like a temporarily
// misconfigured service. The checker uses the store's history, which does not include it.
import type { Store } from '../../../local/reference-service/store/store.ts';
import type { StoredGroup } from '../../../local/reference-service/store/stored-group.ts';
import type { GroupQuery } from '../../../local/reference-service/store/view.ts';

/** Returns the group as shown; undefined if it is hidden. */
export type Seen = (group: StoredGroup, isLookUp: boolean, query: GroupQuery) => StoredGroup | undefined;

export interface Veil {
  /** Undefined removes the veil. */
  draw(seen: Seen | undefined): void;
}

export function createVeil(store: Store): Veil {
  let seen: Seen | undefined;
  const { select } = store;
  store.select = (query, from) => {
    if (seen === undefined) return select(query, from);
    const isLookUp = query.groupId !== undefined;
    const all = select({ ...query, offset: 0, limit: Number.MAX_SAFE_INTEGER }, from);
    const shown = all.flatMap((group) => seen?.(group, isLookUp, query) ?? []);
    return shown.slice(query.offset, query.offset + query.limit);
  };
  return {
    draw(next) {
      seen = next;
    },
  };
}
