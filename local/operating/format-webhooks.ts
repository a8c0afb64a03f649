// Formats the status of webhooks as text.
import type { EventFilter } from '../../shared/contract/event-filter.ts';
import { FORWARD_PREFIX } from '../../shared/deployment/destinations.ts';
import { counted } from '../cli/counts.ts';
import { formatEntry } from '../cli/entries.ts';
import type { Layout } from '../cli/layout.ts';
import type { Moments } from '../cli/moments.ts';
import { printable } from '../cli/printable.ts';
import type { WebhookStatus } from './webhook-status.ts';

/** The lines of one webhook, its state first. */
export function formatWebhook(status: WebhookStatus, moments: Moments, { width, colors }: Layout): string[] {
  const { webhook, host, filter } = status;
  const state = stateOf(status, moments);
  return [
    `${status.needsAttention ? colors.bold(colors.red(state)) : state}: ${webhook}, ${printable(host ?? 'its URL is a secret')}`,
    ...formatEntry('gets', [filterInWords(filter)], width),
    ...formatEntry('waiting', [waitingOf(status)], width),
    ...formatEntry('accepted', [acceptedOf(status, moments)], width),
    ...(status.lastFailureAt === null ? [] : formatEntry('failed', [failureOf(status, moments)], width)),
  ];
}

/** For instance `shipment; to DELIVERED or LOST`. */
function filterInWords({ sources, entities, types, to, from, changed }: EventFilter): string {
  const conditions = [
    ...(sources ? [`of ${sources.join(' or ')}`] : []),
    ...(entities ? [entities.join(' or ')] : []),
    ...(types ? [types.join(' or ')] : []),
    ...(from ? [`from ${from.join(' or ')}`] : []),
    ...(to ? [`to ${to.join(' or ')}`] : []),
    ...(changed ? [`changed ${changed.join(' or ')}`] : []),
  ];
  return conditions.length === 0 ? 'all changes' : conditions.join('; ');
}

function stateOf({ state, delayedUntil }: WebhookStatus, moments: Moments): string {
  return state === 'delayed' && delayedUntil !== null ? `delayed until ${moments.full(delayedUntil)}` : state;
}

function waitingOf({ webhook, waiting }: WebhookStatus): string {
  if (waiting === null) return 'unknown';
  return waiting === 0 ? 'none' : counted(waiting, webhook.startsWith(FORWARD_PREFIX) ? 'return' : 'ring');
}

function acceptedOf({ lastAcceptedAt }: WebhookStatus, moments: Moments): string {
  return lastAcceptedAt === null ? 'never' : moments.withAge(lastAcceptedAt);
}

function failureOf({ lastFailureAt, lastFailure, failures, failingSince }: WebhookStatus, moments: Moments) {
  const last = `${moments.withAge(lastFailureAt ?? '')}: ${lastFailure ?? 'unknown'}`;
  if (failures === 0 || failingSince === null) return last;
  const times = failures === 1 ? 'once' : `${failures} times in a row`;
  return `${last}; ${times} since ${moments.full(failingSince)}`;
}
