// A new generation for a source whose tables were restored from a backup: numbers, marks and ledger keys start afresh
// with it, so that no number which was given out after the backup is ever given out again. Nothing is known of any
// group in it, so the baseline is walked anew, and announces every group, whatever the source's settings say. What is
// known of the service (its stamps, its pages, since when it sends which field) stays true.
import type { Instant } from '../instant.ts';
import { MILLISECOND } from '../instant.ts';
import { NO_LEASE } from '../pacing/lease.ts';
import { firstState } from './mint-state.ts';
import type { SourceState } from './source-state.ts';

/**
 * The state to be saved over the given one.
 *
 * @param mintedIn where it is found now
 * @param now by the local clock
 */
export function renewState(state: SourceState, mintedIn: string, now: Instant): SourceState {
  const { stamps, pageLimit, listDepth, driftReported, setAside, pace, health, guarding } = state;
  const { fieldsSince, wholeWalks, generation } = state;
  const first = firstState({
    settings: { name: state.source, baseline: 'emit' },
    mintedIn,
    mintedAt: Math.max(now, afterMinting(generation)),
    startedAt: state.startedAt,
    // Polls go on from where they were: what changed since the backup is read by them as well.
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
    // A process that remembers groups of the generation before must find that another one was here.
    lease: { ...NO_LEASE, epoch: state.lease.epoch + 1 },
    health: {
      ...first.health,
      lastSettledAt: health.lastSettledAt,
      lastWalkedAt: health.lastWalkedAt,
      lastHoldReported: health.lastHoldReported,
    },
    guarding: { ...first.guarding, lastNumber: guarding.lastNumber },
    ...{ stamps, pageLimit, listDepth, fieldsSince, wholeWalks, driftReported, setAside, pace },
  };
}

/** Generations sort by when they were minted, however wrong the clock here is. */
function afterMinting(generation: string): Instant {
  return (Number.parseInt(generation, 36) + 1) * MILLISECOND;
}
