// Opens a deployment for a command about one of its webhooks.
import type { SecretsManager } from '@aws-sdk/client-secrets-manager';
import type { RingQueue } from '../../functions/adapters/ring-queue.ts';
import type { WebhookRecord } from '../../shared/deployment/webhook-record.ts';
import { withClient } from '../place/find-deployment.ts';
import { findWebhook } from '../place/named-destinations.ts';
import type { DeployedFeed } from '../place/open-deployment.ts';
import type { PlaceFlags } from '../place/open-feed.ts';

/** Runs work on a webhook of the deployment. @throws UsageError that lists the known ones */
export async function withWebhook<Result>(
  flags: Pick<PlaceFlags, 'stack'>,
  id: string,
  work: (webhook: WebhookRecord, feed: DeployedFeed) => Promise<Result>,
): Promise<Result> {
  const { withDeployment } = await import('../place/open-deployment.ts');
  return withDeployment(flags, async (feed) => work(await findWebhook(feed.deployment, id), feed));
}

/** Runs work with the queue of a webhook's rings. */
export async function withRingQueue<Result>(
  { queueUrl }: Pick<WebhookRecord, 'queueUrl'>,
  work: (queue: RingQueue) => Promise<Result>,
): Promise<Result> {
  const { SQSClient } = await import('@aws-sdk/client-sqs');
  const { createRingQueue } = await import('../../functions/adapters/ring-queue.ts');
  return withClient(new SQSClient(), (client) => work(createRingQueue({ client, queueUrl })));
}

export async function withSecrets<Result>(
  work: (client: SecretsManager) => Promise<Result>,
): Promise<Result> {
  const secrets = await import('@aws-sdk/client-secrets-manager');
  return withClient(new secrets.SecretsManager(), work);
}
