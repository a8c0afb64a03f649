// The destinations of a deployment, by name: the topic, the bus, and the webhooks, as its stack records them in parameters.

import type { OpenDestination } from '../../functions/adapters/open-destination.ts';
import {
  DESTINATION_NAMES,
  type DestinationName,
  RELAY_NAMES,
  type RelayName,
} from '../../shared/deployment/destinations.ts';
import { type WebhookRecord, webhookRecord } from '../../shared/deployment/webhook-record.ts';
import type { Clock } from '../../shared/ports.ts';
import type { PositionWriter } from '../../shared/pulling/assign-positions.ts';
import { UsageError } from '../cli/failures.ts';
import { type Deployment, partOf, withClient } from './find-deployment.ts';

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

/** The destinations of a deployment that have a relay. */
export function relaysOf({ pullUrl }: Pick<Deployment, 'pullUrl'>): readonly RelayName[] {
  return pullUrl === undefined ? DESTINATION_NAMES : RELAY_NAMES;
}

type NamedDestination<Name> = { readonly destination: Name } | { readonly webhook: WebhookRecord };

/**
 * @param names of the destinations that can be meant
 * @throws UsageError that lists the known ones
 */
export async function nameDestination<Name extends RelayName>(
  deployment: Deployment,
  names: readonly Name[],
  name: string,
): Promise<NamedDestination<Name>> {
  const destination = names.find((each) => each === name);
  if (destination !== undefined) return { destination };
  const records = await listWebhooks(deployment);
  const webhook = records.find(({ id }) => id === name);
  if (webhook !== undefined) return { webhook };
  const known = [...names, ...records.map(({ id }) => id)];
  const hint =
    deployment.webhooksPath === undefined
      ? "; for webhooks the command needs the stack's output WebhooksPath or the variable WEBHOOKS_PATH"
      : '';
  throw new UsageError(`There is no destination "${name}"; there are ${known.join(', ')}${hint}.`);
}

const PARTS = { ordered: 'topicArn', bus: 'busName' } as const satisfies Record<DestinationName, string>;

/** @throws UsageError where the deployment does not name it */
export async function openDestinationOf(
  deployment: Deployment,
  name: DestinationName,
): Promise<OpenDestination> {
  const { openDestination } = await import('../../functions/adapters/open-destination.ts');
  return openDestination(name, partOf(deployment, PARTS[name]));
}

export async function openPositionWriter(
  tables: Deployment,
  clock: Clock,
): Promise<{ readonly writer: PositionWriter; close(): void }> {
  const { createDynamoDbClient } = await import('../../functions/adapters/dynamodb-client.ts');
  const { createDynamoDbPositionWriter } = await import(
    '../../functions/adapters/dynamodb-position-writer.ts'
  );
  const client = createDynamoDbClient();
  return { writer: createDynamoDbPositionWriter({ client, tables, clock }), close: () => client.destroy() };
}
