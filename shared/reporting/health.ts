// G8, never silent: a source that is not being read completely is told as degraded, and as recovered once it is
// read completely again. Pure: what is told follows from the state before and what the tick has seen.
import type { Instant } from '../instant.ts';
import { ANOTHER_SET_ASIDE_TIMES, DEGRADED_AFTER } from '../limits.ts';
import type { HealthState, SetAside } from '../source/source-state.ts';

type DegradationCode =
  | 'behind'
  /** The walk over all groups makes no progress. */
  | 'stalled'
  | 'held'
  | 'refused'
  | 'unreadable'
  | 'unstable'
  | 'failing'
  /** The secret is gone, can't be read or holds no token. */
  | 'token_unreadable'
  /** The settings, or the base URL in them, can't be used. */
  | 'misconfigured';

export interface Degradation {
  readonly code: DegradationCode;
  readonly message: string;
}

export interface Observed {
  readonly now: Instant;
  /** Whether a poll of this tick covered all there was. */
  readonly isComplete: boolean;
  /** Whether the walks of this tick got on, or had nothing to do. */
  readonly hasWalked: boolean;
  /** Groups that can't be read. */
  readonly setAside: readonly Pick<SetAside, 'groupId' | 'reason'>[];
  /** What guards hold: the number that each is named by, and what it is about. */
  readonly holds: readonly { readonly number: number; readonly message: string }[];
  /** How the list's order was found not to be stable, if it was. */
  readonly unstable: string | undefined;
  /** What went wrong, if anything did; never with a value of a row or the token. */
  readonly failure: Degradation | undefined;
  readonly intervalUs: number;
}

/** A source's health after a tick, and the event to tell if it changed. */
export function judgeHealth(
  health: HealthState,
  observed: Observed,
): { readonly health: HealthState; readonly tell: 'degraded' | 'recovered' | undefined } {
  const { now, isComplete, hasWalked } = observed;
  // A moment ahead of now was noted by a clock that was wrong.
  const lastSettledAt = isComplete ? now : Math.min(health.lastSettledAt, now);
  const lastWalkedAt = hasWalked ? now : Math.min(health.lastWalkedAt ?? now, now);
  const moments = { lastSettledAt, lastWalkedAt };
  const since = health.degradedSince === undefined ? undefined : Math.min(health.degradedSince, now);
  const patience = Math.max(3 * observed.intervalUs, DEGRADED_AFTER);
  const reasons = reasonsOf(observed, now - lastSettledAt > patience, now - lastWalkedAt > patience);
  const wasDegraded = since !== undefined;
  if (reasons.length === 0) {
    const isOver = wasDegraded && isComplete;
    const next = isOver
      ? { degradedSince: undefined, reasons: [], setAsideReported: 0 }
      : { degradedSince: since };
    return { health: { ...health, ...moments, ...next }, tell: isOver ? 'recovered' : undefined };
  }
  // What is held later is told as well, for somebody has to look at it.
  const lastHold = Math.max(0, ...observed.holds.map(({ number }) => number));
  const known = new Set(health.reasons.map(kindOf));
  const { setAsideReported } = health;
  const isNews =
    !wasDegraded ||
    lastHold > health.lastHoldReported ||
    observed.setAside.length > ANOTHER_SET_ASIDE_TIMES * setAsideReported ||
    reasons.some((reason) => !known.has(kindOf(reason)) && !followsFromHold(reason, observed));
  const lastHoldReported = Math.max(lastHold, health.lastHoldReported);
  const told = { lastHoldReported, setAsideReported: isNews ? observed.setAside.length : setAsideReported };
  return {
    health: { ...health, ...moments, ...told, degradedSince: since ?? now, reasons },
    tell: isNews ? 'degraded' : undefined,
  };
}

/** What is held is behind: that is no news. */
function followsFromHold(reason: Degradation, { holds, failure }: Observed): boolean {
  return holds.length > 0 && failure === undefined && ['behind', 'stalled'].includes(kindOf(reason));
}

/**
 * Polls that are behind are one thing however it is explained in each tick. Walks that stand still while polls go on
 * are another.
 */
function kindOf({ code }: { readonly code: string }): string {
  return ['behind', 'unstable', 'failing'].includes(code) ? 'behind' : code;
}

function reasonsOf(
  { setAside, holds, failure, unstable }: Observed,
  isBehind: boolean,
  isStalled: boolean,
): Degradation[] {
  const reasons: Degradation[] = holds.map(({ message }) => ({ code: 'held', message }));
  if (setAside.length > 0) reasons.push(describeSetAside(setAside));
  if (isBehind) {
    reasons.push(failure ?? (unstable === undefined ? BEHIND : describeUnstable(unstable)));
  } else if (failure?.code === 'refused') {
    reasons.push(failure);
  } else if (isStalled) {
    reasons.push(describeStalled(failure));
  }
  return reasons;
}

/** Groups that are named with their reasons; `status` and the log name more. */
const SET_ASIDE_NAMED = 3;

function describeSetAside(setAside: Observed['setAside']): Degradation {
  const count = setAside.length;
  const groups = count === 1 ? '1 return group' : `${count} return groups`;
  const named = setAside
    .slice(0, SET_ASIDE_NAMED)
    .map(({ groupId, reason }) => `${groupId ?? 'one without an id'} (${reason})`);
  const more = count > SET_ASIDE_NAMED ? ` and ${count - SET_ASIDE_NAMED} more` : '';
  return {
    code: 'unreadable',
    message: `${groups} can't be read and ${count === 1 ? 'is' : 'are'} set aside: ${named.join(', ')}${more}.`,
  };
}

const BEHIND: Degradation = { code: 'behind', message: 'Polls have not covered everything for a while.' };

const STALLED: Degradation = {
  code: 'stalled',
  message:
    'The walk over all groups has not got on for a while: changes that do not move updated_at are not found.',
};

/** With what the service answers: polls go on. */
function describeStalled(failure: Degradation | undefined): Degradation {
  if (failure === undefined) return STALLED;
  return failure.code === 'failing'
    ? { ...STALLED, message: `${STALLED.message} ${failure.message}` }
    : failure;
}

function describeUnstable(how: string): Degradation {
  return {
    code: 'unstable',
    message: `Polls have not covered everything for a while: the list does not keep its order (${how}).`,
  };
}

/** A failure in words for people, under a code for machines. */
export function describeFailure(error: Error): Degradation {
  return { code: CODES[error.name] ?? 'failing', message: error.message };
}

/** By the name of what was thrown. */
const CODES: Readonly<Record<string, DegradationCode>> = {
  SourceRefused: 'refused',
  TokenUnavailable: 'token_unreadable',
  InvalidTokenError: 'token_unreadable',
  InvalidBaseUrlError: 'misconfigured',
};
