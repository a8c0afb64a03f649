// Pauses a webhook's endpoint, or resumes it. To resume also ends a pause that the endpoint asked for. Its senders save
// the same state, so each save is conditional on the loaded version.
import { ENDPOINT_SAVE_ATTEMPTS } from '../../shared/limits.ts';
import type { EndpointState } from '../../shared/webhooks/endpoint-state.ts';
import { type LoadEndpointPorts, loadEndpoint } from '../../shared/webhooks/load-endpoint.ts';

/**
 * @returns whether this changed anything
 * @throws Error if others saved the state each time
 */
export async function setPaused(ports: LoadEndpointPorts, isPaused: boolean): Promise<boolean> {
  const { clock, endpoints, webhook } = ports;
  for (let attempt = 0; attempt < ENDPOINT_SAVE_ATTEMPTS; attempt += 1) {
    const state = await loadEndpoint(ports);
    const isSo = isPaused ? state.isPaused : !state.isPaused && state.pausedUntil <= clock.now();
    if (isSo) return false;
    const next: EndpointState = { ...state, isPaused, pausedUntil: isPaused ? state.pausedUntil : 0 };
    if ((await endpoints.save(webhook, next, state.version)) === 'saved') return true;
  }
  throw new Error(`The senders of ${webhook} save its state all the time. Run the command again.`);
}
