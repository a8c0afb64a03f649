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
import { readQueueCounts, sumOfMessages } from './queue-counts.ts';
import { listWebhooks } from './webhook-records.ts';
import { describeWebhook, hostOf, type WebhookStatus, worstFirst } from './webhook-status.ts';
import { withClient } from './with-client.ts';

type StatesPlace = Pick<Place, 'client' | 'deployment' | 'isLocal'>;

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
  return worstFirst(await (place.isLocal ? listForwarded(place, now) : listDeployed(place, now, options)));
}

export function openEndpointStates({
  client,
  deployment,
}: Pick<Place, 'client' | 'deployment'>): EndpointStates {
  const tables = { marks: partOf(deployment, 'marks') };
  return createDynamoDbEndpointStates({ client, tables, clock: createSystemClock() });
}

async function listDeployed(
  place: StatesPlace,
  now: Instant,
  { records: known, attempt = (_, load) => load() }: ListOptions,
): Promise<WebhookStatus[]> {
  const records = known ?? (await listWebhooks(place.deployment));
  if (records.length === 0) return [];
  const endpoints = openEndpointStates(place);
  const waiting = await countWaiting(records, attempt);
  return Promise.all(
    records.map(async (record, index) => {
      const state = await endpoints.load(record.id);
      const { id, filter } = record;
      return describeWebhook(
        { id, filter, host: hostOf(record), state, waiting: waiting[index] ?? null },
        now,
      );
    }),
  );
}

async function countWaiting(records: readonly WebhookRecord[], attempt: Attempt): Promise<(number | null)[]> {
  const { SQSClient } = await import('@aws-sdk/client-sqs');
  return withClient(new SQSClient(), (client) => {
    const count = async (queueUrl: string) => sumOfMessages(await readQueueCounts(client, queueUrl));
    return Promise.all(
      records.map(({ id, queueUrl }) =>
        attempt(`The waiting returns of webhook ${id}`, () => count(queueUrl), null),
      ),
    );
  });
}

/** The URLs themselves are not kept, only a digest of each. Nothing waits in a queue. */
async function listForwarded(place: StatesPlace, now: Instant): Promise<WebhookStatus[]> {
  const endpoints = openEndpointStates(place);
  return Promise.all(
    (await forwardedIds(place)).map(async (id) => {
      const state = await endpoints.load(id);
      return describeWebhook({ id, filter: {}, host: null, state, waiting: null }, now);
    }),
  );
}

/** The names of the URLs that were ever forwarded to. */
export function forwardedIds({ client, deployment }: Pick<Place, 'client' | 'deployment'>) {
  return listForwardIds(client, partOf(deployment, 'marks'));
}
