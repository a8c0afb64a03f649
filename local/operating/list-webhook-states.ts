// The status of a deployment's webhooks, or of the URLs that a `watch --data` forwards to.
import type { WebhookRecord } from '../../shared/deployment/webhook-record.ts';
import type { Instant } from '../../shared/instant.ts';
import type { Deployment } from './find-deployment.ts';
import type { OpenFeed } from './open-feed.ts';
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

type ListedFeed = Pick<OpenFeed, 'deployment' | 'endpoints' | 'webhooks'>;

type Listed = Omit<KnownWebhook, 'state'>;

export interface ListOptions {
  /** The webhooks of a deployment. @default as the stack records them */
  readonly records?: readonly WebhookRecord[] | undefined;
  /** Loads what may be unknown: the lengths of queues. @default fails with it */
  readonly attempt?: Attempt;
}

/** Every webhook, the worst first. */
export async function listWebhookStates(
  feed: ListedFeed,
  now: Instant,
  options: ListOptions = {},
): Promise<WebhookStatus[]> {
  const { deployment, endpoints } = feed;
  const known = await (deployment === undefined ? listForwarded(feed) : listDeployed(deployment, options));
  const states = known.map(async (webhook) =>
    describeWebhook({ ...webhook, state: await endpoints.load(webhook.id) }, now),
  );
  return worstFirst(await Promise.all(states));
}

async function listDeployed(
  deployment: Deployment,
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

/** Nothing waits in a queue. */
async function listForwarded({ webhooks }: ListedFeed): Promise<Listed[]> {
  return (await webhooks()).map(({ name: id, filter, address = null, isDropped }) => ({
    ...{ id, filter, host: address, waiting: null, isDropped },
  }));
}
