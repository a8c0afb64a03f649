// `webhooks test`: one signed test event through a webhook's queue and sender, and the endpoint's answer.
import { Command } from 'commander';
import { createDynamoDbEndpointTests } from '../../functions/adapters/dynamodb-endpoint-tests.ts';
import { createSystemClock } from '../../functions/adapters/system-clock.ts';
import type { Answer } from '../../shared/webhooks/webhook-ports.ts';
import { createPrinter } from '../cli/print.ts';
import { printable } from '../cli/printable.ts';
import { isAccepted } from '../forwarding/format-delivery.ts';
import { partOf } from '../operating/find-deployment.ts';
import type { PlaceFlags } from '../operating/open-place.ts';
import { withRingQueue, withWebhook } from '../operating/open-webhook.ts';
import { addWebhookOptions } from '../operating/place-options.ts';
import { LONGEST_WAIT_MS, type TestOutcome, testWebhook } from '../operating/test-webhook.ts';

/** Exit code, as in `status`: the command worked, but the webhook needs attention. */
const NOT_ACCEPTED = 3;

const HELP = `
The webhook's sender posts one event of the type feed.endpoint_test, signed like all others, whatever
the webhook's state and filter. It posts the event once, and the answer does not change the webhook's
state. A receiver should answer 2xx and ignore the event. The command waits ${LONGEST_WAIT_MS / 1_000} seconds at most.
Example:
  returns-feed webhooks test Wms --stack ReturnsFeed
Exit code: 0 the endpoint accepted it, 3 it did not, 1 there was no answer in time, 2 invalid usage.`;

export function createTestCommand(): Command {
  const command = new Command('test').description('Post a test event to a webhook and show the answer.');
  return addWebhookOptions(command, 'webhook').addHelpText('after', HELP).action(test);
}

async function test(id: string, flags: Pick<PlaceFlags, 'stack'>): Promise<void> {
  await withWebhook(flags, id, async (webhook, { client, deployment }) => {
    const tests = createDynamoDbEndpointTests({ client, tables: { marks: partOf(deployment, 'marks') } });
    const clock = createSystemClock();
    const outcome = await withRingQueue(webhook, (queue) => testWebhook({ queue, tests, clock }, id));
    const answer = answerOf(outcome, webhook.log);
    await createPrinter(process.stdout).line(printable(`${id}: ${describe(answer)}`));
    if (!isAccepted(answer)) process.exitCode = NOT_ACCEPTED;
  });
}

/** @throws Error if there is no answer */
function answerOf({ id, answer }: TestOutcome, log: string): Answer {
  if (answer !== undefined) return answer;
  throw new Error(
    `The sender stored no answer within ${LONGEST_WAIT_MS / 1_000} s: it is busy, or it fails; see its log ${log}. ` +
      `The id of the test is ${id}.`,
  );
}

function describe(answer: Answer): string {
  const took = `after ${answer.requestMs} ms`;
  if ('failure' in answer) return `no answer ${took}: ${answer.failure}`;
  return `answered ${answer.status} ${took}${isAccepted(answer) ? '' : ': not accepted'}`;
}
