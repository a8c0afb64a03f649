// A new generation for a source whose tables were restored from a backup. Its numbers, marks and ledger keys begin
// again, so that no number used after the backup is used twice. It knows no group, so the baseline is walked again and
// publishes every group, whatever the source's settings say. What is known of the service stays.
import { type Instant, MILLISECOND } from '../instant.ts';
import { NO_LEASE } from '../pacing/lease.ts';
import { firstState } from './first-state.ts';
import type { SourceState } from './source-state.ts';

/**
 * Returns the state to save over the given one.
 *
 * @param mintedIn where the state is found now
 * @param now by the local clock
 */
export function renewState(state: SourceState, mintedIn: string, now: Instant): SourceState {
  const { generation, lastSlot, room, limit, stampForm, driftReported, setAside, pace } = state;
  const settings = { name: state.source, baseline: 'emit' } as const;
  const first = firstState({ settings, mintedIn, mintedAt: Math.max(now, afterMinting(generation)) });
  return {
    ...first,
    version: state.version + 1,
    earlierGenerations: [...state.earlierGenerations, generation],
    // A new epoch makes a process forget the groups that it remembers from the generation before.
    lease: { ...NO_LEASE, epoch: state.lease.epoch + 1 },
    lastHold: state.lastHold,
    // Polls go on from where they were, so they also read the changes since the backup.
    position: { ...first.position, cursor: state.position.cursor },
    ...{ lastSlot, room, limit, stampForm, driftReported, setAside, pace },
  };
}

/** Generations must sort by mint time even if the local clock is wrong. */
function afterMinting(generation: string): Instant {
  return (Number.parseInt(generation, 36) + 1) * MILLISECOND;
}
