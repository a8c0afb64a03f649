// The relays' interface to a destination. Single entries of a batch fail, arrive although they failed, or are rejected for
// some time, like by a misconfigured queue; answers get lost.
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { MAX_BATCH_ENTRIES } from '../../../shared/limits.ts';
import type { Destination, SendResult } from '../../../shared/ports.ts';
import { SimulatedFailure } from '../../simulation-frame/mortal-process.ts';
import type { Arrivals } from './arrivals.ts';
import type { Fates } from './fates.ts';
import type { SimulatedProcess } from './process.ts';

export function createDestination(process: SimulatedProcess, arrivals: Arrivals, fates: Fates): Destination {
  const send = `${arrivals.name}.send` as const;

  function accept(event: FeedEvent): SendResult {
    if (fates.happens(`${send} refuses`, 'entryRefused')) {
      return { sent: false, cause: 'rejected', reason: 'InvalidMessageContents' };
    }
    if (!fates.happens(`${send} entry`, 'entryFailed')) {
      arrivals.accept(event);
      return { sent: true };
    }
    // A failed entry may have arrived.
    if (fates.happens(`${send} entry arrives`, 'entryFailed')) arrivals.accept(event);
    return { sent: false, cause: 'failed', reason: 'InternalError' };
  }

  return {
    name: arrivals.name,
    send: (events) =>
      process.call(send, () => {
        assertBatch(events);
        const results = events.map(accept);
        if (!fates.happens(`${send} answer`, 'lost')) return results;
        throw new SimulatedFailure('the batch was not answered in time');
      }),
  };
}

/** @throws Error for a batch that SQS and EventBridge reject, or in which one event could overtake another */
function assertBatch(events: readonly FeedEvent[]): void {
  const groups = new Set(events.map(({ partitionkey, data }) => `${partitionkey} ${data.generation}`));
  if (events.length > 0 && events.length <= MAX_BATCH_ENTRIES && groups.size === events.length) return;
  throw new Error(
    `A batch of ${events.length} events of ${groups.size} groups is invalid: it needs 1 to ${MAX_BATCH_ENTRIES} events, each of another group.`,
  );
}
