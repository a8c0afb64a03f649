// Signatures of Standard Webhooks: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
// HMAC-SHA256 over `id.timestamp.body`; each secret in force signs, so that a receiver may know the old or the new one.
import { createHmac } from 'node:crypto';

/** The bytes of a secret: 24 to 64, as Standard Webhooks asks. */
const FEWEST_BYTES = 24;
const MOST_BYTES = 64;
const PREFIX = 'whsec_';
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Thrown for a secret that can't sign. Its message holds nothing of the secret. */
export class SigningSecretError extends Error {
  override readonly name = 'SigningSecretError';
}

/** Returns the key of a secret. @throws SigningSecretError */
export function parseSigningSecret(secret: string): Buffer {
  const text = secret.trim();
  const encoded = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text;
  if (encoded.startsWith('{')) throw invalid('it is JSON; store the secret as its whole text');
  if (!BASE64.test(encoded) || encoded.replace(/=+$/, '').length % 4 === 1) throw invalid('it is not base64');
  const key = Buffer.from(encoded, 'base64');
  if (key.length < FEWEST_BYTES || key.length > MOST_BYTES)
    throw invalid(`it has ${key.length} bytes, not ${FEWEST_BYTES} to ${MOST_BYTES}`);
  return key;
}

function invalid(problem: string): SigningSecretError {
  return new SigningSecretError(
    `The signing secret is invalid: ${problem}. Use ${PREFIX} and the base64 of ${FEWEST_BYTES} to ${MOST_BYTES} bytes.`,
  );
}

/**
 * Returns the header `webhook-signature`.
 *
 * @param timestamp in seconds, as in the header `webhook-timestamp`
 */
export function signWebhook(keys: readonly Buffer[], id: string, timestamp: number, body: string): string {
  const signed = `${id}.${timestamp}.${body}`;
  return keys.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`).join(' ');
}
