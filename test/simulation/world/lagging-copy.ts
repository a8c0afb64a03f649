// A copy of the store that lags by minutes, behind a share of the walks' requests and look-ups. It shows a row as it was
// then, if all that has changed since moved the row's stamp: no answer is older than `settle` otherwise.
import type { Change, StoredGroup } from '../../../local/reference-service/store/stored-group.ts';
import { type Instant, MILLISECOND, SECOND } from '../../../shared/instant.ts';
import { isDuring } from './network.ts';
import type { World } from './world.ts';

/** Stamps may be shown in whole seconds. */
const CLEARLY = 2 * SECOND;

function movesClearly({ before, after }: Change): boolean {
  return before !== undefined && after !== undefined && after.updated_at > before.updated_at + CLEARLY;
}

export function lagBehind({ plan, time, draws, service, serviceNow, trace }: World): void {
  const { lag } = plan;
  if (lag === undefined) return;
  const { store } = service;
  const { select } = store;
  const changes = new Map<number, Change[]>();
  let read = 0;

  function olderCopy(group: StoredGroup, at: Instant): StoredGroup {
    const known = changes.get(group.id) ?? [];
    const place = known.findLastIndex(({ shownFrom }) => shownFrom <= at);
    const later = known.slice(place + 1);
    return later.length > 0 && later.every(movesClearly) ? (later[0]?.before ?? group) : group;
  }

  store.select = (query, from) => {
    const shown = select(query, from);
    if (query.updated !== undefined || !isDuring(lag, time.elapsed())) return shown;
    if (!draws.lag.chance(lag.share)) return shown;
    for (const change of store.history().slice(read)) {
      changes.set(change.groupId, [...(changes.get(change.groupId) ?? []), change]);
      read += 1;
    }
    const at = serviceNow() - lag.behindMs * MILLISECOND;
    return shown.map((group) => {
      const copy = olderCopy(group, at);
      if (copy !== group) trace.count('row of a copy that lags');
      return copy;
    });
  };
}
