// Between the service and its store: lets lists and look-ups show groups otherwise than they are, as a service would
// that was set up wrongly for a while. The store's history, by which everything is judged, knows nothing of it.
import type { Store } from '../../../local/reference-service/store/store.ts';
import type { StoredGroup } from '../../../local/reference-service/store/stored-group.ts';

/** A group as it shows, undefined if it does not. */
export type Seen = (group: StoredGroup, isLookUp: boolean) => StoredGroup | undefined;

export interface Veil {
  /** Undefined takes it away. */
  draw(seen: Seen | undefined): void;
}

export function createVeil(store: Store): Veil {
  let seen: Seen | undefined;
  const { select } = store;
  store.select = (query, from) => {
    if (seen === undefined) return select(query, from);
    const isLookUp = query.groupId !== undefined;
    const all = select({ ...query, offset: 0, limit: Number.MAX_SAFE_INTEGER }, from);
    const shown = all.flatMap((group) => seen?.(group, isLookUp) ?? []);
    return shown.slice(query.offset, query.offset + query.limit);
  };
  return {
    draw(next) {
      seen = next;
    },
  };
}
