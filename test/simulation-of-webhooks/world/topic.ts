// A FIFO topic as SNS documents it: a repeated id of a group is dropped for five minutes; each subscription gets the
// messages of a group in order, if its filter policy accepts their attributes; a message that can't be delivered to a
// subscription is lost for it. A new subscription's filter applies after a while.

import type { FeedEvent } from '../../../shared/contract/event.ts';
import { filterAttributes, type PolicyValue } from '../../../shared/contract/event-filter.ts';
import { type Instant, MILLISECOND, MINUTE, SECOND } from '../../../shared/instant.ts';
import { MAX_BATCH_ENTRIES } from '../../../shared/limits.ts';
import type { Destination, SendResult } from '../../../shared/ports.ts';
import { SimulatedFailure } from '../../simulation-frame/mortal-process.ts';
import { acceptsPolicy } from './filter-policy.ts';
import type { SimulatedProcess } from './process.ts';
import type { World } from './world.ts';

export interface Subscription {
  readonly name: string;
  readonly activeAt: Instant;
  readonly policy: Readonly<Record<string, readonly PolicyValue[]>>;
  deliver(event: FeedEvent): void;
}

export interface Topic {
  readonly subscriptions: Subscription[];
  destination(process: SimulatedProcess): Destination;
}

const DEDUPLICATES_FOR = 5 * MINUTE;
const SLOWEST_DELIVERY = 2 * SECOND;

export function createTopic({ time, fates, trace, randomFor }: World): Topic {
  const subscriptions: Subscription[] = [];
  const seen = new Map<string, Instant>();
  const random = randomFor('topic');
  /** The last delivery of each subscription and group. */
  const underWay = new Map<string, Promise<void>>();

  function publish(event: FeedEvent): void {
    const before = seen.get(event.id);
    if (before !== undefined && time.now() < before + DEDUPLICATES_FOR) {
      trace.count('topic drops a repeat');
      return;
    }
    seen.set(event.id, time.now());
    for (const subscription of subscriptions) {
      const isWanted = acceptsPolicy(subscription.policy, { ...filterAttributes(event) });
      if (!isWanted || time.now() < subscription.activeAt) continue;
      if (fates.happens(`delivery to ${subscription.name} lost`, 'deliveryLost'))
        trace.count('delivery lost');
      else deliver(subscription, event);
    }
  }

  /** Delivers in order: no message overtakes an earlier one. */
  function deliver(subscription: Subscription, event: FeedEvent): void {
    const place = `${subscription.name} ${event.partitionkey}`;
    const due = time.now() + Math.floor(random.fraction() ** 4 * SLOWEST_DELIVERY);
    const delivered = (underWay.get(place) ?? Promise.resolve()).then(async () => {
      await time.sleep(Math.max(0, due - time.now()) / MILLISECOND);
      subscription.deliver(event);
    });
    underWay.set(place, delivered);
  }

  function accept(event: FeedEvent): SendResult {
    if (!fates.happens('topic entry', 'entryFailed')) {
      publish(event);
      return { sent: true };
    }
    // A failed entry may have been published.
    if (fates.happens('topic entry published', 'entryFailed')) publish(event);
    return { sent: false, cause: 'failed', reason: 'InternalError' };
  }

  return {
    subscriptions,
    destination: (process) => ({
      name: 'queue',
      send: (events) =>
        process.call('topic.publish', () => {
          assertBatch(events);
          return events.map(accept);
        }),
    }),
  };
}

function assertBatch(events: readonly FeedEvent[]): void {
  const groups = new Set(events.map(({ partitionkey, data }) => `${partitionkey} ${data.generation}`));
  if (events.length > 0 && events.length <= MAX_BATCH_ENTRIES && groups.size === events.length) return;
  throw new SimulatedFailure(`A batch of ${events.length} events of ${groups.size} groups is invalid.`);
}
