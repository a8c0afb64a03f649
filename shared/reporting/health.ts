// G8, never silent: a source that is not being read completely is reported as degraded, and as recovered once it is
// read completely again. Pure: the report follows from the state before and what the tick has seen.
import type { Instant } from '../instant.ts';
import { ANOTHER_SET_ASIDE_TIMES, DEGRADED_AFTER } from '../limits.ts';
import type { HealthState, SetAside } from '../source/source-state.ts';

type DegradationCode =
  | 'behind'
  /** A walk makes no progress. */
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
  /** Whether this tick's last poll covered everything. */
  readonly isComplete: boolean;
  /** Whether the walks of this tick made progress, or had nothing to do. */
  readonly hasWalked: boolean;
  /** Groups that can't be read. */
  readonly setAside: readonly Pick<SetAside, 'groupId' | 'reason'>[];
  /** The holds that stand: the number of each, and what it is about. */
  readonly holds: readonly { readonly number: number; readonly message: string }[];
  /** How the list failed to keep its order, if it did. */
  readonly unstable: string | undefined;
  /** Whether polls can't see changes. */
  readonly pollsAreBlind: boolean;
  /** The failure, if there was one; never contains a value of a row or the token. */
  readonly failure: Degradation | undefined;
  readonly intervalUs: number;
}

/** How long a source may go without being read completely before it is degraded: three polls or five minutes. */
export function patienceOf(intervalUs: number): number {
  return Math.max(3 * intervalUs, DEGRADED_AFTER);
}

/** Returns a source's health after a tick, and the event to publish if it changed. */
export function judgeHealth(
  health: HealthState,
  observed: Observed,
): { readonly health: HealthState; readonly report: 'degraded' | 'recovered' | undefined } {
  const { now, isComplete, hasWalked } = observed;
  // A moment in the future comes from a wrong clock.
  const lastSettledAt = isComplete ? now : Math.min(health.lastSettledAt, now);
  const lastWalkedAt = hasWalked ? now : Math.min(health.lastWalkedAt ?? now, now);
  const moments = { lastSettledAt, lastWalkedAt };
  const since = health.degradedSince === undefined ? undefined : Math.min(health.degradedSince, now);
  const patience = patienceOf(observed.intervalUs);
  const reasons = reasonsOf(observed, now - lastSettledAt > patience, now - lastWalkedAt > patience);
  const wasDegraded = since !== undefined;
  if (reasons.length === 0) {
    const isOver = wasDegraded && isComplete;
    const next = isOver
      ? { degradedSince: undefined, reasons: [], setAsideReported: 0 }
      : { degradedSince: since };
    return { health: { ...health, ...moments, ...next }, report: isOver ? 'recovered' : undefined };
  }
  // A later hold is reported as well: an operator has to decide about it.
  const lastHold = Math.max(0, ...observed.holds.map(({ number }) => number));
  const known = new Set(health.reasons.map(kindOf));
  const { setAsideReported } = health;
  const isNews =
    !wasDegraded ||
    lastHold > health.lastHoldReported ||
    observed.setAside.length > ANOTHER_SET_ASIDE_TIMES * setAsideReported ||
    reasons.some((reason) => !known.has(kindOf(reason)) && !followsFromHold(reason, observed));
  const lastHoldReported = Math.max(lastHold, health.lastHoldReported);
  const reported = {
    lastHoldReported,
    setAsideReported: isNews ? observed.setAside.length : setAsideReported,
  };
  return {
    health: { ...health, ...moments, ...reported, degradedSince: since ?? now, reasons },
    report: isNews ? 'degraded' : undefined,
  };
}

/** Whether a reason only follows from a hold: a source that is held falls behind, which needs no report. */
function followsFromHold(reason: Degradation, { holds, failure }: Observed): boolean {
  return holds.length > 0 && failure === undefined && ['behind', 'stalled'].includes(kindOf(reason));
}

/**
 * Polls that are behind are one kind, whatever reason each tick gives. Walks without progress while polls continue are
 * another.
 */
function kindOf({ code }: { readonly code: string }): string {
  return ['behind', 'unstable', 'failing'].includes(code) ? 'behind' : code;
}

function reasonsOf(
  { setAside, holds, failure, unstable, pollsAreBlind }: Observed,
  isBehind: boolean,
  isStalled: boolean,
): Degradation[] {
  const reasons: Degradation[] = holds.map(({ message }) => ({ code: 'held', message }));
  if (setAside.length > 0) reasons.push(describeSetAside(setAside));
  if (isBehind) {
    reasons.push(
      failure ?? (pollsAreBlind ? BLIND : unstable === undefined ? BEHIND : describeUnstable(unstable)),
    );
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
    message: `${groups} ${count === 1 ? 'is' : 'are'} set aside: ${named.join(', ')}${more}.`,
  };
}

const BEHIND: Degradation = { code: 'behind', message: 'Polls have not covered everything for a while.' };

const BLIND: Degradation = {
  code: 'behind',
  message:
    'Polls find no changes: lists by updated_at do not show groups at the updated_at that the service shows. The service may read filters in another time zone than it shows. As long as this lasts, only walks over all groups find changes.',
};

const STALLED: Degradation = {
  code: 'stalled',
  message:
    'A walk by creation time has made no progress for a while: changes that do not move updated_at may not be found.',
};

/** Includes the failure that stops the walk while polls continue. */
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

/** Describes a failure in words for people, with a code for machines. */
export function describeFailure(error: Error): Degradation {
  return { code: CODES[error.name] ?? 'failing', message: error.message };
}

/** By the name of the error. */
const CODES: Readonly<Record<string, DegradationCode>> = {
  SourceRefused: 'refused',
  TokenUnavailable: 'token_unreadable',
  InvalidTokenError: 'token_unreadable',
  InvalidBaseUrlError: 'misconfigured',
};
