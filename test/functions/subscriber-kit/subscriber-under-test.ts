import { createQueueSubscriber } from '../../../functions/subscriber-kit/subscriber.ts';
import type { SubscriberOptions } from '../../../functions/subscriber-kit/subscriber-options.ts';
import { keepLog } from './deliveries.ts';

/** A subscriber that records handled ids, and fails the configured ones. */
export function subscriberUnderTest(options: Partial<SubscriberOptions> = {}) {
  const handled: string[] = [];
  const outcomes: string[] = [];
  const failing = new Set<string>();
  const log = keepLog();
  const handler = createQueueSubscriber({
    on: {
      'shipment.status_changed': async ({ id }) => {
        if (failing.has(id)) throw new Error('not today');
        handled.push(id);
      },
    },
    onOutcome: (outcome, { id }) => void outcomes.push(`${id} ${outcome}`),
    log,
    ...options,
  });
  return { handler, handled, outcomes, failing, log };
}
