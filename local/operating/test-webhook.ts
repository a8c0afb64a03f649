// Asks a webhook's sender for a test, and waits for the answer that the sender stores.
import type { EndpointTests } from '../../functions/adapters/dynamodb-endpoint-tests.ts';
import type { RingQueue } from '../../functions/adapters/ring-queue.ts';
import { formatTestId } from '../../functions/webhook/endpoint-test.ts';
import { MILLISECOND } from '../../shared/instant.ts';
import type { Clock } from '../../shared/ports.ts';
import type { Answer } from '../../shared/webhooks/webhook-ports.ts';

export interface TestWebhookPorts {
  readonly queue: Pick<RingQueue, 'test'>;
  readonly tests: Pick<EndpointTests, 'load'>;
  readonly clock: Clock;
}

export const LONGEST_WAIT_MS = 60_000;
const LOOK_EVERY_MS = 500;

/** @returns the test's id and the answer; undefined if none was stored in time */
export async function testWebhook(
  { queue, tests, clock }: TestWebhookPorts,
  webhook: string,
): Promise<{ readonly id: string; readonly answer: Answer | undefined }> {
  const id = formatTestId(Math.floor(clock.now() / MILLISECOND));
  await queue.test(id);
  const until = clock.elapsed() + LONGEST_WAIT_MS * MILLISECOND;
  while (clock.elapsed() < until) {
    await clock.sleep(LOOK_EVERY_MS);
    const result = await tests.load(webhook);
    if (result?.id === id) return { id, answer: result.answer };
  }
  return { id, answer: undefined };
}
