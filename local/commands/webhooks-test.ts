// `webhooks test`: one signed test event through a webhook's queue and sender, and the endpoint's answer.
import type { Command } from 'commander';
import { createDynamoDbEndpointTests } from '../../functions/adapters/dynamodb-endpoint-tests.ts';
import type { Answer } from '../../shared/webhooks/webhook-ports.ts';
import { NEEDS_ATTENTION } from '../cli/failures.ts';
import { createPrinter } from '../cli/print.ts';
import { printable } from '../cli/printable.ts';
import { isAccepted } from '../feed/format-delivery.ts';
import type { PlaceFlags } from '../operating/open-feed.ts';
import { withRingQueue, withWebhook } from '../operating/open-webhook.ts';
import { createWebhookCommand } from '../operating/place-options.ts';
import { LONGEST_WAIT_MS, testWebhook } from '../operating/test-webhook.ts';

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
