// Where `replay` sends events: stdout on one machine, a destination of the feed, or a webhook.
import type { OpenDestination } from '../../functions/adapters/open-destination.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { type DestinationName, traitsOf, WATCH_MARK } from '../../shared/deployment/destinations.ts';
import type { WebhookRecord } from '../../shared/deployment/webhook-record.ts';
import { admitsEvent } from '../../shared/webhooks/webhook-sender.ts';
import { UsageError } from '../cli/failures.ts';
import { createPrinter } from '../cli/print.ts';
import { nameDestination } from './name-destination.ts';
import { labelsOfWebhook } from './open-deployment.ts';
import { openDestinationOf } from './open-destinations.ts';
import type { OpenFeed } from './open-feed.ts';
import { checkAwake, openWebhookDestination, type WebhookDestination } from './webhook-destination.ts';

export interface ReplayTarget {
  readonly kind: 'stdout' | 'destination' | 'webhook';
  readonly mark: string;
  /** For sentences. */
  readonly title: string;
  readonly admits: (event: FeedEvent) => boolean;
  open(): Promise<OpenDestination & Partial<Pick<WebhookDestination, 'stoppedBy'>>>;
}

const USUAL: DestinationName = 'ordered';

/**
 * @param name undefined for the usual one: the ordered subscribers, or stdout on one machine
 * @throws UsageError that lists the known destinations, Error for a webhook that rests
 */
export async function findReplayTarget(feed: OpenFeed, name: string | undefined): Promise<ReplayTarget> {
  const admits = () => true;
  const { deployment } = feed;
  if (deployment === undefined) {
    if (name !== undefined) throw new UsageError('With --data events are printed: omit --to.');
    return { kind: 'stdout', mark: WATCH_MARK, title: 'stdout', admits, open: async () => onStdout() };
  }
  const named = await nameDestination(deployment, name ?? USUAL);
  if ('webhook' in named) return targetOfWebhook(feed, named.webhook);
  const open = async () => openDestinationOf(deployment, named.destination);
  return { kind: 'destination', ...traitsOf(named.destination), admits, open };
}

async function targetOfWebhook(feed: OpenFeed, webhook: WebhookRecord): Promise<ReplayTarget> {
  await checkAwake(feed.endpoints, webhook.id, feed.clock.now());
  const admits = (event: FeedEvent) => admitsEvent(webhook.filter, event);
  const open = () => openWebhookDestination(webhook, feed);
  return { kind: 'webhook', ...labelsOfWebhook(webhook), admits, open };
}

function onStdout(): OpenDestination {
  const out = createPrinter(process.stdout);
  return {
    name: 'stdout',
    async send(events) {
      for (const event of events) await out.line(JSON.stringify(event));
      return events.map(() => ({ sent: true }));
    },
    close() {},
  };
}
