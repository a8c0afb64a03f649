// A new generation for a source whose tables were restored from a backup. Its numbers, marks and ledger keys begin
// again, so that no number used after the backup is used twice. It knows no group, so the baseline is walked again and
// publishes every group, whatever the source's settings say. The facts about the service (its stamps, its pages, since
// when it sends which field) stay. The ends of its lists are learned again: a baseline must not trust an end.
import type { Instant } from '../instant.ts';
import { MILLISECOND } from '../instant.ts';
import { NO_LEASE } from '../pacing/lease.ts';
import { firstState } from './mint-state.ts';
import type { SourceState } from './source-state.ts';

/**
 * Returns the state to save over the given one.
 *
 * @param mintedIn where the state is found now
 * @param now by the local clock
 */
export function renewState(state: SourceState, mintedIn: string, now: Instant): SourceState {
  const { stamps, pageLimit, driftReported, setAside, pace, health, guarding } = state;
  const { fieldsSince, wholeWalks, generation } = state;
  const first = firstState({
    settings: { name: state.source, baseline: 'emit' },
    mintedIn,
    mintedAt: Math.max(now, afterMinting(generation)),
    startedAt: state.startedAt,
    // Polls continue from where they were, so they also read the changes since the backup.
    settledThrough: state.settledThrough,
    now,
    stamps,
    slot: state.lastSlot,
  });
  return {
    ...first,
    version: state.version + 1,
    earlierGenerations: [...state.earlierGenerations, generation],
    lastSlot: state.lastSlot,
    // A new epoch makes a process forget the groups that it remembers from the generation before.
    lease: { ...NO_LEASE, epoch: state.lease.epoch + 1 },
    health: {
      ...first.health,
      lastSettledAt: health.lastSettledAt,
      lastWalkedAt: health.lastWalkedAt,
      lastHoldReported: health.lastHoldReported,
    },
    guarding: { ...first.guarding, lastNumber: guarding.lastNumber },
    ...{ stamps, pageLimit, fieldsSince, wholeWalks, driftReported, setAside, pace },
  };
}

/** Generations must sort by mint time even if the local clock is wrong. */
function afterMinting(generation: string): Instant {
  return (Number.parseInt(generation, 36) + 1) * MILLISECOND;
}
