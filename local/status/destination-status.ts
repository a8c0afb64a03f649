// The status of everything that gets events, in one form: what relays serve, ordered subscribers, webhooks, the URLs that
// a `watch` forwards to, and the readers of the pull feed. Pure.
import type { BehindGroup } from '../../functions/adapters/dynamodb-behind.ts';
import type { EventFilter } from '../../shared/contract/event-filter.ts';
import type { MessageShape } from '../../shared/deployment/message-shape.ts';
import { formatInstant, type Instant, MILLISECOND, MINUTE } from '../../shared/instant.ts';
import type { GroupKey } from '../../shared/ports.ts';
import type { Reader } from '../../shared/pulling/reader.ts';
import { isLate, type Unread } from '../../shared/pulling/unread.ts';
import { type EndpointState, isFailing, withoutFutureMoments } from '../../shared/webhooks/endpoint-state.ts';
import { formatKnownInstant } from '../cli/moments.ts';
import type { SubscriberStatus } from './list-subscribers.ts';
import type { Overview, OverviewReader, OverviewWebhook, RelayedDestination } from './load-overview.ts';

export type DestinationState =
  /** Needs an operator. `dropped`: no `watch` posts to it any more, though it lacks events. */
  | 'failing'
  | 'paused'
  | 'behind'
  | 'dead letters'
  | 'dropped'
  /** Goes on by itself. `delayed`: the endpoint asked for a pause. `new`: nothing was posted yet. */
  | 'retrying'
  | 'delayed'
  | 'sending'
  | 'unread'
  | 'new'
  | 'unknown'
  | 'all sent'
  | 'all read';

/** Times are ISO 8601; null is unknown, or none. */
export interface DestinationStatus {
  /** Its name in commands. */
  readonly destination: string;
  readonly kind: 'relay' | 'subscriber' | 'webhook' | 'forwarded' | 'reader';
  readonly title: string;
  /** The form in which a webhook or a reader gets changes; null for the others, which get events. */
  readonly shape: MessageShape | null;
  /** Which events a webhook or a reader gets; null for the others. */
  readonly filter: EventFilter | null;
  readonly state: DestinationState;
  readonly needsAttention: boolean;
  /** Returns, or for a subscriber or a reader events, that it has not got yet. */
  readonly waiting: number | null;
  /** The events among these; null if unknown. */
  readonly waitingEvents: number | null;
  /** Whether there may be more than `waiting`. */
  readonly isMoreWaiting: boolean;
  /** How long the oldest of these has waited, in milliseconds. */
  readonly oldestMs: number | null;
  /** Returns whose next event it does not accept, or a subscriber's dead letters. */
  readonly behind: number | null;
  /** Whether there are more than `behind`. */
  readonly isCut: boolean;
  /** The returns among these, at most a hundred. */
  readonly returns: readonly BehindReturn[];
  readonly lastAcceptedAt: string | null;
  readonly lastFailureAt: string | null;
  /** When a reader last asked; null for the others. */
  readonly lastAskedAt: string | null;
  readonly lastFailure: string | null;
  /** Failed attempts in a row, and since when. */
  readonly failures: number;
  readonly failingSince: string | null;
  /** No attempt before this. */
  readonly delayedUntil: string | null;
}

/** A return whose next event is not accepted, or a group of the feed's own events. */
export interface BehindReturn extends GroupKey {
  /** The number of that event, and why it is not accepted. */
  readonly event: number;
  readonly reason: string;
  readonly since: string | null;
}

const WORST_FIRST: readonly DestinationState[] = [
  ...(['failing', 'paused', 'behind', 'dead letters', 'dropped'] as const),
  ...(['unknown', 'retrying', 'delayed', 'sending', 'unread', 'new', 'all sent', 'all read'] as const),
];

const NEED_ATTENTION: ReadonlySet<DestinationState> = new Set(WORST_FIRST.slice(0, 5));

/** All of them, the worst first. */
export function describeDestinations(
  { relays, subscribers, webhooks, readers }: Omit<Overview, 'sources' | 'problems'>,
  now: Instant,
): DestinationStatus[] {
  return [
    ...relays.map((relay) => ofRelay(relay, now)),
    ...subscribers.subscribers.map(ofSubscriber),
    ...webhooks.map((webhook) => ofWebhook(webhook, now)),
    ...readers.map((reader) => ofReader(reader, now)),
  ].sort((a, b) => WORST_FIRST.indexOf(a.state) - WORST_FIRST.indexOf(b.state));
}

/** What `waiting` and `behind` count. */
export function nounOf({ kind }: Pick<DestinationStatus, 'kind'>): 'event' | 'return' {
  return kind === 'subscriber' || kind === 'reader' ? 'event' : 'return';
}

/** @param waiting number of returns or events that wait; null if it can't be read */
function sendingState(waiting: number | null) {
  if (waiting === null) return 'unknown';
  return waiting > 0 ? 'sending' : 'all sent';
}

const NO_WEBHOOK = {
  ...{
    shape: null,
    filter: null,
    lastAcceptedAt: null,
    lastAskedAt: null,
    lastFailureAt: null,
    lastFailure: null,
  },
  ...{ failures: 0, failingSince: null, delayedUntil: null },
};

function ofRelay({ labels, waiting, behind }: RelayedDestination, now: Instant): DestinationStatus {
  const state =
    behind !== null && behind.groups.length > 0
      ? 'behind'
      : sendingState(behind === null ? null : (waiting?.returns ?? null));
  return {
    ...NO_WEBHOOK,
    ...{ destination: labels.name, kind: 'relay', title: labels.title },
    ...stateAnd(state),
    ...waitingOf(waiting),
    ...countOf(behind),
    oldestMs: ageOf(formatKnownInstant(waiting?.oldest), now),
  };
}

