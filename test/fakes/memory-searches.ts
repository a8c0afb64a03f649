// Searches in memory, with the conditions of the DynamoDB adapter.
import type { Searches, SearchLease } from '../../shared/ports.ts';

export function createMemorySearches(): Searches {
  const leases = new Map<string, SearchLease>();
  const known = (source: string) => leases.get(source) ?? { version: 0, expiresAt: 0, sentAt: [] };
  return {
    load: async (source) => known(source),
    async save(source, lease, expectedVersion) {
      if (known(source).version !== expectedVersion) return 'conflict';
      leases.set(source, lease);
      return 'saved';
    },
  };
}
