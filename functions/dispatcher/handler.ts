// The dispatcher in Lambda. A schedule invokes it once a minute. It reads no token and sends no request to a service.
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { createDynamoDbClient } from '../adapters/dynamodb-client.ts';
import { createDynamoDbDispatches } from '../adapters/dynamodb-dispatches.ts';
import { createDynamoDbLedger } from '../adapters/dynamodb-ledger.ts';
import { createDynamoDbProgress } from '../adapters/dynamodb-progress.ts';
import { createDynamoDbSourceDirectory } from '../adapters/dynamodb-source-directory.ts';
import { createDynamoDbSourceStates } from '../adapters/dynamodb-source-states.ts';
import { createMessageQueue } from '../adapters/message-queue.ts';
import { createPowertoolsLog } from '../adapters/powertools-log.ts';
import { reportDispatch } from '../adapters/powertools-metrics.ts';
import { createSystemClock } from '../adapters/system-clock.ts';
import { createDispatcher, type Dispatcher } from './create-dispatcher.ts';
import { parseDispatcherEnvironment } from './dispatcher-environment.ts';

const invocation = z.object({
  /** The time of the schedule, in ISO 8601. */
  slot: z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)),
});

let dispatch: Dispatcher | undefined;

export async function handler(event: unknown): Promise<void> {
  dispatch ??= createLambdaDispatcher(parseDispatcherEnvironment(process.env));
  await dispatch(invocation.parse(event).slot);
}

function createLambdaDispatcher(environment: ReturnType<typeof parseDispatcherEnvironment>): Dispatcher {
  const metrics = new Metrics();
  const sqs = new SQSClient();
  const common = {
    client: createDynamoDbClient(),
    tables: {
      snapshots: environment.SNAPSHOTS_TABLE,
      ledger: environment.LEDGER_TABLE,
      sources: environment.SOURCES_TABLE,
    },
    clock: createSystemClock(),
    log: createPowertoolsLog(new Logger()),
  };
  return createDispatcher({
    ...common,
    directory: createDynamoDbSourceDirectory(common),
    dispatches: createDynamoDbDispatches(common),
    progress: createDynamoDbProgress(common),
    states: createDynamoDbSourceStates(common),
    ledger: createDynamoDbLedger(common),
    sendQuick: createMessageQueue(sqs, environment.QUICK_QUEUE_URL),
    sendLong: createMessageQueue(sqs, environment.POLL_QUEUE_URL),
    onReport: (figures, invalidEntries) => reportDispatch(metrics, figures, invalidEntries),
  });
}