function ofSubscriber({ queue, waiting, oldestSeconds, deadLetters }: SubscriberStatus): DestinationStatus {
  const state = (deadLetters ?? 0) > 0 ? 'dead letters' : sendingState(waiting);
  return {
    ...NO_WEBHOOK,
    ...{ destination: queue, kind: 'subscriber', title: `subscriber ${queue}` },
    ...{ waiting, waitingEvents: waiting, isMoreWaiting: false },
    ...stateAnd(state),
    ...{ behind: deadLetters, isCut: false, returns: [] },
    // CloudWatch still reports the age for a while after the last message is gone.
    oldestMs: oldestSeconds === null || waiting === 0 ? null : oldestSeconds * 1_000,
  };
}

function ofWebhook(webhook: OverviewWebhook, now: Instant): DestinationStatus {
  const { labels, host, waiting, behind } = webhook;
  const endpoint = webhook.endpoint && withoutFutureMoments(webhook.endpoint, now);
  const { lastFailure = null, failures = 0, pausedUntil = 0 } = endpoint ?? {};
  const failingSince = formatKnownInstant(endpoint?.failingSince);
  const isForwarded = labels.address !== undefined;
  return {
    ...{ destination: labels.name, kind: isForwarded ? 'forwarded' : 'webhook' },
    title: isForwarded ? labels.title : `webhook ${labels.name}${host === null ? '' : ` (${host})`}`,
    ...{ shape: labels.shape ?? 'event', filter: labels.filter },
    ...stateAnd(stateOf(webhook, endpoint, now)),
    ...waitingOf(waiting),
    ...countOf(behind),
    lastAcceptedAt: formatKnownInstant(endpoint?.lastAcceptedAt),
    lastFailureAt: formatKnownInstant(endpoint?.lastFailureAt),
    ...{ lastFailure, failures, failingSince },
    delayedUntil: pausedUntil > now ? formatInstant(pausedUntil) : null,
    lastAskedAt: null,
    oldestMs: ageOf(failingSince, now),
  };
}

export function ofReader({ name, reader, unread }: OverviewReader, now: Instant): DestinationStatus {
  const { count = null, isCut = false, since } = unread === 'expired' || unread === null ? {} : unread;
  return {
    ...NO_WEBHOOK,
    ...{ destination: name, kind: 'reader', title: `reader ${name}` },
    ...{ shape: reader.shape ?? 'event', filter: reader.filter },
    ...stateAnd(stateOfReader(reader, unread, now)),
    ...{ waiting: count, waitingEvents: count, isMoreWaiting: isCut },
    oldestMs: ageOf(formatKnownInstant(since), now),
    ...{ behind: null, isCut: false, returns: [] },
    lastAskedAt: formatKnownInstant(reader.readAt),
    lastFailure: unread === 'expired' ? 'what followed its offset has expired' : null,
  };
}

function stateOfReader(reader: Reader, unread: Unread | null, now: Instant): DestinationState {
  if (reader.readAt === undefined) return 'new';
  if (unread === null) return 'unknown';
  if (isLate(reader, unread, now)) return 'behind';
  return unread !== 'expired' && unread.count === 0 ? 'all read' : 'unread';
}

/** A failed attempt is repeated within seconds: a return counts as behind after this time. */
const PATIENCE = MINUTE;

function stateOf(
  { labels, behind, waiting }: OverviewWebhook,
  endpoint: EndpointState | undefined,
  now: Instant,
): DestinationState {
  if (labels.isDropped === true) return waiting?.returns === 0 ? 'all sent' : 'dropped';
  if (endpoint?.isPaused === true) return 'paused';
  if (endpoint !== undefined && isFailing(endpoint, now)) return 'failing';
  const failing = behind?.groups ?? [];
  if (failing.some(({ failingSince = now }) => now - failingSince >= PATIENCE)) return 'behind';
  if (endpoint !== undefined && endpoint.pausedUntil > now) return 'delayed';
  if (failing.length > 0) return 'retrying';
  if (behind === null) return 'unknown';
  if ((waiting?.returns ?? 0) > 0) return 'sending';
  return (endpoint?.lastAcceptedAt ?? endpoint?.lastFailureAt) === undefined ? 'new' : 'all sent';
}

function stateAnd(state: DestinationState) {
  return { state, needsAttention: NEED_ATTENTION.has(state) };
}

function waitingOf(waiting: RelayedDestination['waiting']) {
  const { returns = null, events = null, isCut = false } = waiting ?? {};
  // Nothing was found in a part of the events: that is not zero.
  const isUnknown = isCut && returns === 0;
  return { waiting: isUnknown ? null : returns, waitingEvents: events, isMoreWaiting: isCut };
}

function countOf(behind: RelayedDestination['behind']) {
  const { groups = [], isCut = false } = behind ?? {};
  return { behind: behind === null ? null : groups.length, isCut, returns: groups.map(nameBehind) };
}

function nameBehind({ key, behind = '', failingSince }: BehindGroup): BehindReturn {
  const [event, reason = ''] = behind.split(/: (.*)/s);
  return { ...key, event: Number(event), reason, since: formatKnownInstant(failingSince) };
}

function ageOf(since: string | null, now: Instant): number | null {
  return since === null ? null : Math.max(0, now / MILLISECOND - Date.parse(since));
}
