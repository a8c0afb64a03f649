import { createHash } from 'node:crypto';

/** A one-way hash of a token, by which the readings with it are known. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
