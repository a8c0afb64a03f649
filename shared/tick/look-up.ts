// Look-ups of groups by their ids. One that fails must stop neither the others nor the walk.
import type { Instant } from '../instant.ts';
import { DeadlineReached, SourceRefused } from '../pacing/errors.ts';
import type { Page } from '../reading/page.ts';
import {
  ConnectionFailedError,
  mayBeAboutRequest,
  RateLimitedError,
  type ReturnsServiceError,
  TokenRefusedError,
  TruncatedAnswerError,
} from '../returns-service/errors.ts';
import type { Tier } from '../source/cycle-state.ts';
import type { SourceState } from '../source/source-state.ts';
import { isLookUpMade, noteAnswer, noteCutOff, noteFailure, wasCutOffBefore } from './failing-look-ups.ts';
import { noteNotLookedUp, noteSetAside } from './set-aside.ts';
import type { TickRun } from './tick-run.ts';

/**
 * Looks one group up by its id, or sets it aside if the look-up fails.
 *
 * @returns undefined if this look-up failed, or is not made because look-ups fail (failing-look-ups.ts)
 * @throws what {@link askOrSetAside} throws
 */
export async function lookUpOrSetAside(run: TickRun, tier: Tier, groupId: number): Promise<Page | undefined> {
  const now = () => run.session.serviceClock.now().atMost;
  if (!isLookUpMade(run.state, groupId, run.state.reconciliation[tier].startedAt, now())) {
    run.update((state) => noteNotLookedUp(state, groupId, now()));
    return undefined;
  }
  const page = await askOrSetAside(run, groupId, {
    ask: () => run.lookUpAndLearn(groupId),
    reason: ({ message }) => `the list lacks it, and its look-up by id fails (${message})`,
  });
  if (page !== undefined) run.update((state) => noteAnswer(state, groupId));
  return page;
}

export interface Attempt<Answer> {
  ask(): Promise<Answer>;
  /** Why the group is set aside if the request fails. */
  reason(failure: ReturnsServiceError): string;
}

/**
 * Asks about one group, or sets it aside if that fails. A failure that may be due to the group must not end each tick
 * at the same place, so this walk does not ask about it again.
 *
 * @returns undefined if the request failed
 * @throws DeadlineReached, SourceRefused, RateLimitedError; the first time, also any failure that may not be the
 *   group's, for instance of the connection. From the second time on, the group is set aside after each of these.
 */
export async function askOrSetAside<Answer>(
  run: TickRun,
  groupId: number,
  { ask, reason }: Attempt<Answer>,
): Promise<Answer | undefined> {
  const { serviceClock } = run.session;
  try {
    return await ask();
  } catch (error) {
    const endsTick = error instanceof DeadlineReached || error instanceof SourceRefused;
    const failure = endsTick ? error.cause : error;
    if (!mayBeAboutLookUp(failure)) throw error;
    const isFirst = !mayBeAboutRequest(error) && !wasCutOffBefore(run.state, groupId);
    if (isFirst) run.update((state) => noteCutOff(state, groupId));
    else run.update((state) => noteFailed(state, groupId, reason(failure), serviceClock.now().atMost));
    if (isFirst || endsTick || failure instanceof RateLimitedError) throw error;
    return undefined;
  }
}

/**
 * Whether the group may be the cause of the failure: also of a failed connection, or of a 401, 403 or 429, which its
 * row may provoke.
 */
export function mayBeAboutLookUp(error: unknown): error is ReturnsServiceError {
  return (
    mayBeAboutRequest(error) ||
    error instanceof ConnectionFailedError ||
    error instanceof TruncatedAnswerError ||
    error instanceof TokenRefusedError ||
    error instanceof RateLimitedError
  );
}

function noteFailed(state: SourceState, groupId: number, reason: string, now: Instant): SourceState {
  return noteFailure(noteSetAside(state, { id: groupId, reason, digest: '' }, now), groupId, now);
}

/** Rotates the items to a random start: a look-up that always fails must not block those behind it. */
export function startingAnywhere<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  const first = Math.floor(random() * items.length);
  return [...items.slice(first), ...items.slice(0, first)];
}
