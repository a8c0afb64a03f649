// The poller in Lambda. Ticks come from the poll queue: the schedule sends one per source in each interval, at most one
// a minute. If the interval is shorter, the poller enqueues the ticks in between. Operators, who have no token, invoke
// it directly to ask the service.
import { randomUUID } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { KMSClient } from '@aws-sdk/client-kms';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { SSMClient } from '@aws-sdk/client-ssm';
import type { Context, SQSEvent } from 'aws-lambda';
import type { TickField } from '../../shared/deployment/metrics.ts';
import { QUESTIONS_ALIAS } from '../../shared/deployment/questions-alias.ts';
import { chunked } from '../../shared/in-parallel.ts';
import { MAX_BATCH_ENTRIES } from '../../shared/limits.ts';
import type { Log } from '../../shared/ports.ts';
import type { TickReport } from '../../shared/reporting/tick-report.ts';
import { createDynamoDbClient } from '../adapters/dynamodb-client.ts';
import { createDynamoDbSearches } from '../adapters/dynamodb-searches.ts';
import { createDynamoDbSourceDirectory } from '../adapters/dynamodb-source-directory.ts';
import { createDynamoDbSourceStates } from '../adapters/dynamodb-source-states.ts';
import { createHttpsTransport } from '../adapters/https-transport.ts';
import { createPowertoolsLog } from '../adapters/powertools-log.ts';
import { addTickMetrics } from '../adapters/powertools-metrics.ts';
import { createSystemClock } from '../adapters/system-clock.ts';
import { answerQuestion } from './answer-question.ts';
import { createFinder, type Finder } from './create-finder.ts';
import { createPoller, type Poller, type PollerOptions } from './create-poller.ts';
import type { FindAnswer } from './find-message.ts';
import { createFindSource } from './find-source.ts';
import { type PollerEnvironment, parsePollerEnvironment } from './poller-environment.ts';

/** The time that a tick may still need after its end: for the request under way, and the last saves. */
const TIME_TO_FINISH_MS = 15_000;

let services: LambdaServices | undefined;

/**
 * Takes ticks, and questions of operators. Through the operators' alias it takes only questions.
 *
 * @returns the answer to a question; nothing for ticks
 */
export async function handler(
  event: SQSEvent | { readonly find: unknown },
  context: Context,
): Promise<FindAnswer | undefined> {
  services ??= createLambdaServices(parsePollerEnvironment(process.env));
  const isByAlias = context.invokedFunctionArn.endsWith(`:${QUESTIONS_ALIAS}`);
  if (isByAlias || 'find' in event) return answerQuestion(services, 'find' in event ? event.find : undefined);
  await services.poller(event, Math.max(1_000, context.getRemainingTimeInMillis() - TIME_TO_FINISH_MS));
  return undefined;
}

interface LambdaServices {
  readonly poller: Poller;
  readonly finder: Finder;
  readonly log: Log;
}

function createLambdaServices(environment: PollerEnvironment): LambdaServices {
  const log = createPowertoolsLog(new Logger());
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
    log,
    transport: createHttpsTransport(),
  };
  const findSource = createFindSource({
    directory: createDynamoDbSourceDirectory(common),
    clients: { secretsManager: new SecretsManagerClient(), ssm: new SSMClient(), kms: new KMSClient() },
    feed: environment.FEED_NAME,
    declaredTokens: environment.DECLARED_TOKENS,
  });
  const poller = createPoller({
    ...common,
    place: ` --stack ${environment.STACK_NAME}`,
    owner: randomUUID(),
    findSource,
    enqueue: (ticks) => enqueue(sqs, environment.POLL_QUEUE_URL, ticks),
    onReport: (report) => {
      logTick(log, report);
      addTickMetrics(metrics, report);
    },
  });
  const stores = { states: createDynamoDbSourceStates(common), searches: createDynamoDbSearches(common) };
  return { poller, finder: createFinder({ ...common, ...stores, findSource }), log };
}

async function enqueue(client: SQSClient, queueUrl: string, ticks: Parameters<PollerOptions['enqueue']>[0]) {
  for (const batch of chunked(ticks, MAX_BATCH_ENTRIES)) {
    const Entries = batch.map(({ body, delaySeconds }, index) => ({
      Id: String(index),
      MessageBody: body,
      DelaySeconds: delaySeconds,
    }));
    const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
    // Throw, so that the alarms show the loss. The next tick makes up for it.
    if (Failed.length > 0) throw new Error(`SQS rejected ${Failed.length} ticks: ${Failed[0]?.Code}.`);
  }
}

function logTick(log: Log, { source, outcome, error, ...report }: TickReport): void {
  const { polls, requests, rateLimited, counts } = report;
  const figures = { polls, requests, rateLimited, ...counts };
  const fields = { source, outcome, ...(figures satisfies Record<TickField, number>) };
  if (error === undefined) log.info('Polled.', fields);
  else log.warn('The service could not be read.', { ...fields, error });
}
