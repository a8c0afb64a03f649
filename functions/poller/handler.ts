// The poller in Lambda. Once a minute the dispatcher sends the sources that are due: shards to the quick queue, single
// ticks to the long queue. Of an interval below a minute the poller enqueues the ticks in between. Operators, who have no
// token, invoke it directly to ask the service.
import { randomUUID } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { KMSClient } from '@aws-sdk/client-kms';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { SSMClient } from '@aws-sdk/client-ssm';
import type { Context, SQSEvent } from 'aws-lambda';
import type { TickField } from '../../shared/deployment/metrics.ts';
import { QUESTIONS_ALIAS } from '../../shared/deployment/questions-alias.ts';
import type { Log } from '../../shared/ports.ts';
import { NOTHING_RECORDED, type RecordCounts, type TickReport } from '../../shared/reporting/tick-report.ts';
import { createDynamoDbClient } from '../adapters/dynamodb-client.ts';
import { createDynamoDbSearches } from '../adapters/dynamodb-searches.ts';
import { createDynamoDbSourceDirectory } from '../adapters/dynamodb-source-directory.ts';
import { createHttpsTransport } from '../adapters/https-transport.ts';
import { createMessageQueue } from '../adapters/message-queue.ts';
import { createPowertoolsLog } from '../adapters/powertools-log.ts';
import { reportFreshness, reportPolled } from '../adapters/powertools-metrics.ts';
import { createSystemClock } from '../adapters/system-clock.ts';
import { answerQuestion } from './answer-question.ts';
import { createFinder, type Finder } from './create-finder.ts';
import { createPoller, type Poller } from './create-poller.ts';
import type { FindAnswer } from './find-message.ts';
import { createFindSource } from './find-source.ts';
import type { ShardReport } from './poll-shard.ts';
import { type PollerEnvironment, parsePollerEnvironment } from './poller-environment.ts';
import { openPollerStores } from './poller-stores.ts';
import { createVersionedSources } from './versioned-sources.ts';

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
  const stores = openPollerStores(common);
  const poller = createPoller({
    ...{ ...common, ...stores },
    place: ` --stack ${environment.STACK_NAME}`,
    owner: randomUUID(),
    findSource: createVersionedSources(findSource),
    sendLong: createMessageQueue(new SQSClient(), environment.POLL_QUEUE_URL),
    onReport(report, tick, lateMs) {
      const { source, outcome, behindMs } = report;
      logTick(log, report);
      if (tick.opensMinute) reportPolled(metrics, outcome === 'done' ? 1 : 0, lateMs);
      // None if the tick did not have the source: missing data sets off its alarm.
      if (tick.alarm && behindMs !== undefined) reportFreshness(metrics, source, behindMs);
    },
    onShard({ ticks, lateMs }) {
      logShard(log, ticks);
      const polled = ticks.filter(({ report: { outcome } }) => outcome === 'quiet' || outcome === 'saved');
      reportPolled(metrics, polled.length, lateMs);
      for (const { to, report } of polled)
        if (to.alarm) reportFreshness(metrics, to.source, report.behindMs ?? 0);
    },
  });
  const searches = createDynamoDbSearches(common);
  return { poller, finder: createFinder({ ...common, states: stores.states, searches, findSource }), log };
}

/** One line for all sources of a shard, and one for each that failed. */
function logShard(log: Log, ticks: ShardReport['ticks']): void {
  const reports = ticks.map(({ report }) => report);
  const sum = (what: (report: (typeof reports)[number]) => number) =>
    reports.reduce((all, report) => all + what(report), 0);
  const counts = Object.fromEntries(
    (Object.keys(NOTHING_RECORDED) as (keyof RecordCounts)[]).map((name) => [
      name,
      sum(({ counts }) => counts[name]),
    ]),
  );
  log.info('Polled a shard.', {
    sources: ticks.length,
    ...{ polls: sum(({ polls }) => polls), requests: sum(({ requests }) => requests) },
    ...{ rateLimited: sum(({ rateLimited }) => rateLimited), ...counts },
    sentOn: reports
      .filter(({ outcome }) => outcome === 'long')
      .map(({ source, why }) => `${source} ${why ?? ''}`.trim()),
  });
  for (const { source, outcome, error } of reports)
    if (error !== undefined) log.warn('The service could not be read.', { source, outcome, error });
}

function logTick(log: Log, { source, outcome, error, ...report }: TickReport): void {
  const { polls, requests, rateLimited, counts } = report;
  const figures = { polls, requests, rateLimited, ...counts };
  const fields = { source, outcome, ...(figures satisfies Record<TickField, number>) };
  if (error === undefined) log.info('Polled.', fields);
  else log.warn('The service could not be read.', { ...fields, error });
}
