// The dispatcher in Lambda. A schedule invokes it once a minute. It reads no token and sends no request to a service.
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { countLate } from '../../shared/pulling/unread.ts';
import { createDynamoDbClient } from '../adapters/dynamodb-client.ts';
import { createDynamoDbDispatches } from '../adapters/dynamodb-dispatches.ts';
import { createDynamoDbLedger } from '../adapters/dynamodb-ledger.ts';
import { createDynamoDbPositions } from '../adapters/dynamodb-positions.ts';
import { createDynamoDbProgress } from '../adapters/dynamodb-progress.ts';
import { createDynamoDbReaders } from '../adapters/dynamodb-readers.ts';
import { createDynamoDbSnapshotStore } from '../adapters/dynamodb-snapshot-store.ts';
import { createDynamoDbSourceDirectory } from '../adapters/dynamodb-source-directory.ts';
import { createDynamoDbSourceStates } from '../adapters/dynamodb-source-states.ts';
import { createMessageQueue } from '../adapters/message-queue.ts';
import { createPowertoolsLog } from '../adapters/powertools-log.ts';
import { reportDispatch, reportReadersBehind } from '../adapters/powertools-metrics.ts';
import { createSystemClock } from '../adapters/system-clock.ts';
import { createDispatcher, type Dispatcher } from './create-dispatcher.ts';
import { type DispatcherEnvironment, parseDispatcherEnvironment } from './dispatcher-environment.ts';

const invocation = z.object({
  /** The time of the schedule, in ISO 8601. */
  slot: z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)),
});

interface Services {
  readonly dispatch: Dispatcher;
  /** Undefined without a pull feed. */
  readonly reportReaders: (() => Promise<void>) | undefined;
}

let services: Services | undefined;

export async function handler(event: unknown): Promise<void> {
  services ??= createServices(parseDispatcherEnvironment(process.env));
  await services.dispatch(invocation.parse(event).slot);
  await services.reportReaders?.();
}

function createServices({ MARKS_TABLE: marks, ...environment }: DispatcherEnvironment): Services {
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
  const ledger = createDynamoDbLedger(common);
  const dispatch = createDispatcher({
    ...common,
    directory: createDynamoDbSourceDirectory(common),
    dispatches: createDynamoDbDispatches(common),
    progress: createDynamoDbProgress(common),
    states: createDynamoDbSourceStates(common),
    ledger,
    sendQuick: createMessageQueue(sqs, environment.QUICK_QUEUE_URL),
    sendLong: createMessageQueue(sqs, environment.POLL_QUEUE_URL),
    onReport: (figures, invalidEntries) => reportDispatch(metrics, figures, invalidEntries),
  });
  if (marks === undefined) return { dispatch, reportReaders: undefined };
  const readers = createDynamoDbReaders(common);
  const positions = createDynamoDbPositions({
    ...{ ...common, tables: { ...common.tables, marks } },
    ...{ ledger, snapshots: createDynamoDbSnapshotStore(common) },
  });
  return {
    dispatch,
    reportReaders: async () => {
      const all = [...(await readers.list()).values()];
      reportReadersBehind(metrics, await countLate(all, positions, common.clock.now()));
    },
  };
}
