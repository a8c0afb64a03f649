// The webhooks of a deployment, as its stack records them in parameters.
import { type WebhookRecord, webhookRecord } from '../../shared/deployment/webhook-record.ts';
import { UsageError } from '../cli/failures.ts';
import { type Deployment, partOf } from './find-deployment.ts';
import { withClient } from './with-client.ts';

/**
 * All webhooks, by id; none where the deployment does not name their path.
 *
 * @throws Error that names an invalid parameter and every invalid field
 */
export async function listWebhooks({
  webhooksPath,
}: Pick<Deployment, 'webhooksPath'>): Promise<WebhookRecord[]> {
  if (webhooksPath === undefined) return [];
  const { SSMClient } = await import('@aws-sdk/client-ssm');
  const { listParameters, parseParameter } = await import('../../functions/adapters/ssm-parameters.ts');
  const parse = (name: string, text: string) => parseParameter(webhookRecord, 'a webhook', name, text);
  const records = await withClient(new SSMClient(), (client) => listParameters(client, webhooksPath, parse));
  return records.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** One webhook. @throws UsageError that lists the known ones */
export async function findWebhook(deployment: Deployment, id: string): Promise<WebhookRecord> {
  partOf(deployment, 'webhooksPath');
  const records = await listWebhooks(deployment);
  const found = records.find((record) => record.id === id);
  if (found !== undefined) return found;
  const known = records.map((record) => record.id).join(', ');
  throw new UsageError(
    `There is no webhook "${id}"; ${known === '' ? 'the deployment has none' : `there are ${known}`}.`,
  );
}
