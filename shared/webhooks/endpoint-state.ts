// The state that all senders of one webhook share: whether the endpoint works, and how many may try it at once. Two
// rules prevent that a failing endpoint gets too many requests, and that a few failing returns delay the others:
// - While the endpoint works, returns whose event failed before, and posts that hang, share a part of the senders. The
//   rest stay free.
// - After some failures in a row, and no event accepted lately, one retry at a time is tried, by the schedule of retries.
//   Beside it, a return that never failed is tried a second after the last failure.
import * as z from 'zod';
import { type Instant, MILLISECOND, MINUTE, SECOND } from '../instant.ts';
import { CLOCKS_APART } from '../limits.ts';
import { maybe, storedObject } from '../source/stored-object.ts';
import { LONGEST_PAUSE_MS, pauseAfter } from './retry-schedule.ts';

export interface EndpointState {
  /** Counts writes. */
  readonly version: number;
  /** Delivery of a return without a mark starts with the first event that the feed observed from here on. */
  readonly startedAt: Instant;
  /** Whether an operator paused it. */
  readonly isPaused: boolean;
  /** Failed attempts since the last accepted event. Answers about an event's content are not among them. */
  readonly failures: number;
  /** When the first of these failed; undefined if there are none. */
  readonly failingSince: Instant | undefined;
  /** No attempt before this moment: the endpoint answered 429 or 503. */
  readonly pausedUntil: Instant;
  /** When the attempts that count as retries, as hanging or as probes end at the latest. */
  readonly leases: readonly Instant[];
  /** How long accepted posts take at most, lately; undefined before the first. */
  readonly answersInMs: number | undefined;
  readonly lastAcceptedAt: Instant | undefined;
  readonly lastFailureAt: Instant | undefined;
  /** The answer to the last failed attempt. */
  readonly lastFailure: string | undefined;
}

/** Reads a stored state, all but its version. */
export const endpointStateBody = storedObject({
  startedAt: z.int(),
  isPaused: z.boolean(),
  failures: z.int(),
  failingSince: maybe(z.int()),
  pausedUntil: z.int(),
  leases: z.array(z.int()),
  answersInMs: maybe(z.number()),
  lastAcceptedAt: maybe(z.int()),
  lastFailureAt: maybe(z.int()),
  lastFailure: maybe(z.string()),
});

/** Failures in a row after which an endpoint counts as failing. */
const FAILING_AFTER = 5;
/** Many returns that fail at once are no failing endpoint if it accepted an event of another one within this time. */
const ACCEPTED_LATELY = MINUTE;
/** While an endpoint fails, a return that never failed is tried so long after the last failure. */
const PROBE_PAUSE = SECOND;
/** A paused webhook checks this often whether it was resumed. */
const LOOK_AGAIN_MS = 60_000;
/** The last accepted event is noted no more often than this. */
const NOTE_ACCEPTED_EVERY = 10 * SECOND;
/** A post hangs after this many times as long as accepted ones take. */
const HANGS_AFTER_TIMES = 3;
/** `answersInMs` is noted at once if it has doubled, and is more than this. */
const SLOW_MS = 50;
/** The share of `answersInMs` that is left at the next note, if answers are faster again. */
const FORGETTING = 0.8;
/** How many may try a failing endpoint at once: a retry that hangs must not hold up a return that never failed. */
const PROBES_AT_ONCE = 2;

export function newEndpoint(now: Instant): EndpointState {
  return {
    version: 0,
    startedAt: now,
    isPaused: false,
    failures: 0,
    failingSince: undefined,
    pausedUntil: 0,
    leases: [],
    answersInMs: undefined,
    lastAcceptedAt: undefined,
    lastFailureAt: undefined,
    lastFailure: undefined,
  };
}

const NO_FAILURES = { failures: 0, failingSince: undefined, lastFailureAt: undefined, pausedUntil: 0 };

/**
 * Returns the state without moments noted by a sender whose clock was ahead. They would stop the webhook for as long as
 * the clock was ahead. A `lastAcceptedAt` in the future would make the sender skip an event that the endpoint rejects.
 */
export function withoutFutureMoments(state: EndpointState, now: Instant): EndpointState {
  const latest = now + CLOCKS_APART;
  const { failingSince = 0, lastFailureAt = 0, lastAcceptedAt = 0, pausedUntil, leases } = state;
  const isFailureWrong = Math.max(failingSince, lastFailureAt) > latest;
  const isPauseWrong = pausedUntil > latest + LONGEST_PAUSE_MS * MILLISECOND;
  return {
    ...state,
    ...(isPauseWrong && { pausedUntil: 0 }),
    ...(isFailureWrong && NO_FAILURES),
    ...(lastAcceptedAt > latest && { lastAcceptedAt: undefined }),
    leases: leases.filter((end) => end <= latest),
  };
}

export type Admission =
  /** `lease`: the end of the lease that the attempt holds, to be saved before it. */
  | { readonly isAdmitted: true; readonly lease: Instant | undefined }
  | { readonly isAdmitted: false; readonly waitMs: number };

export interface Applicant {
  /** Since when this return's event fails; undefined if it never did. */
  readonly failingSince: Instant | undefined;
  /** When the attempt ends at the latest. */
  readonly endsBy: Instant;
  /** How many retries may be under way at once while the endpoint works. */
  readonly retriesAtOnce: number;
}

