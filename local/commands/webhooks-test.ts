// `webhooks test`: one signed test event through a webhook's queue and sender, and the endpoint's answer.
import type { Command } from 'commander';
import {
  createDynamoDbEndpointTests,
  type EndpointTests,
} from '../../functions/adapters/dynamodb-endpoint-tests.ts';
import type { RingQueue } from '../../functions/adapters/ring-queue.ts';
import { formatTestId } from '../../functions/webhook/endpoint-test.ts';
import { MILLISECOND } from '../../shared/instant.ts';
import type { Clock } from '../../shared/ports.ts';
import type { Answer } from '../../shared/webhooks/webhook-ports.ts';
import { NEEDS_ATTENTION } from '../cli/failures.ts';
import { createWebhookCommand } from '../cli/place-options.ts';
import { createPrinter } from '../cli/print.ts';
import { printable } from '../cli/printable.ts';
import { isAccepted } from '../feed/format-delivery.ts';
import { withRingQueue, withWebhook } from '../operating/open-webhook.ts';
import type { PlaceFlags } from '../place/open-feed.ts';

const LONGEST_WAIT_MS = 60_000;
const LOOK_EVERY_MS = 500;

const HELP = `
The webhook's sender posts one event of the type feed.endpoint_test, signed like all others, whatever
the webhook's state and filter. It posts the event once, and the answer does not change the webhook's
state. A receiver should answer 2xx and ignore the event. The command waits ${LONGEST_WAIT_MS / 1_000} seconds at most.
Example:
  returns-feed webhooks test Wms --stack ReturnsFeed
Exit code: 0 the endpoint accepted it, 3 it did not, 1 there was no answer in time, 2 invalid usage.`;

export function createTestCommand(): Command {
  return createWebhookCommand('test', 'Post a test event to a webhook and show the answer.', HELP).action(
    test,
  );
}

async function test(id: string, flags: Pick<PlaceFlags, 'stack'>): Promise<void> {
  await withWebhook(flags, id, async (webhook, { client, deployment, clock }) => {
    const tests = createDynamoDbEndpointTests({ client, tables: deployment });
    const { id: testId, answer } = await withRingQueue(webhook, (queue) =>
      testWebhook({ queue, tests, clock }, id),
    );
    if (answer === undefined)
      throw new Error(
        `The sender stored no answer within ${LONGEST_WAIT_MS / 1_000} s: it is busy, or it fails; see its log ` +
          `${webhook.log}. The id of the test is ${testId}.`,
      );
    await createPrinter(process.stdout).line(printable(`${id}: ${describe(answer)}`));
    if (!isAccepted(answer)) process.exitCode = NEEDS_ATTENTION;
  });
}

function describe(answer: Answer): string {
  const took = `after ${answer.requestMs} ms`;
  if ('failure' in answer) return `no answer ${took}: ${answer.failure}`;
  return `answered ${answer.status} ${took}${isAccepted(answer) ? '' : ': not accepted'}`;
}

interface TestWebhookPorts {
  readonly queue: Pick<RingQueue, 'test'>;
  readonly tests: Pick<EndpointTests, 'load'>;
  readonly clock: Clock;
}

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
