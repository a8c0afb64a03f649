import {
  createWebhookReceiver,
  type WebhookReceiverOptions,
} from '../../../functions/subscriber-kit/webhook-receiver.ts';
import { keepLog } from './deliveries.ts';
import { SECRET } from './signed-requests.ts';

/** A receiver that records handled ids, and fails the configured ones. */
export function receiverUnderTest(options: Partial<WebhookReceiverOptions> = {}) {
  const handled: string[] = [];
  const outcomes: string[] = [];
  const failing = new Set<string>();
  const log = keepLog();
  const receiver = createWebhookReceiver({
    name: 'warehouse',
    secrets: SECRET,
    on: {
      'shipment.status_changed': async ({ id }) => {
        if (failing.has(id)) throw new Error('Rosalind is not at home');
        handled.push(id);
      },
    },
    onOutcome: (outcome) => void outcomes.push(outcome),
    log,
    ...options,
  });
  return { receiver, handled, outcomes, failing, log };
}

/** A promise that the test resolves or rejects. */
export interface Deferred {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export function deferred(): Deferred {
  let resolve = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<void>((yes, no) => {
    [resolve, reject] = [yes, no];
  });
  return { promise, resolve, reject };
}
