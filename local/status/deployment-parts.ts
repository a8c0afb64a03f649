// What changes rarely in a deployment: the configured sources, the webhooks (Parameter Store) and the ordered subscribers
// (SNS, SQS, CloudWatch). Answers are cached for a minute, however many pages are open: CloudWatch bills each request, and
// updates its figures once a minute.
import type { WebhookRecord } from '../../shared/deployment/webhook-record.ts';
import type { Moments } from '../cli/moments.ts';
import { listWebhooks } from '../place/named-destinations.ts';
import { labelsOfWebhook, type OpenFeed, type WebhookLabels } from '../place/open-feed.ts';
import { listSubscribers, type Subscribers } from './list-subscribers.ts';

export interface DeploymentParts {
  configured: OpenFeed['configured'];
  /** Empty on one machine. */
  webhookRecords(): Promise<readonly WebhookRecord[]>;
  webhooks(): Promise<readonly WebhookLabels[]>;
  /** Empty on one machine. */
  subscribers(): Promise<SubscribersAt>;
}

export interface SubscribersAt extends Subscribers {
  /** When AWS was asked; milliseconds since the epoch. */
  readonly askedAtMs: number;
}

const CACHED_MS = 60_000;
/** On one machine. */
const NONE: Pick<DeploymentParts, 'webhookRecords' | 'subscribers'> = {
  webhookRecords: async () => [],
  subscribers: async () => ({ subscribers: [], problems: [], askedAtMs: 0 }),
};

export function openDeploymentParts(
  { deployment, webhooks, configured }: OpenFeed,
  { now, withAges = true }: Pick<Moments, 'now'> & { readonly withAges?: boolean },
): DeploymentParts {
  if (deployment === undefined) return { ...NONE, webhooks, configured };
  const webhookRecords = remember(CACHED_MS, now, () => listWebhooks(deployment));
  const subscribers = remember(CACHED_MS, now, async () => {
    const askedAtMs = now();
    // Without permission to list webhooks, their queues are listed as subscribers: that is better than no list.
    const records = await webhookRecords().catch(() => []);
    return { ...(await listSubscribers(deployment, records.map(queueNameOf), withAges)), askedAtMs };
  });
  return {
    configured: remember(CACHED_MS, now, configured),
    webhookRecords,
    subscribers,
    webhooks: async () => (await webhookRecords()).map(labelsOfWebhook),
  };
}

function queueNameOf({ queueUrl }: WebhookRecord): string {
  return queueUrl.split('/').at(-1) ?? queueUrl;
}

/**
 * Returns the last answer while it is younger than `forMs`, or else asks again. Failures are cached as well, so that a
 * page without permission does not repeat its request at every update.
 *
 * @param now milliseconds since the epoch
 */
function remember<Answer>(
  forMs: number,
  now: () => number,
  ask: () => Promise<Answer>,
): () => Promise<Answer> {
  let last: { readonly answer: Promise<Answer>; readonly untilMs: number } | undefined;
  return () => {
    const nowMs = now();
    if (last === undefined || last.untilMs <= nowMs) last = { answer: ask(), untilMs: nowMs + forMs };
    return last.answer;
  };
}
