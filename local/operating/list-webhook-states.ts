// The status of a deployment's webhooks, or of the URLs that a `watch --data` forwards to.

import {
  createDynamoDbEndpointStates,
  listForwardIds,
} from '../../functions/adapters/dynamodb-endpoint-states.ts';
import { createSystemClock } from '../../functions/adapters/system-clock.ts';
import type { WebhookRecord } from '../../shared/deployment/webhook-record.ts';
import type { Instant } from '../../shared/instant.ts';
import type { EndpointStates } from '../../shared/webhooks/webhook-ports.ts';
import { partOf } from './find-deployment.ts';
import type { Place } from './open-place.ts';
import type { Attempt } from './problems.ts';
import { readQueueCounts } from './queue-counts.ts';
import { listWebhooks } from './webhook-records.ts';
import {
  describeWebhook,
  hostOf,
  type KnownWebhook,
  type WebhookStatus,
  worstFirst,
} from './webhook-status.ts';
import { withClient } from './with-client.ts';

type StatesPlace = Pick<Place, 'client' | 'deployment' | 'isLocal'>;

type Listed = Omit<KnownWebhook, 'state'>;

export interface ListOptions {
  /** The webhooks of a deployment. @default as the stack records them */
  readonly records?: readonly WebhookRecord[] | undefined;
  /** Loads what may be unknown: the lengths of queues. @default fails with it */
  readonly attempt?: Attempt;
}

/** Every webhook, the worst first. */
export async function listWebhookStates(
  place: StatesPlace,
  now: Instant,
  options: ListOptions = {},
): Promise<WebhookStatus[]> {
  const known = await (place.isLocal ? listForwarded(place) : listDeployed(place, options));
  if (known.length === 0) return [];
  const endpoints = openEndpointStates(place);
  const states = known.map(async (webhook) =>
    describeWebhook({ ...webhook, state: await endpoints.load(webhook.id) }, now),
  );
  return worstFirst(await Promise.all(states));
}

export function openEndpointStates({
  client,
  deployment,
}: Pick<Place, 'client' | 'deployment'>): EndpointStates {
  const tables = { marks: partOf(deployment, 'marks') };
  return createDynamoDbEndpointStates({ client, tables, clock: createSystemClock() });
}

async function listDeployed(
  { deployment }: StatesPlace,
  { records: known, attempt = (_, load) => load() }: ListOptions,
): Promise<Listed[]> {
  const records = known ?? (await listWebhooks(deployment));
  if (records.length === 0) return [];
  const { SQS } = await import('@aws-sdk/client-sqs');
  return withClient(new SQS(), (client) => {
    const describe = async ({ id, filter, url, queueUrl }: WebhookRecord) => {
      const count = async () => (await readQueueCounts(client, queueUrl)).messages;
      const waiting = await attempt(`The waiting returns of webhook ${id}`, count, null);
      return { id, filter, host: hostOf(url), waiting };
    };
    return Promise.all(records.map(describe));
  });
}

/** The URLs themselves are not kept, only a digest of each. Nothing waits in a queue. */
async function listForwarded(place: StatesPlace): Promise<Listed[]> {
  return (await forwardedIds(place)).map((id) => ({ id, filter: {}, host: null, waiting: null }));
}

/** The names of the URLs that were ever forwarded to. */
export function forwardedIds({ client, deployment }: Pick<Place, 'client' | 'deployment'>) {
  return listForwardIds(client, partOf(deployment, 'marks'));
}