/** Decides whether a sender may post now. */
export function admit(state: EndpointState, now: Instant, applicant: Applicant): Admission {
  if (state.isPaused) return { isAdmitted: false, waitMs: LOOK_AGAIN_MS };
  if (state.pausedUntil > now) return wait(state.pausedUntil - now);
  if (isFailing(state, now)) return admitProbe(state, now, applicant);
  const { failingSince } = applicant;
  if (failingSince === undefined) return { isAdmitted: true, lease: undefined };
  const underWay = leasesUnderWay(state, now);
  if (underWay.length < applicant.retriesAtOnce) return { isAdmitted: true, lease: applicant.endsBy };
  // A thousand returns that look for a free place every few seconds would take all senders from the others.
  return wait(Math.max(Math.min(...underWay) - now, pauseAfter(now - failingSince)));
}

/** After how many milliseconds without an answer a post hangs. */
export function hangsAfter({ answersInMs = 0 }: EndpointState, leastMs: number): number {
  return Math.max(leastMs, HANGS_AFTER_TIMES * answersInMs);
}

/** Whether a post that hangs may wait for its answer. */
export function admitHanging(state: EndpointState, now: Instant, retriesAtOnce: number): boolean {
  return leasesUnderWay(state, now).length < retriesAtOnce;
}

function leasesUnderWay({ leases }: EndpointState, now: Instant): readonly Instant[] {
  return leases.filter((end) => end > now);
}

export function isFailing(state: EndpointState, now: Instant): boolean {
  const { lastAcceptedAt = Number.NEGATIVE_INFINITY } = state;
  return failsInARow(state) && now - lastAcceptedAt >= ACCEPTED_LATELY;
}

/** Whether several attempts failed since the last accepted event. */
export function failsInARow({ failures }: Pick<EndpointState, 'failures'>): boolean {
  return failures >= FAILING_AFTER;
}

function admitProbe(state: EndpointState, now: Instant, applicant: Applicant): Admission {
  const { leases, failingSince = now, lastFailureAt = now } = state;
  const pause = pauseAfter(lastFailureAt - failingSince);
  const busyUntil = Math.max(0, ...leases);
  const isRetry = applicant.failingSince !== undefined;
  const due = lastFailureAt + (isRetry ? pause : PROBE_PAUSE);
  const isFree = leasesUnderWay(state, now).length < (isRetry ? 1 : PROBES_AT_ONCE);
  if (isFree && due <= now) return { isAdmitted: true, lease: applicant.endsBy };
  // Everything that waits is tried again at the pace of the retries, or a long outage would cost an invocation a
  // second.
  return wait(Math.max(busyUntil, lastFailureAt + pause, now + PROBE_PAUSE) - now);
}

function wait(duration: number): Admission {
  return { isAdmitted: false, waitMs: Math.ceil(duration / MILLISECOND) };
}

export function addLease(state: EndpointState, now: Instant, lease: Instant): EndpointState {
  return { ...state, leases: [...leasesUnderWay(state, now), lease] };
}

/**
 * The state after an event was accepted; the same object where nothing is worth a write.
 *
 * @param began when the attempt began: an answer that was long under way shows nothing about the time since
 */
export function noteAccepted(
  state: EndpointState,
  began: Instant,
  tookMs: number,
  lease: Instant | undefined,
): EndpointState {
  const { lastAcceptedAt = 0, answersInMs = 0 } = state;
  const isSlower = tookMs > Math.max(SLOW_MS, 2 * answersInMs);
  const isKnown = began - lastAcceptedAt < NOTE_ACCEPTED_EVERY && !isSlower;
  if (isKnown && state.failures === 0 && lease === undefined) return state;
  return {
    ...state,
    failures: 0,
    failingSince: undefined,
    leases: without(state.leases, lease),
    answersInMs: Math.max(tookMs, answersInMs * FORGETTING),
    lastAcceptedAt: Math.max(lastAcceptedAt, began),
  };
}

/** The state after an answer that says nothing of the endpoint: it was about the event's content. */
export function noteAnswered(state: EndpointState, lease: Instant | undefined): EndpointState {
  return lease === undefined ? state : { ...state, leases: without(state.leases, lease) };
}

export interface Failure {
  readonly reason: string;
  /** For 429 and 503: how long no event is posted. */
  readonly pauseMs: number | undefined;
}

/** The state after a failed attempt. */
export function noteFailure(
  state: EndpointState,
  now: Instant,
  lease: Instant | undefined,
  { reason, pauseMs }: Failure,
): EndpointState {
  const until = pauseMs === undefined ? 0 : now + Math.ceil(pauseMs * MILLISECOND);
  return {
    ...state,
    failures: state.failures + 1,
    failingSince: state.failingSince ?? now,
    pausedUntil: Math.max(state.pausedUntil, until),
    leases: without(state.leases, lease),
    lastFailureAt: now,
    lastFailure: reason,
  };
}

/** Removes one lease: two attempts may have leases with the same end. */
function without(leases: readonly Instant[], lease: Instant | undefined): Instant[] {
  const at = lease === undefined ? -1 : leases.indexOf(lease);
  return leases.filter((_, index) => index !== at);
}
