// What whoever makes the table and the subscriber that remembers in it must agree on. The names are those that
// Powertools' idempotency uses unless told otherwise.
import type { TableShape } from './tables.ts';

export const SUBSCRIBER_TABLE = {
  partitionKey: { name: 'id', type: 'S' },
  timeToLive: 'expiration',
} as const satisfies TableShape;
