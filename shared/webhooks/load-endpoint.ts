// Loads the state of a webhook's endpoint: creates it the first time, and leaves out what comes from a wrong clock.
import type { Clock } from '../ports.ts';
import { type EndpointState, newEndpoint, withoutFutureMoments } from './endpoint-state.ts';
import type { EndpointStates } from './webhook-ports.ts';

export interface LoadEndpointPorts {
  readonly webhook: string;
  readonly endpoints: EndpointStates;
  readonly clock: Clock;
}

/** Returns the state, created if there is none. */
export async function loadEndpoint(ports: LoadEndpointPorts): Promise<EndpointState> {
  const { webhook, endpoints, clock } = ports;
  const state = await endpoints.load(webhook);
  if (state !== undefined) return withoutFutureMoments(state, clock.now());
  await endpoints.save(webhook, newEndpoint(clock.now()), 0);
  return loadEndpoint(ports);
}
