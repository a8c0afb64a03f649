// Opens a deployment for a command about one of its webhooks.
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { createRingQueue, type RingQueue } from '../../functions/adapters/ring-queue.ts';
import type { WebhookRecord } from '../../shared/deployment/webhook-record.ts';
import { openPlace, type Place, type PlaceFlags } from './open-place.ts';
import { findWebhook } from './webhook-records.ts';

/** Runs work on a webhook of the deployment. @throws UsageError that lists the known ones */
export async function withWebhook<Result>(
  { stack }: Pick<PlaceFlags, 'stack'>,
  id: string,
  work: (webhook: WebhookRecord, place: Place) => Promise<Result>,
): Promise<Result> {
  const place = await openPlace(stack === undefined ? {} : { stack });
  try {
    return await work(await findWebhook(place.deployment, id), place);
  } finally {
    await place.close();
  }
}

/** Runs work with the queue of a webhook's rings. */
export async function withRingQueue<Result>(
  { queueUrl }: Pick<WebhookRecord, 'queueUrl'>,
  work: (queue: RingQueue) => Promise<Result>,
): Promise<Result> {
  const { SQSClient } = await import('@aws-sdk/client-sqs');
  const client = new SQSClient();
  try {
    return await work(createRingQueue({ client, queueUrl }));
  } finally {
    client.destroy();
  }
}

export async function withSecrets<Result>(
  work: (client: SecretsManagerClient) => Promise<Result>,
): Promise<Result> {
  const { SecretsManagerClient: Client } = await import('@aws-sdk/client-secrets-manager');
  const client = new Client();
  try {
    return await work(client);
  } finally {
    client.destroy();
  }
}
