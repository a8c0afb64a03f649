// The poller in Lambda. Ticks come from the poll queue: the schedule sends one per minute and source, and the poller
// itself enqueues those in between.
import { randomUUID } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { SSMClient } from '@aws-sdk/client-ssm';
import type { Context, SQSEvent } from 'aws-lambda';
import type { TickField } from '../../shared/deployment/metrics.ts';
import { chunked } from '../../shared/in-parallel.ts';
import { MAX_BATCH_ENTRIES } from '../../shared/limits.ts';
import type { Log } from '../../shared/ports.ts';
import type { TickReport } from '../../shared/tick/tick-report.ts';
import { createDynamoDbClient } from '../adapters/dynamodb-client.ts';
import { createHttpsTransport } from '../adapters/https-transport.ts';
import { createPowertoolsLog } from '../adapters/powertools-log.ts';
import { addTickMetrics } from '../adapters/powertools-metrics.ts';
import { readStoredSource } from '../adapters/ssm-source-directory.ts';
import { readStoredToken } from '../adapters/stored-token.ts';
import { createSystemClock } from '../adapters/system-clock.ts';
import { createPoller, type Poller, type PollerOptions } from './create-poller.ts';
import { type PollerEnvironment, parsePollerEnvironment } from './poller-environment.ts';
import { createRecentSources } from './recent-sources.ts';

/** The time that a tick may still need after its end: for the request under way, and the last saves. */
const TIME_TO_FINISH_MS = 15_000;

let poller: Poller | undefined;

export async function handler(event: SQSEvent, context: Context): Promise<void> {
  poller ??= createLambdaPoller(parsePollerEnvironment(process.env));
  await poller(event, Math.max(1_000, context.getRemainingTimeInMillis() - TIME_TO_FINISH_MS));
}

function createLambdaPoller(environment: PollerEnvironment): Poller {
  const log = createPowertoolsLog(new Logger());
  const metrics = new Metrics();
  const clock = createSystemClock();
  const sqs = new SQSClient();
  const ssm = new SSMClient();
  const clients = { secretsManager: new SecretsManagerClient(), ssm };
  return createPoller({
    owner: randomUUID(),
    client: createDynamoDbClient(),
    tables: {
      snapshots: environment.SNAPSHOTS_TABLE,
      ledger: environment.LEDGER_TABLE,
      sources: environment.SOURCES_TABLE,
    },
    clock,
    log,
    transport: createHttpsTransport(),
    findSource: createRecentSources(clock, async (name) => {
      const stored = await readStoredSource({ client: ssm, path: environment.SOURCES_PATH }, name);
      if (stored === undefined) return undefined;
      const { settings, token } = stored;
      const place = JSON.stringify(token);
      return { settings, secret: { place, read: () => readStoredToken(clients, token) } };
    }),
    enqueue: (ticks) => enqueue(sqs, environment.POLL_QUEUE_URL, ticks),
    onReport: (report) => {
      logTick(log, report);
      addTickMetrics(metrics, report);
    },
  });
}

async function enqueue(client: SQSClient, queueUrl: string, ticks: Parameters<PollerOptions['enqueue']>[0]) {
  for (const batch of chunked(ticks, MAX_BATCH_ENTRIES)) {
    const Entries = batch.map(({ body, delaySeconds }, index) => ({
      Id: String(index),
      MessageBody: body,
      DelaySeconds: delaySeconds,
    }));
    const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
    // The next tick makes up for a missing one.
    if (Failed.length > 0)
      throw new Error(`SQS refused to enqueue ${Failed.length} ticks: ${Failed[0]?.Code}.`);
  }
}

function logTick(log: Log, { source, outcome, error, ...report }: TickReport): void {
  const { polls, requests, rateLimited, counts, foundByReconciliation } = report;
  const figures = { polls, requests, rateLimited, ...counts, foundByReconciliation };
  const fields = { source, outcome, ...(figures satisfies Record<TickField, number>) };
  if (error === undefined) log.info('Polled.', fields);
  else log.warn('The service could not be read.', { ...fields, error });
}
