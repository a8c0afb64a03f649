// The states of webhooks' endpoints in memory.
import type { EndpointState } from '../../shared/webhooks/endpoint-state.ts';
import type { EndpointStates } from '../../shared/webhooks/webhook-ports.ts';

export function createMemoryEndpointStates(): EndpointStates {
  const states = new Map<string, EndpointState>();
  return {
    load: async (webhook) => states.get(webhook),
    async save(webhook, state, expectedVersion) {
      if ((states.get(webhook)?.version ?? 0) !== expectedVersion) return 'conflict';
      states.set(webhook, { ...state, version: expectedVersion + 1 });
      return 'saved';
    },
  };
}
