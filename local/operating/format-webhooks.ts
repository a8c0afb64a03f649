// Formats the status of webhooks as text.
import type { EventFilter } from '../../shared/contract/event-filter.ts';
import { FORWARD_PREFIX } from '../../shared/deployment/destinations.ts';
import { formatEntry } from '../cli/entries.ts';
import { moment, shortMoment } from '../cli/moments.ts';
import { printable } from '../cli/printable.ts';
import type { WebhookStatus } from './webhook-status.ts';

/** The lines of one webhook, its state first. @param now milliseconds since the epoch */
export function formatWebhook(status: WebhookStatus, now: number): string[] {
  const { webhook, host, filter } = status;
  return [
    `${stateOf(status)}: ${webhook}, ${printable(host ?? 'its URL is a secret')}`,
    ...formatEntry('gets', [filterInWords(filter)]),
    ...formatEntry('waiting', [waitingOf(status)]),
    ...formatEntry('accepted', [acceptedOf(status, now)]),
    ...(status.lastFailureAt === null ? [] : formatEntry('failed', [failureOf(status, now)])),
  ];
}

/** One webhook in one line. @param now milliseconds since the epoch */
export function formatWebhookLine(status: WebhookStatus, now: number): string {
  const { lastFailureAt, waiting } = status;
  const parts = [
    ...(waiting === null ? [] : [`${waitingOf(status)} waiting`]),
    `last accepted ${acceptedOf(status, now)}`,
    ...(lastFailureAt === null ? [] : [`last failure ${failureOf(status, now)}`]),
  ];
  const kind = status.webhook.startsWith(FORWARD_PREFIX) ? 'forwarded URL' : 'webhook';
  return printable(`${kind} ${status.webhook}: ${stateOf(status)}; ${parts.join('; ')}`);
}

/** For instance `shipment; to DELIVERED or LOST`. */
export function filterInWords({ sources, entities, types, to }: EventFilter): string {
  const conditions = [
    ...(sources ? [`of ${sources.join(' or ')}`] : []),
    ...(entities ? [entities.join(' or ')] : []),
    ...(types ? [types.join(' or ')] : []),
    ...(to ? [`to ${to.join(' or ')}`] : []),
  ];
  return conditions.length === 0 ? 'all changes' : conditions.join('; ');
}

function stateOf({ state, heldUntil }: WebhookStatus): string {
  return state === 'held' && heldUntil !== null ? `held until ${shortMoment(heldUntil)}` : state;
}

function waitingOf({ waiting }: WebhookStatus): string {
  if (waiting === null) return 'unknown';
  return waiting === 0 ? 'none' : `${waiting.toLocaleString('en')} ${waiting === 1 ? 'ring' : 'rings'}`;
}

function acceptedOf({ lastAcceptedAt }: WebhookStatus, now: number): string {
  return lastAcceptedAt === null ? 'never' : moment(lastAcceptedAt, now);
}

function failureOf({ lastFailureAt, lastFailure, failures, failingSince }: WebhookStatus, now: number) {
  const last = `${moment(lastFailureAt ?? '', now)}: ${lastFailure ?? 'unknown'}`;
  if (failures === 0 || failingSince === null) return last;
  const times = failures === 1 ? 'once' : `${failures} times in a row`;
  return `${last}; ${times} since ${shortMoment(failingSince)}`;
}
