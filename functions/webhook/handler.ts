// Each webhook has two functions that run this file: `handler` on its queue of rings, `sweep` once a day.
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { MILLISECOND } from '../../shared/instant.ts';
import type { SweepReport } from '../../shared/publishing/sweep.ts';
import { createPresentGeneration } from '../../shared/source/present-generation.ts';
import { createPostPace, type PostPace } from '../../shared/webhooks/post-pace.ts';
import { type SweepWebhookPorts, sweepWebhook } from '../../shared/webhooks/ring-unsent.ts';
import { createWebhookSender, type WebhookPorts } from '../../shared/webhooks/webhook-sender.ts';
import { listBehind } from '../adapters/dynamodb-behind.ts';
import { createDynamoDbClient } from '../adapters/dynamodb-client.ts';
import { createDynamoDbEndpointStates } from '../adapters/dynamodb-endpoint-states.ts';
import { createDynamoDbEndpointTests } from '../adapters/dynamodb-endpoint-tests.ts';
import { createDynamoDbLedger } from '../adapters/dynamodb-ledger.ts';
import { createDynamoDbMarks } from '../adapters/dynamodb-marks.ts';
import { createDynamoDbSnapshotStore } from '../adapters/dynamodb-snapshot-store.ts';
import { createDynamoDbSourceStates } from '../adapters/dynamodb-source-states.ts';
import { createPowertoolsLog } from '../adapters/powertools-log.ts';
import { reportFailing } from '../adapters/powertools-metrics.ts';
import { requestLimits } from '../adapters/request-limits.ts';
import { createRingQueue } from '../adapters/ring-queue.ts';
import { createSystemClock } from '../adapters/system-clock.ts';
import { createEndpointTest } from './endpoint-test.ts';
import { createRingHandler, type RingHandler } from './ring-handler.ts';
import { createSecretPost } from './secret-post.ts';
import { parseWebhookEnvironment, type WebhookEnvironment } from './webhook-environment.ts';

/** For the calls after the last attempt of a run: its answer is noted, the mark moves, the pause is set. */
const TIME_TO_FINISH_MS = 5_000;
/** The share of the senders for returns that failed before or hang: the others always find one that is free. */
const SHARE_OF_RETRIES = 0.5;
/** Longer than a connection and an answer take from another continent. */
const HANGS_AFTER_MS = 1_000;

const requestHandler = requestLimits(3_000);

interface Services {
  readonly pace: PostPace;
  readonly ports: WebhookPorts;
  readonly handle: RingHandler;
  readonly ring: SweepWebhookPorts['ring'];
  readonly behind: SweepWebhookPorts['behind'];
}

let services: Services | undefined;

export async function handler(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  services ??= createServices(parseWebhookEnvironment(process.env));
  const { handle, ports, pace } = services;
  const endingMs = pace.endingMs(ports.attemptMs) + TIME_TO_FINISH_MS;
  return handle(event, context.getRemainingTimeInMillis() - endingMs);
}

export async function sweep(_event: unknown, context: Context): Promise<SweepReport> {
  services ??= createServices(parseWebhookEnvironment(process.env));
  const { ports, ring, behind } = services;
  const timeLeftMs = context.getRemainingTimeInMillis() - TIME_TO_FINISH_MS;
  return sweepWebhook({ ...ports, ring, behind }, timeLeftMs);
}

function createServices(environment: WebhookEnvironment): Services {
  const { WEBHOOK_ID: webhook, QUEUE_URL: queueUrl } = environment;
  const client = createDynamoDbClient();
  const clock = createSystemClock();
  const log = createPowertoolsLog(new Logger());
  const metrics = new Metrics();
  const tables = {
    ledger: environment.LEDGER_TABLE,
    marks: environment.MARKS_TABLE,
    snapshots: environment.SNAPSHOTS_TABLE,
    sources: environment.SOURCES_TABLE,
  };
  const sqs = new SQSClient({ requestHandler });
  const secrets = new SecretsManagerClient({ requestHandler });
  const { MAX_CONCURRENCY: senders, MAX_PER_SECOND: maxPerSecond } = environment;
  const pauseMs = maxPerSecond === undefined ? 0 : (senders / maxPerSecond) * 1_000;
  const secretPost = createSecretPost(environment, {
    client: secrets,
    now: () => clock.elapsed() / MILLISECOND,
    log,
  });
  const pace = createPostPace(secretPost, pauseMs, clock);
  const ports: WebhookPorts = {
    webhook,
    filter: environment.FILTER,
    snapshots:
      environment.SHAPE === 'return' ? createDynamoDbSnapshotStore({ client, tables, clock }) : undefined,
    ledger: createDynamoDbLedger({ client, tables, clock }),
    marks: createDynamoDbMarks({ client, tables }),
    presentGeneration: createPresentGeneration(createDynamoDbSourceStates({ client, tables, clock })),
    endpoints: createDynamoDbEndpointStates({ client, tables, clock }),
    post: pace.post,
    untilNextPost: pace.untilNext,
    clock,
    log,
    random: Math.random,
    attemptMs: environment.REQUEST_TIMEOUT_MS,
    retriesAtOnce: Math.max(1, Math.floor(senders * SHARE_OF_RETRIES)),
    hangsAfterMs: HANGS_AFTER_MS,
  };
  const handle = createRingHandler({
    client: sqs,
    queueUrl,
    log,
    send: createWebhookSender(ports),
    test: createEndpointTest({ ...ports, tests: createDynamoDbEndpointTests({ client, tables }) }),
    onFailing: (failingForMs) => reportFailing(metrics, webhook, failingForMs),
    untilNextPost: pace.untilNext,
  });
  const queue = createRingQueue({ client: sqs, queueUrl });
  return {
    ...{ pace, ports, handle },
    ring: (key, sequence) => queue.ring(key, sequence, clock.now()),
    behind: (name) => listBehind(client, tables.marks, name),
  };
}
