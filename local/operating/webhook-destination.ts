// A webhook as the destination of a replay: posts from here, with the webhook's own secrets. A replay does not begin
// while an operator has paused the endpoint, or the endpoint has asked for a pause (`checkAwake`), and it stops at an
// answer 429 or 503.
import type { OpenDestination } from '../../functions/adapters/open-destination.ts';
import { createSecretPost } from '../../functions/webhook/secret-post.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import type { WebhookRecord } from '../../shared/deployment/webhook-record.ts';
import { formatInstant, type Instant, MILLISECOND } from '../../shared/instant.ts';
import type { Clock, Log, SendResult } from '../../shared/ports.ts';
import { withoutFutureMoments } from '../../shared/webhooks/endpoint-state.ts';
import { judgeAnswer, type Verdict } from '../../shared/webhooks/judge-answer.ts';
import { createPostPace } from '../../shared/webhooks/post-pace.ts';
import type { EndpointStates } from '../../shared/webhooks/webhook-ports.ts';
import { requestOf } from '../../shared/webhooks/webhook-sender.ts';

export interface WebhookDestination extends OpenDestination {
  /** The answer after which nothing more is posted: 429 or 503. Undefined if there was none. */
  stoppedBy(): string | undefined;
}

/** @throws Error for a webhook that rests, with what to do */
export async function checkAwake(endpoints: EndpointStates, webhook: string, now: Instant): Promise<void> {
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
export async function openWebhookDestination(
  record: WebhookRecord,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<WebhookDestination> {
  const { SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
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
