// Where `replay` sends events: stdout on one machine, a destination of the feed, or a webhook.
import type { OpenDestination } from '../../functions/adapters/open-destination.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import {
  DESTINATION_NAMES,
  type DestinationName,
  traitsOf,
  WATCH_MARK,
} from '../../shared/deployment/destinations.ts';
import type { WebhookRecord } from '../../shared/deployment/webhook-record.ts';
import { formatInstant, type Instant, MILLISECOND } from '../../shared/instant.ts';
import type { Clock, Log, SendResult } from '../../shared/ports.ts';
import { withoutFutureMoments } from '../../shared/webhooks/endpoint-state.ts';
import { judgeAnswer, type Verdict } from '../../shared/webhooks/judge-answer.ts';
import { createPostPace } from '../../shared/webhooks/post-pace.ts';
import type { EndpointStates } from '../../shared/webhooks/webhook-ports.ts';
import { admitsEvent, requestOf } from '../../shared/webhooks/webhook-sender.ts';
import { UsageError } from '../cli/failures.ts';
import { createPrinter } from '../cli/print.ts';
import { nameDestination, openDestinationOf } from '../place/named-destinations.ts';
import { labelsOfWebhook, type OpenFeed } from '../place/open-feed.ts';

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
 * @throws UsageError that lists the known destinations, or for a webhook that gets whole returns; Error for one that
 * rests
 */
export async function findReplayTarget(feed: OpenFeed, name: string | undefined): Promise<ReplayTarget> {
  const admits = () => true;
  const { deployment } = feed;
  if (deployment === undefined) {
    if (name !== undefined) throw new UsageError('With --data events are printed: omit --to.');
    return { kind: 'stdout', mark: WATCH_MARK, title: 'stdout', admits, open: async () => onStdout() };
  }
  const named = await nameDestination(deployment, DESTINATION_NAMES, name ?? USUAL);
  if ('webhook' in named) return targetOfWebhook(feed, named.webhook);
  const open = async () => openDestinationOf(deployment, named.destination);
  return { kind: 'destination', ...traitsOf(named.destination), admits, open };
}

async function targetOfWebhook(feed: OpenFeed, webhook: WebhookRecord): Promise<ReplayTarget> {
  if (webhook.shape === 'return')
    throw new UsageError(
      `The webhook ${webhook.id} gets whole returns, not events. "returns-feed export" has their present state.`,
    );
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

// A webhook as the destination of a replay: posts from here, with the webhook's own secrets. A replay does not begin
// while an operator has paused the endpoint, or the endpoint has asked for a pause (`checkAwake`), and it stops at an
// answer 429 or 503.

interface WebhookDestination extends OpenDestination {
  /** The answer after which nothing more is posted: 429 or 503. Undefined if there was none. */
  stoppedBy(): string | undefined;
}

/** @throws Error for a webhook that rests, with what to do */
async function checkAwake(endpoints: EndpointStates, webhook: string, now: Instant): Promise<void> {
  const stored = await endpoints.load(webhook);
  if (stored === undefined) return;
  const { isPaused, pausedUntil } = withoutFutureMoments(stored, now);
  const resume = `"npx --no returns-feed webhooks resume ${webhook}"`;
  if (isPaused) throw new Error(`The webhook ${webhook} is paused. Run ${resume} first.`);
  if (pausedUntil > now)
    throw new Error(
      `The endpoint of ${webhook} asked for a pause until ${formatInstant(pausedUntil)}. Wait for that, or run ${resume} first.`,
    );
}

/** The marks are not moved: the webhook's sender moves them, for what it posts itself. */
async function openWebhookDestination(
  record: WebhookRecord,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<WebhookDestination> {
  const { SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
  const { createSecretPost } = await import('../../functions/webhook/secret-post.ts');
  const client = new SecretsManagerClient();
  const settings = {
    WEBHOOK_URL: record.url,
    WEBHOOK_URL_SECRET: record.urlSecret,
    SIGNING_SECRET: record.signingSecret,
    SECRET_HEADERS: record.secretHeaders,
    CLIENT_CERTIFICATE: record.clientCertificate,
    CONTENT_TYPE: record.contentType,
    ADDRESSES: record.addresses,
    REQUEST_TIMEOUT_MS: record.requestTimeoutMs,
  };
  const secretPost = createSecretPost(settings, { client, now: () => clock.elapsed() / MILLISECOND, log });
  const pauseMs = record.maxPerSecond === undefined ? 0 : 1_000 / record.maxPerSecond;
  const pace = createPostPace(secretPost, pauseMs, clock);
  let stoppedBy: string | undefined;

  async function sendOne(event: FeedEvent): Promise<SendResult> {
    const verdict = judgeAnswer(await pace.post(requestOf(event)), clock.now());
    if (verdict.kind === 'failure' && verdict.isForAll) stoppedBy ??= verdict.reason;
    return resultOf(verdict);
  }

  return {
    name: record.id,
    stoppedBy: () => stoppedBy,
    async send(events) {
      // Ends the replay, which would try each event several times.
      if (stoppedBy !== undefined) throw new Error(`the endpoint ${stoppedBy}`);
      const sent: Promise<SendResult>[] = [];
      for (const event of events) {
        await pace.untilNext();
        if (stoppedBy !== undefined) break;
        sent.push(sendOne(event));
      }
      return Promise.all(sent);
    },
    close: () => client.destroy(),
  };
}

function resultOf(verdict: Verdict): SendResult {
  if (verdict.kind === 'accepted') return { sent: true };
  return { sent: false, cause: verdict.kind === 'content' ? 'rejected' : 'failed', reason: verdict.reason };
}
