// What the infrastructure and a subscriber must agree on about the subscriber's table. The names are the defaults of
// Powertools' idempotency.
import type { TableShape } from './tables.ts';

export const SUBSCRIBER_TABLE = {
  partitionKey: { name: 'id', type: 'S' },
  timeToLive: 'expiration',
} as const satisfies TableShape;
