// A deployment with webhooks for commands: their records, secrets and queues, and a receiver behind one of them. The
// sender is the function itself, configured by its environment.
import { CreateQueueCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Context } from 'aws-lambda';
import { vi } from 'vitest';
import { createSystemClock } from '../../../functions/adapters/system-clock.ts';
import type { WebhookRecord } from '../../../shared/deployment/webhook-record.ts';
import { connectSqs } from '../../contract/topic-clients.ts';
import { pollQueue } from '../../engines/poll-queue.ts';
import type { Ended } from '../cli/run-feed.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../feed/webhook-receiver.ts';
import { openDeployment, type TestDeployment } from './a-deployment.ts';
import { type FakeAws, startFakeAws } from './fake-aws.ts';

const PATH = '/returns-feed/webhooks';
export const SECRET = 'A'.repeat(63).concat('b');
const SIGNING_SECRET = 'returns-feed/webhooks/Wms';

export interface WebhookDeployment {
  readonly deployment: TestDeployment;
  readonly aws: FakeAws;
  readonly receiver: WebhookReceiver;
  readonly sqs: SQSClient;
  /** The record of the webhook `Wms`, which posts to the receiver. */
  readonly record: WebhookRecord;
  run(...args: readonly string[]): Promise<Ended>;
  /** Adds a webhook like `Wms`. */
  add(id: string, changes?: Partial<WebhookRecord>): void;
  /** Runs the sender's function on the queue while the work goes on. */
  whileSending<Result>(work: () => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

export async function openWebhooks({ shape }: Pick<WebhookRecord, 'shape'> = {}): Promise<WebhookDeployment> {
  // The function keeps its services for life, and another file in this process may have started it.
  vi.resetModules();
  const [deployment, aws, receiver] = await Promise.all([
    openDeployment(),
    startFakeAws(),
    startWebhookReceiver(SECRET),
  ]);
  const engine = deployment.environment.AWS_ENDPOINT_URL_SNS ?? '';
  const sqs = connectSqs(engine);
  const queue = { QueueName: 'wms.fifo', Attributes: { FifoQueue: 'true' } };
  const { QueueUrl: queueUrl = '' } = await sqs.send(new CreateQueueCommand(queue));
  const record: WebhookRecord = {
    id: 'Wms',
    url: receiver.url,
    signingSecret: SIGNING_SECRET,
    secretHeaders: {},
    contentType: 'application/cloudevents+json',
    shape,
    filter: {},
    addresses: 'any',
    requestTimeoutMs: 5_000,
    queueUrl,
    sender: 'wms-sender',
    log: '/aws/lambda/wms-sender',
  };
  const add = (id: string, changes: Partial<WebhookRecord> = {}) => {
    const Name = `${PATH}/${id}`;
    aws.parameters.set(Name, { Name, Value: JSON.stringify({ ...record, id, ...changes }) });
  };
  add('Wms');
  aws.versions.set(SIGNING_SECRET, [{ text: SECRET, createdAt: Date.now() / 1_000 }]);
  const environment = {
    ...deployment.environment,
    AWS_ENDPOINT_URL_SQS: engine,
    AWS_ENDPOINT_URL_SSM: aws.url,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: aws.url,
    WEBHOOKS_PATH: PATH,
  };
  return {
    deployment,
    aws,
    receiver,
    sqs,
    record,
    add,
    run: (...args) => deployment.runWith(environment, ...args),
    async whileSending(work) {
      const sender = await startSender(sqs, { ...environment, ...senderVariables(record) }, queueUrl);
      try {
        return await work();
      } finally {
        await sender.stop();
        vi.unstubAllEnvs();
      }
    },
    async close() {
      sqs.destroy();
      aws.close();
      await Promise.all([deployment.close(), receiver.close()]);
    },
  };
}

function senderVariables({ id, url = '', shape = 'event', queueUrl, ...record }: WebhookRecord) {
  return {
    SHAPE: shape,
    WEBHOOK_ID: id,
    WEBHOOK_URL: url,
    QUEUE_URL: queueUrl,
    SIGNING_SECRET: record.signingSecret,
    REQUEST_TIMEOUT_MS: String(record.requestTimeoutMs),
    MAX_CONCURRENCY: '5',
    ADDRESSES: 'any',
  };
}

async function startSender(client: SQSClient, environment: Record<string, string>, queueUrl: string) {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const { handler } = await import('../../../functions/webhook/handler.ts');
  const context = { getRemainingTimeInMillis: () => 60_000 } as Context;
  return pollQueue({
    client,
    queueUrl,
    handler: (event) => handler(event, context),
    clock: createSystemClock(),
    onError: (error) => {
      throw error;
    },
    batchSize: 1,
  });
}
