// The webhooks of a deployment, as its stack records them in parameters.
import { type WebhookRecord, webhookRecord } from '../../shared/deployment/webhook-record.ts';
import { UsageError } from '../cli/failures.ts';
import { type Deployment, partOf } from './find-deployment.ts';

/**
 * All webhooks, by id; none where the deployment does not name their path.
 *
 * @throws Error that names an invalid parameter and every invalid field
 */
export async function listWebhooks({
  webhooksPath,
}: Pick<Deployment, 'webhooksPath'>): Promise<WebhookRecord[]> {
  if (webhooksPath === undefined) return [];
  const { GetParametersByPathCommand, SSMClient } = await import('@aws-sdk/client-ssm');
  const client = new SSMClient();
  const records: WebhookRecord[] = [];
  let NextToken: string | undefined;
  try {
    do {
      const command = new GetParametersByPathCommand({ Path: webhooksPath, NextToken });
      const page = await client.send(command);
      for (const { Name = '', Value = '' } of page.Parameters ?? []) records.push(parseRecord(Name, Value));
      NextToken = page.NextToken;
    } while (NextToken !== undefined);
  } finally {
    client.destroy();
  }
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

function parseRecord(name: string, text: string): WebhookRecord {
  const parsed = webhookRecord.safeParse(parseJson(name, text));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new Error(`The parameter ${name} does not describe a webhook. ${problems.join('; ')}.`);
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`The parameter ${name} does not hold JSON.`);
  }
}
