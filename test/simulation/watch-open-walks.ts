// Records the walks over old open groups that read all of them.
import type { Instant } from '../../shared/instant.ts';
import { requestsOfAll } from '../../shared/source/reconciliation-plan.ts';
import { onStateSaved } from './world/watch-saves.ts';
import type { World } from './world/world.ts';

export interface OpenWalk {
  /** By the feed's clock. */
  readonly startedAt: Instant;
  /** When its end was saved. */
  readonly endedAt: Instant;
}

/** By source, in order of time. */
export type OpenWalks = ReadonlyMap<string, readonly OpenWalk[]>;

export function watchOpenWalks({ stores, time, trace }: World): OpenWalks {
  const walks = new Map<string, OpenWalk[]>();
  const lastCompleted = new Map<string, Instant>();
  onStateSaved(stores, (state) => {
    const { startedAt, lastCompletedAt, lastRequests = 0, isUnderWay } = state.reconciliation.open;
    if (lastCompletedAt === undefined || lastCompletedAt === lastCompleted.get(state.source)) return;
    lastCompleted.set(state.source, lastCompletedAt);
    // One that took as many requests as a walk over all groups may have ended earlier.
    if (isUnderWay || lastRequests >= requestsOfAll(state)) return;
    walks.set(state.source, [...(walks.get(state.source) ?? []), { startedAt, endedAt: time.now() }]);
    trace.count('walk over open groups');
  });
  return walks;
}
