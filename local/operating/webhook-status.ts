// Derives a webhook's status for operators from what its senders noted. Pure.
import type { EventFilter } from '../../shared/contract/event-filter.ts';
import { formatInstant, type Instant } from '../../shared/instant.ts';
import { type EndpointState, isFailing, withoutFutureMoments } from '../../shared/webhooks/endpoint-state.ts';
import { formatKnownInstant } from './format-known-instant.ts';

/** Times are ISO 8601; null is unknown, or never. */
export type WebhookStatus = ReturnType<typeof describeWebhook>;

export interface KnownWebhook {
  readonly id: string;
  /** Of a URL that `watch` forwards to, also the scheme and the path; null where the URL is a secret. */
  readonly host: string | null;
  readonly filter: EventFilter;
  /** Undefined before the first attempt. */
  readonly state: EndpointState | undefined;
  /** Messages in its queue: each is of a return with an event that may be unsent. */
  readonly waiting: number | null;
  /** Whether the last `watch` was started without it, while it lacked events. */
  readonly isDropped?: boolean | undefined;
}

export function describeWebhook(known: KnownWebhook, now: Instant) {
  const { id, host, filter, state: noted, waiting, isDropped = false } = known;
  const state = noted && withoutFutureMoments(noted, now);
  const condition = isDropped ? 'dropped' : conditionOf(state, now);
  const isDelayed = state !== undefined && state.pausedUntil > now;
  return {
    webhook: id,
    state: condition,
    /** Whether an operator has to look at it. */
    needsAttention: condition === 'failing' || condition === 'paused' || condition === 'dropped',
    host,
    filter,
    waiting,
    /** Of returns without a mark, it gets the events from then on. */
    startedAt: formatKnownInstant(state?.startedAt),
    lastAcceptedAt: formatKnownInstant(state?.lastAcceptedAt),
    lastFailureAt: formatKnownInstant(state?.lastFailureAt),
    lastFailure: state?.lastFailure ?? null,
    /** Failed attempts since the last accepted event, and since when. */
    failures: state?.failures ?? 0,
    failingSince: formatKnownInstant(state?.failingSince),
    /** No attempt before this. */
    delayedUntil: isDelayed ? formatInstant(state.pausedUntil) : null,
  };
}

/**
 * `dropped`: no `watch` posts to it any more, though it lacks events. `delayed`: the endpoint asked for a pause (429 or
 * 503). `new`: nothing was posted yet.
 */
const WORST_FIRST = ['failing', 'paused', 'dropped', 'delayed', 'working', 'new'] as const;

export function worstFirst(webhooks: readonly WebhookStatus[]): WebhookStatus[] {
  return webhooks.toSorted((a, b) => WORST_FIRST.indexOf(a.state) - WORST_FIRST.indexOf(b.state));
}

/** The host of a webhook's URL: its path may be a credential. */
export function hostOf(url: string | undefined): string | null {
  return url === undefined ? null : new URL(url).host;
}

function conditionOf(state: EndpointState | undefined, now: Instant): (typeof WORST_FIRST)[number] {
  if (state?.isPaused === true) return 'paused';
  if (state === undefined || (state.lastAcceptedAt ?? state.lastFailureAt) === undefined) return 'new';
  if (isFailing(state, now)) return 'failing';
  return state.pausedUntil > now ? 'delayed' : 'working';
}
