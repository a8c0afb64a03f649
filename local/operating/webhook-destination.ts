// A webhook as the destination of a replay: posts from here, with the webhook's own secrets.
import type { OpenDestination } from '../../functions/adapters/open-destination.ts';
import { createSecretPost } from '../../functions/webhook/secret-post.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import type { WebhookRecord } from '../../shared/deployment/webhook-record.ts';
import { MILLISECOND } from '../../shared/instant.ts';
import type { Clock, Log, SendResult } from '../../shared/ports.ts';
import { judgeAnswer } from '../../shared/webhooks/judge-answer.ts';
import type { Post } from '../../shared/webhooks/webhook-ports.ts';
import { requestOf } from '../../shared/webhooks/webhook-sender.ts';

/** The marks are not moved: the webhook's sender moves them, for what it posts itself. */
export async function openWebhookDestination(
  record: WebhookRecord,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<OpenDestination> {
  const { SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
  const client = new SecretsManagerClient();
  const settings = {
    WEBHOOK_URL: record.url,
    WEBHOOK_URL_SECRET: record.urlSecret,
    SIGNING_SECRET: record.signingSecret,
    SECRET_HEADERS: record.secretHeaders,
    ADDRESSES: record.addresses,
    REQUEST_TIMEOUT_MS: record.requestTimeoutMs,
  };
  const post = createSecretPost(settings, { client, now: () => clock.elapsed() / MILLISECOND, log });
  return {
    name: record.id,
    send: (events) => Promise.all(events.map((event) => sendTo(post, event, clock))),
    close: () => client.destroy(),
  };
}

async function sendTo(post: Post, event: FeedEvent, clock: Clock): Promise<SendResult> {
  const verdict = judgeAnswer(await post(requestOf(event)), clock.now());
  if (verdict.kind === 'accepted') return { sent: true };
  return { sent: false, cause: verdict.kind === 'content' ? 'rejected' : 'failed', reason: verdict.reason };
}
