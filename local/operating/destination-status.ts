// The status of everything that gets events, in one form: what relays serve, ordered subscribers, webhooks, and the URLs
// that a `watch` forwards to. Pure.
import type { BehindGroup } from '../../functions/adapters/dynamodb-behind.ts';
import { isOwnGroup } from '../../shared/contract/event-id.ts';
import type { MessageShape } from '../../shared/deployment/message-shape.ts';
import { type Instant, MILLISECOND, MINUTE } from '../../shared/instant.ts';
import { formatKnownInstant } from '../cli/moments.ts';
import type { SubscriberStatus } from './list-subscribers.ts';
import type { Overview, OverviewWebhook, RelayedDestination } from './load-overview.ts';

export type DestinationState =
  /** Needs an operator. */
  | 'failing'
  | 'paused'
  | 'behind'
  | 'dead letters'
  | 'dropped'
  /** Goes on by itself. */
  | 'retrying'
  | 'delayed'
  | 'sending'
  | 'new'
  | 'unknown'
  | 'all sent';

/** Times are ISO 8601; null is unknown, or none. */
export interface DestinationStatus {
  /** Its name in commands. */
  readonly destination: string;
  readonly kind: 'relay' | 'subscriber' | 'webhook' | 'forwarded';
  readonly title: string;
  /** What a webhook posts; null for the others, which get events. */
  readonly shape: MessageShape | null;
  readonly state: DestinationState;
  readonly needsAttention: boolean;
  /** Returns, or for a subscriber events, that it has not got yet. */
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
  readonly lastFailure: string | null;
  /** Failed attempts in a row, and since when. */
  readonly failures: number;
  readonly failingSince: string | null;
}

/** A return whose next event is not accepted. */
export interface BehindReturn {
  readonly source: string;
  /** Null for the feed's own events. */
  readonly returnGroupId: number | null;
  /** The number of that event, and why it is not accepted. */
  readonly event: number;
  readonly reason: string;
  readonly since: string | null;
}

const WORST_FIRST: readonly DestinationState[] = [
  ...(['failing', 'paused', 'behind', 'dead letters', 'dropped'] as const),
  ...(['unknown', 'retrying', 'delayed', 'sending', 'new', 'all sent'] as const),
];

const NEED_ATTENTION: ReadonlySet<DestinationState> = new Set(WORST_FIRST.slice(0, 5));

/** All of them, the worst first. */
export function describeDestinations(
  { relays, subscribers, webhooks }: Pick<Overview, 'relays' | 'subscribers' | 'webhooks'>,
  now: Instant,
): DestinationStatus[] {
  return [
    ...relays.map((relay) => ofRelay(relay, now)),
    ...subscribers.subscribers.map(ofSubscriber),
    ...webhooks.map((webhook) => ofWebhook(webhook, now)),
  ].sort((a, b) => WORST_FIRST.indexOf(a.state) - WORST_FIRST.indexOf(b.state));
}

/** @param waiting number of returns or events that wait; null if it can't be read */
function sendingState(waiting: number | null) {
  if (waiting === null) return 'unknown';
  return waiting > 0 ? 'sending' : 'all sent';
}

const NO_ATTEMPTS = { lastAcceptedAt: null, lastFailure: null, failures: 0, failingSince: null };

function ofRelay({ labels, waiting, behind }: RelayedDestination, now: Instant): DestinationStatus {
  const state = isBehind(behind)
    ? 'behind'
    : sendingState(behind === null ? null : (waiting?.returns ?? null));
  return {
    ...NO_ATTEMPTS,
    ...{ destination: labels.name, kind: 'relay', title: labels.title, shape: null },
    ...stateAnd(state),
    ...waitingOf(waiting),
    ...countOf(behind),
    oldestMs: ageOf(formatKnownInstant(waiting?.oldest), now),
  };
}

function ofSubscriber({ queue, waiting, oldestSeconds, deadLetters }: SubscriberStatus): DestinationStatus {
  const state = (deadLetters ?? 0) > 0 ? 'dead letters' : sendingState(waiting);
  return {
    ...NO_ATTEMPTS,
    ...{ destination: queue, kind: 'subscriber', title: `subscriber ${queue}`, shape: null },
    ...{ waiting, waitingEvents: waiting, isMoreWaiting: false },
    ...stateAnd(state),
    ...{ behind: deadLetters, isCut: false, returns: [] },
    // CloudWatch still reports the age for a while after the last message is gone.
    oldestMs: oldestSeconds === null || waiting === 0 ? null : oldestSeconds * 1_000,
  };
}

function ofWebhook(each: OverviewWebhook, now: Instant): DestinationStatus {
  const { status, labels, behind, waiting } = each;
  const { webhook, host, shape, lastAcceptedAt, lastFailure, failures, failingSince } = status;
  const isForwarded = 'address' in labels;
  const title = isForwarded ? labels.title : `webhook ${webhook}${host === null ? '' : ` (${host})`}`;
  return {
    ...{ destination: webhook, kind: isForwarded ? 'forwarded' : 'webhook', title, shape },
    ...stateAnd(stateOf(each, now)),
    ...waitingOf(waiting),
    ...countOf(behind),
    ...{ lastAcceptedAt, lastFailure, failures, failingSince },
    oldestMs: ageOf(failingSince, now),
  };
}

/** A failed attempt is repeated within seconds: a return counts as behind after this time. */
const PATIENCE = MINUTE;

function stateOf({ status: { state }, behind, waiting }: OverviewWebhook, now: Instant): DestinationState {
  if (state === 'dropped') return waiting?.returns === 0 ? 'all sent' : state;
  if (state === 'failing' || state === 'paused') return state;
  const failing = behind?.groups ?? [];
  if (failing.some(({ failingSince = now }) => now - failingSince >= PATIENCE)) return 'behind';
  if (state === 'delayed') return state;
  if (failing.length > 0) return 'retrying';
  if (behind === null) return 'unknown';
  if ((waiting?.returns ?? 0) > 0) return 'sending';
  return state === 'new' ? 'new' : 'all sent';
}

function stateAnd(state: DestinationState) {
  return { state, needsAttention: NEED_ATTENTION.has(state) };
}

function isBehind(behind: RelayedDestination['behind']): boolean {
  return behind !== null && behind.groups.length > 0;
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
  return {
    source: key.source,
    returnGroupId: isOwnGroup(key.group) ? null : key.group,
    ...{ event: Number(event), reason, since: formatKnownInstant(failingSince) },
  };
}

function ageOf(since: string | null, now: Instant): number | null {
  return since === null ? null : Math.max(0, now / MILLISECOND - Date.parse(since));
}
