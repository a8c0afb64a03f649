// Webhook requests of the feed's sender, and requests of other clients.
import { Webhook } from 'standardwebhooks';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import type { ReturnChanged } from '../../../shared/contract/return-message.ts';

/** Like the secrets that the construct creates: 64 letters and digits. */
export const SECRET = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ01';
export const OTHER_SECRET = SECRET.toLowerCase();

export interface Signing {
  readonly id?: string;
  readonly secret?: string;
  /** Further secrets that also sign, as during a rotation. */
  readonly previous?: readonly string[];
  /** The age of the signature. @default 0 */
  readonly ageSeconds?: number;
  /** @default that of the sender */
  readonly contentType?: string;
}

/** The headers of a signed attempt. */
export function signedHeaders(body: string, signing: Signing = {}): Record<string, string> {
  const { id = 'acme_mi8x2k_1_1', secret = SECRET, previous = [], ageSeconds = 0 } = signing;
  const { contentType = 'application/cloudevents+json' } = signing;
  const at = new Date(Date.now() - ageSeconds * 1000);
  return {
    'content-type': contentType,
    'user-agent': 'returns-change-feed/0.0.0',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': [secret, ...previous].map((each) => new Webhook(each).sign(id, at, body)).join(' '),
  };
}

/** A signed attempt to deliver an event. */
export function attempt(event: FeedEvent | ReturnChanged, signing: Signing = {}): Request {
  const body = JSON.stringify(event);
  return post(body, signedHeaders(body, { id: event.id, ...signing }));
}

/** A signed request with any body. */
export function signedPost(body: string, signing: Signing = {}): Request {
  return post(body, signedHeaders(body, signing));
}

export function post(
  body: string | Uint8Array<ArrayBuffer> | ReadableStream,
  headers: Record<string, string>,
): Request {
  return new Request('http://receiver.test/hook', { method: 'POST', headers, body, duplex: 'half' });
}
